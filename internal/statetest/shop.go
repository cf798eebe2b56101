package statetest

import "strings"

// The nodes of Shop.
var (
	StgOrders  = Node{ID: "model.shop.stg_orders", Kind: "view", SQL: "select id, customer_id, amount, ordered_on from shop.raw.orders", Reads: []string{"shop.raw.orders"}}
	StgTickets = Node{ID: "model.shop.stg_tickets", Kind: "view", SQL: "select id, customer_id, rating from shop.raw.tickets", Reads: []string{"shop.raw.tickets"}}
	Countries  = Node{ID: "seed.shop.countries", Kind: "seed"}
	Orders     = Node{
		ID: "model.shop.orders", Kind: "table", SQL: "select id, customer_id, amount * 1.19 as gross from shop.main.stg_orders where amount > 0",
		Views: map[string]string{"shop.main.stg_orders": "model.shop.stg_orders"}, Reads: []string{"shop.raw.orders"},
	}
	Customers = Node{
		ID: "model.shop.customers", Kind: "table", LagMS: 6 * 3600_000,
		SQL:   "select o.customer_id, count(*) as orders, case when count(*) >= 3 then 'regular' else 'new' end as segment from shop.main.orders o join shop.main.countries c on c.id = o.customer_id group by 1",
		Reads: []string{"shop.main.orders", "shop.main.countries"},
	}
	Ratings = Node{
		ID: "model.shop.ratings", Kind: "incremental", SQL: "select customer_id, avg(rating) as rating from shop.main.stg_tickets group by customer_id",
		Views: map[string]string{"shop.main.stg_tickets": "model.shop.stg_tickets"}, Reads: []string{"shop.raw.tickets"},
	}
	Summary = Node{
		ID: "model.shop.summary", Kind: "table", SQL: "select c.segment, avg(r.rating) as rating from shop.main.customers c join shop.main.ratings r on r.customer_id = c.customer_id group by 1",
		Reads: []string{"shop.main.customers", "shop.main.ratings"},
	}
	Today = Node{
		ID: "model.shop.today", Kind: "table", SQL: "select count(*) as n from shop.main.orders where ordered_on = current_date",
		Reads: []string{"shop.main.orders", "volatile:date"},
	}
	Stamped  = Node{ID: "model.shop.stamped", Kind: "table", SQL: "select id, 'batch 1' as batch from shop.main.orders", Reads: []string{"shop.main.orders"}}
	Python   = Node{ID: "model.shop.forecast", Kind: "unsupported"}
	Positive = Node{
		ID: "test.shop.positive_orders.0123456789", Kind: "test", SQL: "select id from shop.main.orders where gross < 0", Reads: []string{"shop.main.orders"},
	}
)

// rows is a data version of a DuckDB table.
func rows(n, hash string) string {
	return "v2.0.1:" + n + "@" + strings.Repeat(hash, 32/len(hash)) + "#" + strings.Repeat("5e", 16)
}

// Shop is five weeks of a shop on DuckDB: a first build, quiet days, new data, a late ticket, a change of code, a week in shadow mode with one
// false reuse, a modified target, a failed build. The last run is the one with the change of code in customers.
func Shop() *State {
	s := New("duckdb")
	s.Versions = map[string]string{
		"shop.raw.orders": rows("1000", "a1"), "shop.raw.tickets": rows("200", "b1"), "volatile:date": "2026-10-01",
		"shop.main.stg_orders": "view:" + strings.Repeat("d1", 16), "shop.main.stg_tickets": "view:" + strings.Repeat("d2", 16),
	}
	stamped := func(batch string) *Node {
		n := Stamped
		n.SQL = strings.Replace(n.SQL, "batch 1", batch, 1)
		return &n
	}
	quiet := func(number int, day string) {
		s.Run(number, day+" 04:00", "on")
		s.Versions["volatile:date"] = day
		s.Reuse(&Countries, "no_new_data")
		s.Reuse(&StgOrders, "view_unchanged")
		s.Reuse(&StgTickets, "view_unchanged")
		s.Reuse(&Orders, "no_new_data")
		s.Reuse(&Customers, "no_new_data")
		s.Reuse(&Ratings, "no_new_data")
		s.Reuse(&Summary, "no_new_data")
		s.Build(&Today, "volatile_sql", 4_000, rows("1", day[len(day)-2:]))
		s.Build(stamped("batch "+day), "code_changed", 9_000, rows("1000", "e"+day[len(day)-1:]))
		s.Build(&Python, "unsupported", 20_000, "", Why("a Python model"))
		s.Reuse(&Positive, "no_new_data")
	}

	s.Run(1, "2026-10-01 04:00", "on")
	s.Build(&Countries, "no_history", 1_200, rows("12", "c1"))
	s.Build(&StgOrders, "no_history", 300, "")
	s.Build(&StgTickets, "no_history", 280, "")
	s.Build(&Orders, "no_history", 64_000, rows("980", "01"))
	s.Build(&Customers, "no_history", 31_000, rows("400", "02"))
	s.Build(&Ratings, "no_history", 12_000, rows("150", "03"))
	s.Build(&Summary, "no_history", 5_500, rows("2", "04"))
	s.Build(&Today, "no_history", 4_000, rows("1", "05"))
	s.Build(stamped("batch 2026-10-01"), "no_history", 9_000, rows("1000", "e1"))
	s.Build(&Python, "unsupported", 20_000, "", Why("a Python model"))
	s.Build(&Positive, "no_history", 900, "")

	quiet(2, "2026-10-02")
	quiet(3, "2026-10-03")

	// Tickets arrive: what reads them is built; customers does not.
	s.Versions["shop.raw.tickets"] = rows("230", "b2")
	s.Run(4, "2026-10-04 04:00", "on")
	s.Reuse(&StgTickets, "view_unchanged")
	s.Reuse(&Orders, "no_new_data")
	s.Build(&Ratings, "new_upstream_data", 11_000, rows("160", "13"))
	s.Build(&Summary, "new_upstream_data", 5_400, rows("2", "14"))

	// Orders arrive, and customers waits for its tolerance: it was built too short ago for the second run.
	s.Versions["shop.raw.orders"] = rows("1100", "a2")
	s.Run(5, "2026-10-05 04:00", "on")
	s.Build(&Orders, "new_upstream_data", 66_000, rows("1080", "11"))
	s.Build(&Customers, "new_upstream_data", 32_000, rows("420", "12"))
	s.Versions["shop.raw.orders"] = rows("1110", "a3")
	s.Run(6, "2026-10-05 08:00", "on")
	s.Build(&Orders, "new_upstream_data", 66_500, rows("1090", "21"))
	s.Reuse(&Customers, "within_lag_tolerance")
	s.Build(&Positive, "new_upstream_data", 950, "", Status("fail"))

	// A week in shadow mode: everything is built, and once the rules were wrong.
	s.Run(7, "2026-10-12 04:00", "shadow")
	s.Build(&Orders, "no_new_data", 66_000, "", Decision("reuse"))
	s.Build(&Customers, "new_upstream_data", 31_500, rows("421", "22"))
	s.Build(&Ratings, "no_new_data", 11_500, rows("161", "33"), Decision("reuse"))

	// Somebody writes into ratings; a build fails.
	s.Run(8, "2026-10-20 04:00", "on")
	s.Build(&Ratings, "target_modified", 11_000, rows("161", "34"), Evidence("target", rows("161", "33"), rows("170", "99")))
	s.Build(&Summary, "new_upstream_data", 2_000, "", Status("error"))

	quietLast := Customers
	quietLast.SQL = strings.Replace(quietLast.SQL, ">= 3", ">= 4", 1)
	s.Run(9, "2026-11-02 04:00", "on")
	s.Versions["volatile:date"] = "2026-11-02"
	s.Reuse(&Countries, "no_new_data")
	s.Reuse(&StgOrders, "view_unchanged")
	s.Reuse(&StgTickets, "view_unchanged")
	s.Reuse(&Orders, "no_new_data")
	s.Build(&quietLast, "code_changed", 33_000, rows("421", "42"))
	s.Reuse(&Ratings, "no_new_data")
	s.Build(&Summary, "new_upstream_data", 5_600, rows("2", "44"))
	s.Build(&Today, "new_upstream_data", 4_100, rows("1", "45"))
	s.Build(stamped("batch 2026-11-02"), "code_changed", 9_100, rows("1090", "e9"))
	s.Build(&Python, "unsupported", 21_000, "", Why("a Python model"))
	s.Reuse(&Positive, "no_new_data")
	return s
}
