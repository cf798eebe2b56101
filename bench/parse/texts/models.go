package texts

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"hodor/grammar"
)

// Models returns n models as dbt compiles them: staging models that rename and cast, intermediate ones that join, and marts
// that aggregate, 1 to 20 KB each, in the proportion in which projects have them.
func Models(n int, seed uint64, d grammar.Dialect) []Text {
	out := make([]Text, n)
	for i := range out {
		m := model{r: rand.New(rand.NewPCG(seed, uint64(i))), d: d}
		kind := "stg"
		switch i % 5 {
		case 0, 1:
			m.staging()
		case 2, 3:
			kind = "int"
			m.intermediate()
		default:
			kind = "fct"
			m.mart()
		}
		out[i] = Text{fmt.Sprintf("%s_%s_%d", kind, m.pick(nouns), i), m.b.String()}
	}
	return out
}

var nouns = strings.Fields(`order customer product payment shipment invoice session event account subscription campaign lead
	ticket refund warehouse supplier contract device location employee`)

var attributes = strings.Fields(`status amount quantity currency country region channel category created_at updated_at
	shipped_at is_active is_deleted source_system email first_name last_name discount tax_rate unit_price description
	valid_from valid_to segment score priority reference_number external_code`)

// model writes one model.
type model struct {
	b strings.Builder
	r *rand.Rand
	d grammar.Dialect
}

func (m *model) pick(words []string) string { return words[m.r.IntN(len(words))] }

func (m *model) write(format string, args ...any) { fmt.Fprintf(&m.b, format, args...) }

// table is a relation as dbt renders it, with every part in quotes.
func (m *model) table(schema, name string) string {
	if m.d.In(grammar.Databricks) {
		return fmt.Sprintf("`main`.`%s`.`%s`", schema, name)
	}
	return fmt.Sprintf(`"warehouse"."%s"."%s"`, schema, name)
}

func (m *model) staging() {
	noun := m.pick(nouns)
	m.write("-- one row per %s, as the source delivers it\nwith source as (\n\n    select * from %s\n\n),\n\n", noun, m.table("raw", noun+"s"))
	m.write("renamed as (\n\n    select\n        -- ids\n        id as %s_id,\n", noun)
	for range 1 + m.r.IntN(4) {
		m.write("        %s_id,\n", m.pick(nouns))
	}
	m.write("\n        -- attributes\n")
	columns := 8 + m.r.IntN(40)
	for i := range columns {
		m.write("        %s as %s_%d,\n", m.scalar("", 2), m.pick(attributes), i)
	}
	m.write("\n        -- loaded\n        cast(_loaded_at as timestamp) as loaded_at\n\n    from source\n    where %s\n\n)\n\nselect * from renamed\n", m.condition("", 2))
}

func (m *model) intermediate() {
	names := m.sources(2 + m.r.IntN(4))
	m.write("joined as (\n\n    select\n        %s.%s_id,\n", names[0], m.pick(nouns))
	for i := range 10 + m.r.IntN(30) {
		m.write("        %s as %s_%d,\n", m.scalar(m.pick(names), 2), m.pick(attributes), i)
	}
	m.write("        row_number() over (partition by %s.id order by %s.updated_at desc, %s.id) as row_num\n    from %s\n", names[0], names[0], names[0], names[0])
	for _, n := range names[1:] {
		m.write("    %s join %s\n        on %s.id = %s.%s_id\n        and %s\n", m.pick([]string{"left", "inner"}), n, names[0], n, m.pick(nouns), m.condition(n, 1))
	}
	m.write("\n),\n\ndeduplicated as (\n\n    select * from joined where row_num = 1\n\n)\n\nselect * from deduplicated\n")
}

func (m *model) mart() {
	names := m.sources(2 + m.r.IntN(3))
	for _, n := range names {
		m.write("%s_summary as (\n\n    select\n        customer_id,\n        date_trunc('month', created_at) as month,\n", n)
		for i := range 4 + m.r.IntN(12) {
			m.write("        %s as metric_%d,\n", m.aggregate(), i)
		}
		m.write("        count(*) as rows_total\n    from %s\n    where %s\n    group by 1, 2\n    having count(*) > %d\n\n),\n\n", n, m.condition("", 3), m.r.IntN(9))
	}
	m.write("final as (\n\n    select\n        %s_summary.customer_id,\n        %s_summary.month,\n", names[0], names[0])
	for i := range 6 + m.r.IntN(20) {
		m.write("        coalesce(%s_summary.metric_%d, 0) as value_%d,\n", m.pick(names), m.r.IntN(4), i)
	}
	m.write("        sum(%s_summary.metric_0) over (\n            partition by %s_summary.customer_id\n            order by %s_summary.month\n            rows between unbounded preceding and current row\n        ) as running_total\n    from %s_summary\n", names[0], names[0], names[0], names[0])
	for _, n := range names[1:] {
		m.write("    left join %s_summary\n        on %s_summary.customer_id = %s_summary.customer_id\n        and %s_summary.month = %s_summary.month\n", n, names[0], n, names[0], n)
	}
	m.write("\n)\n\nselect * from final\nunion all\nselect * from %s\nwhere month < cast('2023-01-01' as date)\norder by 1, 2 desc nulls last\n", m.table("marts", "history"))
}

// sources writes n import CTEs and returns their names.
func (m *model) sources(n int) (names []string) {
	m.write("with ")
	for i := range n {
		name := fmt.Sprintf("%ss_%d", m.pick(nouns), i)
		names = append(names, name)
		m.write("%s as (\n\n    select * from %s\n\n),\n\n", name, m.table("staging", "stg_"+name))
	}
	return names
}

// column is a column of the CTE, or of no named one.
func (m *model) column(of string) string {
	if of == "" {
		return m.pick(attributes)
	}
	return of + "." + m.pick(attributes)
}

// scalar is an expression over the columns of one CTE.
func (m *model) scalar(of string, depth int) string {
	c := m.column(of)
	if depth == 0 {
		return c
	}
	switch m.r.IntN(14) {
	case 0:
		return fmt.Sprintf("cast(%s as %s)", c, m.pick([]string{"decimal(18, 2)", "bigint", "timestamp", "date", "double"}))
	case 1:
		return fmt.Sprintf("coalesce(%s, %s)", m.scalar(of, depth-1), m.pick([]string{"0", "'unknown'", "false", "null"}))
	case 2:
		return fmt.Sprintf("case\n            when %s then %s\n            when %s then %s\n            else %s\n        end",
			m.condition(of, 1), m.scalar(of, depth-1), m.condition(of, 0), m.literal(), m.scalar(of, depth-1))
	case 3:
		return fmt.Sprintf("lower(trim(%s))", c)
	case 4:
		return fmt.Sprintf("nullif(%s, '')", m.scalar(of, depth-1))
	case 5:
		return fmt.Sprintf("%s * (1 - %s) / 100.0", m.scalar(of, depth-1), m.column(of))
	case 6:
		return fmt.Sprintf("date_trunc('%s', %s)", m.pick([]string{"day", "week", "month", "quarter"}), c)
	case 7:
		return fmt.Sprintf("%s || ' ' || %s", c, m.column(of))
	case 8:
		return fmt.Sprintf("md5(concat_ws('|', %s, %s, %s))", c, m.column(of), m.column(of))
	case 9:
		if m.d.In(grammar.Databricks) {
			return fmt.Sprintf("%s:payload.%s::string", c, m.pick(attributes))
		}
		return fmt.Sprintf("(%s ->> '$.payload.%s')::varchar", c, m.pick(attributes))
	case 10:
		return fmt.Sprintf("round(%s, 2)", m.scalar(of, depth-1))
	}
	return c
}

func (m *model) literal() string {
	switch m.r.IntN(4) {
	case 0:
		return fmt.Sprint(m.r.IntN(100000))
	case 1:
		return "null"
	case 2:
		return fmt.Sprintf("%d.%02d", m.r.IntN(1000), m.r.IntN(100))
	}
	return "'" + m.pick(attributes) + "'"
}

func (m *model) condition(of string, depth int) string {
	c := m.column(of)
	if depth > 0 && m.r.IntN(2) == 0 {
		return fmt.Sprintf("(%s %s %s)", m.condition(of, depth-1), m.pick([]string{"and", "or"}), m.condition(of, depth-1))
	}
	switch m.r.IntN(7) {
	case 0:
		return fmt.Sprintf("%s in ('%s', '%s', '%s')", c, m.pick(attributes), m.pick(nouns), m.pick(attributes))
	case 1:
		return c + " is not null"
	case 2:
		return fmt.Sprintf("%s >= cast('2024-%02d-01' as date)", c, 1+m.r.IntN(12))
	case 3:
		return fmt.Sprintf("lower(%s) not like '%%%s%%'", c, m.pick(nouns))
	case 4:
		return fmt.Sprintf("%s between %d and %d", c, m.r.IntN(10), 10+m.r.IntN(1000))
	case 5:
		return fmt.Sprintf("not coalesce(%s, false)", c)
	}
	return fmt.Sprintf("%s = %s", c, m.literal())
}

func (m *model) aggregate() string {
	switch m.r.IntN(5) {
	case 0:
		return fmt.Sprintf("count(distinct %s)", m.column(""))
	case 1:
		return fmt.Sprintf("sum(case when %s then %s else 0 end)", m.condition("", 1), m.column(""))
	case 2:
		return fmt.Sprintf("max(%s)", m.scalar("", 1))
	case 3:
		return fmt.Sprintf("sum(%s) filter (where %s)", m.column(""), m.condition("", 1))
	}
	return fmt.Sprintf("avg(%s)", m.scalar("", 1))
}
