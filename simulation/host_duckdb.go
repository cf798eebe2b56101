package simulation

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hodor/warehouse"
)

var (
	filterPart  = regexp.MustCompile(`and system\.main\.lower\(([tv])\.(database_name|schema_name|table_name|view_name)\) = system\.main\.lower\('((?:[^']|'')*)'\)`)
	fingerprint = regexp.MustCompile(`^select system\.main\.count_star\(\)::varchar, system\.main\.sum\(system\.main\.hash\((.*)\)\)::varchar, ` +
		`system\.main\.sum\(system\.main\.hash\((.*)\)\)::varchar from "([^"]*)"\."([^"]*)"\."([^"]*)" as hodor_t$`)
	plainArg = regexp.MustCompile(`^hodor_t\."([^"]*)"$`)
	textArg  = regexp.MustCompile(`^system\.main\.encode\(hodor_t\."([^"]*)"::varchar\)$`)
	tildeArg = regexp.MustCompile(`^system\.main\.encode\(system\.main\.concat\('~', hodor_t\."([^"]*)"::varchar\)\)$`)
	nullArg  = regexp.MustCompile(`^hodor_t\."([^"]*)" is null$`)
)

// duckdbAnswer answers what versions asks of a DuckDB, by what the statements mean there.
func duckdbAnswer(d *database, statement string) (warehouse.Answer, bool) {
	switch {
	case strings.HasPrefix(statement, "select system.main.epoch_ms(system.main.now())::varchar, system.main.version()"):
		return table("now,version", []value{millis(d.nowMS), value(d.release)})
	case statement == "select system.main.version()":
		return table("version", []value{value(d.release)})
	case strings.Contains(statement, "from system.main.duckdb_settings()"):
		rows := [][]value{{"TimeZone", value(d.zone.String())}, {"threads", value(d.setting["threads"])}}
		for _, name := range slices.Sorted(maps.Keys(d.setting)) {
			if name != "threads" {
				rows = append(rows, []value{value(name), value(d.setting[name])})
			}
		}
		return table("name,value", rows...)
	case strings.Contains(statement, "from system.main.duckdb_functions()"):
		var rows [][]value
		for _, name := range slices.Sorted(maps.Keys(d.functions)) {
			rows = append(rows, []value{"function", value(name), "", ""})
		}
		return table("kind,a,b,c", rows...)
	case strings.HasPrefix(statement, "select system.main.current_date()::varchar"):
		today := d.today()
		midnight := time.Date(today.Year(), today.Month(), today.Day()+1, 0, 0, 0, 0, d.zone)
		return table("day,now,midnight", []value{value(today.Format(time.DateOnly)), millis(d.nowMS), millis(midnight.UnixMilli())})
	case strings.HasPrefix(statement, "select system.main.current_user()"):
		return table("a,b,c,d", []value{"me", catalog, "main", value(d.zone.String())})
	case strings.Contains(statement, "from system.main.duckdb_tables() t"):
		var rows [][]value
		for _, r := range d.named(statement, "t") {
			if !r.isView {
				list := ""
				for _, c := range r.cols {
					list += fmt.Sprintf("%d:%s%d:%s", len(c.name), c.name, len(c.typ), c.typ)
				}
				rows = append(rows, []value{value(r.parts[0]), value(r.parts[1]), value(r.parts[2]), value(r.ddl()), value(list)})
			}
		}
		return table("database_name,schema_name,table_name,sql,list", rows...)
	case strings.Contains(statement, "from system.main.duckdb_views() v"):
		var rows [][]value
		for _, r := range d.named(statement, "v") {
			if r.isView {
				rows = append(rows, []value{value(r.parts[0]), value(r.parts[1]), value(r.parts[2]), value("CREATE VIEW AS " + r.body.text())})
			}
		}
		return table("database_name,schema_name,view_name,sql", rows...)
	}
	if m := fingerprint.FindStringSubmatch(statement); m != nil {
		r := d.rels[strings.Join(m[3:], ".")]
		if r == nil {
			return warehouse.Answer{}, false
		}
		first, ok1 := rowSum(r, m[1])
		second, ok2 := rowSum(r, m[2])
		return answerIf(ok1 && ok2, []value{value(strconv.Itoa(len(r.rows))), first, second})
	}
	return warehouse.Answer{}, false
}

func answerIf(ok bool, row []value) (warehouse.Answer, bool) {
	if !ok {
		return warehouse.Answer{}, false
	}
	return table("a,b,c", row)
}

// named returns the relations that the statement's conditions on names leave.
func (d *database) named(statement, alias string) []*relation {
	var out []*relation
	for _, key := range slices.Sorted(maps.Keys(d.rels)) {
		r, ok := d.rels[key], true
		for _, m := range filterPart.FindAllStringSubmatch(statement, -1) {
			part := map[string]int{"database_name": 0, "schema_name": 1, "table_name": 2, "view_name": 2}[m[2]]
			if m[1] == alias {
				ok = ok && strings.EqualFold(r.parts[part], m[3])
			}
		}
		if ok {
			out = append(out, r)
		}
	}
	return out
}

// rowSum is the sum of the rows' hashes, the arguments of hash() taken one by one.
func rowSum(r *relation, list string) (value, bool) {
	total, args := new(big.Int), splitArgs(list)
	for _, row := range r.rows {
		h := fnv.New64a()
		for _, arg := range args {
			text, ok := hashed(r, row, arg)
			if !ok {
				return null, false
			}
			fmt.Fprintf(h, "%d:%s", len(text), text)
		}
		total.Add(total, new(big.Int).SetUint64(h.Sum64()))
	}
	if len(r.rows) == 0 {
		return null, true
	}
	return value(total.String()), true
}

// splitArgs parts a list at the commas that are outside brackets.
func splitArgs(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range list {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(list[start:]))
}

// hashed is what of one argument enters the hash. A bare column enters as DuckDB's hash() sees it: 0.0 is -0.0, and a collation makes strings equal.
func hashed(r *relation, row []value, arg string) (string, bool) {
	cell := func(name string) (value, column, bool) {
		if i := r.at(name); i >= 0 {
			return row[i], r.cols[i], true
		}
		return null, column{}, false
	}
	if strings.HasPrefix(arg, "'") {
		return arg, true
	}
	if m := plainArg.FindStringSubmatch(arg); m != nil {
		v, c, ok := cell(m[1])
		switch {
		case c.typ == "DOUBLE" && v == "-0.0":
			v = "0.0"
		case c.collate:
			v = value(strings.ToLower(string(v)))
		}
		return "value " + string(v), ok
	}
	if m := textArg.FindStringSubmatch(arg); m != nil {
		v, _, ok := cell(m[1])
		return "text " + string(v), ok
	}
	if m := tildeArg.FindStringSubmatch(arg); m != nil {
		v, _, ok := cell(m[1])
		return "~" + strings.TrimPrefix(string(v), string(null)), ok
	}
	if m := nullArg.FindStringSubmatch(arg); m != nil {
		v, _, ok := cell(m[1])
		return strconv.FormatBool(v == null), ok
	}
	return "", false
}
