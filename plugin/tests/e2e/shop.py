"""The fixture `shop`: a small project over two tables that the tests fill themselves.

raw.orders ----> stg_orders (view) --+--> orders (table) ------> daily (incremental)
                      |              |      ^    \\----> tests orders_id_given, orders_customer_known, amount_positive
rates (seed) ---------|--------------+      |
                      +--> eph_big (ephemeral) ----> big_orders (table)
raw.customers --> stg_customers (view, select *) --> dim_customers (table)
             \\--> snap_customers (snapshot)
"""

RAW = [
    "create schema raw",
    "create table raw.orders (id integer, customer_id integer, amount decimal(10, 2), day date)",
    "insert into raw.orders values (1, 1, 50, '2026-01-01'), (2, 2, 150, '2026-01-01'), (3, 3, 75, '2026-01-02'),"
    " (4, 1, 250, '2026-01-02'), (5, 2, 20, '2026-01-03'), (6, 3, 300, '2026-01-03')",
    "create table raw.customers (id integer, name varchar)",
    "insert into raw.customers values (1, 'Ann'), (2, 'Bob'), (3, 'Cyd')",
]

PROJECT = """\
name: shop
version: '1.0'
profile: shop
flags:
  send_anonymous_usage_stats: false
  use_colors: false
models:
  shop:
    +state: {lag_tolerance: 0s}
seeds:
  shop:
    +state: {lag_tolerance: 0s}
snapshots:
  shop:
    +state: {lag_tolerance: 0s}
"""

# The warehouse path is relative: a copied project takes its warehouse and its state along.
PROFILES = """\
shop:
  target: dev
  outputs:
    dev:
      type: duckdb
      path: "{{ env_var('SHOP_FILE', 'shop.duckdb') }}"
      threads: 4
      hodor_mode: 'on'
      hodor_store: duckdb
"""

SCHEMA = """\
sources:
  - name: raw
    schema: raw
    tables:
      - name: orders
      - name: customers
models:
  - name: stg_orders
  - name: orders
    columns:
      - name: id
        data_tests:
          - not_null: {name: orders_id_given}
      - name: customer_id
        data_tests:
          - relationships:
              name: orders_customer_known
              arguments: {to: ref('dim_customers'), field: id}
  - name: dim_customers
"""

ORDERS = """\
with o as (
    select s.id, s.customer_id, s.amount, s.day from {{ ref('stg_orders') }} as s
),
r as (
    select code, rate from {{ ref('rates') }} where code = 'x'
)
select o.id, o.customer_id, o.amount, o.day, amount * rate as total
from o cross join r
"""

FILES = {
    "dbt_project.yml": PROJECT,
    "profiles.yml": PROFILES,
    "models/schema.yml": SCHEMA,
    "seeds/rates.csv": "code,rate\nx,2\ny,3\n",
    "models/stg_orders.sql": (
        "{{ config(materialized='view') }}\nselect id, customer_id, amount, day from {{ source('raw', 'orders') }}\n"
    ),
    "models/stg_customers.sql": "{{ config(materialized='view') }}\nselect * from {{ source('raw', 'customers') }}\n",
    "models/eph_big.sql": (
        "{{ config(materialized='ephemeral') }}\n"
        "select id, customer_id, amount, day from {{ ref('stg_orders') }} where amount > 100\n"
    ),
    "models/orders.sql": "{{ config(materialized='table') }}\n" + ORDERS,
    "models/big_orders.sql": (
        "{{ config(materialized='table') }}\nselect id, customer_id, amount, day from {{ ref('eph_big') }}\n"
    ),
    "models/daily.sql": (
        "{{ config(materialized='incremental', unique_key='day') }}\n"
        "select day, sum(amount) as amount, sum(total) as total, count(*) as orders\n"
        "from {{ ref('orders') }}\n"
        "{% if is_incremental() %} where day >= (select max(day) from {{ this }}) {% endif %}\n"
        "group by day\n"
    ),
    "models/dim_customers.sql": (
        "{{ config(materialized='table') }}\nselect id, upper(name) as name from {{ ref('stg_customers') }}\n"
    ),
    "snapshots/snap_customers.sql": (
        "{% snapshot snap_customers %}\n"
        "{{ config(unique_key='id', strategy='check', check_cols='all') }}\n"
        "select id, name from {{ source('raw', 'customers') }}\n"
        "{% endsnapshot %}\n"
    ),
    "tests/amount_positive.sql": "select id, amount from {{ ref('orders') }} where amount <= 0\n",
}

VIEWS = {"stg_orders", "stg_customers"}
TABLES = {"orders", "big_orders", "daily", "dim_customers", "rates", "snap_customers"}
TESTS = {"orders_id_given", "orders_customer_known", "amount_positive"}
NODES = VIEWS | TABLES | TESTS

NEW_ORDER = "insert into raw.orders values (7, 1, 10, '2026-01-04')"
NEW_CUSTOMER = "insert into raw.customers values (4, 'Dee')"
