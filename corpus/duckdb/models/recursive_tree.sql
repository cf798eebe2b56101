with recursive tree as (
    select id, parent_id, name, 1 as depth, [name] as path
    from "shop"."raw"."categories"
    where parent_id is null
    union all
    select c.id, c.parent_id, c.name, tree.depth + 1, list_append(tree.path, c.name)
    from "shop"."raw"."categories" c
    join tree on tree.id = c.parent_id
    where tree.depth < 20
)
select id, depth, array_to_string(path, ' > ') as path from tree
