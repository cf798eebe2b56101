package simulation

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"hodor/warehouse"
)

// databricksAnswer answers what versions asks of Databricks.
func databricksAnswer(d *database, statement string) (warehouse.Answer, bool) {
	if text, ok := strings.CutPrefix(statement, "DESCRIBE HISTORY "); ok {
		name, count, _ := strings.Cut(text, " LIMIT ")
		r := d.backquoted(name)
		limit, err := strconv.Atoi(count)
		if r == nil || r.isView || err != nil {
			return warehouse.Answer{}, false
		}
		var rows [][]value
		for _, c := range slices.Backward(r.commits[max(0, len(r.commits)-limit):]) {
			rows = append(rows, c.row)
		}
		return table("version,timestamp,operation,operationParameters,operationMetrics", rows...)
	}
	if name, ok := strings.CutPrefix(statement, "DESCRIBE TABLE "); ok {
		name, extended := strings.CutPrefix(name, "EXTENDED ")
		r := d.backquoted(name)
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
		if extended {
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

// newCommit makes a commit, with its row in DESCRIBE HISTORY.
func newCommit(version int, atMS int64, operation, mode string, metrics map[string]string, left content) commit {
	parameters := map[string]string{}
	if mode != "" {
		parameters["mode"] = mode
	}
	at := time.UnixMilli(atMS).UTC().Format("2006-01-02 15:04:05.000")
	return commit{version, []value{millis(int64(version)), value(at), value(operation), encoded(parameters), encoded(metrics)}, left}
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
