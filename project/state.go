package project

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// State holds the settings under state: of a node (spec 9.1), defaults filled in. Wrong values have been warned about and replaced by the
// default. The plugin has merged the block key by key already.
type State struct {
	LagToleranceMS         int64 // 45 min; 0 for tests
	RequireAll             bool  // require_fresh_data_from: all
	CompareUnrendered      bool
	ExecuteHooksOnAnyReuse bool
	EvaluateVolatile       VolatileRule
}

// VolatileRule is evaluate_volatile_sql.
type VolatileRule string

// The three rules: deciding calls count (auto), stamps count too (true), nothing counts (false).
const (
	VolatileAuto VolatileRule = "auto"
	VolatileAll  VolatileRule = "true"
	VolatileNone VolatileRule = "false"
)

const defaultLagMS = 45 * 60 * 1000

// ignoredState are the keys that are accepted and do nothing (spec 3), so that projects can switch; one warning a run names them.
var ignoredState = map[string]bool{"pre_clone": true, "allow_clones": true, "defer_to_target": true}

// readState reads config.state of a node.
func readState(n *Node, warn *warnings) State {
	s := State{LagToleranceMS: defaultLagMS, EvaluateVolatile: VolatileAuto}
	if n.Resource == Test {
		s.LagToleranceMS = 0
	}
	block := n.stateBlock
	if block.null() || n.Resource == Operation || n.Resource == Source {
		return s
	}
	wrong := func(key string, v value, want, using string) {
		warn.add(n.UniqueID, fmt.Sprintf("state.%s is %s: %s is needed; using %s.", key, show(v), want, using))
	}
	if !block.isObject() {
		warn.add(n.UniqueID, fmt.Sprintf("state is %s: a block of settings such as state: {lag_tolerance: 1h} is needed; using the defaults.", show(block)))
		return s
	}
	boolean := func(key string, v value, into *bool) {
		if b, ok := looseBool(v); ok {
			*into = b
		} else {
			wrong(key, v, "true or false", "false")
		}
	}
	var hooksAlias value
	hooksSet := false
	block.fields(func(key []byte, v value) {
		if v.null() {
			return
		}
		switch k := string(key); k {
		case "lag_tolerance":
			ms, ok := lagTolerance(v)
			switch {
			case !ok:
				wrong(k, v, "a duration such as 0s, 45m, 4h, 1d or 1w, whole seconds, or {count: 4, period: hour}", "45m")
			case n.Resource != Test:
				s.LagToleranceMS = ms
			}
		case "require_fresh_data_from":
			switch strings.ToLower(v.str()) {
			case "all":
				s.RequireAll = true
			case "any":
			default:
				wrong(k, v, "any or all", "any")
			}
		case "compare_unrendered_code":
			boolean(k, v, &s.CompareUnrendered)
		case "execute_hooks_on_any_reuse":
			hooksSet = true
			boolean(k, v, &s.ExecuteHooksOnAnyReuse)
		case "execute_hooks_on_reuse":
			hooksAlias = v
		case "evaluate_volatile_sql":
			if b, ok := looseBool(v); ok && b {
				s.EvaluateVolatile = VolatileAll
			} else if ok {
				s.EvaluateVolatile = VolatileNone
			} else if !strings.EqualFold(v.str(), "auto") {
				wrong(k, v, "auto, true or false", "auto")
			}
		default:
			if ignoredState[k] {
				warn.ignore(k)
			} else {
				warn.add(n.UniqueID, fmt.Sprintf("state.%s is no setting of hodor and is ignored; correct its name or remove it.", k))
			}
		}
	})
	if !hooksAlias.null() && !hooksSet {
		boolean("execute_hooks_on_reuse", hooksAlias, &s.ExecuteHooksOnAnyReuse)
	}
	return s
}

// looseBool reads a boolean as YAML or a rendered template gives it.
func looseBool(v value) (val, ok bool) {
	if b, ok := v.boolean(); ok {
		return b, true
	}
	switch strings.ToLower(v.str()) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// unitMS are the units of durations and the periods of the object form, in ms.
var unitMS = map[string]int64{
	"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000,
	"second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000, "week": 604_800_000,
}

// lagTolerance reads every accepted form: "45m", 2700, "2700", {count: 45, period: minute}. Negative and overflowing values are refused.
func lagTolerance(v value) (int64, bool) {
	switch {
	case v.isString():
		s := strings.ToLower(strings.TrimSpace(v.str()))
		digits := 0
		for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
			digits++
		}
		unit := strings.TrimSpace(s[digits:])
		if unit == "" {
			unit = "s"
		}
		if len(unit) != 1 {
			return 0, false
		}
		return times(s[:digits], unit)
	case v.isObject():
		count := v.get("count")
		text := string(count)
		if count.isString() {
			text = strings.TrimSpace(count.str())
		}
		known := true
		v.fields(func(key []byte, _ value) {
			k := string(key)
			known = known && (k == "count" || k == "period" || k == "updates_on")
		})
		period := strings.TrimSuffix(strings.ToLower(v.get("period").str()), "s")
		if !known || len(period) < 2 {
			return 0, false
		}
		return times(text, period)
	case v.isArray():
		return 0, false
	}
	return times(string(v), "s")
}

func times(count, unit string) (int64, bool) {
	n, err := strconv.ParseInt(count, 10, 64)
	ms := unitMS[unit]
	if err != nil || n < 0 || ms == 0 || n > math.MaxInt64/ms/2 {
		return 0, false
	}
	return n * ms, true
}

// show prints a setting's value for a warning, cut short.
func show(v value) string {
	s := string(v)
	if len(s) > 60 {
		s = s[:57] + "..."
	}
	return s
}

// warnings collects what is said once a run. One wrong setting of a folder reaches every node below it: such nodes share a line.
type warnings struct {
	nodes   map[string][]string // unique ids by what is wrong with them
	ignored map[string]bool
}

func (w *warnings) add(node, what string) {
	if w.nodes == nil {
		w.nodes = map[string][]string{}
	}
	w.nodes[what] = append(w.nodes[what], node)
}

func (w *warnings) ignore(key string) {
	if w.ignored == nil {
		w.ignored = map[string]bool{}
	}
	w.ignored[key] = true
}

// lines returns the warnings in a stable order, the ignored keys in one of them at the end.
func (w *warnings) lines() []string {
	var lines []string
	for what, nodes := range w.nodes {
		name := slices.Min(nodes)
		if len(nodes) > 1 {
			name += fmt.Sprintf(" (and %d more)", len(nodes)-1)
		}
		lines = append(lines, strings.ReplaceAll(name+": "+what, "\n", " "))
	}
	slices.Sort(lines)
	if len(w.ignored) > 0 {
		lines = append(lines, "state settings that hodor accepts and ignores: "+strings.Join(sortedKeys(w.ignored), ", ")+".")
	}
	return lines
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
