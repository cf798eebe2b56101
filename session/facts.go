package session

import (
	"encoding/json"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"hodor/engine"
	"hodor/lineage"
	"hodor/normalize"
	"hodor/project"
	"hodor/stores"
)

// sqlFacts is the JSON of a record's sql_facts; docs/records.md lists the keys. Zero values mean "not known".
type sqlFacts struct {
	// Dialect, Catalog and Schema are what the analysis holds for: under other defaults the same text names other tables.
	Dialect string `json:"dialect"`
	Catalog string `json:"catalog"`
	Schema  string `json:"schema"`
	Level   string `json:"level,omitempty"`
	*normalize.Facts
	Hooks    []hookFacts               `json:"hooks,omitempty"`
	Views    map[string]viewFacts      `json:"views,omitempty"`
	Columns  map[string]engine.Version `json:"columns,omitempty"`
	Literals json.RawMessage           `json:"literals,omitempty"` // a normalize.SaltedLiterals; of builds only
	SQL      string                    `json:"sql,omitempty"`
	Decided  *decidedFacts             `json:"decided,omitempty"`
	// After is the time of a record from the future that stood there when this one was made (loadPresent), epoch ms.
	After int64 `json:"after_ms,omitempty"`
}

// decidedFacts is what a decision looked at beyond what the columns and keys of a record hold anyway, for explain. No later decision reads it.
type decidedFacts struct {
	Kind           engine.Kind       `json:"kind"`
	LagToleranceMS int64             `json:"lag_tolerance_ms,omitempty"`
	RequireAll     bool              `json:"require_all,omitempty"`
	Evidence       []evidenceFacts   `json:"evidence,omitempty"`
	Unknown        map[string]string `json:"unknown,omitempty"` // by upstream: why it has no version
	Why            string            `json:"why,omitempty"`     // why the node is out of scope, or has no history
}

// evidenceFacts is one engine.Evidence.
type evidenceFacts struct {
	What string `json:"what"`
	Then string `json:"then,omitempty"`
	Now  string `json:"now,omitempty"`
}

// decidedOf keeps of a decision what the record does not hold elsewhere: hashes are columns, and then and now of what is read stand in the
// upstreams and views of this record and the one before.
func decidedOf(st *state) *decidedFacts {
	n := st.node
	f := &decidedFacts{Kind: n.Kind, LagToleranceMS: n.State.LagToleranceMS, RequireAll: n.State.RequireAll, Why: n.Why}
	if st.decided.Reason == engine.NoHistory {
		f.Why = st.begun
	}
	for _, e := range st.decided.Evidence {
		switch kind, _, _ := strings.Cut(e.What, " "); kind {
		case "target", "relation", "lineage", "hooks", "columns", "test_result":
			if e.Then != e.Now || e.Then == "" {
				f.Evidence = append(f.Evidence, evidenceFacts{e.What, e.Then, e.Now})
			}
		case "upstream":
			if strings.HasPrefix(e.What, "upstream {{") {
				f.Evidence = append(f.Evidence, evidenceFacts{What: e.What})
			}
		}
	}
	for _, u := range st.reads.upstreams {
		if why := st.reads.why[u.Name]; why != "" && !u.Now.Known() {
			if f.Unknown == nil {
				f.Unknown = map[string]string{}
			}
			f.Unknown[u.Name] = why
		}
	}
	return f
}

// hookFacts is the analysis of one hook or header. Names says what the text does to names in later texts and to other relations, as far as
// project can tell: "harmless", "kept", or "" for neither.
type hookFacts struct {
	TextHash string           `json:"text_hash,omitempty"`
	Header   bool             `json:"header,omitempty"`
	Unknown  bool             `json:"unknown,omitempty"`
	Names    string           `json:"names,omitempty"`
	Level    string           `json:"level,omitempty"`
	Facts    *normalize.Facts `json:"facts,omitempty"`
}

// viewFacts is a view that a node read through: its code and its definition in the warehouse at that time (rule 12, S9).
type viewFacts struct {
	Code       string         `json:"code"`
	Definition engine.Version `json:"definition"`
}

// text is what is known of a node's compiled SQL.
type text struct {
	hash     string // text hash; "" for seeds and what is not UTF-8
	code     string // code hash
	level    string
	facts    *normalize.Facts    // nil: not known
	literals json.RawMessage     // as a record has them
	sql      string              // canonical SQL, with hodor_keep_sql
	present  []normalize.Literal // of the text as it is now, if it was parsed in this run
}

// recordedFacts decodes a record's sql_facts; nil if there are none or they can't be read.
func recordedFacts(r *stores.Record) *sqlFacts {
	if r == nil || r.SQLFacts == nil {
		return nil
	}
	rest, literals := cutLiterals(*r.SQLFacts)
	var f sqlFacts
	if decode(rest, &f) != nil {
		return nil
	}
	if literals != "" {
		f.Literals = json.RawMessage(literals)
	}
	return &f
}

// decode reads the JSON of a record in half the time that encoding/json takes, which was a sixth of a settled node. It also refuses what no record of
// ours has, and then there is no history: a key twice, bytes that are no UTF-8.
func decode(text string, into any) error { return jsonv2.Unmarshal([]byte(text), into) }

// cutLiterals takes the literals out of sql_facts as record wrote them. They are most of it, an entry for each literal of the text, and nobody looks at
// them where nothing has changed. In a text of JSON a quote has a backslash, so what is looked for is a key; and only of this one a salt is the first.
func cutLiterals(facts string) (rest, literals string) {
	const key, first = `,"literals":`, `{"salt":"`
	at := strings.Index(facts, key+first)
	if at < 0 {
		return facts, ""
	}
	length := strings.IndexByte(facts[at:], '}') + 1 // salt and hashes are hexadecimal
	if length == 0 {
		return facts, ""
	}
	return facts[:at] + facts[at+length:], facts[at+len(key) : at+length]
}

// saltedLiterals is what a record says of literals, decoded; nil where it says nothing.
func saltedLiterals(raw json.RawMessage) *normalize.SaltedLiterals {
	var s *normalize.SaltedLiterals
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return s
}

// fromRecord returns the recorded analysis of the text with this hash, if the record has it for this hash version, dialect, catalog and schema.
func (s *Session) fromRecord(hash string, r *stores.Record, f *sqlFacts) (text, bool) {
	switch {
	case r == nil || f == nil || f.Facts == nil || hash == "" || r.TextHash == nil || *r.TextHash != hash || r.CodeHash == nil:
	case r.HashVersion != normalize.Version || f.Dialect != s.req.Adapter || f.Catalog != s.req.Database || f.Schema != s.req.Schema:
	case s.req.Settings.KeepSQL && f.SQL == "":
	default:
		return text{hash: hash, code: *r.CodeHash, level: f.Level, facts: f.Facts, literals: f.Literals, sql: f.SQL}, true
	}
	return text{}, false
}

// analyse normalizes a compiled text.
func (s *Session) analyse(sql string) text {
	r := s.normalized(sql)
	s.mu.Lock()
	s.counts.parsed++
	s.mu.Unlock()
	t := text{hash: r.TextHash, code: r.CodeHash, level: r.Level, facts: &r.Facts, present: r.Literals}
	if salted := normalize.SaltLiterals(r.Literals); salted != nil {
		t.literals, _ = json.Marshal(salted)
	}
	if s.req.Settings.KeepSQL {
		t.sql = r.Normalized
	}
	return t
}

func (s *Session) options() normalize.Options {
	return normalize.Options{Dialect: s.req.Adapter, Catalog: s.req.Database, Schema: s.req.Schema, Replacer: s.replacer}
}

// hookText is one rendered hook or header with its analysis.
type hookText struct {
	lineage.HookFacts
	hash string
	// config: it is SQL of the configuration, an expression, which writes nothing.
	config bool
}

// hooks returns the rendered hooks and header of a node and the SQL of its configuration, with their facts (S7). A text whose hash the record or an earlier node of this run has
// is not parsed again.
func (s *Session) hooks(n *project.Node, rendered *Hooks, recorded *sqlFacts) []hookText {
	var out []hookText
	add := func(sql string, known, header bool) {
		if !known {
			out = append(out, hookText{HookFacts: lineage.HookFacts{Header: header}})
			return
		}
		out = append(out, s.hook(sql, header, recorded))
	}
	needs := s.proj.NeedsRender(n, s.req.Deferred)
	places := map[string]int{}
	for _, h := range n.Hooks {
		at := places[h.When]
		places[h.When]++
		if !needs {
			sql, ok := s.proj.RenderHook(n, h, s.req.Deferred)
			add(sql, ok, false)
			continue
		}
		var list []*string
		if rendered != nil {
			list = rendered.Pre
			if h.When == "post" {
				list = rendered.Post
			}
		}
		if at < len(list) && list[at] != nil {
			add(*list[at], true, false)
		} else {
			add("", false, false)
		}
	}
	if n.Header != "" {
		add(n.Header, true, true)
	}
	for _, sql := range n.ConfigSQL() {
		h := s.hook(sql, false, recorded)
		h.config = true
		out = append(out, h)
	}
	return out
}

func (s *Session) hook(sql string, header bool, recorded *sqlFacts) hookText {
	hash := normalize.TextHash(s.replacer.Replace(sql))
	t := hookText{hash: hash, HookFacts: lineage.HookFacts{Header: header, SQL: sql, Known: true}}
	if project.HookIsHarmless(sql) {
		t.Level, t.Facts = normalize.LevelParsed, normalize.Facts{}
		return t
	}
	if recorded != nil && recorded.Dialect == s.req.Adapter && recorded.Catalog == s.req.Database && recorded.Schema == s.req.Schema {
		for _, h := range recorded.Hooks {
			if h.TextHash == hash && h.Facts != nil {
				t.Level, t.Facts = h.Level, *h.Facts
				return t
			}
		}
	}
	s.mu.Lock()
	memo, ok := s.hookMemo[hash]
	s.mu.Unlock()
	if !ok {
		r := s.normalized(sql)
		memo = hookText{HookFacts: lineage.HookFacts{Facts: r.Facts, Level: r.Level}}
		s.mu.Lock()
		s.counts.parsed++
		s.hookMemo[hash] = memo
		s.mu.Unlock()
	}
	t.Level, t.Facts = memo.Level, memo.Facts
	return t
}

// writesElsewhere tells whether hooks or header may write anything but the node itself (S15).
func writesElsewhere(hooks []hookText) bool {
	for _, h := range hooks {
		if !h.Known || !h.config && !project.HookIsHarmless(h.SQL) {
			return true
		}
	}
	return false
}

// The stand-ins for a recorded hook's text, which is not kept: each answers project's questions about a text as the text itself did.
const (
	standInHarmless = ""
	standInKept     = "select"
	standInOther    = "?"
)

func recordHooks(hooks []hookText) []hookFacts {
	var out []hookFacts
	for _, h := range hooks {
		f := hookFacts{TextHash: h.hash, Header: h.Header, Unknown: !h.Known}
		if h.Known {
			facts := h.Facts
			f.Level, f.Facts = h.Level, &facts
			switch {
			case project.HookIsHarmless(h.SQL):
				f.Names = "harmless"
			case project.HookKeepsNames(h.SQL):
				f.Names = "kept"
			}
		}
		out = append(out, f)
	}
	return out
}

// lineageFacts are recorded facts as lineage takes them.
func (f *sqlFacts) lineageFacts() lineage.Facts {
	out := lineage.Facts{Body: f.Facts, Level: f.Level}
	for _, h := range f.Hooks {
		hook := lineage.HookFacts{Header: h.Header, Level: h.Level, Known: !h.Unknown && h.Facts != nil, SQL: standInOther}
		switch h.Names {
		case "harmless":
			hook.SQL = standInHarmless
		case "kept":
			hook.SQL = standInKept
		}
		if h.Facts != nil {
			hook.Facts = *h.Facts
		}
		out.Hooks = append(out.Hooks, hook)
	}
	return out
}

func lineageFacts(t text, hooks []hookText) lineage.Facts {
	f := lineage.Facts{Body: t.facts, Level: t.level}
	for _, h := range hooks {
		f.Hooks = append(f.Hooks, h.HookFacts)
	}
	return f
}

// changedLiteral names the literals of the present text that are other ones than the record's, if the texts have as many and few differ; ""
// otherwise. Only the present text is shown.
func changedLiteral(then *normalize.SaltedLiterals, now []normalize.Literal) string {
	changed := then.Changed(now)
	if len(changed) == 0 || len(changed) > 3 {
		return ""
	}
	first := changed[0]
	note := fmt.Sprintf("the literal %s in line %d, column %d was another one at the last build", shorten(first.Text), first.Line, first.Column)
	if len(changed) > 1 {
		note += fmt.Sprintf(", and %d more", len(changed)-1)
	}
	return note
}

func shorten(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
