//go:build unix

package dbt

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hodor/executor"
)

// installed returns dbt's own source files in an environment.
func installed(t *testing.T, name string, files ...string) string {
	python := venv(t, name)
	var all strings.Builder
	for _, file := range files {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(python)), "lib", "python3*", "site-packages", file))
		must(t, err)
		if len(found) != 1 {
			t.Fatalf("%s in %s: %d files", file, name, len(found))
		}
		raw, err := os.ReadFile(found[0])
		must(t, err)
		all.Write(raw)
	}
	return all.String()
}

var (
	optionVariable = regexp.MustCompile(`envvar="(\w+)"`)
	listedVariable = regexp.MustCompile(`(?m)^\s+"(DBT_\w+)",`)
	readVariable   = regexp.MustCompile(`environ(?:\.get\(|\[)\s*"(DBT_\w+)"`)
)

// Every variable that the installed dbt reads is classified; and nothing is that it does not read.
func TestSettingsAreComplete(t *testing.T) {
	classes := map[string]bool{}
	for _, s := range Settings {
		if classes[s.Name] {
			t.Errorf("%s is listed twice", s.Name)
		}
		classes[s.Name] = true
		if s.Why == "" {
			t.Errorf("%s has no reason", s.Name)
		}
	}
	for _, name := range []string{".venv", ".venv-next"} {
		t.Run(name, func(t *testing.T) {
			params := installed(t, name, "dbt/cli/params.py")
			more := installed(t, name, "dbt/env_vars.py", "dbt/parser/manifest.py", "dbt/cli/requires.py", "dbt_common/record.py")
			found := map[string]bool{}
			for _, m := range append(append(optionVariable.FindAllStringSubmatch(params, -1), listedVariable.FindAllStringSubmatch(more, -1)...), readVariable.FindAllStringSubmatch(more, -1)...) {
				found[strings.TrimPrefix(strings.TrimPrefix(m[1], "DBT_"), "ENGINE_")] = true
			}
			if len(found) < 60 {
				t.Fatalf("only %d variables found: the patterns no longer fit dbt's source", len(found))
			}
			for n := range found {
				if !classes[n] {
					t.Errorf("dbt reads DBT_%s, which is not classified", n)
				}
			}
			for n := range classes {
				if !found[n] {
					t.Errorf("%s is classified, and dbt does not read it", n)
				}
			}
		})
	}
}

// Row 14: the environment can leave out resource types or change what is built: refused, or beaten by a flag and shadowed by an empty variable. Row
// 18: where the saved parse is does not matter, since changed files are read again.
func TestEnvironmentRow14Row18(t *testing.T) {
	for _, c := range []struct {
		pair  string
		class Class
	}{
		{"DBT_EXCLUDE_RESOURCE_TYPES=seed", Refused}, {"DBT_ENGINE_RESOURCE_TYPES=model", Refused}, {"DBT_SAMPLE=1 day", Refused},
		{"DBT_EVENT_TIME_START=2026-01-01", Refused}, {"DBT_DEFER_TO_STATE=1", Refused}, {"DBT_FAVOR_STATE_MODE=1", Refused},
		{"DBT_RECORDER_MODE=replay", Refused}, {"DBT_ENGINE_RECORDER_MODE=replay", Refused}, {"DBT_PP_FILE_DIFF_TEST=1", Refused},
		{"DBT_DEFER=1", Overridden}, {"DBT_ENGINE_EMPTY=true", Overridden}, {"DBT_STATE=x", Overridden}, {"DBT_WRITE_JSON=false", Overridden},
		{"DBT_INDIRECT_SELECTION=empty", Overridden}, {"DBT_PARTIAL_PARSE_FILE_DIFF=false", Overridden},
		{"DBT_TARGET=prod", Option}, {"DBT_FULL_REFRESH=1", Option},
		{"DBT_PARTIAL_PARSE_FILE_PATH=/x/parse", Harmless}, {"DBT_WARN_ERROR=1", Harmless}, {"MY_OWN=1", Harmless}, {"DBT_ENV_SECRET_X=1", Harmless},
		{"DBT_SAMPLE=", Harmless},
	} {
		name, _, _ := strings.Cut(c.pair, "=")
		env, d, warnings, err := environment([]string{c.pair}, "")
		if refused := executor.IsCode(err, executor.Refused); refused != (c.class == Refused) || refused && !strings.Contains(err.Error(), "unset "+name) {
			t.Errorf("%s: %v", c.pair, err)
			continue
		}
		if err != nil {
			continue
		}
		if got := len(warnings) > 0; got != (c.class == Overridden) {
			t.Errorf("%s: warnings %q", c.pair, warnings)
		}
		if got := slices.Contains(env, c.pair); got != (c.class == Harmless) && !strings.HasSuffix(c.pair, "=") {
			t.Errorf("%s: handed to dbt: %v", c.pair, got)
		}
		if c.pair == "DBT_TARGET=prod" && d.Target != "prod" || c.pair == "DBT_FULL_REFRESH=1" && !d.FullRefresh {
			t.Errorf("%s: defaults %+v", c.pair, d)
		}
	}
	_, d, _, err := environment([]string{"DBT_TARGET=old", "DBT_ENGINE_TARGET=new"}, "")
	if err != nil || d.Target != "new" {
		t.Errorf("of two spellings %q holds (%v)", d.Target, err)
	}
}

// What a .env file says of a setting that is refused is shadowed by an empty variable, which dbt takes for none.
func TestDotenv(t *testing.T) {
	for _, env := range []string{"", "DBT_ENGINE_RECORDER_MODE=replay"} {
		out, _, _, err := environment(nil, env)
		must(t, err)
		for name, want := range map[string]bool{"DBT_SAMPLE=": true, "DBT_ENGINE_DEFER=": true, "DBT_RECORDER_MODE=": true, "DBT_ENGINE_RECORDER_MODE=": env != "", "DBT_TARGET=": false} {
			if slices.Contains(out, name) != want {
				t.Errorf("with %q beside it dbt gets %s: %v", env, name, !want)
			}
		}
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // "" for a refusal, whose text has hint
		hint string
	}{
		{"--fail-fast --threads 4", "--fail-fast --threads=4", ""},
		{"--threads=4 -x -d", "--threads=4 -x -d", ""},
		{"--log-format json --log-level debug --quiet", "-", ""},
		{"--warn-error-options {\"error\":\"all\"}", "--warn-error-options={\"error\":\"all\"}", ""},
		{"--select a", "", "--select of the state command"}, {"-sa", "", "by itself"}, {"-xs a", "", "by itself"}, {"--model=a", "", "--select of the state command"},
		{"--full-refresh", "", "--full-refresh of the state command"}, {"--empty", "", "without rows"}, {"--target-path x", "", "--target-path of the state command"},
		{"--no-write-json", "", "results are read"}, {"--new-option-of-later-dbt", "", "how dbt runs and logs"}, {"a", "", "leave it out"},
		{"--threads", "", "give it one"}, {"--log-path --empty", "", "--log-path=VALUE"}, {"--debug=1", "", "leave it out"},
	} {
		got, _, err := arguments(strings.Fields(c.args), output{})
		switch {
		case c.want == "" && (!executor.IsCode(err, executor.Refused) || !strings.Contains(err.Error(), c.hint)):
			t.Errorf("%s: %q, %v; want a refusal with %q", c.args, got, err, c.hint)
		case c.want != "" && (err != nil || strings.Join(got, " ") != strings.Trim(c.want, "-") && strings.Join(got, " ") != c.want):
			t.Errorf("%s: %q, %v", c.args, got, err)
		}
	}
}
