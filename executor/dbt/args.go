package dbt

import (
	"slices"
	"strings"

	"hodor/executor"
)

// allowed lists the engine arguments that may be passed on: options about how dbt runs and logs. The value tells whether the option takes one. Everything
// else is refused: dbt has many spellings, and later versions will have more.
var allowed = map[string]bool{
	"--fail-fast": false, "--no-fail-fast": false, "-x": false,
	"--debug": false, "--no-debug": false, "-d": false,
	"--quiet": false, "--no-quiet": false, "-q": false,
	"--print": false, "--no-print": false,
	"--log-cache-events": false, "--no-log-cache-events": false,
	"--macro-debugging": false, "--no-macro-debugging": false,
	"--use-colors-file": false, "--no-use-colors-file": false,
	"--use-colors": false, "--no-use-colors": false,
	"--partial-parse": false, "--no-partial-parse": false,
	"--static-parser": false, "--no-static-parser": false,
	"--version-check": false, "--no-version-check": false,
	"--populate-cache": false, "--no-populate-cache": false,
	"--cache-selected-only": false, "--no-cache-selected-only": false,
	"--single-threaded": false, "--no-single-threaded": false,
	"--send-anonymous-usage-stats": false, "--no-send-anonymous-usage-stats": false,
	"--show-all-deprecations": false, "--no-show-all-deprecations": false,
	"--hints-enabled": false, "--no-hints-enabled": false,
	"--store-failures": false, "--warn-error": false,
	"--threads": true, "--log-level": true, "--log-level-file": true, "--log-format": true, "--log-format-file": true, "--log-path": true,
	"--log-file-max-bytes": true, "--printer-width": true, "--warn-error-options": true, "--maximum-seed-size-mib": true, "--sqlparse": true,
}

// instead says what to use in place of a refused argument.
var instead = map[string]string{
	"--select": "use --select of the state command", "-s": "use --select of the state command", "--models": "use --select of the state command",
	"--model": "use --select of the state command", "-m": "use --select of the state command", "--selector": "use --select of the state command",
	"--exclude":       "use --exclude of the state command",
	"--resource-type": "use --resource-type of the state command", "--resource-types": "use --resource-type of the state command",
	"--exclude-resource-type": "use --exclude-resource-type of the state command", "--exclude-resource-types": "use --exclude-resource-type of the state command",
	"--full-refresh": "use --full-refresh of the state command", "-f": "use --full-refresh of the state command",
	"--target": "use --target of the state command", "-t": "use --target of the state command", "--profile": "use --profile of the state command",
	"--profiles-dir": "use --profiles-dir of the state command", "--project-dir": "use --project-dir of the state command",
	"--target-path": "use --target-path of the state command", "--vars": "use --vars of the state command",
	"--empty":  "leave it out: tables without rows are not the real thing",
	"--sample": "leave it out: a sample is not the real thing", "--event-time-start": "leave it out: a part of the rows is not the real thing",
	"--event-time-end": "leave it out: a part of the rows is not the real thing",
	"--defer":          "leave it out: what is recorded must be built on this target's own tables", "--favor-state": "leave it out, as --defer",
	"--state": "leave it out, as --defer", "--defer-state": "leave it out, as --defer",
	"--indirect-selection": "leave it out: the tests of a node run together", "--write-json": "leave it out: it is always set",
	"--no-write-json": "leave it out: the results are read from the file", "--show": "use dbt itself to look at rows",
}

// output says what of dbt's output is shown.
type output struct {
	quiet bool
	json  bool
	level string // debug, info, warn, error, none
}

// arguments checks engine arguments. It returns those to pass on, and takes out the ones about output: dbt always writes JSON events here, and the
// executor shows of them what the user asked for. A refused one is an error.
func arguments(args []string, out output) ([]string, output, error) {
	var pass []string
	for i := 0; i < len(args); i++ {
		name, value, hasValue := strings.Cut(args[i], "=")
		takes, ok := allowed[name]
		if !ok || hasValue && !takes {
			hint := instead[name]
			if hint == "" && len(name) > 2 && name[0] == '-' && name[1] != '-' {
				hint = "write each short option by itself"
			}
			if hint == "" {
				hint = "leave it out: only options about how dbt runs and logs are passed on"
			}
			return nil, out, executor.Refusal(hint, "the engine argument %s is refused, since it may change what runs or what is recorded", name)
		}
		if takes && !hasValue {
			if i++; i == len(args) {
				return nil, out, executor.Refusal("give it one", "the engine argument %s needs a value", name)
			}
			value = args[i]
			if strings.HasPrefix(value, "-") {
				return nil, out, executor.Refusal("write "+name+"=VALUE if it must begin with -", "the engine argument %s is followed by %s", name, value)
			}
		}
		switch name {
		case "--quiet", "-q":
			out.quiet = true
		case "--no-quiet":
			out.quiet = false
		case "--log-format":
			out.json = value == "json"
		case "--log-level":
			out.level = value
		case "--use-colors", "--no-use-colors":
		default:
			// One word, so that no value can pass for an option.
			if takes {
				pass = append(pass, name+"="+value)
			} else {
				pass = append(pass, name)
			}
		}
	}
	return pass, out, nil
}

// forCommand leaves out what a command does not know.
func forCommand(command string, args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		return a == "--store-failures" && command != "build" && command != "test"
	})
}
