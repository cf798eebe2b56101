"""Hooks of a reused node (`execute_hooks_on_any_reuse`), and what happens to a target between two runs."""

import pytest

from . import shop

HOOKED = {"execute_hooks_on_any_reuse": True}


@pytest.fixture
def audited(settled):
    """An empty table that hooks write, in the order of their running."""
    settled.sql("create table raw.audit (what varchar)")
    return settled


def audit(project) -> list[str]:
    return [what for (what,) in project.sql("select what from raw.audit order by rowid", read_only=True)]


def say(what: str, transaction: bool) -> dict:
    return {"sql": f"insert into raw.audit values ('{what}')", "transaction": transaction}


def test_hooks_run_in_the_order_of_a_build(audited):
    """Those before the transaction, those inside it before and after, those after it; each list in its own order."""
    audited.config(
        "orders",
        pre_hook=[say("pre in 1", True), say("pre out 1", False), say("pre in 2", True), say("pre out 2", False)],
        post_hook=[say("post out 1", False), say("post in 1", True), say("post out 2", False), say("post in 2", True)],
        state=HOOKED,
    )
    audited.settle("run -s orders", times=1)
    order = audit(audited)
    assert sorted(order) == sorted(f"{when} {where} {n}" for when in ("pre", "post") for where in ("in", "out") for n in (1, 2))
    audited.dbt("run -s orders").expect({"orders": "reused no_new_data"}, rc=0)
    assert audit(audited) == order * 2


@pytest.mark.parametrize("transaction", [True, False])
def test_hook_that_fails_on_a_reuse(audited, transaction):
    """The node fails as it would when built; what ran in the same transaction is rolled back with it."""
    audited.sql("create table raw.once (n integer primary key)")
    audited.config(
        "orders",
        pre_hook=say("pre out", False),
        post_hook=[
            say("post in", True),
            {"sql": "insert into raw.once values (1)", "transaction": transaction},
            say("after", transaction),
        ],
        state=HOOKED,
    )
    audited.settle("run -s orders", times=1)
    built = audit(audited)
    run = audited.dbt("build -s orders+", twin=True)
    run.expect({"orders": "error no_new_data", "daily": "skipped"}, rc=1)
    assert "Duplicate key" in run.messages["orders"]
    assert audit(audited) == built + ["pre out"] + ([] if transaction else ["post in"])
    audited.sql("delete from raw.once")
    audited.dbt("build -s orders").expect({"orders": "reused no_new_data"}, rc=0)


def test_hooks_of_views_seeds_and_snapshots_on_a_reuse(audited):
    for name, path in (("stg_orders", "models/stg_orders.sql"), ("snap", "snapshots/snap_customers.sql")):
        audited.edit(
            path,
            "{{ config(",
            "{{ config(post_hook=\"insert into raw.audit values ('" + name + "')\", state=" + repr(HOOKED) + ", ",
        )
    audited.write(
        "seeds/rates.yml",
        "seeds:\n  - name: rates\n    config: {post_hook: \"insert into raw.audit values ('rates')\", state: {execute_hooks_on_reuse: true}}\n",
    )
    command = "build -s stg_orders rates snap_customers --exclude-resource-type test --threads 1"
    audited.settle(command, times=1)
    audited.dbt(command).expect(rest="reused", rc=0)
    assert sorted(audit(audited)) == sorted(["stg_orders", "rates", "snap"] * 2)


def test_hooks_do_not_run_on_a_build_in_shadow_twice(audited):
    audited.config("orders", post_hook=say("post", True), state=HOOKED)
    audited.settle("run -s orders", times=1)
    audited.dbt("run -s orders", env={"HODOR_MODE": "shadow"}).expect({"orders": "success no_new_data"}, mode="shadow", rc=0)
    assert audit(audited) == ["post"] * 2


# -- the target between two runs --------------------------------------------------------------------------------------

BIG = "select id, customer_id, amount, day from {}"


def test_target_that_became_a_view(settled):
    settled.sql("drop table main.big_orders", "create view main.big_orders as " + BIG.format("raw.orders where amount > 100"))
    settled.dbt("build", twin=True).expect({"big_orders": "success relation_missing"}, rest="reused", rc=0)
    assert settled.sql("select count(*) from duckdb_tables() where table_name = 'big_orders'") == [["1"]]


def test_view_that_became_a_table(settled):
    settled.sql("drop view main.stg_orders cascade", "create table main.stg_orders as " + BIG.format("raw.orders"))
    settled.dbt("build", twin=True).expect({"stg_orders": "success relation_missing"}, rc=0)
    assert settled.sql("select count(*) from duckdb_views() where view_name = 'stg_orders'") == [["1"]]


def test_target_made_again(settled):
    """With the same rows it is what the build left; with others it is not."""
    settled.sql("create or replace table main.big_orders as from main.big_orders order by id desc")
    settled.dbt("build").expect(rest="reused", rc=0)
    settled.sql("create or replace table main.big_orders as " + BIG.format("main.big_orders where id <> 2"))
    settled.dbt("build", twin=True).expect({"big_orders": "success target_modified"}, rest="reused", rc=0)


def test_target_maintained(settled):
    settled.sql(
        "comment on table main.orders is 'seen'", "analyze main.orders", "checkpoint", "create index i on main.orders (id)"
    )
    settled.dbt("build").expect(rest="reused", rc=0)


@pytest.mark.parametrize(
    "change",
    [
        "alter table main.orders rename column total to worth",
        "alter table main.orders alter column id type bigint",
        "alter table main.orders add column extra integer",
        "insert into main.orders select * from main.orders where id = 1",
        "update main.orders set amount = amount + 1 where id = 1",
    ],
)
def test_target_written_by_hand(settled, change):
    settled.sql(change)
    settled.dbt("run -s orders", twin=True).expect({"orders": "success target_modified"}, rc=0)


def test_seed_and_snapshot_written_by_hand(settled):
    settled.sql("delete from main.rates where code = 'y'", "update main.snap_customers set name = 'X' where id = 1")
    run = settled.dbt("build", twin=True)
    run.expect({"rates": "success target_modified", "snap_customers": "success target_modified"}, rc=0)


def test_incremental_written_by_hand(settled):
    """Built again as dbt does it, which mends the days that its query covers."""
    settled.sql("update main.daily set amount = 0 where day = '2026-01-03'")
    settled.dbt("run -s daily", twin=True).expect({"daily": "success target_modified"}, rc=0)
    settled.dbt("run -s daily").expect({"daily": "reused no_new_data"}, rc=0)


# -- volatile calls ---------------------------------------------------------------------------------------------------


def forget_the_date(row: dict) -> dict:
    """The record as a build of the day before would have left it."""
    import json

    upstreams = json.loads(row["upstreams"])
    if "volatile:date" in upstreams:
        upstreams["volatile:date"] = "2026-01-01"
    return {"upstreams": json.dumps(upstreams, separators=(",", ":"))}


def test_another_date(settled):
    """A deciding use builds on another day, a stamp does not; nothing else has changed, so the reason is volatile_sql."""
    from .forge import forge

    settled.model("recent", "select id from {{ ref('orders') }} where day < current_date")
    settled.model("dated", "select id, current_date as loaded_at from {{ ref('orders') }}")
    settled.model("kept", "select id from {{ ref('orders') }} where day < current_date", state={"evaluate_volatile_sql": False})
    settled.settle("run -s recent dated kept", times=1)
    settled.dbt("run -s recent dated kept").expect(rest="reused", rc=0)
    assert forge(settled.state, "unique_id like 'model.shop.%'", forget_the_date)
    run = settled.dbt("run -s recent dated kept")
    run.expect({"recent": "success volatile_sql"}, rest="reused", rc=0)
    assert run.log.count("current_date") < 12, "the warehouse is asked for its date once a run"


def test_new_data_is_the_reason_where_volatile_values_changed_too(settled):
    settled.model("chancy", "select id from {{ ref('orders') }} where random() < 2")
    settled.settle("run -s chancy", times=1)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("run -s orders chancy", twin=True)
    run.expect({"chancy": "success new_upstream_data"}, rc=0)
