from "shop"."raw"."products" as p
select
    p.id as product_id,
    {'name': p.name, 'size': p.size} as label,
    list_transform(p.tags, lambda t: lower(t)) as tags,
    [x * 2 for x in p.prices if x > 0] as doubled,
    map {'a': p.stock, 'b': p.reserved}['a'] as in_stock,
    columns('price_.*')::decimal(12, 2)
order by all
