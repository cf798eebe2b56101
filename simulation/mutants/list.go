package mutants

// edit replaces a text that stands exactly once in a file.
type edit struct{ file, old, new string }

// mutant is one deliberate fault.
type mutant struct {
	name string
	// what names the rule of spec section 5 or the clause of docs/when-reuse.md that it takes out.
	what  string
	edits []edit
	// few: no reuse is wrong, but too little is reused.
	few bool
	// focus is what the histories shall have, so that few of them are enough (HODOR_SIMULATION_FOCUS).
	focus string
	// by is the test that must fail, as package and name, for a fault that takes so many things at once that histories meet it too rarely;
	// "": the simulation.
	by [2]string
	// dbt: only the clause's test with real dbt can show it.
	dbt bool
}

func onlyDBT(name, what, file, old, new string) mutant {
	return mutant{name: name, what: what, edits: []edit{{file, old, new}}, dbt: true}
}

func one(name, what, focus, file, old, new string) mutant {
	return mutant{name: name, what: what, focus: focus, edits: []edit{{file, old, new}}}
}

// list is every mutant. Where two layers guard one promise, a mutant takes out both.
var list = []mutant{
	{name: "always build", what: "the share of reuses", few: true,
		edits: []edit{{"engine/decide.go", "		if v := r.check(in); v.decided {\n", "		if v := r.check(in); v.decided && v.Action == Build {\n"}}},
	one("always reuse", "every rule", "", "engine/decide.go", "		if v := r.check(in); v.decided {\n",
		"		if in.Record != nil && (in.Kind != KindTest || in.Record.Test != nil) {\n			return Decision{Action: Reuse, Reason: NoNewData}\n		}\n		if v := r.check(in); v.decided {\n"),

	// The rules of spec section 5.
	one("full refresh is forgotten", "rule 2", "flags", "engine/rule_scope.go", "	if in.FullRefresh {\n", "	if false {\n"),
	one("another engine's table is a table", "rule 3", "outside", "project/kind.go", "		return engine.KindUnsupported, why\n", "		return engine.KindTable, why\n"),
	one("a damaged record is history", "rule 4, S1", "damage,code", "stores/newest.go", "	case r.Check() != nil:\n		l.Reject(key)\n", "	case r.Check() != nil && r.RecordID == \"\":\n		l.Reject(key)\n"),
	one("a missing pointer is no missing relation", "rule 5", "config", "engine/rule_relation_missing.go", "	if in.Relation == Present {\n", "	if in.Relation != Unseen {\n"),
	one("code is not compared", "rule 6", "code", "engine/rule_changed.go", "	if same(then.Code, now.Code) {\n		return next\n", "	if now.Code != \"\" {\n		return next\n"),
	one("configuration is not compared", "rule 7", "config", "engine/rule_changed.go", "	if same(then, now) {\n", "	if now != \"\" {\n"),
	one("the target is not compared", "rule 8", "write", "engine/rule_changed.go", "	if in.Kind == KindTest && !in.KeepsFailures || same(in.Record.Target, in.Target) {\n", "	if in.Kind == KindTest && !in.KeepsFailures || in.Target.Known() {\n"),
	one("a target that can't be read stands", "rule 8, S17", "databricks,faults,write", "engine/rule_changed.go", "	if in.Kind == KindTest && !in.KeepsFailures || same(in.Record.Target, in.Target) {\n",
		"	if in.Kind == KindTest && !in.KeepsFailures || !in.Target.Known() || same(in.Record.Target, in.Target) {\n"),
	one("a star in a view is nothing", "rule 9", "star,views", "engine/rule_view.go", "	if in.Kind == KindView && in.SelectStarView {\n", "	if false {\n"),
	{name: "views always build", what: "rule 10", few: true, edits: []edit{{"engine/rule_view.go", "	return reuse(ViewUnchanged, Evidence{\"target\", string(in.Record.Target), string(in.Target)})\n", "	return build(NewUpstreamData)\n"}}},
	one("what a view holds of its run is nothing", "rule 10, S27", "started,views", "engine/rule_view.go", "		if u := &in.Upstreams[i]; !same(in.Record.Upstreams[u.Name], u.Now) {\n",
		"		if u := &in.Upstreams[i]; u.Name == \"\" {\n"),
	one("the unknown may wait", "rule 11", "lag,drop,policy,databricks", "engine/rule_lineage.go", "		if !u.volatile() && !u.Now.Known() {\n", "		if false {\n"),
	one("views between are not compared", "rule 12", "views,code", "engine/rule_lineage.go", "	if e := changedViews(in); len(e) > 0 {\n", "	if e := changedViews(in); len(e) > 99 {\n"),
	one("volatile values do not count", "rule 13", "day,night", "engine/rule_data.go", "	if c.tables+c.volatiles == 0 {\n", "	if c.tables == 0 {\n"),
	one("any is all", "rule 13", "in,union,write", "engine/rule_data.go", "	if in.RequireAll && c.total > 0 && c.tables < c.total {\n", "	if c.total > 0 && c.tables < c.total {\n"),
	one("all is none", "rule 13", "all,write", "engine/rule_data.go", "	if in.RequireAll && c.total > 0 && c.tables < c.total {\n", "	if in.RequireAll {\n"),
	one("lag is measured twice as long", "rule 14", "lag,write", "engine/rule_data.go", "in.NowMS-in.Record.BuiltAtMS >= in.LagToleranceMS {\n", "in.NowMS-in.Record.BuiltAtMS >= 2*in.LagToleranceMS {\n"),
	one("new data is reused", "rule 15", "write", "engine/rule_data.go", "	return build(c.reason(), c.changed...)\n}\n\n// comparison", "	return reuse(NoNewData, c.changed...)\n}\n\n// comparison"),

	// Records.
	{name: "overlapping builds count in SQL", what: "S2", by: [2]string{"./stores/duckdb", "TestConformance"}, edits: []edit{{"stores/sqlstore/load.go", "AND start_ms <= newest_end_ms AND end_ms >= newest_start_ms THEN 1 ELSE 0 END", "AND start_ms <= newest_end_ms AND end_ms >= newest_start_ms THEN 0 ELSE 0 END"}}},
	{name: "the oldest record wins in SQL", what: "S2", by: [2]string{"./stores/duckdb", "TestConformance"}, edits: []edit{{"stores/sqlstore/load.go", " start_ms DESC, ended DESC, recorded_at_ms DESC, record_id DESC)", " start_ms, recorded_at_ms, record_id)"}}},
	one("the oldest record wins", "S2", "there and back,duckdb", "stores/newest.go", "newer(r, newest) > 0", "newer(r, newest) < 0"),
	{name: "overlapping builds count", what: "S2", by: [2]string{"./stores/memory", "TestConformance"}, edits: []edit{{"stores/newest.go", "	return bStart <= aEnd && bEnd >= aStart\n", "	return bStart <= aEnd && bEnd >= aStart && aStart == bStart-1\n"}}},
	one("nothing tells that a build began", "S2", "side,hooks,duckdb,cut short", "session/begun.go", "	if s.deps.Plan || !s.voids(st) {\n", "	if s.deps.Plan || !s.voids(st) || st.key != \"\" {\n"),
	one("versions after the build are recorded", "S3", "databricks,part,write", "session/built.go", "		upstreams[u.Name] = u.Now\n",
		"		upstreams[u.Name] = u.Now\n		for _, f := range st.found.Upstreams {\n			if f.Name == u.Name && action == engine.Build && (f.Kind == \"table\" || f.Kind == \"path\") {\n				upstreams[u.Name] = s.reader.Rows(context.Background(), relationOf(f), \"\")\n			}\n		}\n"),
	one("an upstream that the record lacks may wait", "S3", "all,parent,write,in,union", "engine/rule_lineage.go", "		if !u.volatile() && !in.Record.Upstreams[u.Name].Known() {\n", "		if false {\n"),
	{name: "a hook beside a build is nothing", what: "S3, S15", by: [2]string{"./session", "TestS3WrittenBesideTheBuild"}, edits: []edit{{"session/beside.go", "	beside = st != nil && (st.beside || st.wrote != s.wrote)\n", ""}}},
	one("empty runs are recorded", "S4", "flags", "session/session.go", "		s.noReuse, s.noRecords = engine.NoHistory, true\n", "		s.noReuse = engine.NoHistory\n"),
	one("empty runs reuse", "S4", "flags", "session/session.go", "		s.noReuse, s.noRecords = engine.NoHistory, true\n", "		s.noRecords = true\n"),
	{name: "the future is history", focus: "lag,clock", what: "S5", edits: []edit{
		{"stores/newest.go", "			if at > nowMS {\n", "			if at > nowMS && r.RecordID == \"\" {\n"},
		{"engine/rule_no_history.go", "	case r.BuiltAtMS <= 0 || r.BuiltAtMS > in.NowMS:\n", "	case r.BuiltAtMS <= 0:\n"}}},

	// What a node reads.
	one("a model that reads itself is settled", "S6", "itself", "engine/rule_lineage.go", "	if !in.ReadsItself || ", "	if true || "),
	one("only depends_on counts", "S6", "hard,write", "lineage/resolve.go", "	s.body(facts)\n", ""),
	one("only SQL counts", "S6", "write", "lineage/resolve.go", "	for _, id := range ids {\n		s.dependsOn(id)\n	}\n", ""),
	one("hooks read nothing", "S7", "hooks,write", "lineage/resolve.go", "		s.hook(h)\n", "		_ = h\n"),
	one("a view's hooks are nothing", "S7", "hooks,views,write", "engine/rule_lineage.go", "	case in.HooksUnknown:\n", "	case false:\n"),
	{name: "a user function is a built-in", focus: "own,function", what: "S8", edits: []edit{{"normalize/bind_call.go", "		a.opaque = append(a.opaque, textAt{name, x.Start})\n", "		_ = name\n"}}},
	one("nothing hides a built-in", "S8", "abs,function,duckdb", "session/evidence.go", "		if all || some && calls[name] {\n", "		if all && !some {\n"),
	one("a file has a version", "S8", "file", "lineage/resolve.go", "		s.x.other(Upstream{Name: \"opaque:\" + o, Kind: Unknown, Why: \"an input that can't be traced\"})\n", "		_ = o\n"),
	one("views bring no stamps", "S9", "now,views,star", "lineage/resolve.go", "		s.x.volatile[kind] = true\n	}\n}\n\n// expand", "		s.x.volatile[kind] = s.x.volatile[kind] || inner.volatile[kind]\n	}\n}\n\n// expand"),
	one("views bring no tables", "S9", "views,write", "lineage/resolve.go", "	for _, u := range inner.upstreams {\n		s.x.add(u)\n	}\n", ""),
	{name: "a view is what its record says", what: "S9", by: [2]string{"./session", "TestS9Views"}, edits: []edit{{"session/evidence.go", "	if built.Known() && built == out.Definition {\n", "	if built.Known() {\n"}}},
	one("a table written out is nothing", "S10", "hard,write", "lineage/resolve.go", "		s.x.other(Upstream{Name: \"table:\" + project.Key(parts), Kind: Unknown, Why: why, Parts: parts})\n", "		_ = why\n"),
	one("tests read nothing", "S11", "write", "session/decide.go", "		in.Upstreams, in.Views = st.reads.upstreams, st.reads.views\n",
		"		if n.Kind != engine.KindTest {\n			in.Upstreams, in.Views = st.reads.upstreams, st.reads.views\n		} else if in.Record != nil {\n			in.Record.Upstreams, in.Record.Views = nil, nil\n		}\n"),
	one("policies change nothing", "S12", "policy,databricks", "versions/databricks.go", "	if found[nameKey(\"\", r.Parts[len(r.Parts)-2], r.Parts[len(r.Parts)-1])] {\n", "	if found == nil {\n"),

	// Versions.
	one("a DuckDB token has no columns", "S13", "schema,duckdb", "versions/duckdb.go", "digest(\"columns\", t.columns, t.ddl)", "digest(\"columns\")"),
	one("an ambiguous commit changes no columns", "S13", "schema,databricks", "versions/databricks.go", "change == h.change && !h.ambiguous {\n", "change == h.change {\n"),
	one("CHANGE COLUMN is maintenance", "S13", "schema,databricks", "versions/history.go", "		return ambiguous\n	case \"WRITE\":\n", "		return maintenance\n	case \"WRITE\":\n"),
	{name: "zero metrics clear every commit", focus: "restore,databricks,write", what: "S13", edits: []edit{{"versions/history.go", "		if maintenanceOperations[c.operation] {\n			return maintenance\n		}\n		return change\n",
		"		if maintenanceOperations[c.operation] {\n			return maintenance\n		}\n"}}},
	one("an overwrite of nothing is nothing", "S13", "write,databricks", "versions/history.go", "		if c.parameters[\"mode\"] != \"Append\" {\n", "		if false {\n"),
	one("deletion vectors are nothing", "S13", "write,databricks", "versions/history.go", "		if (row || fileMetrics.MatchString(name)) && value != \"0\" {\n", "		if row && value != \"0\" {\n"),
	one("a commit is its version", "S13", "drop,write,databricks", "versions/history.go", "			h.change = fmt.Sprintf(\"%d@%d\", c.version, c.atMS)\n", "			h.change = fmt.Sprintf(\"%d@1\", c.version)\n"),
	one("hash() tells doubles apart", "S14", "carry,write,duckdb", "versions/fingerprint.go", "	\"BOOLEAN\": true,", "	\"DOUBLE\": true, \"BOOLEAN\": true,"),
	one("hash() tells strings apart", "S14", "carry,write,duckdb", "versions/fingerprint.go", "	case c.typ == \"VARCHAR\":\n		return []string{text}, nil\n", "	case c.typ == \"VARCHAR\":\n		return []string{ref}, nil\n"),
	one("a build leaves versions as they were", "S15", "write,code", "session/built.go", "	if req.Attempted || req.HooksRan {\n", "	if req.Status == \"\" {\n"),
	{name: "a failed build writes nothing", what: "S15", by: [2]string{"./session", "TestS15Stale"}, edits: []edit{{"session/built.go", "	if req.Attempted || req.HooksRan {\n", "	if (req.Attempted || req.HooksRan) && req.Status != \"error\" {\n"}}},
	one("hooks write nothing elsewhere", "S15", "hooks,audit,part", "session/facts.go", "		if !h.Known || !h.config && !project.HookIsHarmless(h.SQL) {\n", "		if !h.Known {\n"),
	one("a compile writes nothing", "S15", "compile writes,audit,part", "session/decide.go", "		s.allStale()\n	}\n	defer func() {", "	}\n	defer func() {"),
	one("a read that was under way is kept", "S16", "hooks,audit,code", "versions/cache.go", "	clear(c.entries)\n", "	for key, e := range c.entries {\n		select {\n		case <-e.done:\n			delete(c.entries, key)\n		default:\n		}\n	}\n"),
	{name: "what was said ahead holds after a build", what: "S15", by: [2]string{"./session", "TestAheadEndsWithTheFirstBuild"}, edits: []edit{{"session/decide.go", "	if st.action != engine.Reuse || st.runHooks {\n		s.stir()\n", "	if st.action != engine.Reuse || st.runHooks {\n"}}},
	{name: "a lag said ahead lasts", what: "rule 14", by: [2]string{"./session", "TestAheadWaitsForNoLagTolerance"}, edits: []edit{{"session/ahead.go", " || st.decided.Reason == engine.WithinLagTolerance {\n", " {\n"}}},
	{name: "a day said ahead does not end", what: "S24", by: [2]string{"./session", "TestAheadIsNotSaid"}, edits: []edit{{"session/ahead.go", "		return nil // the day may end\n", ""}}},
	one("columns of a view never freeze", "S18", "views,schema,databricks", "engine/rule_view.go", "	if in.Kind != KindView || in.ViewsBindAnew {\n", "	if true {\n"),

	// Configuration.
	one("settings of the session are nothing", "S19", "engine,setting", "session/decide.go", "extra := []string{session.Fingerprint, s.req.Context.Session}", "extra := []string{s.req.Context.Session}"),
	one("macros override nothing", "S20", "macro", "project/macro.go", "		if !x.internal && m.overridesBuiltin(x.name) {\n", "		if x.internal && m.overridesBuiltin(x.name) && x.id == \"\" {\n"),
	one("vars are nothing to macros", "S21", "macro,var", "project/hash.go", "	if r.vars {\n", "	if r.vars && h.ctx.Vars == \"\" {\n"),
	{name: "hooks are what their source says", what: "S21", focus: "hooks,var", edits: []edit{
		{"session/decide.go", "			extra = append(extra, h.hash)\n", "			_ = h\n"},
		{"project/hash.go", "	if r.vars {\n", "	if r.vars && h.ctx.Vars == \"\" {\n"}}},
	one("a test's threshold is nothing", "S22", "config,tests", "project/keys.go", "	{InConfig, \"error_if\", true,", "	{InConfig, \"error_if\", false,"),
	one("warnings that are errors are nothing", "S22", "flags,tests", "project/hash.go", "		b = appendString(b, h.ctx.WarnError)\n", ""),
	one("a column's type is nothing", "S23", "config", "project/keys.go", "	{InColumn, \"data_type\", true,", "	{InColumn, \"data_type\", false,"),
	one("a seed is its first line", "S23", "seed,code", "project/seed.go", "		c.merged.Write(line[:len(line)-2])\n		c.merged.Write([]byte(\"\\n\"))\n		return\n	}\n	c.lf = true\n	c.merged.Write(line)\n", "		return\n	}\n	c.lf = true\n"),

	// Volatile values.
	one("what is never known may wait", "S24", "lag,random", "engine/rule_data.go", "	if len(e) == 0 {\n		return next\n	}\n	c := compare(in)\n", "	if true {\n		return next\n	}\n	c := compare(in)\n"),
	one("a day lasts for ever", "S24", "day,night", "versions/duckdb_session.go", "		if opt.now().Before(today.until) {\n", "		if true {\n"),
	one("today is a word", "S25", "today,night,databricks", "normalize/bind_date.go", "		kind = kindDate\n	}\n	// What follows", "		kind = pure\n	}\n	// What follows"),
	one("rowid is a column", "S26", "rowid,write,duckdb", "normalize/bind_name.go", "{ return a.duck() && name == pseudoRowID }", "{ return a.duck() && name == \"\" }"),
	one("chance is not volatile", "S26", "random", "normalize/functions.go", "		return list[i], true\n", "		if list[i].kind == kindAlways {\n			list[i].kind = pure\n		}\n		return list[i], true\n"),
	one("the run's start is a literal", "S27", "started", "normalize/bind_name.go", "		v = merge(v, a.call(name, kindAlways, n.Bounds().Start))\n", "		_ = name\n"),
	one("a view may hold the run's start", "S27", "started,views", "session/decide.go", "	} else if holdsRun(st.text.facts, n.State.EvaluateVolatile) {\n", "	} else if false {\n"),

	// Plans. No history makes one; the tests with real dbt do (TestClausesWithDBT).
	onlyDBT("what is above writes nowhere else", "S28", "state/plan.go", "		if pl.tainted[parent] != \"\" && ", "		if false && "),
	onlyDBT("an untested node is tested", "S29", "state/plan.go", "	return d.Action == engine.Reuse && (d.Replay == \"pass\" || d.Replay == \"warn\")\n", "	return d.Action == engine.Reuse\n"),
	onlyDBT("a saved plan is never stale", "S30", "state/document.go", "	switch {\n	case p.Project != now.Project || ", "	if len(p.Nodes) > 0 {\n		return \"\"\n	}\n	switch {\n	case p.Project != now.Project || "),
}
