package project

import "strings"

// sqlKeys are the config keys whose text the adapters' materializations put into their statements as SQL. What it reads and calls is read when
// the node is built, and stands in no compiled SQL.
var sqlKeys = map[string]bool{
	"incremental_predicates": true, "predicates": true, "replace_where": true, "unique_key": true,
	"merge_clauses": true, "merge_insert_condition": true, "merge_update_condition": true, "merge_update_set_expressions": true,
	"matched_condition": true, "not_matched_condition": true, "not_matched_by_source_condition": true, "not_matched_by_source_action": true,
	"updated_at": true, "check_cols": true, "dbt_valid_to_current": true,
	"fail_calc": true, "warn_if": true, "error_if": true,
}

// configRows stands for the rows that such a text is about. Without a FROM its names would be no columns, and on Databricks session variables then.
const configRows = "\nfrom (values (0))"

// ConfigSQL returns the SQL of a node's configuration that may read or call anything, each text as a query of its own that reads the same. A text
// that is nothing but names, numbers and operators is left out.
func (n *Node) ConfigSQL() []string {
	var out []string
	n.config.fields(func(key []byte, v value) {
		k := string(key)
		if !sqlKeys[k] || v.null() {
			return
		}
		v.texts(func(text string) {
			if k == "fail_calc" && text == "count(*)" || plainExpression(text) {
				return
			}
			switch k {
			case "warn_if", "error_if":
				text = "0 " + text // a comparison without its left side
			case "not_matched_by_source_action":
				if set := strings.TrimSpace(text); len(set) > 11 && strings.EqualFold(set[:11], "update set ") {
					text = set[11:]
				}
			}
			out = append(out, "select "+text+configRows)
		})
	})
	return out
}

// texts calls f with every string in a value, at any depth.
func (v value) texts(f func(string)) {
	if len(v) == 0 {
		return
	}
	switch v[0] {
	case '"':
		f(v.str())
	case '[':
		v.items(func(x value) { x.texts(f) })
	case '{':
		v.fields(func(_ []byte, x value) { x.texts(f) })
	}
}

// plainExpression tells whether a text is made of names, numbers and operators only, and none of the words that read or call without a bracket.
func plainExpression(text string) bool {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case wordStart(c):
			start := i
			for i < len(text) && wordByte(text[i]) {
				i++
			}
			switch w := strings.ToLower(text[start:i]); {
			case w == "select", w == "from", w == "table", w == "values", w == "user", w == "session_user", strings.HasPrefix(w, "current_"), strings.HasPrefix(w, "local"):
				return false
			}
		case '0' <= c && c <= '9', strings.IndexByte(" \t\r\n.,=<>!+-*/%|&\"`", c) >= 0:
			i++
		default:
			return false
		}
	}
	return true
}
