package simulation

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hodor/warehouse"
)

var (
	describeHistory = regexp.MustCompile("^DESCRIBE HISTORY (.+) LIMIT ([0-9]+)$")
	describeTable   = regexp.MustCompile("^DESCRIBE TABLE (EXTENDED )?(.+)$")
)

// databricksAnswer answers what versions asks of Databricks.
func databricksAnswer(d *database, statement string) (warehouse.Answer, bool) {
	if m := describeHistory.FindStringSubmatch(statement); m != nil {
		r := d.backquoted(m[1])
		limit, err := strconv.Atoi(m[2])
		if r == nil || r.isView || err != nil {
			return warehouse.Answer{}, false
		}
		var rows [][]value
		for _, c := range slices.Backward(r.commits) {
			parameters := map[string]string{}
			if c.mode != "" {
				parameters["mode"] = c.mode
			}
			rows = append(rows, []value{millis(int64(c.version)), value(time.UnixMilli(c.atMS).UTC().Format("2006-01-02 15:04:05.000")), value(c.operation),
				encoded(parameters), encoded(c.metrics)})
		}
		return table("version,timestamp,operation,operationParameters,operationMetrics", rows[:min(limit, len(rows))]...)
	}
	if m := describeTable.FindStringSubmatch(statement); m != nil {
		r := d.backquoted(m[2])
		if r == nil {
			return warehouse.Answer{}, false
		}
		cols := r.cols
		if r.isView {
			cols = r.frozen
		}
		var rows [][]value
		for _, c := range cols {
			rows = append(rows, []value{value(c.name), value(d.typ(c.typ)), null})
		}
		if m[1] != "" {
			rows = append(rows, []value{"", "", ""}, []value{"# Detailed Table Information", "", ""})
			if r.isView {
				rows = append(rows, []value{"Type", "VIEW", ""}, []value{"View Text", value(r.body.text()), ""}, []value{"View Catalog and Namespace", "shop.main", ""})
			} else {
				rows = append(rows, []value{"Type", "MANAGED", ""})
			}
		}
		return table("col_name,data_type,comment", rows...)
	}
	switch {
	case strings.Contains(statement, "information_schema.row_filters"):
		var rows [][]value
		for _, key := range slices.Sorted(maps.Keys(d.filters)) {
			parts := strings.Split(key, ".")
			rows = append(rows, []value{value(parts[1]), value(parts[2])})
		}
		return table("table_schema,table_name", rows...)
	case strings.HasPrefix(statement, "SELECT cast(unix_millis(current_timestamp()) AS string), current_timezone()"):
		kind := value("string")
		if d.setting["ansi"] == "true" {
			kind = "bigint"
		}
		return table("a,b,c", []value{millis(d.nowMS), value(d.zone.String()), kind})
	case strings.HasPrefix(statement, "SELECT cast(current_date() AS string)"):
		today := d.today()
		midnight := time.Date(today.Year(), today.Month(), today.Day()+1, 0, 0, 0, 0, d.zone)
		return table("a,b,c", []value{value(today.Format(time.DateOnly)), millis(d.nowMS), millis(midnight.UnixMilli())})
	case strings.HasPrefix(statement, "SELECT current_user()"):
		return table("a,b,c,d", []value{"me", catalog, "main", value(d.zone.String())})
	}
	return warehouse.Answer{}, false
}

func (d *database) backquoted(name string) *relation {
	return d.rels[strings.ReplaceAll(name, "`", "")]
}

func encoded(m map[string]string) value {
	if m == nil {
		m = map[string]string{}
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return null
	}
	return value(raw)
}
