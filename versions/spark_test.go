//go:build spark

package versions

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hodor/engine"
	"hodor/internal/sparktest"
	"hodor/warehouse"
)

var update = flag.Bool("update", false, "rewrite testdata/delta-measured.jsonl with what Delta Lake does here")

// deltaCase is something that is done to a table. T stands for its name, S for that of a second table of the same form.
type deltaCase struct {
	name  string
	setup []string // after the table was made: two columns, id and v, two rows
	do    string
	by    func(s *sparktest.Session, t *testing.T, table, second string) error // in place of do
	// stream: in place of do, what is new in S is written into T by a stream; so does STREAM in setup.
	stream bool
	// costs: nothing that can be seen changes, and dependents build all the same.
	costs bool
	// none: the open Delta Lake refuses the statement.
	none bool
}

const manyRows = "INSERT INTO T SELECT id, cast(id AS string) FROM range(10, 20)"

var deltaCases = []deltaCase{
	{name: "insert", do: "INSERT INTO T VALUES (3, 'c')"},
	{name: "insert of no rows", do: "INSERT INTO T SELECT 1, 'x' WHERE false"},
	{name: "append by the DataFrame API, no rows", by: write("SELECT 1 AS id, 'x' AS v WHERE false", "append", nil)},
	{name: "append with mergeSchema, rows and a column", by: write("SELECT 3 AS id, 'c' AS v, 1 AS w", "append", map[string]string{"mergeSchema": "true"})},
	{name: "append with mergeSchema, a column and no rows", by: write("SELECT 3 AS id, 'c' AS v, 1 AS w WHERE false", "append", map[string]string{"mergeSchema": "true"})},
	{name: "append with mergeSchema, neither", by: write("SELECT 3 AS id, 'c' AS v WHERE false", "append", map[string]string{"mergeSchema": "true"})},
	{name: "append with automatic schema evolution, a column and no rows", setup: []string{"SET spark.databricks.delta.schema.autoMerge.enabled = true"},
		do: "INSERT INTO T SELECT 3 AS id, 'c' AS v, 1 AS w WHERE false"},
	{name: "overwrite with overwriteSchema, no rows", by: write("SELECT 3L AS id, 'c' AS v, 1 AS w WHERE false", "overwrite", map[string]string{"overwriteSchema": "true"})},
	{name: "overwrite with overwriteSchema over an emptied table, no rows", setup: []string{"DELETE FROM T"},
		by: write("SELECT 3L AS id, 'c' AS v WHERE false", "overwrite", map[string]string{"overwriteSchema": "true"})},
	{name: "overwrite with overwriteSchema, same rows, other order of columns",
		by: write("SELECT v, id FROM T", "overwrite", map[string]string{"overwriteSchema": "true"})},
	{name: "replaceWhere with rows", do: "INSERT INTO T REPLACE WHERE id = 1 SELECT 1, 'z'"},
	{name: "replaceWhere, no rows into no rows", do: "INSERT INTO T REPLACE WHERE id = 99 SELECT 99, 'z' WHERE false"},
	{name: "replaceWhere, no rows into rows", do: "INSERT INTO T REPLACE WHERE id = 1 SELECT 1, 'z' WHERE false"},
	{name: "replaceWhere by the DataFrame API, no rows into rows", by: write("SELECT 1 AS id, 'z' AS v WHERE false", "overwrite", map[string]string{"replaceWhere": "id = 1"})},
	{name: "dynamic partition overwrite", setup: partitioned("SET spark.sql.sources.partitionOverwriteMode = dynamic"), do: "INSERT OVERWRITE T SELECT 7, 'a'"},
	{name: "dynamic partition overwrite, no rows", setup: partitioned("SET spark.sql.sources.partitionOverwriteMode = dynamic"),
		do: "INSERT OVERWRITE T SELECT 7, 'a' WHERE false"},
	{name: "static partition overwrite, no rows into rows", setup: partitioned(), do: "INSERT OVERWRITE T PARTITION (v = 'a') SELECT 7 WHERE false"},
	{name: "stream with rows", stream: true},
	{name: "stream with nothing new", stream: true, setup: []string{"STREAM"}},
	{name: "stream of no rows", stream: true,
		setup: []string{"STREAM", "INSERT INTO S SELECT 9, 'x' WHERE false", "ALTER TABLE S SET TBLPROPERTIES ('a' = 'b')", "OPTIMIZE S"}},
	{name: "drop and recreate, same rows", do: "DROP TABLE T; CREATE TABLE T AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS x(id, v)", costs: true},
	{name: "drop and recreate with as many commits, other rows", do: "DROP TABLE T; CREATE TABLE T (id INT, v STRING) USING delta; INSERT INTO T VALUES (1, 'a'), (2, 'z')"},
	{name: "swapped by rename", do: "INSERT INTO S VALUES (8, 'swapped'); ALTER TABLE T RENAME TO T_old; ALTER TABLE S RENAME TO T"},
	{name: "add a constraint", do: "ALTER TABLE T ADD CONSTRAINT positive CHECK (id > 0)"},
	{name: "drop a constraint", setup: []string{"ALTER TABLE T ADD CONSTRAINT positive CHECK (id > 0)"}, do: "ALTER TABLE T DROP CONSTRAINT positive"},
	{name: "set not null", do: "ALTER TABLE T ALTER COLUMN id SET NOT NULL", none: true},
	{name: "analyze", do: "ANALYZE TABLE T COMPUTE STATISTICS", none: true},
	{name: "analyze columns", do: "ANALYZE TABLE T COMPUTE STATISTICS FOR ALL COLUMNS", none: true},
	{name: "compute delta statistics", do: "ANALYZE TABLE T COMPUTE DELTA STATISTICS", none: true},
	{name: "fsck", do: "FSCK REPAIR TABLE T", none: true},
	{name: "shallow clone over rows, of other rows", setup: []string{"INSERT INTO S VALUES (8, 'x')"}, do: "CREATE OR REPLACE TABLE T SHALLOW CLONE S", none: true},
	{name: "shallow clone over an emptied table", setup: []string{"DELETE FROM T"}, do: "CREATE OR REPLACE TABLE T SHALLOW CLONE S"},
	{name: "deep clone", do: "CREATE OR REPLACE TABLE T DEEP CLONE S", none: true},
	{name: "recreated as a shallow clone", do: "DROP TABLE T; CREATE TABLE T SHALLOW CLONE S", costs: true},
	{name: "restore to another version", setup: []string{"DELETE FROM T WHERE id = 1"}, do: "RESTORE TABLE T TO VERSION AS OF 1"},
	{name: "restore after truncate", setup: []string{"TRUNCATE TABLE T"}, do: "RESTORE TABLE T TO VERSION AS OF 1"},
	{name: "optimize (operations 40)", setup: []string{manyRows}, do: "OPTIMIZE T"},
	{name: "optimize zorder", setup: []string{manyRows}, do: "OPTIMIZE T ZORDER BY (id)"},
	{name: "optimize a clustered table (operations 40)", setup: []string{"ALTER TABLE T CLUSTER BY (id)", manyRows}, do: "OPTIMIZE T FULL"},
	{name: "cluster by", do: "ALTER TABLE T CLUSTER BY (id)"},
	{name: "cluster by none", setup: []string{"ALTER TABLE T CLUSTER BY (id)"}, do: "ALTER TABLE T CLUSTER BY NONE"},
	{name: "vacuum", setup: []string{"SET spark.databricks.delta.vacuum.logging.enabled = true", "SET spark.databricks.delta.retentionDurationCheck.enabled = false",
		"UPDATE T SET v = 'q'"}, do: "VACUUM T RETAIN 0 HOURS"},
	{name: "properties (operations 41)", do: "ALTER TABLE T SET TBLPROPERTIES ('a' = 'b')"},
	{name: "properties taken back", setup: []string{"ALTER TABLE T SET TBLPROPERTIES ('a' = 'b')"}, do: "ALTER TABLE T UNSET TBLPROPERTIES ('a')"},
	{name: "table comment", do: "COMMENT ON TABLE T IS 'about'"},
	{name: "column comment", do: "ALTER TABLE T ALTER COLUMN v COMMENT 'about'"},
	{name: "column moved", do: "ALTER TABLE T ALTER COLUMN v FIRST"},
	{name: "row tracking for what is there", do: "ALTER TABLE T SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')", costs: true},
	{name: "deletion vectors switched on", do: "ALTER TABLE T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"},
	{name: "purge of deletion vectors", setup: []string{"ALTER TABLE T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')", manyRows, "DELETE FROM T WHERE id = 12"},
		do: "REORG TABLE T APPLY (PURGE)"},
	{name: "merge with deletion vectors (operations 42)", setup: []string{"ALTER TABLE T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')", manyRows},
		do: "MERGE INTO T USING (SELECT 12 AS id) s ON T.id = s.id WHEN MATCHED THEN DELETE"},
	{name: "merge of no rows with schema evolution", setup: []string{"ALTER TABLE S ADD COLUMN w INT"},
		do: "MERGE WITH SCHEMA EVOLUTION INTO T USING S ON T.id = S.id WHEN NOT MATCHED THEN INSERT *"},
	{name: "a feature dropped", setup: []string{"ALTER TABLE T SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"},
		do: "ALTER TABLE T DROP FEATURE deletionVectors", costs: true},
}

func write(query, mode string, options map[string]string) func(*sparktest.Session, *testing.T, string, string) error {
	return func(s *sparktest.Session, t *testing.T, table, second string) error {
		return s.Write(t.Context(), named(query, table, second), table, mode, options)
	}
}

// partitioned makes the table again, in partitions of v.
func partitioned(more ...string) []string {
	return append([]string{"DROP TABLE T", "CREATE TABLE T (id INT, v STRING) USING delta PARTITIONED BY (v)", "INSERT INTO T VALUES (1, 'a'), (2, 'b')"}, more...)
}

var (
	marks      = regexp.MustCompile(`\b(T_old|T|S)\b`)
	usesSecond = regexp.MustCompile(`\bS\b`)
)

// named puts the names of the tables into a statement.
func named(statement, table, second string) string {
	return marks.ReplaceAllStringFunc(statement, func(mark string) string {
		return map[string]string{"T": table, "T_old": table + "_old", "S": second}[mark]
	})
}

// measured is one commit as testdata/delta-measured.jsonl has it.
type measured struct {
	Case          string            `json:"case"`
	SQL           string            `json:"sql"`
	Version       int64             `json:"version"`
	TimestampMS   int64             `json:"timestamp_ms"`
	Operation     string            `json:"operation"`
	Metrics       map[string]string `json:"metrics"`
	Parameters    map[string]string `json:"parameters"`
	DataChanged   bool              `json:"data_changed"`
	SchemaChanged bool              `json:"schema_changed"`
	Commit        bool              `json:"commit"`
	Commits       int               `json:"commits_of_statement"`
	Class         string            `json:"class"`
	Engine        string            `json:"engine"`
}

// TestSparkDeltaVersions does to real Delta tables what people do to them. Where rows, or names, types or order of columns, are not what they were,
// the version must be another; where nothing has changed it should be the same, and what costs a build all the same is listed.
func TestSparkDeltaVersions(t *testing.T) {
	spark := sparktest.Get(t)
	schema := spark.Schema(t)
	lists := make([][]measured, len(deltaCases))
	t.Run("cases", func(t *testing.T) { // which ends when the last of them has
		for i, c := range deltaCases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				lists[i] = c.run(t, sparktest.Get(t), rel("spark_catalog", schema, fmt.Sprintf("t%d", i)), fmt.Sprintf("%s.t%d", schema, i), fmt.Sprintf("%s.s%d", schema, i))
			})
		}
	})
	list := slices.Concat(lists...)
	if *update && !t.Failed() {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		for _, m := range list {
			if err := e.Encode(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join("testdata", "delta-measured.jsonl"), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (c deltaCase) run(t *testing.T, spark *sparktest.Session, r Relation, table, second string) []measured {
	spark.Exec(t, "CREATE TABLE "+table+" (id INT, v STRING) USING delta", "INSERT INTO "+table+" VALUES (1, 'a'), (2, 'b')")
	if c.stream || usesSecond.MatchString(c.do+" "+strings.Join(c.setup, " ")) {
		spark.Exec(t, "CREATE TABLE "+second+" (id INT, v STRING) USING delta", "INSERT INTO "+second+" VALUES (1, 'a'), (2, 'b')")
	}
	for _, s := range c.setup {
		if s == "STREAM" {
			if err := spark.Stream(t.Context(), second, table); err != nil {
				t.Fatal(err)
			}
			continue
		}
		spark.Exec(t, named(s, table, second))
	}
	db := warehouse.Open(spark, 2)
	defer db.Close()
	reader := func() *Databricks { return NewDatabricks(db, Options{Log: t.Logf, Catalog: "spark_catalog"}) }
	before, had, old := reader().Rows(t.Context(), r, ""), contentOf(t, spark, table), commitsOf(t, db, table)
	if !before.Known() {
		t.Fatal("no version before")
	}
	err := error(nil)
	switch {
	case c.stream:
		err = spark.Stream(t.Context(), second, table)
	case c.by != nil:
		err = c.by(spark, t, table, second)
	default:
		for statement := range strings.SplitSeq(c.do, "; ") {
			if _, err = spark.Run(t.Context(), named(statement, table, second)); err != nil {
				break
			}
		}
	}
	if c.none {
		if err == nil {
			t.Error("it is no longer refused: measure it")
		}
		t.Logf("refused: %.200v", err)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	after := reader().Rows(t.Context(), r, before)
	if fresh := reader().Rows(t.Context(), r, ""); fresh != after {
		t.Errorf("with the recorded version it is %q, without %q", after, fresh)
	}
	has := contentOf(t, spark, table)
	dataChanged, schemaChanged := !slices.Equal(had.rows, has.rows), !slices.Equal(had.columns, has.columns)
	switch changed := dataChanged || schemaChanged; {
	case changed && after == before:
		t.Errorf("wrong reuse: rows changed %v, columns changed %v, the version is still %s", dataChanged, schemaChanged, after)
	case !changed && after != before != c.costs:
		t.Errorf("nothing changed; the version was %s and is %q", before, after)
	}
	var list []measured
	now := commitsOf(t, db, table)
	for _, one := range slices.Backward(now) {
		if slices.ContainsFunc(old, func(o commit) bool { return reflect.DeepEqual(o, one) }) {
			continue
		}
		list = append(list, measured{
			Case: c.name, SQL: c.do, Version: one.version, TimestampMS: one.atMS, Operation: one.operation, Metrics: steady(one.metrics), Parameters: one.parameters,
			DataChanged: dataChanged, SchemaChanged: schemaChanged, Commit: true, Class: one.class().String(), Engine: "delta 4.4.0 / spark 4.2.0",
		})
	}
	for i := range list {
		list[i].Commits = len(list)
	}
	t.Logf("rows changed %v, columns changed %v, %d commits %v", dataChanged, schemaChanged, len(list), operations(list))
	return list
}

func operations(list []measured) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Operation+" ("+m.Class+")")
	}
	return out
}

// steady leaves out what differs from run to run.
func steady(metrics map[string]string) map[string]string {
	for name := range metrics {
		if strings.Contains(strings.ToLower(name), "time") || strings.HasSuffix(name, "Bytes") {
			delete(metrics, name)
		}
	}
	return metrics
}

// content is what a table holds: its rows, sorted, and the names and types of its columns, in order.
type content struct{ rows, columns []string }

func contentOf(t *testing.T, spark *sparktest.Session, table string) (c content) {
	t.Helper()
	r, err := spark.Run(t.Context(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range r.Columns {
		c.columns = append(c.columns, name+" "+r.Types[i])
	}
	for _, row := range r.Rows {
		line, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		c.rows = append(c.rows, string(line))
	}
	slices.Sort(c.rows)
	return c
}

// commitsOf reads the whole history of a table.
func commitsOf(t *testing.T, db *sql.DB, table string) []commit {
	t.Helper()
	list, err := readHistory(t.Context(), db, "DESCRIBE HISTORY "+table)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSparkUnknownVersions: what is no Delta table, or whose history says nothing, has no version.
func TestSparkUnknownVersions(t *testing.T) {
	spark := sparktest.Get(t)
	schema := spark.Schema(t)
	name := func(table string) string { return "spark_catalog." + schema + "." + table }
	var properties []string
	for i := range 20 {
		properties = append(properties, fmt.Sprintf("ALTER TABLE %s SET TBLPROPERTIES ('n' = '%d')", name("busy"), i))
	}
	spark.Exec(t, "CREATE TABLE "+name("t")+" AS SELECT 1 AS id", "CREATE VIEW "+name("v")+" AS SELECT id FROM "+name("t"),
		"CREATE TABLE "+name("p")+" USING parquet AS SELECT 1 AS id", "CREATE TABLE "+name("busy")+" AS SELECT 1 AS id")
	db := warehouse.Open(spark, 2)
	defer db.Close()
	d := NewDatabricks(db, Options{Log: t.Logf, Catalog: "spark_catalog"})
	at := func(table string) Relation { return rel("spark_catalog", schema, table) }
	if !d.Rows(t.Context(), at("t"), "").Known() || !d.Rows(t.Context(), at("busy"), "").Known() {
		t.Error("a Delta table has no version")
	}
	for _, table := range []string{"v", "p", "none"} {
		if v := d.Rows(t.Context(), at(table), ""); v.Known() {
			t.Errorf("%s has the version %s", table, v)
		}
	}
	spark.Exec(t, properties...)
	d.InvalidateAll()
	if v := d.Rows(t.Context(), at("busy"), ""); v.Known() {
		t.Errorf("a history with no change in its window has the version %s", v)
	}
	for table, want := range map[string]engine.Relation{"t": engine.Present, "v": engine.Present, "p": engine.Present, "busy": engine.Present, "none": engine.Absent} {
		if got := d.Stands(t.Context(), at(table)); got != want {
			t.Errorf("%s stands: %v, want %v", table, got, want)
		}
	}
	// A view's definition, and the columns that it saw when it was made (S18).
	first := d.Definition(t.Context(), at("v"))
	if !first.Known() || d.Definition(t.Context(), at("t")).Known() || d.Definition(t.Context(), at("none")).Known() {
		t.Errorf("definition %q, or one of what is no view", first)
	}
	spark.Exec(t, "CREATE OR REPLACE VIEW "+name("v")+" AS SELECT id + 1 AS id FROM "+name("t"))
	d.Invalidate(at("v"))
	if now := d.Definition(t.Context(), at("v")); !now.Known() || now == first {
		t.Errorf("another view has the definition %q", now)
	}
	// The same text over other columns: the view keeps those of its time until it is made again.
	second := d.Definition(t.Context(), at("v"))
	spark.Exec(t, "ALTER TABLE "+name("t")+" SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')", "ALTER TABLE "+name("t")+" ALTER COLUMN id TYPE bigint")
	d.Invalidate(at("v"))
	if now := d.Definition(t.Context(), at("v")); now != second {
		t.Errorf("a view that nobody made again has the definition %q, not %q", now, second)
	}
	spark.Exec(t, "CREATE OR REPLACE VIEW "+name("v")+" AS SELECT id + 1 AS id FROM "+name("t"))
	d.Invalidate(at("v"))
	if now := d.Definition(t.Context(), at("v")); !now.Known() || now == second {
		t.Errorf("made again over other columns, it has the definition %q", now)
	}
	if s, err := d.Session(t.Context()); err != nil || s.NowMS == 0 || s.Fingerprint == "" {
		t.Errorf("session %+v, %v", s, err)
	}
}

// TestSparkPathsAndNames: a table by its path; columns whose names need quotes; a struct that DESCRIBE cuts short.
func TestSparkPathsAndNames(t *testing.T) {
	spark := sparktest.Get(t)
	schema := spark.Schema(t)
	path := filepath.Join(t.TempDir(), "it is `odd`")
	quoted := "delta.`" + strings.ReplaceAll(path, "`", "``") + "`"
	var fields []string
	for i := range 40 {
		fields = append(fields, fmt.Sprintf("f%d: INT", i))
	}
	wide := "spark_catalog." + schema + ".wide"
	spark.Exec(t, "CREATE TABLE "+quoted+" (id INT) USING delta", "INSERT INTO "+quoted+" VALUES (1)",
		"CREATE TABLE "+wide+" (`a ``b` STRUCT<"+strings.Join(fields, ", ")+">, `Ünder.dot` INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
	db := warehouse.Open(spark, 2)
	defer db.Close()
	token := func(r Relation, then engine.Version) engine.Version {
		return NewDatabricks(db, Options{Log: t.Logf, Catalog: "spark_catalog"}).Rows(t.Context(), r, then)
	}
	p, w := Relation{Key: quoted, Path: quoted}, rel("spark_catalog", schema, "wide")
	first, firstWide := token(p, ""), token(w, "")
	if !first.Known() || !firstWide.Known() {
		t.Fatalf("versions %q, %q", first, firstWide)
	}
	spark.Exec(t, "INSERT INTO "+quoted+" VALUES (2)", "ALTER TABLE "+wide+" ADD COLUMN `a ``b`.f40 INT")
	if now := token(p, first); now == first || !now.Known() {
		t.Errorf("after a write: %q", now)
	}
	if now := token(w, firstWide); now == firstWide || !now.Known() {
		t.Errorf("after a field was added: %q", now)
	}
}

// TestSparkOperations37and38ShortHistory: history that is older than its retention is gone, and with it the record's version: another change is
// found, or none.
func TestSparkOperations37and38ShortHistory(t *testing.T) {
	spark := sparktest.Get(t)
	schema := spark.Schema(t)
	table := "spark_catalog." + schema + ".t"
	path := t.TempDir() + "/t"
	spark.Exec(t, "CREATE TABLE "+table+" (id INT) USING delta LOCATION '"+path+"'", "INSERT INTO "+table+" VALUES (1)")
	db := warehouse.Open(spark, 2)
	defer db.Close()
	r := rel("spark_catalog", schema, "t")
	reader := func() *Databricks { return NewDatabricks(db, Options{Log: t.Logf, Catalog: "spark_catalog"}) }
	before := reader().Rows(t.Context(), r, "")
	for i := range 11 { // a checkpoint after ten
		spark.Exec(t, fmt.Sprintf("ALTER TABLE %s SET TBLPROPERTIES ('n' = '%d')", table, i))
	}
	if now := reader().Rows(t.Context(), r, before); now != before {
		t.Errorf("before the history was cut: %q, then %q", before, now)
	}
	for v := range 10 {
		for _, name := range []string{fmt.Sprintf("%020d.json", v), fmt.Sprintf(".%020d.json.crc", v), fmt.Sprintf("%020d.crc", v)} {
			if err := os.Remove(filepath.Join(path, "_delta_log", name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	if now := reader().Rows(t.Context(), r, before); now == before || now.Known() {
		t.Errorf("after the history was cut: %q, then %q", before, now)
	}
}

// TestSparkOperations38Unreadable: what can't be read of a table's log is never taken for "nothing new", whether it was there when the version was
// recorded or came after. To Java a folder, like a file that it may not open, is a file that is not there, and Delta Lake leaves such a commit out of the
// history: where it is the newest, nobody who asks for the history can see it (docs/limits.md).
func TestSparkOperations38Unreadable(t *testing.T) {
	spark := sparktest.Get(t)
	schema := spark.Schema(t)
	db := warehouse.Open(spark, 2)
	defer db.Close()
	replace := func(with string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(with), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	do := func(what ...func(string) error) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			for _, f := range what {
				if err := f(path); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	folder := func(path string) error { return os.Mkdir(path, 0o755) }
	log := func(path string) error { return os.RemoveAll(filepath.Dir(path)) }
	for i, c := range []struct {
		name  string
		spoil func(t *testing.T, path string)
	}{
		{"no JSON", replace("PAR1 is no JSON\n")},
		{"cut", replace(`{"commitInfo":{"timestamp":17924652`)},
		{"empty", replace("")},
		{"a folder", do(os.Remove, folder)},
		{"no log at all", do(log)},
		{"an empty log", do(log, func(path string) error { return folder(filepath.Dir(path)) })},
	} {
		for _, after := range []bool{false, true} {
			if after && c.name == "a folder" {
				continue
			}
			t.Run(fmt.Sprintf("%s, after the record %v", c.name, after), func(t *testing.T) {
				name := fmt.Sprintf("t%d%v", i, after)
				path := filepath.Join(t.TempDir(), "t")
				r := rel("spark_catalog", schema, name)
				spark.Exec(t, "CREATE TABLE spark_catalog."+schema+"."+name+" (id INT) USING delta LOCATION '"+path+"'",
					"INSERT INTO spark_catalog."+schema+"."+name+" VALUES (1)")
				reader := func() *Databricks { return NewDatabricks(db, Options{Log: t.Logf, Catalog: "spark_catalog"}) }
				before := reader().Rows(t.Context(), r, "")
				if !before.Known() {
					t.Fatal("no version before")
				}
				newest := 1
				if after {
					spark.Exec(t, "INSERT INTO spark_catalog."+schema+"."+name+" VALUES (2)")
					newest = 2
				}
				c.spoil(t, filepath.Join(path, "_delta_log", fmt.Sprintf("%020d.json", newest)))
				if now := reader().Rows(t.Context(), r, before); now == before {
					t.Errorf("the version is still %s", now)
				} else {
					t.Logf("%s, then %q", before, now)
				}
			})
		}
	}
}
