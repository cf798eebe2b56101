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
	printedName = regexp.MustCompile(`^"([^"]*)"\."([^"]*)"\."([^"]*)"$`)
)

// fingerprint parts the statement of a fingerprint into the arguments of its two hash() and the parts of the table's name.
func fingerprint(statement string) (first, second string, parts []string, ok bool) {
	const next = "))::varchar as a, system.main.sum(system.main.hash("
	text, ok1 := strings.CutPrefix(statement, "select system.main.count_star()::varchar as n, system.main.sum(system.main.hash(")
	text, ok2 := strings.CutSuffix(text, " as hodor_t")
	first, text, ok3 := strings.Cut(text, next)
	second, name, ok4 := strings.Cut(text, "))::varchar as b from ")
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return "", "", nil, false
	}
	m := printedName.FindStringSubmatch(name)
	if m == nil {
		return "", "", nil, false
	}
	return first, second, m[1:], true
}

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
	if args1, args2, parts, ok := fingerprint(statement); ok {
		r := d.rels[strings.Join(parts, ".")]
		if r == nil {
			return warehouse.Answer{}, false
		}
		first, ok1 := rowSum(r, args1)
		second, ok2 := rowSum(r, args2)
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
	conditions := filterPart.FindAllStringSubmatch(statement, -1)
	for _, key := range slices.Sorted(maps.Keys(d.rels)) {
		r, ok := d.rels[key], true
		for _, m := range conditions {
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
	var args []func(row []value) string
	for _, arg := range splitArgs(list) {
		f, ok := hashed(r, arg)
		if !ok {
			return null, false
		}
		args = append(args, f)
	}
	if len(r.rows) == 0 {
		return null, true
	}
	total, h := new(big.Int), fnv.New64a()
	var buffer []byte
	for _, row := range r.rows {
		h.Reset()
		for _, arg := range args {
			text := arg(row)
			buffer = append(strconv.AppendInt(buffer[:0], int64(len(text)), 10), ':')
			_, _ = h.Write(append(buffer, text...))
		}
		total.Add(total, new(big.Int).SetUint64(h.Sum64()))
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

// hashed returns what of one argument enters the hash of a row. A bare column enters as DuckDB's hash() sees it: 0.0 is -0.0, and a collation makes
// strings equal.
func hashed(r *relation, arg string) (func(row []value) string, bool) {
	if strings.HasPrefix(arg, "'") {
		return func([]value) string { return arg }, true
	}
	at := 0
	column := func(prefix, suffix string) bool {
		name, ok1 := strings.CutPrefix(arg, prefix+`hodor_t."`)
		name, ok2 := strings.CutSuffix(name, `"`+suffix)
		at = r.at(name)
		return ok1 && ok2 && at >= 0
	}
	switch {
	case column("", ""):
		c := r.cols[at]
		return func(row []value) string {
			v := row[at]
			switch {
			case c.typ == "DOUBLE" && v == "-0.0":
				v = "0.0"
			case c.collate:
				v = value(strings.ToLower(string(v)))
			}
			return "value " + string(v)
		}, true
	case column("system.main.encode(", "::varchar)"):
		return func(row []value) string { return "text " + string(row[at]) }, true
	case column("system.main.encode(system.main.concat('~', ", "::varchar))"):
		return func(row []value) string { return "~" + strings.TrimPrefix(string(row[at]), string(null)) }, true
	case column("", " is null"):
		return func(row []value) string { return strconv.FormatBool(row[at] == null) }, true
	}
	return nil, false
}
