"""Situations in which reuse has gone wrong elsewhere. The number in a test's name is the row of the list of such reports."""

import pytest

from . import shop
from .forge import forge

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


def test_field_04_comments_and_blanks_of_the_compiled_sql(settled):
    settled.model("noted", "select id from {{ ref('orders') }} -- {{ var('note', 'a') }}\n{{ var('blanks', '') }}where id > 0")
    settled.settle("run -s noted", times=1)
    settled.dbt("run -s noted --vars '{note: b, blanks: \"\\n\\n  \"}'").expect({"noted": "reused no_new_data"}, rc=0)


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


def test_field_07_same_source_in_another_database(settled):
    """Two targets with a warehouse each: a source is the relation that the target makes of it."""
    settled.write(
        "profiles.yml",
        settled.read("profiles.yml") + "    other:\n      type: duckdb\n      path: other.duckdb\n      hodor_mode: 'on'\n",
    )
    settled.sql(*shop.RAW, database=settled.dir / "other.duckdb")
    command = "run -s stg_orders big_orders"
    settled.settle(f"{command} --target other", times=1)
    settled.sql(shop.NEW_ORDER)
    settled.dbt(f"{command} --target other").expect(
        {"stg_orders": "reused view_unchanged", "big_orders": "reused no_new_data"}, rc=0
    )
    settled.dbt(command).expect({"stg_orders": "reused view_unchanged", "big_orders": "success new_upstream_data"}, rc=0)


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


def test_field_14_38_nothing_is_cloned(settled):
    """hodor makes no clones, asked or not; `dbt clone` is plain dbt, also onto the very same relations."""
    settled.edit(
        "dbt_project.yml",
        "seeds:\n  shop:\n    +state: {",
        "seeds:\n  shop:\n    +state: {allow_clones: false, pre_clone: true, ",
    )
    settled.write("prod-state/manifest.json", settled.read("target/manifest.json"))
    before = settled.records()
    assert settled.dbt("clone --state prod-state", twin=True).rc == 0
    assert settled.records() == before
    settled.dbt("build").expect(rest="reused", rc=0)
    assert settled.sql("select count(*) from duckdb_tables() where table_name in ('rates', 'snap_customers')") == [["2"]]


def test_field_14_38_clone_of_another_environment(settled):
    """On DuckDB a clone of a table is a view: what stands there is no longer what was built."""
    settled.write(
        "profiles.yml",
        settled.read("profiles.yml") + "    prod:\n      type: duckdb\n      path: shop.duckdb\n      schema: prod\n",
    )
    assert settled.dbt("run -s stg_orders big_orders --target prod", env={"HODOR_MODE": "off"}).rc == 0
    settled.write("prod-state/manifest.json", settled.read("target/manifest.json"))
    assert settled.dbt("clone --full-refresh --state prod-state -s big_orders", twin=True).rc == 0
    settled.dbt("run -s big_orders", twin=True).expect({"big_orders": "success relation_missing"}, rc=0)


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


def test_field_22_view_that_the_build_left_as_it_was(settled):
    """dbt says success, but the view is the old one: that is no history of the new code. A macro that named its table would leave the
    configuration unknown."""
    settled.write(
        "macros/late.sql",
        "{% macro duckdb__create_view_as(relation, sql) %}create view {{ relation.include(database=false) }} as"
        " {{ 'select id, customer_id, amount, day from ' ~ ['shop', 'raw', 'orders'] | join('.') if relation.identifier == 'stg_orders__dbt_tmp' else sql }}"
        "{% endmacro %}\n",
    )
    settled.settle("run -s stg_orders", times=1)
    settled.dbt("run -s stg_orders").expect({"stg_orders": "reused view_unchanged"}, rc=0)
    settled.edit("models/stg_orders.sql", "amount, day", "amount, day, id + 1 as next_id")
    settled.dbt("run -s stg_orders").expect({"stg_orders": "success code_changed"}, rc=0)
    run = settled.dbt("run -s stg_orders")
    assert run.statuses["stg_orders"] == "success", run.records["stg_orders"]


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


def test_field_28_tags_and_meta(settled):
    settled.edit("dbt_project.yml", "models:\n", "models:\n  +tags: [nightly]\n  +meta: {owner: ann}\n")
    settled.dbt("build").expect(rest="reused", rc=0)


def test_field_30_two_runs_in_a_row_build_nothing(settled):
    """Also where everything is parsed anew, and lists of the project come in another order."""
    settled.edit("models/schema.yml", "  - name: stg_orders\n  - name: orders\n", "  - name: orders\n")
    settled.edit("models/schema.yml", "  - name: dim_customers\n", "  - name: dim_customers\n  - name: stg_orders\n")
    settled.dbt("--no-partial-parse build").expect(rest="reused", rc=0)


def test_field_31_freshness_is_no_evidence(settled):
    """What `dbt source freshness` found, or did not, is not asked."""
    settled.edit(
        "models/schema.yml",
        "      - name: orders\n      - name: customers",
        "      - name: orders\n        config: {loaded_at_field: 'day::timestamp', freshness: {warn_after: {count: 1, period: hour}}}\n"
        "      - name: customers",
    )
    assert settled.dbt("source freshness").rc == 0
    settled.dbt("build").expect(rest="reused", rc=0)
    settled.sql(shop.NEW_ORDER)
    (settled.dir / "target" / "sources.json").unlink()
    settled.dbt("build").expect(BUILT_FROM_ORDERS, rc=0)


def test_field_34_favor_state(two_targets):
    """The compiled SQL of big_orders reads prod's stg_orders, or ours: whichever it is, its version counts."""
    favor = "run -s stg_orders dim_customers --defer --favor-state --state prod-state"
    for _ in range(2):
        run = two_targets.dbt(favor, twin=True)
    before = run.statuses["dim_customers"]
    two_targets.sql("update raw.customers set name = 'Zoe' where id = 2")
    run = two_targets.dbt(favor, twin=True)
    run.expect({"dim_customers": "success"}, rc=0)
    assert two_targets.rows("main.dim_customers", "name") == [["ANN"], ["CYD"], ["ZOE"]]
    assert before in ("reused", "success")


def test_field_35_retried_test_reads_the_relation_just_built(two_targets):
    """The test fails on what this run builds; retried, no result of prod's table stands for it."""
    two_targets.sql("insert into raw.orders values (8, 1, -5, '2026-01-03')")
    run = two_targets.dbt("build -s orders amount_positive --defer --state prod-state")
    run.expect({"orders": "success", "amount_positive": "fail"}, rc=1)
    two_targets.sql("update main.orders set amount = 5 where id = 8")
    two_targets.dbt("retry", twin=True).expect({"amount_positive": "pass new_upstream_data"}, rc=0)


@pytest.mark.parametrize(
    ("key", "value"),
    [("row_filter", {"function": "f", "columns": "id"}), ("databricks_tags", {"a": "b"}), ("tblproperties", {"a": "b"})],
)
def test_field_41_42_filters_tags_and_properties_of_the_warehouse(settled, key, value):
    """Nothing on DuckDB obeys them; their change is a change of what was asked for all the same."""
    settled.config("orders", **{key: value})
    settled.dbt("run -s orders").expect({"orders": "success config_changed"}, rc=0)


def test_field_41_column_mask(settled):
    settled.edit("models/schema.yml", "      - name: id\n", "      - name: id\n        column_mask: {function: f}\n")
    settled.dbt("run -s orders").expect({"orders": "success config_changed"}, rc=0)


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


def test_field_47_another_number_of_the_algorithm(settled):
    """A record of another hash version says nothing of the code: one build, then as before."""
    assert forge(settled.state, "true", lambda row: {"hash_version": "0"})
    settled.dbt("run").expect(rest="success code_changed", rc=0)
    settled.dbt("run").expect(rest="reused", rc=0)


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
    settled.settle("run -s orders --full-refresh", times=1)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("run -s orders")
    if value == "never":
        run.expect({"orders": "reused within_lag_tolerance"}, rc=0)
        assert any("lag_tolerance" in line and "never" in line for line in run.warnings), run.text
    else:
        run.expect({"orders": "success new_upstream_data"}, rc=0)


def test_field_55_same_text_and_another_result(settled):
    """Random numbers and the clock build unless the user opts out."""
    query = "select id from {{ ref('orders') }} where random() < 2 and now() > day"
    settled.model("chancy", query)
    settled.model("opted", query, state={"evaluate_volatile_sql": False})
    settled.settle("run -s chancy opted", times=1)
    settled.dbt("run -s chancy opted").expect({"chancy": "success volatile_sql", "opted": "reused no_new_data"}, rc=0)
