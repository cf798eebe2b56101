package dbt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hodor/executor"
)

// Class says what becomes of one of dbt's settings that the environment may hold.
type Class string

// The classes.
const (
	// Option: the value is the default of an option of this executor, which passes it on as a flag.
	Option Class = "option"
	// Overridden: a flag that is always passed beats it, or makes it inert; set, it gives a warning.
	Overridden Class = "overridden"
	// Refused: it would change what is built or recorded, and no flag beats it; set, nothing runs.
	Refused Class = "refused"
	// Harmless: it is passed on.
	Harmless Class = "harmless"
)

// Setting is one of dbt's settings.
type Setting struct {
	// Name is the variable's name without its prefix, DBT_ or DBT_ENGINE_ (both are read).
	Name  string
	Class Class
	// Why says what beats it, what it would do, or why it does not matter.
	Why string
}

// internal are settings that dbt reads without listing them among its own: their DBT_ENGINE_ spelling alone makes it warn.
var internal = map[string]bool{"RECORDER_MODE": true, "RECORDER_FILE_PATH": true}

// Settings classifies every variable that dbt reads; settings_test.go holds it against the installed dbt's own lists.
var Settings = []Setting{
	{"TARGET", Option, "--target"},
	{"PROFILE", Option, "--profile"},
	{"PROFILES_DIR", Option, "--profiles-dir"},
	{"PROJECT_DIR", Option, "--project-dir"},
	{"TARGET_PATH", Option, "--target-path"},
	{"FULL_REFRESH", Option, "--full-refresh"},
	{"QUIET", Option, "what of dbt's output is shown"},
	{"LOG_FORMAT", Option, "how dbt's output is shown; dbt itself always writes JSON here"},
	{"LOG_LEVEL", Option, "what of dbt's output is shown"},

	{"DEFER", Overridden, "--no-defer: what is recorded was built on this target's own tables"},
	{"STATE", Overridden, "--no-defer makes it inert"},
	{"DEFER_STATE", Overridden, "--no-defer makes it inert"},
	{"ARTIFACT_STATE_PATH", Overridden, "--no-defer makes it inert"},
	{"FAVOR_STATE", Overridden, "--no-favor-state"},
	{"EMPTY", Overridden, "--no-empty: tables without rows are not the real thing"},
	{"INDIRECT_SELECTION", Overridden, "--indirect-selection eager: each test of a node that is built runs"},
	{"WRITE_JSON", Overridden, "--write-json: the results are read from the file"},
	{"PARTIAL_PARSE_FILE_DIFF", Overridden, "--partial-parse-file-diff: a changed file is always read again"},
	{"USE_V2_PARSER", Overridden, "--no-use-v2-parser: one parser for planning and building"},
	{"V2_PARSER", Overridden, "--no-use-v2-parser makes it inert"},
	{"INTROSPECT", Overridden, "--introspect: SQL compiled without the warehouse is not the SQL that runs"},
	{"USE_COLORS", Overridden, "--no-use-colors: dbt's output is not written to a terminal"},

	{"RESOURCE_TYPES", Refused, "it leaves nodes out"},
	{"EXCLUDE_RESOURCE_TYPES", Refused, "it leaves nodes out"},
	{"INCLUDE_SAVED_QUERY", Refused, "it changes which resources run"},
	{"SAMPLE", Refused, "it builds a part of the rows"},
	{"EVENT_TIME_START", Refused, "it builds a part of the rows"},
	{"EVENT_TIME_END", Refused, "it builds a part of the rows"},
	{"DEFER_TO_STATE", Refused, "this old spelling of DBT_DEFER beats dbt's flag"},
	{"FAVOR_STATE_MODE", Refused, "this old spelling of DBT_FAVOR_STATE beats dbt's flag"},
	{"RECORDER_MODE", Refused, "a replayed run builds nothing"},
	{"RECORDED_FILE_PATH", Refused, "a replayed run builds nothing"},
	{"RECORDER_FILE_PATH", Refused, "a replayed run builds nothing"},
	{"PP_FILE_DIFF_TEST", Refused, "a test switch of dbt's parser"},
	{"PP_TEST", Refused, "a test switch of dbt's parser"},
	{"TEST_STATE_MODIFIED", Refused, "a test switch of dbt's"},

	{"CACHE_SELECTED_ONLY", Harmless, "how dbt lists relations"},
	{"CLEAN_PROJECT_FILES_ONLY", Harmless, "dbt clean"},
	{"DEBUG", Harmless, "logging"},
	{"EXPORT_SAVED_QUERIES", Harmless, "saved queries are never selected"},
	{"FAIL_FAST", Harmless, "what was cancelled is reported as skipped"},
	{"HINTS_ENABLED", Harmless, "messages"},
	{"HOST", Harmless, "dbt docs serve"},
	{"MAXIMUM_SEED_SIZE_MIB", Harmless, "dbt's own checksums of seeds, which hodor does not use"},
	{"LOG_CACHE_EVENTS", Harmless, "logging"},
	{"LOG_FORMAT_FILE", Harmless, "logging"},
	{"LOG_LEVEL_FILE", Harmless, "logging"},
	{"LOG_FILE_MAX_BYTES", Harmless, "logging"},
	{"LOG_PATH", Harmless, "logging"},
	{"MACRO_DEBUGGING", Harmless, "logging"},
	{"SQLPARSE", Harmless, "limits of a formatter"},
	{"PARTIAL_PARSE", Harmless, "how fast dbt parses"},
	{"PARTIAL_PARSE_FILE_PATH", Harmless, "where the saved parse is; changed files are read again all the same"},
	{"NO_PRINT", Harmless, "messages"},
	{"PRINT", Harmless, "messages"},
	{"POPULATE_CACHE", Harmless, "when dbt lists relations"},
	{"PRINTER_WIDTH", Harmless, "messages"},
	{"SEND_ANONYMOUS_USAGE_STATS", Harmless, "dbt's own, with its user's consent"},
	{"SHOW_RESOURCE_REPORT", Harmless, "messages"},
	{"SINGLE_THREADED", Harmless, "how many nodes run at once"},
	{"SNOWFLAKE_PROJECTS_OTEL", Harmless, "logging"},
	{"STATIC_PARSER", Harmless, "how fast dbt parses"},
	{"STORE_FAILURES", Harmless, "part of the configuration of tests, and so of what is compared"},
	{"USE_COLORS_FILE", Harmless, "logging"},
	{"USE_EXPERIMENTAL_PARSER", Harmless, "how fast dbt parses"},
	{"USE_FAST_TEST_EDGES", Harmless, "how fast dbt orders nodes"},
	{"VERSION_CHECK", Harmless, "whether dbt refuses a project for other versions"},
	{"WARN_ERROR", Harmless, "part of the configuration of tests, and so of what is compared"},
	{"WARN_ERROR_OPTIONS", Harmless, "part of the configuration of tests, and so of what is compared"},
	{"UPLOAD_TO_ARTIFACTS_INGEST_API", Harmless, "dbt's own, with its user's consent"},
	{"INVOCATION_ENV", Harmless, "a word in dbt's own usage statistics"},
	{"PACKAGE_HUB_URL", Harmless, "dbt deps"},
	{"DOWNLOAD_DIR", Harmless, "dbt deps"},
	{"RECORDER_TYPES", Harmless, "without a recorder mode it does nothing"},
	{"RECORDER_ROW_LIMIT", Harmless, "without a recorder mode it does nothing"},
}

// dotenv returns the .env file that dbt reads: in the working folder or the nearest above it; "" if there is none.
func dotenv() string {
	dir, err := os.Getwd()
	for err == nil {
		if raw, err := os.ReadFile(filepath.Join(dir, ".env")); err == nil {
			return string(raw)
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// Defaults are options of the executor as the environment gives them.
type Defaults struct {
	Target, Profile, ProfilesDir, ProjectDir, TargetPath string
	FullRefresh, Quiet                                   bool
	LogFormat, LogLevel                                  string
}

// environment sorts a process environment ("NAME=value" each), beside which there is the text of a .env file: what dbt gets, the defaults of options, and a warning for each setting that a flag
// overrides. A setting that is refused is an error.
//
// What is overridden or refused is handed to dbt as an empty variable, which dbt takes for none: so a .env file, which dbt reads where a variable is
// missing, can't bring it back.
func environment(environ []string, env string) (out []string, d Defaults, warnings []string, err error) {
	values := map[string]string{}
	classes := map[string]Setting{}
	for _, s := range Settings {
		classes["DBT_"+s.Name], classes["DBT_ENGINE_"+s.Name] = s, s
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		s, known := classes[name]
		switch {
		case strings.HasPrefix(name, "HODOR_") && name != "HODOR_BINARY", name == "PYTHONUTF8", name == "PYTHONIOENCODING":
			if name == "HODOR_MODE" || name == "HODOR_TELL_START" || strings.HasPrefix(name, "PYTHON") {
				continue // set below
			}
			out = append(out, pair)
		case !known || s.Class == Harmless:
			out = append(out, pair)
		case value == "":
		case s.Class == Refused:
			return nil, d, nil, executor.Refusal("unset "+name, "%s is set: %s", name, s.Why)
		case s.Class == Overridden:
			warnings = append(warnings, name+" is set and overridden: "+s.Why+".")
		default:
			if _, again := values[s.Name]; !again || strings.HasPrefix(name, "DBT_ENGINE_") {
				values[s.Name] = value // dbt prefers the new spelling
			}
		}
	}
	for _, s := range Settings {
		if s.Class == Overridden || s.Class == Refused || s.Name == "FULL_REFRESH" || s.Name == "QUIET" || s.Name == "LOG_FORMAT" || s.Name == "LOG_LEVEL" {
			out = append(out, "DBT_"+s.Name+"=")
			if !internal[s.Name] || strings.Contains(env, "DBT_ENGINE_"+s.Name) {
				out = append(out, "DBT_ENGINE_"+s.Name+"=")
			}
		}
	}
	// The plugin inside must neither decide nor record. A child whose output is a pipe must not fall back to the machine's code page.
	out = append(out, "HODOR_MODE=off", "HODOR_TELL_START=1", "PYTHONUTF8=1", "PYTHONIOENCODING=utf-8")
	slices.Sort(warnings)
	return out, Defaults{
		Target: values["TARGET"], Profile: values["PROFILE"], ProfilesDir: values["PROFILES_DIR"], ProjectDir: values["PROJECT_DIR"],
		TargetPath: values["TARGET_PATH"], FullRefresh: truth(values["FULL_REFRESH"]), Quiet: truth(values["QUIET"]),
		LogFormat: values["LOG_FORMAT"], LogLevel: values["LOG_LEVEL"],
	}, warnings, nil
}

// truth reads a boolean as click does.
func truth(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "1", "true", "t", "yes", "y", "on":
		return true
	}
	return false
}
