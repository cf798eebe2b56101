select
    o.order_id,
    line.pos as line_number,
    line.col.sku as sku,
    line.col.quantity as quantity,
    transform(o.tags, t -> lower(t)) as tags,
    filter(o.tags, (t, i) -> i < 3 and t is not null) as first_tags,
    named_struct('sku', line.col.sku, 'n', line.col.quantity) as packed
from `main`.`staging`.`stg_orders` o
lateral view outer posexplode(o.items) line as pos, col
