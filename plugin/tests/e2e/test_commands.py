"""The commands and flags of dbt: what each of them does with hodor in it, and that dbt's own result stays what it was."""

import json
import re

import pytest

from . import shop
from .run import short_name

BROKEN = "{{ config(materialized='table') }}\nselect error('no such luck') as id from {{ ref('orders') }}\n"
WHOLE = "{{ config(materialized='table') }}\nselect id from {{ ref('orders') }}\n"
CHILD = "{{ config(materialized='table') }}\nselect id from {{ ref('fragile') }}\n"


@pytest.fixture
def fragile(settled):
    """The settled shop with a model that fails, and a child of it."""
    settled.write("models/fragile.sql", BROKEN)
    settled.write("models/fragile_child.sql", CHILD)
    return settled


# -- a run that fails, and what comes after it ------------------------------------------------------------------------


def test_failed_node_is_no_history(fragile):
    run = fragile.dbt("build", twin=True)
    run.expect({"fragile": "error", "fragile_child": "skipped"}, rest="reused", rc=1)
    again = fragile.dbt("build")
    again.expect({"fragile": "error", "fragile_child": "skipped"}, rest="reused", rc=1)
    fragile.write("models/fragile.sql", WHOLE)
    fragile.dbt("build", twin=True).expect(dict.fromkeys(["fragile", "fragile_child"], "success no_history"), rest="reused", rc=0)


def test_node_that_fails_after_it_was_built_once(settled):
    settled.write("models/fragile.sql", WHOLE)
    settled.settle()
    settled.write("models/fragile.sql", BROKEN)
    settled.dbt("build").expect({"fragile": "error code_changed"}, rest="reused", rc=1)
    settled.write("models/fragile.sql", WHOLE)
    settled.dbt("build", twin=True).expect(rest="reused", rc=0)


def test_retry_is_the_command_that_it_repeats(fragile):
    fragile.dbt("build")
    fragile.write("models/fragile.sql", WHOLE)
    run = fragile.dbt("retry", twin=True)
    run.expect(dict.fromkeys(["fragile", "fragile_child"], "success no_history"), rc=0)
    assert run.statuses.keys() == {"fragile", "fragile_child"}
    fragile.dbt("build", twin=True).expect(rest="reused", rc=0)


def test_field_37_retry_of_a_full_refresh_is_one(fragile):
    fragile.dbt("build --full-refresh")
    fragile.write("models/fragile.sql", WHOLE)
    fragile.dbt("retry", twin=True).expect(dict.fromkeys(["fragile", "fragile_child"], "success full_refresh"), rc=0)


def test_retry_of_a_failed_test(settled):
    settled.sql("insert into raw.orders values (8, 1, -5, '2026-01-03')")
    settled.dbt("build").expect({"amount_positive": "fail new_upstream_data", "daily": "skipped"}, rc=1)
    run = settled.dbt("retry", twin=True)
    run.expect({"amount_positive": "fail no_new_data", "daily": "skipped"}, rc=1)


def test_fail_fast_records_only_what_dbt_calls_done(settled):
    """dbt calls nodes skipped that --fail-fast cancelled, though some of them finished."""
    settled.write("models/fragile.sql", BROKEN)
    settled.write(
        "models/busy.sql",
        "{{ config(materialized='table') }}\n-- depends_on: {{ ref('orders') }}\n"
        "select count(*) as n from range(200000000) t (i) where hash(i) % 7 = 3\n",
    )
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build --fail-fast", process=True)
    assert run.rc == 1
    for record in settled.records(f"invocation_id = '{run.invocation_id}' and action = 'build' and status = 'success'"):
        assert run.statuses[short_name(record["unique_id"])] == "success"
    settled.write("models/fragile.sql", WHOLE)
    after = settled.dbt("build", twin=True)
    after.expect({"fragile": "success no_history"}, rc=0)
    if run.statuses["busy"] != "success":
        assert after.records["busy"]["reason"] == "no_history"


# -- runs that are no history -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "flags",
    ["--empty", "--sample '3 days'", "--event-time-start 2026-01-01 --event-time-end 2026-01-03"],
)
def test_field_40_s4_partial_data_builds_everything_and_records_nothing(settled, flags):
    before = settled.records()
    run = settled.dbt(f"build {flags}", twin=True)
    assert "reused" not in run.statuses.values()
    assert "skipped" not in run.statuses.values()
    assert settled.records() == before
    after = settled.dbt("build", twin=True)
    assert after.rc == 0
    if flags == "--empty":
        assert after.statuses["orders"] == after.statuses["rates"] == after.statuses["big_orders"] == "success"
        assert settled.rows("main.orders", "count(*)") == [["6"]]


def test_no_write_json(settled, plain):
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("--no-write-json build")
    assert run.rc == 0
    assert run.results is None
    assert run.reused_count == 4
    assert settled.contents() == plain[0].contents()
    newest = settled.records()[-1]["invocation_id"]
    reasons = {short_name(row["unique_id"]): row["reason"] for row in settled.records(f"invocation_id = '{newest}'")}
    assert {name for name, reason in reasons.items() if reason == "new_upstream_data"} == {
        "orders",
        "big_orders",
        "daily",
    } | shop.TESTS


# -- one process, several commands ------------------------------------------------------------------------------------


def test_several_invocations_in_one_process(settled):
    settled.write("macros/add_order.sql", '{% macro add_order() %}{% do run_query("' + shop.NEW_ORDER + '") %}{% endmacro %}\n')
    settled.settle(times=1)
    broken = {"write": {"models/fragile.sql": BROKEN}}
    reports = settled.invocations(
        ["build"],
        ["run-operation", "add_order"],
        ["build"],
        [{"env": {"HODOR_MODE": "off"}}, "build"],
        [{"env": {"HODOR_MODE": "on"}}, "build"],
        [broken, "build"],
        [{"write": {"models/fragile.sql": WHOLE}}, "retry"],
        ["test"],
        ["build"],
    )
    reused = [{short_name(k) for k, status in report["statuses"].items() if status == "reused"} for report in reports]
    everything = shop.TABLES | {"stg_orders"}
    assert [report["success"] for report in reports] == [True] * 5 + [False, True, True, True], reports
    assert reused == [
        everything,
        set(),
        everything - {"orders", "big_orders", "daily"},
        set(),
        everything,
        everything,
        set(),
        set(),
        everything | {"fragile"},
    ]
    assert settled.rows("main.orders", "count(*)") == [["7"]]


def test_state_merge_after_a_parse_without_hodor(settled):
    """A saved parse made without the plugin has lost lag_tolerance: 0s of the project level; it must not be used."""
    settled.config("orders", state={"require_fresh_data_from": "any"})
    settled.settle(times=1)
    assert settled.dbt("parse", hidden=True).rc == 0
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", twin=True)
    run.expect({"orders": "success new_upstream_data"}, rc=0)


def test_state_merge_in_mode_off(settled):
    settled.config("orders", state={"require_fresh_data_from": "any"})
    settled.settle(times=1)
    for command in ("parse", "ls"):
        assert settled.dbt(f"{command} --no-partial-parse", env={"HODOR_MODE": "off"}).rc == 0
    settled.sql(shop.NEW_ORDER)
    settled.dbt("build", twin=True).expect({"orders": "success new_upstream_data"}, rc=0)


# -- another environment ----------------------------------------------------------------------------------------------


def test_defer_reads_what_the_compiled_sql_reads(two_targets):
    """daily reads prod.orders while it is deferred and main.orders once that is built: two different upstreams."""
    two_targets.sql("drop table main.orders", "drop table main.daily")
    defer = "run -s daily --defer --state prod-state"
    two_targets.dbt(defer).expect({"daily": "success relation_missing"}, rc=0)
    two_targets.dbt(defer)
    two_targets.dbt(defer, twin=True).expect({"daily": "reused no_new_data"}, rc=0)

    two_targets.sql(shop.NEW_ORDER)
    two_targets.dbt(defer).expect({"daily": "reused no_new_data"}, rc=0)
    two_targets.dbt("build --target prod").expect({"orders": "success new_upstream_data"}, rc=0)
    two_targets.dbt(defer, twin=True).expect({"daily": "success new_upstream_data"}, rc=0)
    two_targets.dbt("run -s orders daily --defer --state prod-state", twin=True).expect({"daily": "success code_changed"}, rc=0)


def test_defer_to_a_view_is_unknown(two_targets):
    two_targets.sql("drop view main.stg_orders cascade")
    for _ in range(2):
        run = two_targets.dbt("run -s orders --defer --state prod-state", twin=True)
    run.expect({"orders": "success unknown_upstream"}, rc=0)


def test_tests_follow_the_relation_tested(two_targets):
    """Deferred to prod they test prod's table: neither environment's result counts for the other."""
    two_targets.sql("drop table main.orders")
    defer = "test -s amount_positive --defer --state prod-state"
    run = two_targets.dbt(defer, twin=True)
    run.expect({"amount_positive": "pass"}, rc=0)
    assert run.records["amount_positive"]["decision"] == "build"
    two_targets.dbt(defer).expect({"amount_positive": "pass no_new_data"}, rc=0)


def test_targets_have_their_own_history(two_targets):
    two_targets.sql(shop.NEW_ORDER)
    two_targets.dbt("build --target prod").expect({"orders": "success new_upstream_data"}, rc=0)
    two_targets.dbt("build", twin=True).expect({"orders": "success new_upstream_data"}, rc=0)


# -- flags that change nothing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "build --threads 1",
        "--no-populate-cache build",
        "--cache-selected-only build",
        "--no-partial-parse build",
        "--no-static-parser build",
        "--log-level none build",
        "--quiet build",
        "--printer-width 40 build",
        "build --indirect-selection cautious",
        "build --project-dir . --profiles-dir .",
    ],
)
def test_flags_that_change_nothing(settled, command):
    settled.dbt(command).expect(rest="reused", rc=0)


def test_started_elsewhere(settled, tmp_path):
    """The state file is the project's, wherever dbt is started; the relative warehouse path is dbt's own business."""
    home = settled.dir
    env = {"SHOP_FILE": str(settled.warehouse)}
    settled.dbt("build", env=env)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    settled.cwd = elsewhere
    run = settled.dbt(f"build --project-dir {home} --profiles-dir {home}", env=env)
    run.expect(rest="reused", rc=0)
    assert not (elsewhere / ".hodor").exists()


def test_json_log_stays_json(settled):
    run = settled.dbt("--log-format json build")
    run.expect(rest="reused", rc=0)
    events = [json.loads(line) for line in run.out.splitlines() if line.strip()]
    assert any(re.match(r"hodor: \d+ reused, \d+ built, 0 errors", event["info"]["msg"]) for event in events)
    # A reused node is dbt's own event, with its counters and the reason where dbt has the status.
    orders = [e for e in events if e["info"]["name"] == "LogModelResult" and e["data"]["node_info"]["node_name"] == "orders"]
    assert len(orders) == 1 and orders[0]["data"]["status"].startswith("REUSED no_new_data"), orders
    assert orders[0]["data"]["index"] > 0 and orders[0]["data"]["total"] > 1 and orders[0]["info"]["level"] == "info"
    assert sum(e["info"]["name"] == "LogTestResult" for e in events) == len(shop.TESTS)


def test_reported_status_success(settled):
    """For tools that know no status but success; what is recorded stays the truth."""
    run = settled.dbt("build", env={"HODOR_REPORTED_STATUS": "success"})
    assert run.statuses["orders"] == "success"
    assert run.records["orders"]["action"] == "reuse"
    assert run.summary[0] > 0


@pytest.mark.parametrize(
    ("command", "nodes"),
    [
        ("run", {"stg_orders", "stg_customers", "orders", "big_orders", "daily", "dim_customers"}),
        ("test", shop.TESTS),
        ("seed", {"rates"}),
        ("snapshot", {"snap_customers"}),
    ],
)
def test_every_command_reuses(settled, command, nodes):
    run = settled.dbt(command, twin=True)
    run.expect(rest="reused", rc=0)
    assert run.statuses.keys() == nodes
