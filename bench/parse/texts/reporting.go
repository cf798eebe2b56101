package texts

import (
	"fmt"
	"math/rand/v2"
)

// Reporting returns queries over an order-to-supplier schema in the manner of TPC-H, each of its forms copies times with other
// constants.
func Reporting(copies int) []Text { return fill("reporting", reporting, copies) }

// Retail returns queries over a three-channel retail schema in the manner of TPC-DS: long, with many CTEs and set operations.
func Retail(copies int) []Text { return fill("retail", retail, copies) }

// fill repeats the forms; a form's %d verbs take numbers.
func fill(name string, forms []string, copies int) (out []Text) {
	r := rand.New(rand.NewPCG(7, 7))
	for n := range copies {
		for i, form := range forms {
			args := make([]any, verbs(form))
			for k := range args {
				args[k] = 1 + r.IntN(28)
			}
			out = append(out, Text{fmt.Sprintf("%s_%d_%d", name, i+1, n), fmt.Sprintf(form, args...)})
		}
	}
	return out
}

func verbs(form string) (n int) {
	for i := 0; i+1 < len(form); i++ {
		if form[i] == '%' {
			if form[i+1] == 'd' {
				n++
			}
			i++
		}
	}
	return n
}

var reporting = []string{
	`select returned, line_state, sum(qty) as qty_sum, sum(price) as price_sum, sum(price * (1 - disc)) as net_sum,
    sum(price * (1 - disc) * (1 + tax)) as gross_sum, avg(qty) as qty_avg, avg(disc) as disc_avg, count(*) as lines
from line_items
where ship_day <= date '1999-11-%d' - interval '%d' day
group by returned, line_state
order by returned, line_state`,
	`select s.balance, s.supplier_name, n.nation_name, p.part_key, p.maker, s.phone
from parts p, suppliers s, part_suppliers ps, nations n, regions r
where p.part_key = ps.part_key and s.supplier_key = ps.supplier_key and p.part_size = %d and p.part_type like '%%STEEL'
    and s.nation_key = n.nation_key and n.region_key = r.region_key and r.region_name = 'ASIA'
    and ps.cost = (
        select min(ps2.cost) from part_suppliers ps2, suppliers s2, nations n2, regions r2
        where p.part_key = ps2.part_key and s2.supplier_key = ps2.supplier_key and s2.nation_key = n2.nation_key
            and n2.region_key = r2.region_key and r2.region_name = 'ASIA')
order by s.balance desc, n.nation_name, s.supplier_name, p.part_key
limit 100`,
	`select n.nation_name, sum(l.price * (1 - l.disc)) as revenue
from customers c
join orders o on c.customer_key = o.customer_key
join line_items l on l.order_key = o.order_key
join suppliers s on l.supplier_key = s.supplier_key and c.nation_key = s.nation_key
join nations n on s.nation_key = n.nation_key
where o.order_day >= date '1996-0%d-01' and o.order_day < date '1996-01-01' + interval '1' year
group by n.nation_name
having sum(l.price) > %d
order by revenue desc`,
	`select year_of, sum(case when nation = 'PERU' then volume else 0 end) / sum(volume) as share
from (
    select extract(year from o.order_day) as year_of, l.price * (1 - l.disc) as volume, n2.nation_name as nation
    from parts p, suppliers s, line_items l, orders o, customers c, nations n1, nations n2, regions r
    where p.part_key = l.part_key and s.supplier_key = l.supplier_key and l.order_key = o.order_key
        and o.customer_key = c.customer_key and c.nation_key = n1.nation_key and n1.region_key = r.region_key
        and r.region_name = 'AMERICA' and s.nation_key = n2.nation_key
        and o.order_day between date '1997-01-%d' and date '1998-12-%d' and p.part_type = 'SMALL COPPER'
) as per_nation
group by year_of
order by year_of`,
	`select bucket, count(*) as customers
from (
    select c.customer_key, count(o.order_key) as bucket
    from customers c left outer join orders o
        on c.customer_key = o.customer_key and o.note not like '%%urgent%%wishes%%'
    group by c.customer_key
) as per_customer
group by bucket
order by customers desc, bucket desc`,
	`with revenue as (
    select supplier_key, sum(price * (1 - disc)) as total
    from line_items
    where ship_day >= date '1997-0%d-01' and ship_day < date '1997-01-01' + interval '3' month
    group by supplier_key
)
select s.supplier_key, s.supplier_name, s.address, s.phone, revenue.total
from suppliers s, revenue
where s.supplier_key = revenue.supplier_key and revenue.total = (select max(total) from revenue)
order by s.supplier_key`,
	`select sum(l.price * (1 - l.disc)) as revenue
from line_items l, parts p
where (p.part_key = l.part_key and p.brand = 'Brand#%d' and p.box in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
        and l.qty >= %d and l.qty <= %d + 10 and p.part_size between 1 and 5 and l.ship_mode in ('AIR', 'AIR REG'))
    or (p.part_key = l.part_key and p.brand = 'Brand#%d' and p.box in ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
        and l.qty >= %d and l.qty <= %d + 10 and p.part_size between 1 and 10 and l.ship_mode in ('AIR', 'AIR REG'))`,
	`select s.supplier_name, count(*) as late
from suppliers s, line_items l1, orders o, nations n
where s.supplier_key = l1.supplier_key and o.order_key = l1.order_key and o.order_state = 'F'
    and l1.receipt_day > l1.commit_day
    and exists (select * from line_items l2 where l2.order_key = l1.order_key and l2.supplier_key <> l1.supplier_key)
    and not exists (select * from line_items l3 where l3.order_key = l1.order_key
        and l3.supplier_key <> l1.supplier_key and l3.receipt_day > l3.commit_day)
    and s.nation_key = n.nation_key and n.nation_name = 'KENYA'
group by s.supplier_name
order by late desc, s.supplier_name
limit 100`,
}

var retail = []string{
	`with channel_sales as (
    select 'store' as channel, item_key, sold_day_key, quantity, net_paid, net_profit from store_sales
    union all
    select 'catalog' as channel, item_key, sold_day_key, quantity, net_paid, net_profit from catalog_sales
    union all
    select 'web' as channel, item_key, sold_day_key, quantity, net_paid, net_profit from web_sales
),
by_category as (
    select cs.channel, i.category, i.class, d.year_number, d.month_number, sum(cs.net_paid) as paid,
        sum(cs.net_profit) as profit, count(*) as sales_count
    from channel_sales cs
    join items i on cs.item_key = i.item_key
    join days d on cs.sold_day_key = d.day_key
    where d.year_number = 1990 + %d and i.category in ('Books', 'Music', 'Sports')
    group by rollup (cs.channel, i.category, i.class), d.year_number, d.month_number
)
select channel, category, class, year_number, month_number, paid, profit, sales_count,
    rank() over (partition by channel order by profit desc) as profit_rank,
    paid * 100.0 / sum(paid) over (partition by channel) as paid_share,
    avg(paid) over (partition by channel, category order by year_number, month_number rows between 2 preceding and current row) as paid_moving
from by_category
order by channel nulls first, category, profit_rank
limit 100`,
	`with customer_year as (
    select c.customer_id, c.first_name, c.last_name, c.preferred_flag, c.birth_country, d.year_number,
        sum(((s.list_price - s.wholesale_cost - s.discount_amount) + s.sales_price) / 2) as year_total, 's' as sale_type
    from customers c, store_sales s, days d
    where c.customer_key = s.customer_key and s.sold_day_key = d.day_key
    group by c.customer_id, c.first_name, c.last_name, c.preferred_flag, c.birth_country, d.year_number
    union all
    select c.customer_id, c.first_name, c.last_name, c.preferred_flag, c.birth_country, d.year_number,
        sum(((w.list_price - w.wholesale_cost - w.discount_amount) + w.sales_price) / 2) as year_total, 'w' as sale_type
    from customers c, web_sales w, days d
    where c.customer_key = w.bill_customer_key and w.sold_day_key = d.day_key
    group by c.customer_id, c.first_name, c.last_name, c.preferred_flag, c.birth_country, d.year_number
)
select s2.customer_id, s2.first_name, s2.last_name, s2.preferred_flag
from customer_year s1, customer_year s2, customer_year w1, customer_year w2
where s2.customer_id = s1.customer_id and s1.customer_id = w2.customer_id and s1.customer_id = w1.customer_id
    and s1.sale_type = 's' and w1.sale_type = 'w' and s2.sale_type = 's' and w2.sale_type = 'w'
    and s1.year_number = 1998 and s2.year_number = 1998 + 1 and s1.year_total > %d and w1.year_total > 0
    and case when w1.year_total > 0 then w2.year_total / w1.year_total else null end
        > case when s1.year_total > 0 then s2.year_total / s1.year_total else null end
order by 1, 2, 3, 4
limit 100`,
	`select distinct i.product_name
from items i
where i.manufacturer_key between %d and %d + 40
    and (select count(*) from items i2
        where (i2.manufacturer = i.manufacturer and (
            (i2.category = 'Women' and (i2.color = 'khaki' or i2.color = 'pale') and (i2.units = 'Ounce' or i2.units = 'Oz') and i2.size_name in ('medium', 'extra large'))
            or (i2.category = 'Men' and (i2.color = 'floral' or i2.color = 'dim') and (i2.units = 'Bunch' or i2.units = 'Ton') and i2.size_name in ('N/A', 'small'))))) > 0
order by i.product_name
limit 100`,
	`with warehouse_sales as (
    select w.warehouse_name, w.square_feet, w.city, w.state_code, d.year_number,
        sum(case when d.month_number = 1 then s.sales_price * s.quantity else 0 end) as jan_sales,
        sum(case when d.month_number = 2 then s.sales_price * s.quantity else 0 end) as feb_sales,
        sum(case when d.month_number = 3 then s.sales_price * s.quantity else 0 end) as mar_sales,
        sum(case when d.month_number = 4 then s.sales_price * s.quantity else 0 end) as apr_sales,
        sum(case when d.month_number = 5 then s.sales_price * s.quantity else 0 end) as may_sales,
        sum(case when d.month_number = 6 then s.sales_price * s.quantity else 0 end) as jun_sales,
        sum(case when d.month_number = 1 then s.net_paid * s.quantity else 0 end) as jan_net,
        sum(case when d.month_number = 2 then s.net_paid * s.quantity else 0 end) as feb_net,
        sum(case when d.month_number = 3 then s.net_paid * s.quantity else 0 end) as mar_net
    from web_sales s, warehouses w, days d, times t, ship_modes m
    where s.warehouse_key = w.warehouse_key and s.sold_day_key = d.day_key and s.sold_time_key = t.time_key
        and s.ship_mode_key = m.ship_mode_key and t.second_of_day between %d * 1000 and %d * 1000 + 28800
        and m.carrier in ('DHL', 'BARIAN')
    group by w.warehouse_name, w.square_feet, w.city, w.state_code, d.year_number
)
select warehouse_name, square_feet, city, state_code, year_number, jan_sales / square_feet as jan_per_foot,
    feb_sales / square_feet as feb_per_foot, mar_sales / square_feet as mar_per_foot, jan_net, feb_net, mar_net,
    sum(jan_sales + feb_sales + mar_sales + apr_sales + may_sales + jun_sales) over (partition by state_code) as half_year
from warehouse_sales
order by warehouse_name
limit 100`,
	`select count(*) as cool_count
from (
    (select distinct c.last_name, c.first_name, d.day_value from store_sales s, days d, customers c
        where s.sold_day_key = d.day_key and s.customer_key = c.customer_key and d.month_seq between %d and %d + 11)
    except
    (select distinct c.last_name, c.first_name, d.day_value from catalog_sales s, days d, customers c
        where s.sold_day_key = d.day_key and s.bill_customer_key = c.customer_key and d.month_seq between %d and %d + 11)
    intersect
    (select distinct c.last_name, c.first_name, d.day_value from web_sales s, days d, customers c
        where s.sold_day_key = d.day_key and s.bill_customer_key = c.customer_key and d.month_seq between %d and %d + 11)
) as cool`,
}
