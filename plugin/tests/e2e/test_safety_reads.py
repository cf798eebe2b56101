"""The clauses S6 to S11, end to end on DuckDB: what a node reads."""

import pytest

from . import shop


def source(project, *names: str) -> None:
    """Declares more tables of raw as sources."""
    listed = "".join(f"      - name: {name}\n" for name in names)
    project.edit("models/schema.yml", "      - name: customers\n", "      - name: customers\n" + listed)


def always(project, name: str, reason: str, twin: bool = True) -> None:
    """Asserts that a node that is settled builds again, twice."""
    for _ in range(2):
        run = project.dbt(f"run -s {name}", twin=twin)
        run.expect({name: f"success {reason}"}, rc=0)


# -- S6 ---------------------------------------------------------------------------------------------------------------


def test_s6_parent_that_only_depends_on_names(settled):
    settled.model("loose", "-- depends_on: {{ ref('rates') }}\nselect id from {{ ref('dim_customers') }}")
    settled.settle("run -s loose", times=1)
    settled.dbt("run -s loose").expect({"loose": "reused no_new_data"}, rc=0)
    settled.write("seeds/rates.csv", "code,rate\nx,2\ny,4\n")
    settled.dbt("build -s rates loose", twin=True).expect({"loose": "success new_upstream_data"}, rc=0)


def test_s6_table_that_reads_itself(settled):
    settled.model("growing", "select id from {{ ref('orders') }}")
    settled.settle("run -s growing", times=1)
    settled.model("growing", "select id from {{ this }} union all select 1")
    settled.dbt("run -s growing", twin=True)
    run = settled.dbt("run -s growing", twin=True)
    assert run.statuses["growing"] == "success"
    assert settled.rows("main.growing", "count(*)") == [["8"]]


def test_s6_no_upstream_at_all(settled):
    settled.model("constant", "select 1 as a, 'x' as b")
    settled.settle("run -s constant", times=1)
    settled.dbt("run -s constant").expect({"constant": "reused no_new_data"}, rc=0)


def test_s6_generators_are_no_upstream(settled):
    settled.model("numbers", "select i, unnest([1, 2]) as j from range(3) t (i), generate_series(1, 2)")
    settled.settle("run -s numbers", times=1)
    settled.dbt("run -s numbers").expect({"numbers": "reused no_new_data"}, rc=0)


# -- S7 ---------------------------------------------------------------------------------------------------------------


def test_s7_hook_that_reads_a_source(settled):
    settled.sql("create table raw.audit (name varchar)")
    settled.config("big_orders", post_hook="insert into raw.audit select name from {{ source('raw', 'customers') }}")
    settled.settle(times=1)
    settled.sql(shop.NEW_CUSTOMER)
    run = settled.dbt("build -s big_orders", twin=True)
    run.expect({"big_orders": "success new_upstream_data"}, rc=0)


@pytest.mark.parametrize("key", ["pre_hook", "post_hook"])
def test_s7_hook_that_reads_a_table_nobody_knows(settled, key):
    settled.sql("create table raw.audit (n integer)", "create table raw.unknown (n integer)")
    settled.config("big_orders", **{key: "insert into raw.audit select n from raw.unknown"})
    settled.settle("run -s big_orders", times=1)
    always(settled, "big_orders", "unknown_upstream")


def test_s7_hook_with_a_volatile_call(settled):
    settled.sql("create table raw.audit (n double)")
    settled.config("big_orders", post_hook="insert into raw.audit values (random())")
    settled.settle("run -s big_orders", times=1)
    always(settled, "big_orders", "volatile_sql")


@pytest.mark.parametrize(
    "hook",
    [
        "comment on table {{ this }} is 'x'",
        "analyze {{ this }}",
        "insert into raw.audit values (1)",
        "vacuum",
    ],
)
def test_s7_hooks_that_read_only_this(settled, hook):
    settled.sql("create table raw.audit (n integer)")
    settled.config("big_orders", post_hook={"sql": hook, "transaction": False})
    settled.settle("run -s big_orders", times=1)
    settled.dbt("run -s big_orders").expect({"big_orders": "reused no_new_data"}, rc=0)


def test_s7_hook_that_asks_whether_it_is_incremental(settled):
    settled.config("daily", pre_hook="{% if is_incremental() %}delete from {{ this }} where day > '2030-01-01'{% endif %}")
    settled.settle("run -s daily", times=1)
    settled.dbt("run -s daily").expect({"daily": "reused no_new_data"}, rc=0)
    settled.sql(shop.NEW_ORDER)
    settled.dbt("run -s orders daily", twin=True).expect({"daily": "success new_upstream_data"}, rc=0)


def test_s7_hook_that_asks_for_another_relation(settled):
    """What stands there when the hook runs is not known before."""
    settled.config(
        "daily",
        post_hook="{% if adapter.get_relation(this.database, 'main', 'orders') %}delete from {{ this }} where false{% endif %}",
    )
    settled.settle("run -s daily", times=1)
    always(settled, "daily", "unknown_upstream")


def test_s7_hook_that_can_not_be_parsed(settled):
    settled.config("big_orders", post_hook="pragma enable_checkpoint_on_shutdown")
    settled.settle("run -s big_orders", times=1)
    run = settled.dbt("run -s big_orders", twin=True)
    assert run.statuses["big_orders"] in ("success", "reused")


def test_s7_configuration_that_reads(settled):
    """A predicate and a fail_calc that read a table of their own: neither stands in compiled SQL."""
    settled.sql("create table raw.allow as select 1 as n")
    read = "(select max(n) from shop.raw.allow)"
    settled.model(
        "inc",
        "select id, amount from {{ ref('orders') }}",
        "incremental",
        unique_key="id",
        incremental_strategy="delete+insert",
        incremental_predicates=[f"id <= {read}"],
    )
    settled.write(
        "tests/big.sql",
        "{{ config(severity='warn', fail_calc='count(*) + "
        + read
        + "') }}\nselect id from {{ ref('orders') }} where amount > 100\n",
    )
    settled.settle()
    settled.sql("insert into raw.allow values (2)")
    run = settled.dbt("build -s inc big", twin=True)
    run.expect({"inc": "success unknown_upstream", "big": "warn unknown_upstream"}, rc=0)


def test_s7_view_with_a_hook_that_reads_builds(settled):
    settled.sql("create table raw.audit (name varchar)")
    settled.config("stg_orders", post_hook="insert into raw.audit select name from {{ source('raw', 'customers') }}")
    settled.settle("run -s stg_orders", times=1)
    settled.sql(shop.NEW_CUSTOMER)
    run = settled.dbt("run -s stg_orders", twin=True)
    assert run.statuses["stg_orders"] == "success"
    assert run.records["stg_orders"]["decision"] == "build"


def test_s7_header_that_reads_a_table_nobody_knows(settled):
    settled.sql("create table raw.unknown (n integer)")
    settled.model(
        "headed",
        "{% call set_sql_header(config) %}create or replace temp table h as select n from raw.unknown;{% endcall %}\n"
        "select id from {{ ref('orders') }}",
    )
    settled.settle("run -s headed", times=1)
    always(settled, "headed", "unknown_upstream")


# -- S8 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("macro", "call"),
    [
        ("main.total_of() as (select sum(amount) from raw.orders)", "select total_of() as n, id from {{ ref('dim_customers') }}"),
        ("main.all_of() as table select id from raw.orders", "select id from all_of()"),
        ("main.twice(x) as x * 2", "select main.twice(id) as id from {{ ref('dim_customers') }}"),
    ],
)
def test_s8_macro_of_the_user_is_opaque(settled, macro, call):
    settled.sql(f"create macro {macro}")
    settled.model("opaque", call)
    settled.settle("run -s opaque", times=1)
    always(settled, "opaque", "unknown_upstream")


def test_s8_macro_that_shadows_a_built_in(settled):
    """upper() of dim_customers means something else now, though no SQL has changed."""
    settled.sql("create macro upper(x) as 'anyone'")
    run = settled.dbt("build", twin=True)
    run.expect({"dim_customers": "success unknown_upstream"}, rc=0)
    assert settled.rows("main.dim_customers", "name") == [["anyone"]] * 3
    settled.sql("drop macro upper")
    run = settled.dbt("build", twin=True)
    assert run.statuses["dim_customers"] == "success"
    assert settled.rows("main.dim_customers", "name") == [["ANN"], ["BOB"], ["CYD"]]


def test_s8_file_readers_are_unknown(settled):
    settled.write("x.csv", "a,b\n1,2\n")
    settled.model("by_function", "select a from read_csv('x.csv')")
    settled.model("by_path", "select a from 'x.csv'")
    settled.settle("run -s by_function by_path", times=1)
    settled.write("x.csv", "a,b\n5,6\n")
    run = settled.dbt("run -s by_function by_path", twin=True)
    run.expect(dict.fromkeys(["by_function", "by_path"], "success unknown_upstream"), rc=0)


# -- S9 ---------------------------------------------------------------------------------------------------------------


def test_s9_view_changed_with_hodor_off(settled):
    settled.edit("models/stg_orders.sql", "'orders') }}", "'orders') }} where id > 1")
    assert settled.dbt("run -s stg_orders", env={"HODOR_MODE": "off"}).rc == 0
    run = settled.dbt("run -s orders", twin=True)
    assert run.statuses["orders"] == "success"
    run.expect({"orders": "success unknown_upstream"}, rc=0)
    assert settled.rows("main.orders", "count(*)") == [["5"]]


def test_s9_view_changed_by_hand(settled):
    settled.sql("create or replace view main.stg_orders as select id, customer_id, amount, day from raw.orders where id > 1")
    settled.dbt("run -s orders", twin=True).expect({"orders": "success unknown_upstream"}, rc=0)


def test_s9_view_changed_by_hand_is_built_and_its_reader_is_right(settled):
    settled.sql("create or replace view main.stg_orders as select id, customer_id, amount, day from raw.orders where id > 1")
    run = settled.dbt("build", twin=True)
    run.expect({"stg_orders": "success target_modified"}, rc=0)


def test_s9_view_dropped(settled):
    settled.sql("drop view main.stg_orders")
    settled.dbt("build", twin=True).expect({"stg_orders": "success relation_missing"}, rc=0)


def test_s9_stamp_of_a_view_decides_for_its_reader(settled):
    settled.model("stamped_view", "select id, current_timestamp as loaded_at from {{ ref('orders') }}", materialized="view")
    settled.model("old_rows", "select id from {{ ref('stamped_view') }} where loaded_at > timestamp '2020-01-01'")
    settled.settle("run -s stamped_view old_rows", times=1)
    settled.dbt("run -s stamped_view").expect({"stamped_view": "reused view_unchanged"}, rc=0)
    always(settled, "old_rows", "volatile_sql")


def test_s9_volatile_filter_of_a_view(settled):
    settled.model("chancy_view", "select id from {{ ref('orders') }} where random() < 2", materialized="view")
    settled.model("chancy_rows", "select id from {{ ref('chancy_view') }}")
    settled.settle("run -s chancy_view chancy_rows", times=1)
    always(settled, "chancy_rows", "volatile_sql")


def test_s9_opaque_input_of_a_view(settled):
    settled.write("x.csv", "a,b\n1,2\n")
    settled.model("file_view", "select a from read_csv('x.csv')", materialized="view")
    settled.model("file_rows", "select a from {{ ref('file_view') }}")
    settled.settle("run -s file_view file_rows", times=1)
    always(settled, "file_rows", "unknown_upstream")


def test_s9_view_over_a_view(settled):
    """Two levels down: the table follows the data at the bottom and the code in between."""
    settled.model("upper_view", "select id, amount from {{ ref('stg_orders') }}", materialized="view")
    settled.model("on_top", "select id, amount from {{ ref('upper_view') }}")
    settled.settle("run -s upper_view on_top", times=1)
    settled.dbt("run -s upper_view on_top").expect({"upper_view": "reused view_unchanged", "on_top": "reused no_new_data"}, rc=0)
    settled.sql(shop.NEW_ORDER)
    settled.dbt("run -s on_top", twin=True).expect({"on_top": "success new_upstream_data"}, rc=0)
    settled.edit("models/stg_orders.sql", "'orders') }}", "'orders') }} where id > 1")
    run = settled.dbt("run -s stg_orders upper_view on_top", twin=True)
    run.expect({"stg_orders": "success code_changed", "on_top": "success upstream_code_changed"}, rc=0)


def test_s9_source_that_is_a_view(settled):
    settled.sql("create view raw.open_orders as select id from raw.orders")
    source(settled, "open_orders")
    settled.model("reader", "select id from {{ source('raw', 'open_orders') }}")
    settled.settle("run -s reader", times=1)
    always(settled, "reader", "unknown_upstream")


# -- S10 --------------------------------------------------------------------------------------------------------------


def test_s10_hard_coded_table_that_nobody_knows(settled):
    settled.sql("create table raw.unknown (n integer)")
    settled.model("hard", "select n from raw.unknown")
    settled.settle("run -s hard", times=1)
    always(settled, "hard", "unknown_upstream")


def test_s10_hard_coded_name_of_a_model(settled):
    """No parent and no source: it may be built after its reader, or be hidden by a temporary table."""
    settled.model("hard", "select id from main.orders")
    settled.settle("run -s hard", times=1)
    settled.sql(shop.NEW_ORDER)
    settled.dbt("build -s orders")
    run = settled.dbt("run -s hard", twin=True)
    assert run.statuses["hard"] == "success"
    assert run.records["hard"]["decision"] == "build"


def test_s10_source_at_an_external_location(settled):
    settled.write("x.csv", "a,b\n1,2\n")
    settled.write(
        "models/files.yml",
        "sources:\n  - name: files\n    tables:\n      - name: x\n        config: {meta: {external_location: x.csv}}\n",
    )
    settled.model("outside", "select a from {{ source('files', 'x') }}")
    settled.settle("run -s outside", times=1)
    settled.write("x.csv", "a,b\n5,6\n")
    settled.dbt("run -s outside", twin=True).expect({"outside": "success unknown_upstream"}, rc=0)


# -- S11 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("select id from {{ ref('orders') }} where random() > 2", "volatile_sql"),
        ("select a from read_csv('x.csv') where a > 5", "unknown_upstream"),
        ("select n from raw.unknown", "unknown_upstream"),
        ("select id from {{ ref('stg_orders') }} where id < 0", "no_new_data"),
        ("select id from {{ source('raw', 'orders') }} where id < 0", "no_new_data"),
        ("select 1 as id where false", "no_new_data"),
        ("select id from {{ ref('eph_big') }} where id < 0", "no_new_data"),
    ],
)
def test_s11_tests_have_the_lineage_of_models(settled, query, reason):
    settled.sql("create table raw.unknown (n integer)")
    settled.write("x.csv", "a,b\n1,2\n")
    settled.write("tests/watch.sql", query + "\n")
    settled.settle("test -s watch", times=1)
    settled.dbt("test -s watch", twin=True).expect({"watch": f"pass {reason}"}, rc=0)


def test_s11_test_through_a_view_sees_the_new_rows(settled):
    settled.write("tests/watch.sql", "select id from {{ ref('stg_orders') }} where amount < 0\n")
    settled.settle("test -s watch", times=1)
    settled.sql("insert into raw.orders values (8, 1, -5, '2026-01-03')")
    settled.dbt("test -s watch", twin=True).expect({"watch": "fail new_upstream_data"}, rc=1)


def test_s11_test_on_a_source(settled):
    settled.edit(
        "models/schema.yml",
        "      - name: customers\n",
        "      - name: customers\n        columns: [{name: id, data_tests: [{unique: {name: customer_once}}]}]\n",
    )
    settled.settle("test -s customer_once", times=1)
    settled.dbt("test -s customer_once").expect({"customer_once": "pass no_new_data"}, rc=0)
    settled.sql("insert into raw.customers values (3, 'Cyd')")
    settled.dbt("test -s customer_once", twin=True).expect({"customer_once": "fail new_upstream_data"}, rc=1)
