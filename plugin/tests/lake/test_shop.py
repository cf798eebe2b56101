"""A team's days with hodor on Delta Lake: build, reuse, new data, maintenance, changes by hand, changes of code; and the SAFETY clauses
that are Databricks' own (S13 by commits, S18, S25)."""

import json

import pytest
from e2e import shop

from . import models

NODES = shop.NODES | models.TABLES
TABLES = shop.TABLES | models.TABLES

#: It reads the clock, so it builds in every run.
CLOCK = {"until_now": "success volatile_sql"}

pytestmark = pytest.mark.timeout(1800)  # a busy machine: it bounds a hang, it times nothing


def test_first_build(lake):
    run = lake.dbt("build")
    run.expect({name: "pass no_history" for name in shop.TESTS}, rest="success no_history", rc=0)
    assert run.records.keys() == NODES
    assert run.warnings == []
    tables = {name for name in TABLES if run.records[name]["data_version"]}
    assert tables == TABLES


def test_second_build_reuses(lake):
    run = lake.dbt("build")
    run.expect(dict.fromkeys(models.INCREMENTAL, "success code_changed") | CLOCK, rest="reused", rc=0)
    assert run.reused_count == 6
    for name in shop.TESTS:
        assert "replayed" in run.line(name)
        assert run.ran_sql(f"test.shop.{name}") == []


def test_maintenance_is_no_change(lake):
    """What moves files, comments and properties, and writes of no rows, on sources and on what dbt has built."""
    for table in ("{raw}.orders", "{main}.orders", "{main}.daily", "{main}.orders_overwrite"):
        lake.sql(
            f"optimize {table}",
            f"vacuum {table}",
            f"comment on table {table} is 'seen'",
            f"alter table {table} set tblproperties ('seen' = 'yes')",
        )
    lake.sql(
        "insert into {raw}.customers select * from {raw}.customers where false",
        "delete from {raw}.customers where id = 99",
        "merge into {raw}.orders t using (select 99 as id) s on t.id = s.id when matched then delete",
    )
    run = lake.dbt("build")
    run.expect(CLOCK, rest="reused", rc=0)


def test_new_rows(lake):
    lake.sql(
        "insert into {raw}.orders values (7, 1, 10, date'2026-01-04')",
        "update {raw}.customers set name = 'Zoe' where id = 2",
    )
    run = lake.dbt("build")
    run.expect(
        {
            **dict.fromkeys(["orders", "big_orders", "dim_customers", "snap_customers"], "success new_upstream_data"),
            **dict.fromkeys([*models.INCREMENTAL, "until_now"], "success new_upstream_data"),
            **dict.fromkeys(shop.TESTS, "pass new_upstream_data"),
        },
        rest="reused",
        rc=0,
    )
    assert lake.rows("{main}.orders", "count(*)") == [["7"]]
    assert lake.rows("{main}.daily", "count(*)") == [["4"]]
    for name in ("orders_append", "orders_overwrite", "orders_replace"):
        assert lake.rows("{main}." + name, "id") == [[str(number)] for number in range(1, 8)]
    assert lake.rows("{main}.dim_customers", "name") == [["ANN"], ["CYD"], ["ZOE"]]
    assert lake.sql("select name from {main}.snap_customers where dbt_valid_to is not null") == [["Bob"]]


def test_changes_by_hand_and_of_code(lake):
    """A row deleted from a target, a seed's value, a view's code; then a failing test, replayed."""
    lake.sql("delete from {main}.big_orders where id = 2", "insert into {raw}.orders values (8, 1, -5, date'2026-01-03')")
    lake.write("seeds/rates.csv", "code,rate\nx,5\ny,3\n")
    lake.edit("models/stg_customers.sql", "select *", "select id, name")
    run = lake.dbt("build")
    run.expect(
        {
            "rates": "success code_changed",
            "stg_customers": "success code_changed",
            "dim_customers": "success upstream_code_changed",
            "big_orders": "success target_modified",
            "orders": "success new_upstream_data",
            "amount_positive": "fail new_upstream_data",
            **dict.fromkeys([*models.INCREMENTAL, "until_now"], "skipped"),
            "snap_customers": "reused no_new_data",
        },
        rc=1,
    )
    assert lake.rows("{main}.big_orders", "id") == [["2"], ["4"], ["6"]]
    again = lake.dbt("test -s amount_positive")
    again.expect({"amount_positive": "fail no_new_data"}, rc=1)
    assert again.failures["amount_positive"] == 1
    assert again.ran_sql("test.shop.amount_positive") == []


def test_relation_dropped_and_made_again(lake):
    """A new table begins at version 0 again; the time of its commit tells."""
    lake.sql(
        "create table {raw}.kept as select * from {raw}.customers",
        "drop table {raw}.customers",
        "create table {raw}.customers using delta as select * from {raw}.kept where id <> 3",
        "drop table {main}.dim_customers",
    )
    run = lake.dbt("run -s stg_customers dim_customers")
    run.expect({"dim_customers": "success relation_missing"}, rc=0)
    assert lake.rows("{main}.dim_customers", "count(*)") == [["2"]]
    run = lake.dbt("run -s stg_customers dim_customers")
    run.expect({"stg_customers": "reused view_unchanged", "dim_customers": "reused no_new_data"}, rc=0)


def test_s13_columns_that_move(lake):
    """A column added by a MERGE of no rows, and one put in another place, are changes though no row is another."""
    lake.sql(
        "merge with schema evolution into {raw}.customers t using (select 99 as id, 'Eve' as name, 1 as rank) s on t.id = s.id"
        " when matched then update set *",
        "alter table {main}.big_orders alter column amount first",
    )
    run = lake.dbt("run -s dim_customers big_orders")
    run.expect({"dim_customers": "success new_upstream_data", "big_orders": "success target_modified"}, rc=0)
    assert lake.sql("select * from {main}.big_orders where id = 4")[0][0] == "4"


def test_s18_a_view_keeps_the_types_of_its_build(lake):
    """Spark freezes the columns of a view: only a new build lets it see what its table has become."""
    lake.sql(
        "alter table {raw}.orders set tblproperties ('delta.enableTypeWidening' = 'true')",
        "alter table {raw}.orders alter column id type bigint",
    )
    of = "select typeof(id) from {main}.stg_orders limit 1"
    assert lake.sql(of) == [["int"]]
    run = lake.dbt("run -s stg_orders")
    run.expect({"stg_orders": "success upstream_code_changed"}, rc=0)
    assert lake.sql(of) == [["bigint"]]
    lake.dbt("run -s stg_orders").expect({"stg_orders": "reused view_unchanged"}, rc=0)


def test_s25_words_that_read_the_clock(lake):
    """Compared with a date, `now` and `tomorrow` are calls; as a label, `today` is a text."""
    assert lake.sql("select date'2026-01-01' < 'now ', cast('tomorrow' as date) = date_add(current_date(), 1), 'today'") == [
        ["True", "True", "today"]
    ]
    run = lake.dbt("run -s until_now")  # it was skipped when amount_positive failed
    run.expect({"until_now": "success new_upstream_data"}, rc=0)
    run = lake.dbt("run -s until_now").expect(CLOCK, rc=0)
    called = {call["function"]: call["kind"] for call in json.loads(run.records["until_now"]["sql_facts"])["volatile"]}
    assert called == {"now": "always", "tomorrow": "date"}
