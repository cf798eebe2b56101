package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"hodor/explain"
	"hodor/stores"
	"hodor/stores/sqlstore"
)

// Host is what dbt's process knows.
type Host struct {
	Version        string    `json:"version"` // of the plugin
	Binary         string    `json:"binary"`  // the executable that it starts
	Python         string    `json:"python"`
	DBT            string    `json:"dbt"`
	Adapter        string    `json:"adapter"`
	AdapterVersion string    `json:"adapter_version"`
	DBTSupported   bool      `json:"dbt_supported"`
	Project        string    `json:"project"`
	Target         string    `json:"target"`
	Root           string    `json:"root"`
	Error          string    `json:"error"`        // why profile or project can't be loaded
	Patches        string    `json:"patches"`      // why dbt can't be patched; empty: it can
	OtherPlugin    bool      `json:"other_plugin"` // dbt_state is installed too
	Settings       []Setting `json:"settings"`
	Warnings       []string  `json:"warnings"`
}

// Setting is one setting with where its value comes from: an option, a variable, --vars, the profile, or default.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// States of a finding.
const (
	OK   = "ok"
	Warn = "warn" // works, and may not do what was meant
	Fail = "fail"
	Skip = "skip" // could not be checked
)

// Finding is the outcome of one check.
type Finding struct {
	Check  string `json:"check"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"` // what to do about it
}

// Answer is the object of `doctor --json`.
type Answer struct {
	SchemaVersion int       `json:"schema_version"`
	Command       string    `json:"command"` // "doctor"
	OK            bool      `json:"ok"`      // nothing failed
	Findings      []Finding `json:"findings"`
	Settings      []Setting `json:"settings"`
}

// Binary is this executable.
type Binary struct {
	Version, Path, Platform string
	DuckDB                  bool
}

// Question is what to look at.
type Question struct {
	Binary   Binary
	Host     *Host // nil: asked outside dbt
	Settings []Setting
	Store    string // kind
	Path     string // of the DuckDB file, absolute
	// Open opens the store; it reaches nothing yet.
	Open func() (stores.Store, error)
}

// Examine runs the checks.
func Examine(ctx context.Context, q Question) *Answer {
	a := &Answer{SchemaVersion: explain.SchemaVersion, Command: "doctor", OK: true, Findings: []Finding{}, Settings: q.Settings}
	if a.Settings == nil {
		a.Settings = []Setting{}
	}
	a.binary(q)
	if q.Host != nil {
		a.host(q.Host)
	} else {
		a.add("dbt", Skip, "not looked at", "run `dbt-hodor doctor` in the project, with the dbt that runs it")
	}
	a.mode(q)
	a.store(ctx, q)
	return a
}

func (a *Answer) add(check, state, detail, do string) {
	if state == OK {
		do = ""
	}
	a.OK = a.OK && state != Fail
	a.Findings = append(a.Findings, Finding{check, state, Scrub(detail), do})
}

func (a *Answer) binary(q Question) {
	b := q.Binary
	switch {
	case q.Host != nil && q.Host.Version != b.Version:
		a.add("binary", Fail, fmt.Sprintf("version %s, and the plugin is version %s", b.Version, q.Host.Version), "install both from one wheel, or unset HODOR_BINARY")
	case !b.DuckDB && q.Store == "duckdb":
		a.add("binary", Fail, fmt.Sprintf("version %s for %s, without the DuckDB store", b.Version, b.Platform), "install a wheel that has it, or set hodor_store to postgres")
	default:
		a.add("binary", OK, fmt.Sprintf("version %s for %s, %s", b.Version, b.Platform, b.Path), "")
	}
}

func (a *Answer) host(h *Host) {
	detail := fmt.Sprintf("dbt-core %s, Python %s", h.DBT, h.Python)
	if h.DBTSupported {
		a.add("dbt", OK, detail, "")
	} else {
		a.add("dbt", Fail, detail, "install dbt-core 1.12")
	}
	if h.Patches == "" {
		a.add("patches", OK, "this dbt can be patched", "")
	} else {
		a.add("patches", Fail, h.Patches, "runs are plain dbt; install a dbt-core that this hodor supports, or a newer hodor")
	}
	if h.OtherPlugin {
		a.add("dbt_state", Fail, "dbt_state is installed as well and patches the same parts of dbt", "uninstall one of the two; runs have neither")
	}
	if h.Error != "" {
		a.add("project", Fail, h.Error, "correct it, or name the project and profile with --project-dir, --profiles-dir, --profile, --target")
		return
	}
	a.add("project", OK, fmt.Sprintf("%s, target %s, in %s", h.Project, h.Target, h.Root), "")
	switch h.Adapter {
	case "duckdb", "databricks":
		a.add("adapter", OK, fmt.Sprintf("%s %s", h.Adapter, h.AdapterVersion), "")
	default:
		a.add("adapter", Fail, fmt.Sprintf("%s is not supported", h.Adapter), "hodor is off for this target; databricks and duckdb are supported")
	}
	for _, text := range h.Warnings {
		a.add("settings", Warn, text, "correct the setting where it comes from")
	}
}

// mode says what a run does.
func (a *Answer) mode(q Question) {
	for _, s := range q.Settings {
		if s.Name != "hodor_mode" {
			continue
		}
		switch s.Value {
		case "on":
			a.add("mode", OK, "on: runs reuse what did not change", "")
		case "shadow":
			a.add("mode", OK, "shadow: runs build everything, and record what they would have reused", "")
		default:
			a.add("mode", Warn, "off: runs are plain dbt", "set hodor_mode to shadow, and to on once `report --false-reuses` finds none")
		}
	}
}

// probe is what the stores in a database offer.
type probe interface {
	Probe(ctx context.Context) (sqlstore.Health, error)
}

func (a *Answer) store(ctx context.Context, q Question) {
	if q.Open == nil {
		a.add("store", Skip, "not looked at", "correct what is above first")
		return
	}
	s, err := q.Open()
	if err != nil {
		a.add("store", Fail, strings.TrimPrefix(err.Error(), stores.ErrUnavailable.Error()+": "), "correct the setting that it names")
		return
	}
	defer s.Close()
	p, ok := s.(probe)
	if !ok {
		a.add("store", Skip, "a "+q.Store+" store can't be looked at", "")
		return
	}
	h, err := p.Probe(ctx)
	if err != nil {
		do := "see the message; a run that meets it builds everything"
		if strings.Contains(err.Error(), "locked by") {
			do = "wait for that process, or name another file"
		}
		a.add("store", Fail, strings.TrimPrefix(err.Error(), stores.ErrUnavailable.Error()+": "), do)
		return
	}
	switch {
	case !h.Exists:
		a.add("store", OK, h.Place+": nothing is recorded yet; the first run makes the tables", "")
	case h.NewestMS == 0:
		a.add("store", OK, h.Place+": there, and empty", "")
	default:
		a.add("store", OK, h.Place+": there, newest record "+explain.Time(h.NewestMS), "")
	}
	if len(h.Upgrade) > 0 {
		a.add("store columns", Warn, "the table is of an older hodor and lacks "+strings.Join(h.Upgrade, ", "), "the next run adds them, if its role may; `ddl` prints the statements")
	}
	if q.Store == "duckdb" && !h.Exists && h.Write == nil {
		if err := canCreate(q.Path); err != nil {
			h.Checked, h.Write = true, err
		} else {
			h.Checked = true
		}
	}
	switch {
	case h.Write != nil:
		a.add("store writable", Fail, strings.TrimPrefix(h.Write.Error(), stores.ErrUnavailable.Error()+": "), "grant it, or name another place; until then nothing is recorded and everything builds")
	case !h.Checked:
		a.add("store writable", Skip, "can't be asked here: writing needs MODIFY on the table, and CREATE TABLE on the schema to make it", "`ddl` prints the statements for someone who may run them")
	default:
		a.add("store writable", OK, "records can be written", "")
	}
}

// canCreate tells whether a file can be made at path: whether the nearest folder above it that exists takes one.
func canCreate(path string) error {
	dir := filepath.Dir(path)
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is no folder", dir)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return err
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".hodor-doctor-*")
	if err != nil {
		return fmt.Errorf("no file can be made in %s: %w", dir, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// secret is a variable whose value is not for other eyes; short values would make holes in any text.
var secret = regexp.MustCompile(`(?i)token|secret|passw|private|credential|_key$|dsn`)

const leastSecret = 5

// Scrub takes the values of variables that look like secrets, and passwords in URLs, out of a text.
func Scrub(text string) string {
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if secret.MatchString(name) && len(value) >= leastSecret {
			text = strings.ReplaceAll(text, value, "*****")
		}
	}
	return inURL.ReplaceAllString(text, "$1*****@")
}

var inURL = regexp.MustCompile(`(://[^/\s:@]*:)[^@\s]+@`)
