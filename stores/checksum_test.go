package stores

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func p[T any](v T) *T { return &v }

func full() Record {
	return Record{
		RecordID: "id", InvocationID: "inv", RecordedAtMS: 1, ProjectName: "p", TargetName: "t", NodeKey: "k", UniqueID: "u", ResourceType: "model",
		Mode: "on", Decision: "build", Reason: "no_history", Action: "build", Status: "success", TextHash: p("a"), CodeHash: p("b"), UnrenderedHash: p("c"),
		ConfigHash: p("d"), HashVersion: "1", SQLFacts: p("{}"), DataVersion: p("v"), DataChangedAtMS: p(int64(2)), BuiltAtMS: p(int64(3)),
		Upstreams: p("[]"), TestResult: p("null"), HodorVersion: "0.1.0", CommitID: p("e"), BuildMS: p(int64(4)),
	}
}

// TestSum pins the checksum: a change of it makes every record of every user worthless, and needs a version 2.
func TestSum(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Record
		want string
	}{
		{"full", full(), "1:b406a5a8351ffa0ed6ba6fa6894a231713fa65c3171bae19ea623f778cb69887"},
		{"zero", Record{}, "1:86e9e027428d0a1ca07c66cec29a9518aae8f067cacc6e76663bdb95c118a25e"},
		{"odd", Record{RecordID: "\x00\xff␛'"}, "1:92e602b47ba95a77bbbb7f3ea7196ef7caf345fe92c1352e8fe1cd732a04b5c3"},
	} {
		if got := c.r.Sum(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestSumTellsApart: no column can change, become NULL or pass something to its neighbour without another checksum.
func TestSumTellsApart(t *testing.T) {
	seen := map[string]string{}
	check := func(what string, r Record) {
		t.Helper()
		if before, ok := seen[r.Sum()]; ok {
			t.Errorf("%s has the checksum of %s", what, before)
		}
		seen[r.Sum()] = what
	}
	check("the record", full())
	for i := range Columns {
		c := &Columns[i]
		values := []any{"", "x", "-", "0:"}
		if c.Int {
			values = []any{int64(0), int64(-1), int64(77)}
		}
		r := full()
		switch f := c.field(&r).(type) {
		case **string, **int64:
			values = append(values, nil)
		default:
			_ = f
		}
		if c.Name == "checksum" {
			continue
		}
		for _, v := range values {
			if err := c.SetValue(&r, v); err != nil {
				t.Fatal(err)
			}
			check(c.Name, r)
		}
	}
	shifted := full()
	shifted.RecordID, shifted.InvocationID = "idi", "nv"
	check("a letter moved on", shifted)
	r := full()
	r.Checksum = "anything"
	if one := full(); r.Sum() != one.Sum() {
		t.Error("the checksum enters itself")
	}
}

func TestCheck(t *testing.T) {
	ok := full()
	ok.Checksum = ok.Sum()
	if err := ok.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Record){
		"no checksum":      func(r *Record) { r.Checksum = "" },
		"another version":  func(r *Record) { r.Checksum = "2" + r.Checksum[1:] },
		"another case":     func(r *Record) { r.Checksum = strings.ToUpper(r.Checksum) },
		"another status":   func(r *Record) { r.Status = "fail" },
		"no JSON":          func(r *Record) { r.Upstreams = p("{"); r.Checksum = r.Sum() },
		"two JSON values":  func(r *Record) { r.SQLFacts = p("{} {}"); r.Checksum = r.Sum() },
		"JSON of no bytes": func(r *Record) { r.TestResult = p(""); r.Checksum = r.Sum() },
	} {
		r := ok
		change(&r)
		if err := r.Check(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestColumns: every field of Record is one column, in order, and takes back what it gives.
func TestColumns(t *testing.T) {
	typ := reflect.TypeFor[Record]()
	if len(Columns) != typ.NumField() {
		t.Fatalf("%d columns, %d fields", len(Columns), typ.NumField())
	}
	r := full()
	r.Checksum = r.Sum()
	var back Record
	for i := range Columns {
		c := &Columns[i]
		if want := strings.ReplaceAll(c.Name, "_", ""); !strings.EqualFold(typ.Field(i).Name, want) {
			t.Errorf("column %d is %s, the field is %s", i, c.Name, typ.Field(i).Name)
		}
		v := c.Value(&r)
		if _, isInt := v.(int64); isInt != c.Int {
			t.Errorf("%s: %T", c.Name, v)
		}
		if err := c.SetValue(&back, v); err != nil {
			t.Error(err)
		}
		if s, ok := v.(string); ok { // as some drivers hand it over
			if err := c.SetValue(&back, []byte(s)); err != nil {
				t.Error(err)
			}
		}
	}
	if !reflect.DeepEqual(r, back) {
		t.Errorf("%+v\n%+v", r, back)
	}
	for i := range Columns {
		c := &Columns[i]
		_, optional := c.field(&back).(**string)
		_, optionalInt := c.field(&back).(**int64)
		if err := c.SetValue(&back, nil); (err == nil) != (optional || optionalInt) {
			t.Errorf("%s set to NULL: %v", c.Name, err)
		}
		bad := any(1.5)
		if err := c.SetValue(&back, bad); err == nil {
			t.Errorf("%s takes %v", c.Name, bad)
		}
		if c.Int {
			if err := c.SetValue(&back, "1792465200000"); err != nil { // the relay's numbers are text
				t.Error(err)
			}
			if err := c.SetValue(&back, "1e3"); err == nil {
				t.Errorf("%s takes 1e3", c.Name)
			}
		}
	}
}

func TestCheckIdentifier(t *testing.T) {
	for name, ok := range map[string]bool{
		"hodor_state": true, "9": true, "_": true, "a-b": true, "A": true, "": false, "-a": false, "a b": false, "a\n": false, "a.b": false, `a"`: false,
		"é": false, "a;": false, "a'": false, "a`": false, "\x00": false, strings.Repeat("a", 63): true, strings.Repeat("a", 64): false,
	} {
		if err := CheckIdentifier("hodor_table", name, 63); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
