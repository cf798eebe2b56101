package normalize

import (
	"os"
	"os/exec"
	"sort"
	"strings"
	"testing"

	"hodor/grammar"
)

func TestFunctionListsAreSorted(t *testing.T) {
	for _, list := range [][]function{functionsDatabricks, functionsDuckDB} {
		if !sort.SliceIsSorted(list, func(i, j int) bool { return list[i].name < list[j].name }) {
			t.Errorf("the list that starts with %s is not sorted", list[0].name)
		}
	}
}

// S8, S24, S26: what the engines' own flags say is not enough; these are the judgements.
func TestBuiltinKinds(t *testing.T) {
	cases := []struct {
		dialect grammar.Dialect
		kind    volatility
		names   string
	}{
		{grammar.DuckDB, kindDate, "current_date today"},
		{grammar.DuckDB, kindSession, "current_user session_user user current_role current_catalog current_database current_schema current_schemas in_search_path"},
		{grammar.DuckDB, kindAlways, "now random uuid uuidv7 nextval currval getvariable current_setting getenv version current_time localtimestamp ago txid_current stats reservoir_quantile pg_get_viewdef"},
		{grammar.DuckDB, pure, "upper sum list_transform coalesce row struct_pack date_trunc strftime age md5 json_extract pg_typeof"},
		{grammar.Databricks, kindDate, "current_date curdate"},
		{grammar.Databricks, kindSession, "current_user user session_user current_catalog current_database current_schema current_timezone"},
		{grammar.Databricks, kindAlways, "now rand uuid shuffle uniform version secret is_member is_account_group_member ai_query input_file_name monotonically_increasing_id current_metastore"},
		{grammar.Databricks, pure, "upper sum transform coalesce struct named_struct date_trunc h3_kring st_area dateadd try_variant_get ip_network unix_timestamp"},
	}
	for _, c := range cases {
		for _, name := range strings.Fields(c.names) {
			if f, ok := builtin(c.dialect, name); !ok || f.kind != c.kind {
				t.Errorf("%v: %s is built in: %t, kind %q, want %q", c.dialect, name, ok, f.kind, c.kind)
			}
		}
	}
	for _, name := range []string{"my_macro", "", "Upper"} {
		if _, ok := builtin(grammar.DuckDB, name); ok {
			t.Errorf("%q is taken for a built-in", name)
		}
	}
}

// S8: a macro hides a built-in function for the texts that call it, and what the parser puts behind syntax for all.
func TestMacroHides(t *testing.T) {
	for name, want := range map[string][2]bool{
		"UPPER": {false, true}, "list_value": {true, true}, "to_days": {true, true}, "~~": {true, true}, "+": {true, true}, "my_macro": {false, false},
	} {
		if all, some := MacroHides(name); all != want[0] || some != want[1] {
			t.Errorf("%s: %t, %t, want %v", name, all, some, want)
		}
	}
	r := Normalize("select Upper(a), sum(b) over () as s, my_macro(c), [1] from t where md5(a) = 'x'", Options{Dialect: DialectDuckDB})
	if got := strings.Join(r.Facts.Calls, " "); got != "md5 sum upper" {
		t.Errorf("calls: %s", got)
	}
}

// The generators are a closed list: a table function beyond it may read anything.
func TestGenerators(t *testing.T) {
	want := map[grammar.Dialect]string{
		grammar.Databricks: "explode explode_outer inline inline_outer json_tuple posexplode posexplode_outer range stack",
		grammar.DuckDB:     "generate_series json_each range unnest",
	}
	for d, names := range want {
		list := functionsDatabricks
		if d == grammar.DuckDB {
			list = functionsDuckDB
		}
		var got []string
		for _, f := range list {
			if f.form == generator {
				got = append(got, f.name)
			}
		}
		if strings.Join(got, " ") != names {
			t.Errorf("%v: generators %v, want %s", d, got, names)
		}
	}
}

func TestFunctionsAreGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the generator")
	}
	before, err := os.ReadFile("functions_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "hodor/tools/gen-functions")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	after, err := os.ReadFile("functions_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("functions_gen.go was older than functions.csv")
	}
}
