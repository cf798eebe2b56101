with recursive tree (id, parent_id, name, depth) as (
    select id, parent_id, name, 1 from `main`.`raw`.`categories` where parent_id is null
    union all
    select c.id, c.parent_id, c.name, t.depth + 1
    from `main`.`raw`.`categories` c
    join tree t on t.id = c.parent_id
)
select id, name, depth from tree
