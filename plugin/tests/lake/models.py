"""What the shop has on Databricks beside its own nodes: a model for each incremental strategy that Delta Lake outside Databricks can run, and
one that reads the clock by a word (S25). delete+insert is not among them: its DELETE has a subquery, or REPLACE ON.

orders (table) --+--> orders_append, orders_overwrite, orders_replace (incremental; daily is a merge)
                 \\--> until_now (table)
"""

#: They run on a compute of their own: where Spark stands for Databricks it is a cluster of a release whose statements Spark knows.
APPEND = """\
{{ config(materialized='incremental', databricks_compute='cluster', incremental_strategy='append') }}
select id, day from {{ ref('orders') }}
{% if is_incremental() %} where id > (select max(id) from {{ this }}) {% endif %}
"""
OVERWRITE = """\
{{ config(materialized='incremental', databricks_compute='cluster', incremental_strategy='insert_overwrite', partition_by='day') }}
select id, amount, day from {{ ref('orders') }}
{% if is_incremental() %} where day >= (select max(day) from {{ this }}) {% endif %}
"""
REPLACE = """\
{{ config(materialized='incremental', databricks_compute='cluster', incremental_strategy='replace_where',
          incremental_predicates="day >= '2026-01-03'") }}
select id, amount, day from {{ ref('orders') }}
{% if is_incremental() %} where day >= '2026-01-03' {% endif %}
"""
UNTIL_NOW = """\
{{ config(materialized='table') }}
select id, 'today' as label from {{ ref('orders') }} where day < 'tomorrow' and day < 'now '
"""

FILES = {
    "models/orders_append.sql": APPEND,
    "models/orders_overwrite.sql": OVERWRITE,
    "models/orders_replace.sql": REPLACE,
    "models/until_now.sql": UNTIL_NOW,
}

#: Incremental models: each compiles to another text once its table exists.
INCREMENTAL = {"daily", "orders_append", "orders_overwrite", "orders_replace"}
TABLES = {*INCREMENTAL, "until_now"} - {"daily"}
