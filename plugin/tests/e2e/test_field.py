"""Situations in which reuse has gone wrong elsewhere. The number in a test's name is the row of the list of such reports."""

import pytest

from . import shop

BUILT_FROM_ORDERS = {
    "orders": "success new_upstream_data",
    "big_orders": "success new_upstream_data",
    "daily": "success new_upstream_data",
    **dict.fromkeys(shop.TESTS, "pass new_upstream_data"),
}


def test_field_01_parent_of_a_star_view_gains_a_column(settled):
    settled.sql("alter table raw.customers add column city varchar default 'Oslo'")
    run = settled.dbt("build", twin=True)
    run.expect({"stg_customers": "success select_star_view", "dim_customers": "success new_upstream_data"}, rc=0)
    assert settled.rows("main.stg_customers", "city") == [["Oslo"]] * 3


def test_field_02_sql_that_compiles_differently_each_time(settled):
    settled.model("restless", "select {{ range(100000) | random }}{{ range(100000) | random }} as n, id from {{ ref('orders') }}")
    settled.settle("run -s restless", times=1)
    for _ in range(2):
        settled.dbt("run -s restless").expect({"restless": "success code_changed"}, rc=0)


def test_field_05_vars(settled):
    settled.model("limited", "select id from {{ ref('orders') }} where id <= {{ var('most', 3) }}")
    settled.settle("run -s limited", times=1)
    settled.dbt("run -s limited --vars 'most: 4'", twin=True).expect({"limited": "success code_changed"}, rc=0)
    settled.dbt("run -s limited --vars '{most: 4, other: 1}'", twin=True).expect({"limited": "reused no_new_data"}, rc=0)
    settled.dbt("run -s limited", twin=True).expect({"limited": "success code_changed"}, rc=0)


def test_field_05_environment(settled):
    settled.model("limited", "select id from {{ ref('orders') }} where id <= {{ env_var('MOST', '3') }}")
    settled.settle("run -s limited", times=1)
    settled.dbt("run -s limited", env={"MOST": "3"}).expect({"limited": "reused no_new_data"}, rc=0)
    settled.dbt("run -s limited", env={"MOST": "4"}).expect({"limited": "success code_changed"}, rc=0)


def test_field_08_macro_handed_over_as_a_value(settled):
    macro = "{{% macro rule() %}}id <= {}{{% endmacro %}}\n"
    settled.write("macros/rule.sql", macro.format(3))
    settled.model("ruled", "{% set chosen = rule %}select id from {{ ref('orders') }} where {{ chosen() }}")
    settled.settle("run -s ruled", times=1)
    settled.write("macros/rule.sql", macro.format(5))
    settled.dbt("run -s ruled", twin=True).expect({"ruled": "success code_changed"}, rc=0)


def test_field_10_macro_that_nothing_calls(settled):
    settled.write("macros/unused.sql", "{% macro surely_unused() %}select 1{% endmacro %}\n")
    settled.dbt("build").expect(rest="reused", rc=0)


def test_field_11_header_with_this(settled):
    header = "{{% call set_sql_header(config) %}}select '{}' as target;{{% endcall %}}\n"
    settled.model("headed", header.format("{{ this }}") + "select id from {{ ref('orders') }}")
    settled.settle("run -s headed", times=1)
    settled.dbt("run -s headed").expect({"headed": "reused no_new_data"}, rc=0)
    settled.model("headed", header.format("{{ this }} again") + "select id from {{ ref('orders') }}")
    settled.dbt("run -s headed").expect({"headed": "success config_changed"}, rc=0)


def big_seed(*last: int) -> str:
    """A CSV file above the size from which dbt compares only the path."""
    return "n,text\n" + "".join(f"{n},{'x' * 60}\n" for n in [*range(20_000), *last])


def test_field_12_big_seed(settled, tmp_path):
    settled.write("seeds/big.csv", big_seed())
    settled.settle("seed -s big", times=1)
    settled.dbt("seed -s big").expect({"big": "reused no_new_data"}, rc=0)
    settled.write("seeds/big.csv", big_seed(1, 2))
    settled.dbt("seed -s big", twin=True).expect({"big": "success code_changed"}, rc=0)


def test_field_12_big_seed_of_a_project_that_moved(settled, tmp_path):
    """A saved parse keeps the old folder as the root of a big seed, and dbt-duckdb loads the file that lies there."""
    settled.write("seeds/big.csv", big_seed())
    settled.settle("seed -s big", times=1)
    moved = settled.copy(tmp_path / "moved")
    moved.write("seeds/big.csv", big_seed(1, 2))
    moved.dbt("seed -s big", twin=True)
    settled.write("seeds/big.csv", big_seed(1, 2, 3))
    moved.dbt("seed -s big", twin=True)


def test_field_17_hooks_do_not_run_on_reuse_unless_asked(settled):
    settled.sql("create table raw.audit (what varchar)")
    settled.config(
        "orders",
        pre_hook=[
            "insert into raw.audit values ('pre')",
            {"sql": "insert into raw.audit values ('pre out')", "transaction": False},
        ],
        post_hook=[
            "insert into raw.audit values ('post')",
            {"sql": "insert into raw.audit values ('post out')", "transaction": False},
        ],
    )
    settled.settle()
    audit = "select what, count(*) from raw.audit group by what order by what"
    once = settled.sql(audit)
    assert [what for what, _ in once] == ["post", "post out", "pre", "pre out"]
    settled.dbt("build").expect({"orders": "reused no_new_data"}, rest="reused", rc=0)
    assert settled.sql(audit) == once

    settled.config("orders", state={"execute_hooks_on_any_reuse": True})
    run = settled.dbt("build", twin=True)
    run.expect({"orders": "reused no_new_data"}, rest="reused", rc=0)
    assert settled.sql(audit) == [[what, str(int(count) + 1)] for what, count in once]

    settled.write("models/orders.sql", settled.read("models/orders.sql").replace("('post')", "('post too')"))
    settled.dbt("build").expect({"orders": "success config_changed"}, rc=0)


def test_field_18_insert_of_no_rows(settled):
    settled.sql("insert into raw.orders select * from raw.orders where false")
    settled.dbt("build").expect(rest="reused", rc=0)


def test_field_20_new_test_on_a_reused_model(settled):
    settled.write("tests/day_given.sql", "select id from {{ ref('orders') }} where day is null\n")
    settled.dbt("build", twin=True).expect({"day_given": "pass no_history"}, rest="reused", rc=0)


def test_field_21_recorded_warning_is_replayed(settled):
    settled.write("tests/small.sql", "{{ config(severity='warn') }}\nselect id from {{ ref('orders') }} where amount > 100\n")
    settled.dbt("test -s small").expect({"small": "warn no_history"}, rc=0)
    run = settled.dbt("test -s small", twin=True)
    run.expect({"small": "warn no_new_data"}, rc=0)
    assert run.failures["small"] == 3
    assert run.ran_sql("test.shop.small") == []


def test_field_24_snapshot_with_an_assignment(settled):
    settled.edit("snapshots/snap_customers.sql", "select id", "{% set unused = 1 %}\nselect id")
    settled.settle(times=1)
    settled.dbt("build").expect(rest="reused", rc=0)


VERSIONS = """\
models:
  - name: people
    latest_version: 2
    config: {materialized: table, latest_version_pointer: {enabled: true}}
    versions:
      - v: 1
      - v: 2
"""


@pytest.fixture
def versioned(settled):
    settled.write("models/people.yml", VERSIONS)
    for number in (1, 2):
        settled.write(f"models/people_v{number}.sql", f"select id, name, {number} as v from {{{{ ref('dim_customers') }}}}\n")
    return settled.settle(times=1)


def test_field_25_alias_of_a_version(versioned):
    versioned.dbt("build", twin=True).expect(rest="reused", rc=0)
    versioned.edit("models/people.yml", "- v: 1\n", "- v: 1\n        config: {alias: people_first}\n")
    run = versioned.dbt("build", twin=True)
    run.expect({"people.v1": "success no_history"}, rest="reused", rc=0)


def test_field_25_pointer_of_the_latest_version(versioned):
    """A reuse does not make the pointer view, so it must be there."""
    versioned.sql("drop view main.people")
    run = versioned.dbt("build", twin=True)
    assert run.statuses["people.v2"] == "success"
    assert versioned.rows("main.people", "distinct v") == [["2"]]


def test_field_27_descriptions_are_no_part_of_the_config(settled):
    """A documented limit, persist_docs or not."""
    settled.config("orders", persist_docs={"relation": True, "columns": True})
    settled.settle(times=1)
    settled.describe("orders", "description: All orders.")
    settled.dbt("build").expect(rest="reused", rc=0)


def test_field_44_file_moved(settled):
    settled.write("models/core/orders.sql", settled.read("models/orders.sql"))
    (settled.dir / "models" / "orders.sql").unlink()
    settled.dbt("build").expect(rest="reused", rc=0)


@pytest.mark.parametrize(
    ("node", "settings"),
    [
        ("orders", {"indexes": [{"columns": ["id"]}]}),
        ("orders", {"contract": {"enforced": True}}),
        ("daily", {"on_schema_change": "append_new_columns"}),
        ("daily", {"incremental_strategy": "append"}),
        ("daily", {"unique_key": ["day"]}),
        ("daily", {"incremental_predicates": ["true"]}),
        ("snap_customers", {"check_cols": ["name"]}),
        ("snap_customers", {"hard_deletes": "invalidate"}),
        ("rates", {"quote_columns": True}),
        ("rates", {"column_types": {"rate": "bigint"}}),
    ],
)
def test_field_45_options_that_shape_the_result(settled, node, settings):
    if node == "rates":
        settled.write("seeds/rates.yml", f"seeds:\n  - name: rates\n    config: {settings}\n")
    elif node == "snap_customers":
        settled.edit("snapshots/snap_customers.sql", "strategy='check', check_cols='all'", f"strategy='check', **{settings}")
        if "check_cols" not in settings:
            settled.edit("snapshots/snap_customers.sql", "strategy='check'", "strategy='check', check_cols='all'")
    elif "contract" in settings:
        settled.describe("orders", "config: {contract: {enforced: true}}")
        types = {
            "id": "integer",
            "customer_id": "integer",
            "amount": "'decimal(10, 2)'",
            "day": "date",
            "total": "'decimal(18, 2)'",
        }
        schema = settled.read("models/schema.yml")
        for column, data_type in types.items():
            listed = f"      - name: {column}\n"
            if listed in schema:
                schema = schema.replace(listed, f"{listed}        data_type: {data_type}\n")
            else:
                schema = schema.replace(
                    "  - name: dim_customers\n", f"{listed}        data_type: {data_type}\n  - name: dim_customers\n"
                )
        settled.write("models/schema.yml", schema)
    else:
        if "unique_key" in settings:
            settled.edit("models/daily.sql", ", unique_key='day'", "")
        settled.config(node, **settings)
    run = settled.dbt("build")
    assert run.rc == 0, run.text
    assert run.records[node]["reason"] == "config_changed"


def test_field_48_sql_that_depends_on_the_parents_of_the_real_run(settled):
    settled.model(
        "counted",
        "{% set n = run_query('select count(*) as n from ' ~ ref('orders')).columns[0][0] if execute else 0 %}\n"
        "select {{ n }} as n, id from {{ ref('orders') }}",
    )
    settled.settle("build -s +counted", times=2)
    settled.dbt("build -s +counted").expect({"counted": "reused no_new_data"}, rc=0)
    settled.sql(shop.NEW_ORDER)
    settled.dbt("build -s +counted", twin=True).expect({"counted": "success code_changed"}, rc=0)
    assert settled.rows("main.counted", "distinct n") == [["7"]]


def test_field_50_parent_dropped_and_made_again(settled):
    settled.sql(
        "create table raw.kept as select * from raw.orders",
        "drop table raw.orders cascade",
        "create table raw.orders as select * from raw.kept where id <> 2",
    )
    settled.dbt("build", twin=True).expect(BUILT_FROM_ORDERS, rc=0)


def test_field_51_type_of_a_column_changed_and_no_row(settled):
    settled.sql("alter table raw.orders alter amount type decimal(12, 4)")
    settled.dbt("build", twin=True).expect(BUILT_FROM_ORDERS, rc=0)


def test_field_52_parent_put_back_to_what_it_was(settled):
    settled.sql(shop.NEW_ORDER)
    settled.dbt("build").expect(BUILT_FROM_ORDERS, rc=0)
    settled.sql("delete from raw.orders where id = 7")
    settled.dbt("build", twin=True).expect(BUILT_FROM_ORDERS, rc=0)


def test_field_54_tolerance_counts_from_the_last_build(settled):
    """A reuse in between does not reset the clock: with 0s every change builds, with a week none does until then."""
    settled.describe("orders", "config: {state: {lag_tolerance: 1w}}")
    for number in (7, 8):
        settled.sql(f"insert into raw.orders values ({number}, 1, 10, '2026-01-04')")
        run = settled.dbt("run -s orders")
        run.expect({"orders": "reused within_lag_tolerance"}, rc=0)
    settled.write("models/schema.yml", settled.read("models/schema.yml").replace("lag_tolerance: 1w", "lag_tolerance: 0s"))
    settled.dbt("run -s orders", twin=True).expect({"orders": "success new_upstream_data"}, rc=0)


@pytest.mark.parametrize("value", ["0s", 0, {"count": 0, "period": "minute"}, "never"])
def test_field_54_forms_of_the_tolerance(settled, value):
    """A form that is none is warned of and leaves the default of 45 minutes."""
    settled.describe("orders", f"config: {{state: {{lag_tolerance: {value}}}}}")
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("run -s orders")
    if value == "never":
        run.expect({"orders": "reused within_lag_tolerance"}, rc=0)
        assert any("lag_tolerance" in line and "never" in line for line in run.warnings), run.text
    else:
        run.expect({"orders": "success new_upstream_data"}, rc=0)
