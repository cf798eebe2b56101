"""The scenarios E01 to E20: what a user sees, step by step, on the settled shop."""

import re

import pytest

from . import shop
from .faults import tripwire
from .run import short_name


def newest_builds(project) -> dict[str, str]:
    """The invocation of the newest build record of each node."""
    return {short_name(row["unique_id"]): row["invocation_id"] for row in project.records("action = 'build'")}


def test_e01_first_build(fresh_both):
    run = fresh_both.dbt("build", process=True)
    run.expect({name: "pass no_history" for name in shop.TESTS}, rest="success no_history", rc=0)
    assert run.records.keys() == shop.NODES
    assert run.reused_count == 0
    assert run.summary == (0, len(shop.NODES), 0)


def test_e02_second_and_third_build(fresh_both):
    first = fresh_both.dbt("build", process=True)
    contents = fresh_both.contents()

    second = fresh_both.dbt("build", process=True)
    second.expect({"daily": "success code_changed"}, rest="reused", rc=0)
    assert second.reused_count == list(second.statuses.values()).count("reused") == 6
    assert second.summary[1:] == (2, 0)

    third = fresh_both.dbt("build", process=True)
    third.expect(rest="reused", rc=0)
    assert third.reused_count == 7
    assert fresh_both.contents() == contents
    assert newest_builds(fresh_both) == {
        **dict.fromkeys(shop.NODES, first.invocation_id),
        "daily": second.invocation_id,
        "stg_customers": third.invocation_id,
    }


def test_e02_reused_lines_name_the_reason(settled):
    run = settled.dbt("build")
    for name in shop.TABLES:
        assert "REUSED no_new_data" in run.line(name)
    assert "REUSED view_unchanged" in run.line("stg_orders")
    assert all(re.search("replay", run.line(name), re.I) for name in shop.TESTS)


def test_e02_settled_run_takes_the_fast_path(settled):
    """No SQL crosses the wire and none is parsed where every text is known; a changed text is sent alone. Each version is read once."""
    counters = settled.dbt("build").expect(rest="reused", rc=0).counters
    assert (counters["parsed"], counters["sql_sent"]) == (0, 0)
    settled.edit("models/orders.sql", "with o as", "with /* another text */ o as")
    changed = settled.dbt("build").expect(rest="reused", rc=0).counters
    assert (changed["parsed"], changed["sql_sent"]) == (1, 1)
    assert changed["versions_read"] == counters["versions_read"]


def test_e03_new_rows(settled_both):
    settled_both.sql(shop.NEW_ORDER)
    run = settled_both.dbt("build", twin=True, process=True)
    run.expect(
        {
            "orders": "success new_upstream_data",
            "big_orders": "success new_upstream_data",
            "daily": "success new_upstream_data",
            **dict.fromkeys(shop.TESTS, "pass new_upstream_data"),
        },
        rest="reused",
        rc=0,
    )
    assert settled_both.rows("main.orders", "count(*)") == [["7"]]


def test_e04_within_lag(fresh):
    fresh.describe("orders", "config: {state: {lag_tolerance: 1h}}")
    fresh.settle()
    fresh.sql(shop.NEW_ORDER)
    run = fresh.dbt("build")
    run.expect(
        {"orders": "reused within_lag_tolerance", "big_orders": "success new_upstream_data"},
        rest="reused",
        rc=0,
    )
    assert fresh.rows("main.orders", "count(*)") == [["6"]]


@pytest.mark.parametrize("mode", ["any", "all"])
def test_e05_any_and_all(settled, mode):
    settled.write(
        "models/both.sql",
        "{{ config(materialized='table', state={'require_fresh_data_from': '" + mode + "'}) }}\n"
        "select c.name, count(o.id) as orders\n"
        "from {{ source('raw', 'customers') }} c left join {{ source('raw', 'orders') }} o on o.customer_id = c.id\n"
        "group by c.name\n",
    )
    settled.settle("run -s both")
    settled.sql(shop.NEW_ORDER)
    first = settled.dbt("run -s both")
    first.expect({"both": "reused no_new_data" if mode == "all" else "success new_upstream_data"}, rc=0)
    settled.sql(shop.NEW_CUSTOMER)
    second = settled.dbt("run -s both", twin=True)
    second.expect({"both": "success new_upstream_data"}, rc=0)
    assert settled.rows("main.both", "name") == [["Ann"], ["Bob"], ["Cyd"], ["Dee"]]


def test_e06_spelling_only(settled):
    settled.write(
        "models/orders.sql",
        "{{ config(materialized='table') }}\n-- every order, valued at the rate of x\n"
        "WITH src AS (\n  SELECT so.id, so.customer_id, so.amount, so.day\n  FROM {{ ref('stg_orders') }} so\n)\n"
        ", rate_of_x AS (SELECT code, rate FROM {{ ref('rates') }} WHERE code = 'x')\n\n"
        "SELECT a.id,  a.customer_id, a.amount, a.day, amount * rate total /* no tax */\n"
        "FROM src AS a CROSS JOIN rate_of_x AS b\n",
    )
    settled.dbt("build", twin=True).expect(rest="reused", rc=0)


def test_e07_code(settled):
    settled.edit("models/orders.sql", "amount * rate", "amount * rate * 2")
    run = settled.dbt("build", twin=True)
    run.expect(
        {
            "orders": "success code_changed",
            "daily": "success new_upstream_data",
            **dict.fromkeys(shop.TESTS, "pass new_upstream_data"),
        },
        rest="reused",
        rc=0,
    )


def test_e08_view_code(settled):
    settled.edit("models/stg_orders.sql", "'orders') }}", "'orders') }} where amount > 0")
    run = settled.dbt("build", twin=True)
    run.expect(
        {
            "stg_orders": "success code_changed",
            "orders": "success upstream_code_changed",
            "big_orders": "success upstream_code_changed",
        },
        rest="reused",
        rc=0,
    )


def test_e09_ephemeral_code(settled):
    settled.edit("models/eph_big.sql", "amount > 100", "amount > 50")
    run = settled.dbt("build", twin=True)
    run.expect({"big_orders": "success code_changed"}, rest="reused", rc=0)


def test_e10_config(settled):
    settled.config("orders", post_hook="comment on table {{ this }} is 'x'")
    run = settled.dbt("build", twin=True)
    run.expect({"orders": "success config_changed"}, rest="reused", rc=0)
    comment = "select comment from duckdb_tables() where schema_name = 'main' and table_name = 'orders'"
    assert settled.sql(comment) == [["x"]]

    settled.config("orders", tags=["nightly"], meta={"owner": "ann"})
    settled.describe("orders", "description: All orders.")
    settled.dbt("build").expect(rest="reused", rc=0)


def test_e11_target_touched(settled):
    settled.sql("delete from main.orders where id = 1")
    run = settled.dbt("build", twin=True)
    run.expect({"orders": "success target_modified"}, rest="reused", rc=0)
    assert settled.sql("select count(*) from main.orders where id = 1") == [["1"]]


def test_e12_target_gone(settled):
    settled.sql("drop table main.big_orders")
    settled.dbt("build", twin=True).expect({"big_orders": "success relation_missing"}, rest="reused", rc=0)


def test_e12_alias_in_capitals(settled):
    settled.config("big_orders", alias="BigOrders")
    settled.settle(times=1)
    settled.dbt("build", twin=True).expect(rest="reused", rc=0)
    assert ["BigOrders"] in settled.sql("select table_name from duckdb_tables()")


def test_e13_full_refresh(settled):
    run = settled.dbt("build --full-refresh", twin=True)
    run.expect(rest="success full_refresh", rc=0)
    assert run.records.keys() == shop.NODES
    settled.dbt("build", twin=True).expect({"daily": "success code_changed"}, rest="reused", rc=0)


def test_e13_full_refresh_config(settled):
    settled.config("big_orders", full_refresh=True)
    for _ in range(2):
        settled.dbt("build").expect({"big_orders": "success full_refresh"}, rest="reused", rc=0)


def test_e14_seeds(settled):
    settled.write("seeds/rates.csv", "code,rate\nx,5\ny,3\n")
    run = settled.dbt("build", twin=True)
    run.expect(
        {
            "rates": "success code_changed",
            "orders": "success new_upstream_data",
            "daily": "success new_upstream_data",
            **dict.fromkeys(shop.TESTS, "pass new_upstream_data"),
        },
        rest="reused",
        rc=0,
    )
    settled.write("seeds/rates.csv", "code,rate\r\nx,5\r\ny,3\r\n")
    settled.dbt("build", twin=True).expect(rest="reused", rc=0)

    show = settled.dbt("seed --show", twin=True)
    show.expect({"rates": "success"}, rc=0)
    assert re.search(r"\|\s*x\s*\|\s*5\s*\|", show.out), show.out


def test_e15_snapshot(settled):
    settled.sql("update raw.customers set name = 'Zoe' where id = 2")
    run = settled.dbt("build", twin=True)
    run.expect(
        {
            "snap_customers": "success new_upstream_data",
            "dim_customers": "success new_upstream_data",
            "orders_customer_known": "pass new_upstream_data",
        },
        rest="reused",
        rc=0,
    )
    assert settled.sql("select name from main.snap_customers where dbt_valid_to is not null") == [["Bob"]]
    settled.dbt("snapshot").expect({"snap_customers": "reused no_new_data"}, rc=0)


def test_e16_tests_replay(settled):
    settled.sql("insert into raw.orders values (8, 1, -5, '2026-01-03'), (9, 2, -6, '2026-01-03')")
    first = settled.dbt("build", twin=True)
    first.expect(
        {
            "orders": "success new_upstream_data",
            "big_orders": "success new_upstream_data",
            **dict.fromkeys(shop.TESTS, "pass new_upstream_data"),
            "amount_positive": "fail new_upstream_data",
            "daily": "skipped",
        },
        rest="reused",
        rc=1,
    )
    assert first.failures["amount_positive"] == 2

    second = settled.dbt("test", twin=True)
    second.expect({"amount_positive": "fail no_new_data"}, rest="reused", rc=1)
    assert second.failures["amount_positive"] == 2
    assert re.search("replay", second.line("amount_positive"), re.I)
    assert second.ran_sql("test.shop.amount_positive") == []
    assert second.twin.ran_sql("test.shop.amount_positive")

    settled.sql("update raw.orders set amount = -amount where amount < 0")
    third = settled.dbt("build", twin=True)
    third.expect(
        {
            "orders": "success new_upstream_data",
            "big_orders": "success new_upstream_data",
            "daily": "success new_upstream_data",
            **dict.fromkeys(shop.TESTS, "pass new_upstream_data"),
        },
        rest="reused",
        rc=0,
    )


def test_e17_test_config(settled):
    query = settled.read("tests/amount_positive.sql")
    for config in ("severity='warn'", "severity='warn', error_if='>5'"):
        settled.write("tests/amount_positive.sql", "{{ config(" + config + ") }}\n" + query)
        run = settled.dbt("test", twin=True)
        run.expect({"amount_positive": "pass config_changed"}, rest="reused", rc=0)


def test_e18_modes(settled, tmp_path):
    settled.sql(shop.NEW_ORDER)
    shadow = settled.dbt("build --vars 'hodor_mode: shadow'", twin=True)
    assert "reused" not in shadow.statuses.values()
    shadow.expect(
        {
            **dict.fromkeys(shop.TABLES, "success no_new_data"),
            "stg_orders": "success view_unchanged",
            "stg_customers": "success select_star_view",
            **dict.fromkeys({"orders", "big_orders", "daily"}, "success new_upstream_data"),
            **dict.fromkeys(shop.TESTS, "pass new_upstream_data"),
        },
        mode="shadow",
        rc=0,
    )
    settled.dbt("build", twin=True).expect(rest="reused", rc=0)

    before = settled.state.read_bytes()
    trap, sprung = tripwire(tmp_path)
    off = settled.dbt("build", env={"HODOR_MODE": "off", "HODOR_BINARY": str(trap)}, process=True)
    off.expect(rest="success -", rc=0)
    assert not sprung.exists(), "off started the service"
    assert settled.state.read_bytes() == before
    assert "hodor" not in off.text.lower()


OUT_OF_SCOPE = {
    "macros/plain_table.sql": (
        "{% materialization plain_table, adapter='duckdb' %}\n"
        "{% set target = this.incorporate(type='table') %}\n"
        "{% call statement('main') %}create or replace table {{ target }} as {{ sql }}{% endcall %}\n"
        "{{ adapter.commit() }}\n"
        "{{ return({'relations': [target]}) }}\n"
        "{% endmaterialization %}\n"
    ),
    "models/micro.sql": (
        "{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='day',"
        " begin='2026-01-01', batch_size='year') }}\n"
        "select id, day from {{ ref('orders') }}\n"
    ),
    "models/outside.sql": (
        "{{ config(materialized='external', location='outside.parquet') }}\nselect id, day from {{ ref('orders') }}\n"
    ),
    "models/odd.sql": "{{ config(materialized='plain_table') }}\nselect id, day from {{ ref('orders') }}\n",
    **{
        f"models/{parent}_child.sql": ("{{ config(materialized='table') }}\nselect id, day from {{ ref('" + parent + "') }}\n")
        for parent in ("micro", "outside", "odd")
    },
    "models/filed.sql": "{{ config(materialized='table') }}\nselect a, b from read_csv('x.csv')\n",
    "x.csv": "a,b\n1,2\n",
}


def test_e19_out_of_scope(settled):
    for path, text in OUT_OF_SCOPE.items():
        settled.write(path, text)
    unsupported = dict.fromkeys(["micro", "outside", "odd"], "success unsupported")
    unknown = dict.fromkeys(["outside_child", "odd_child", "filed"], "success unknown_upstream")
    for number in range(3):
        if number == 2:
            settled.write("x.csv", "a,b\n1,2\n3,4\n")
        run = settled.dbt("build", twin=number > 0)
        expected = unsupported | (unknown if number else dict.fromkeys(unknown, "success no_history"))
        expected["micro_child"] = run.statuses["micro_child"]
        run.expect(expected, rest="reused", rc=0)
    assert settled.rows("main.filed", "count(*)") == [["2"]]


def test_e20_volatile(settled):
    settled.write(
        "models/chancy.sql", "{{ config(materialized='table') }}\nselect id from {{ ref('orders') }} where random() < 2\n"
    )
    settled.write(
        "models/stamped.sql",
        "{{ config(materialized='table') }}\nselect id, current_timestamp as loaded_at from {{ ref('orders') }}\n",
    )
    settled.settle("run -s chancy stamped")
    run = settled.dbt("run -s chancy stamped")
    run.expect({"chancy": "success volatile_sql", "stamped": "reused no_new_data"}, rc=0)

    settled.config("stamped", state={"evaluate_volatile_sql": True})
    run = settled.dbt("run -s chancy stamped")
    run.expect({"chancy": "success volatile_sql", "stamped": "success volatile_sql"}, rc=0)

    settled.config("chancy", state={"evaluate_volatile_sql": False})
    run = settled.dbt("run -s chancy stamped")
    run.expect({"chancy": "reused no_new_data", "stamped": "success volatile_sql"}, rc=0)
