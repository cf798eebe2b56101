select t.trade_id, t.symbol, t.at, t.quantity * p.price as value
from "market"."main"."trades" t
asof left join "market"."main"."prices" p on t.symbol = p.symbol and t.at >= p.at
where t.quantity <> 0
