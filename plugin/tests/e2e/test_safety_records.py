"""The clauses S1 to S5 (records) and S13 to S17 (versions), end to end on DuckDB."""

import time

import duckdb
import pytest

from . import shop
from .forge import checksum, forge

# -- S1 to S5: records ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "built_at_ms = built_at_ms + 1",
        "data_version = data_version || ' '",
        "upstreams = '{}'",
        "status = 'success', record_id = 'x'",
        "project_name = project_name, checksum = ''",
        "checksum = null",
        "mode = 'on '",
    ],
)
def test_s1_record_that_was_tampered_with_is_no_history(settled, change):
    settled.sql(f"update hodor_state set {change} where unique_id = 'model.shop.orders'", database=settled.state)
    settled.dbt("build", twin=True).expect({"orders": "success no_history"}, rest="reused", rc=0)


def test_s1_decision_turned_into_a_build_is_no_history(settled):
    """A reuse record made to look like a build would move the versions that count."""
    settled.dbt("build")
    newest = "select max(recorded_at_ms) from hodor_state where unique_id = 'model.shop.orders'"
    settled.sql(
        f"update hodor_state set action = 'build', status = 'success' where unique_id = 'model.shop.orders'"
        f" and recorded_at_ms = ({newest})",
        database=settled.state,
    )
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", twin=True)
    assert run.statuses["orders"] == "success"


def test_s1_test_that_failed_to_run_is_no_history(settled):
    settled.write("tests/odd.sql", "select id from {{ ref('orders') }} where error('no') = 1\n")
    for _ in range(2):
        run = settled.dbt("test -s odd", twin=True)
        run.expect({"odd": "error"}, rc=1)
    assert run.records.get("odd", {"reason": "no_history"})["reason"] == "no_history"


def test_s1_record_does_not_pass_to_another_node(settled):
    """Another model takes over the relation of one that is gone: same name in the warehouse, same SQL, another node."""
    settled.model("buyers", "select id, name from {{ ref('stg_customers') }}", alias="people")
    settled.settle("run -s buyers", times=1)
    (settled.dir / "models" / "buyers.sql").unlink()
    settled.model("clients", "select id, name from {{ ref('stg_customers') }}", alias="people")
    settled.dbt("run -s clients", twin=True).expect({"clients": "success no_history"}, rc=0)


def test_s2_there_and_back_builds_twice(settled):
    first = settled.read("models/orders.sql")
    for text in (first.replace("amount * rate", "amount + rate"), first):
        settled.write("models/orders.sql", text)
        settled.dbt("run -s orders", twin=True).expect({"orders": "success code_changed"}, rc=0)


def test_s2_there_and_back_with_hodor_off_in_between(settled):
    first = settled.read("models/orders.sql")
    settled.write("models/orders.sql", first.replace("amount * rate", "amount + rate"))
    assert settled.dbt("run -s orders", env={"HODOR_MODE": "off"}).rc == 0
    settled.write("models/orders.sql", first)
    settled.dbt("run -s orders", twin=True).expect({"orders": "success target_modified"}, rc=0)


def test_s3_upstream_that_moves_during_the_build(settled):
    """A model whose own hook adds to what it reads: the version before the build counts, so the next run sees new data."""
    settled.config(
        "orders",
        post_hook="insert into raw.orders select max(id) + 1, 1, 10, date '2026-01-04' from raw.orders",
    )
    settled.settle(times=1)
    for _ in range(2):
        run = settled.dbt("run -s orders", twin=True)
        run.expect({"orders": "success"}, rc=0)
        assert run.records["orders"]["decision"] == "build"


def test_s3_upstream_that_the_record_lacks(settled):
    """--select runs with a parent swapped for another of equal content, under require_fresh_data_from: all."""
    settled.sql("create table raw.more_orders as select * from raw.orders")
    settled.edit("models/schema.yml", "      - name: customers\n", "      - name: customers\n      - name: more_orders\n")
    both = {"require_fresh_data_from": "all"}
    settled.model("read_one", "select id from {{ source('raw', 'orders') }}", state=both)
    settled.settle("run -s read_one", times=1)
    settled.model(
        "read_one", "-- depends_on: {{ source('raw', 'more_orders') }}\nselect id from {{ source('raw', 'orders') }}", state=both
    )
    run = settled.dbt("run -s read_one")
    assert run.statuses["read_one"] == "success"
    assert run.records["read_one"]["decision"] == "build"


def test_s4_full_refresh_builds_tests_too(settled):
    run = settled.dbt("build --full-refresh -s amount_positive")
    run.expect({"amount_positive": "pass full_refresh"}, rc=0)


def older(milliseconds: int):
    """A change that moves a record into the past (negative: the future), its build and its writing."""
    return lambda row: {
        "built_at_ms": row["built_at_ms"] and row["built_at_ms"] - milliseconds,
        "recorded_at_ms": row["recorded_at_ms"] - milliseconds,
    }


def built_ago(milliseconds: int):
    """A change that sets the start of a build to some time before now."""
    return lambda row: {"built_at_ms": row["built_at_ms"] and int(time.time() * 1000) - milliseconds}


MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def test_s5_build_in_the_future_is_no_evidence(settled):
    assert forge(settled.state, "unique_id = 'model.shop.orders'", older(-DAY))
    run = settled.dbt("build", twin=True)
    assert run.statuses["orders"] == "success"
    assert run.records["orders"]["decision"] == "build"
    (said,) = run.warnings
    assert "1 node" in said and "future" in said
    settled.dbt("build", twin=True).expect(rest="reused", rc=0)


def test_s5_tolerance_in_the_future_is_none(settled):
    settled.describe("orders", "config: {state: {lag_tolerance: 1w}}")
    settled.sql(shop.NEW_ORDER)
    forge(settled.state, "unique_id = 'model.shop.orders'", older(-DAY))
    assert settled.dbt("run -s orders", twin=True).statuses["orders"] == "success"


@pytest.mark.parametrize(
    ("tolerance", "age", "expected"),
    [
        ("1h", 45 * MINUTE, "reused within_lag_tolerance"),
        ("1h", 61 * MINUTE, "success new_upstream_data"),
        ("null", 30 * MINUTE, "reused within_lag_tolerance"),
        ("null", 46 * MINUTE, "success new_upstream_data"),
        ("4h", 220 * MINUTE, "reused within_lag_tolerance"),
        ("1d", DAY + MINUTE, "success new_upstream_data"),
        ("3600", 61 * MINUTE, "success new_upstream_data"),
        ("{count: 2, period: hour}", 110 * MINUTE, "reused within_lag_tolerance"),
    ],
)
def test_lag_tolerance_counts_from_the_start_of_the_last_build(settled, tolerance, age, expected):
    """null: the key is absent everywhere, which means 45 minutes."""
    if tolerance == "null":
        settled.write("dbt_project.yml", settled.read("dbt_project.yml").replace("+state: {lag_tolerance: 0s}", "+tags: []"))
    else:
        settled.describe("orders", f"config: {{state: {{lag_tolerance: {tolerance}}}}}")
    settled.dbt("build")
    settled.sql(shop.NEW_ORDER)
    forge(settled.state, "unique_id = 'model.shop.orders'", built_ago(age))
    settled.dbt("run -s orders").expect({"orders": expected}, rc=0)


def test_lag_tolerance_is_never_for_tests(settled):
    settled.write(
        "tests/amount_positive.sql", "{{ config(state={'lag_tolerance': '1w'}) }}\n" + settled.read("tests/amount_positive.sql")
    )
    settled.settle("test", times=1)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build -s orders", twin=True)
    run.expect({"amount_positive": "pass new_upstream_data"}, rc=0)


def test_lookback_days(settled):
    forge(settled.state, "unique_id = 'model.shop.orders'", older(91 * DAY))
    run = settled.dbt("run -s orders daily", twin=True)
    run.expect({"orders": "success no_history", "daily": "reused no_new_data"}, rc=0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hash_version": "0"}, "code_changed"),
        ({"data_version": None}, "no_history"),
        ({"status": "error"}, "no_history"),
        ({"action": "reuse"}, "no_history"),
        ({"code_hash": None}, "code_changed"),
        ({"config_hash": None}, "config_changed"),
        ({"upstreams": None}, "unknown_upstream"),
        ({"upstreams": "{}"}, None),
        ({"commit_id": "no-such-commit"}, "no_history"),
        ({"unique_id": "model.shop.other"}, "no_history"),
        ({"project_name": "shed"}, "no_history"),
        ({"target_name": "prod"}, "no_history"),
        ({"node_key": "shop.main.other"}, "no_history"),
    ],
)
def test_removing_evidence_builds(settled, change, reason):
    """Evidence that is absent or about something else never turns a build into a reuse; None leaves the reason open."""
    forge(settled.state, "unique_id = 'model.shop.orders'", lambda row: change)
    run = settled.dbt("run -s orders", twin=True)
    run.expect({"orders": "success"}, rc=0)
    record = run.records["orders"]
    assert record["decision"] == "build"
    assert reason is None or record["reason"] == reason


def test_s2_overlapping_builds_of_two_runs_void_each_other(settled):
    """Two records of one node whose build windows overlap: nobody knows which of them wrote last."""
    where = "unique_id = 'model.shop.orders' and action = 'build'"
    with duckdb.connect(str(settled.state)) as connection:
        connection.execute("create temp table twin as select * from hodor_state where " + where)
        connection.execute("update twin set record_id = 'twin', invocation_id = 'another', build_ms = 10000")
        cursor = connection.execute("select * from twin")
        row = dict(zip([column[0] for column in cursor.description], cursor.fetchone()))
        connection.execute("update twin set checksum = ?", [checksum(row)])
        connection.execute("insert into hodor_state select * from twin")
    settled.dbt("run -s orders", twin=True).expect({"orders": "success no_history"}, rc=0)


# -- S13 to S17: versions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "alter table raw.customers rename column name to label; alter table raw.customers add column name varchar;"
        " update raw.customers set name = label; alter table raw.customers drop column label;"
        " alter table raw.customers alter column name type text using name; alter table raw.customers add column extra integer",
        "alter table raw.customers alter column id type bigint",
        "create or replace table raw.customers as select name, id from raw.customers",
    ],
)
def test_s13_other_columns_with_the_same_rows(settled, change):
    settled.model("reader", "select id, name from {{ source('raw', 'customers') }}")
    settled.settle("run -s reader", times=1)
    settled.sql("drop view main.stg_customers", *change.split(";"))
    settled.dbt("run -s reader", twin=True).expect({"reader": "success new_upstream_data"}, rc=0)


S14 = {
    "d double": ("0.0", "'-0.0'::double"),
    "e float": ("0.0", "'-0.0'::float"),
    "l integer[]": ("[]", "null"),
    "m integer[]": ("[null]", "[]"),
    "n integer[][]": ("[[]]", "[null]"),
    "i interval": ("interval 1 month", "interval 30 days"),
    "j interval": ("interval 1 day", "interval 24 hours"),
    "s varchar collate nocase": ("'a'", "'A'"),
    "t varchar collate noaccent": ("'e'", "'\u00e9'"),
    "k struct(a integer)": ("{'a': null}", "null"),
    "u union(a integer, b integer)": ("union_value(a := 1)", "union_value(b := 1)"),
    "h hugeint": ("0", "-1"),
    "c decimal(38, 0)": ("0", "-1"),
    "g map(varchar, integer)": ("map {'a': 1, 'b': 2}", "map {'b': 2, 'a': 1}"),
    "b blob": ("'\\x00'::blob", "''::blob"),
    "z timestamptz": ("'2026-01-01 00:00:00+00'", "'2026-01-01 00:00:01+00'"),
}


def test_s14_values_that_hash_takes_for_equal(settled):
    """Each column in turn takes its second value. Rows are written anew: an UPDATE to an equal value changes nothing."""
    values = {column: before for column, (before, _) in S14.items()}
    settled.sql(f"create table raw.odd ({', '.join(S14)})", f"insert into raw.odd values ({', '.join(values.values())})")
    settled.edit("models/schema.yml", "      - name: customers\n", "      - name: customers\n      - name: odd\n")
    settled.model("odd_copy", "select * from {{ source('raw', 'odd') }}")
    settled.settle("run -s odd_copy", times=1)
    settled.dbt("run -s odd_copy").expect({"odd_copy": "reused no_new_data"}, rc=0)
    overlooked = []
    for column, (_, after) in S14.items():
        values[column] = after
        settled.sql("delete from raw.odd", f"insert into raw.odd values ({', '.join(values.values())})")
        run = settled.dbt("run -s odd_copy")
        if run.decided("odd_copy") != "new_upstream_data":
            overlooked.append(f"{column}: {run.decided('odd_copy')}")
    assert overlooked == []


def test_s14_rows_swapped_between_columns_and_duplicates(settled):
    """An order-free sum must not lose which value stands in which row, nor how often a row is there."""
    settled.sql("create table raw.pairs (a integer, b integer)", "insert into raw.pairs values (1, 2), (3, 4), (3, 4)")
    settled.edit("models/schema.yml", "      - name: customers\n", "      - name: customers\n      - name: pairs\n")
    settled.model("pairs_copy", "select a, b from {{ source('raw', 'pairs') }}")
    settled.settle("run -s pairs_copy", times=1)
    for rows in (
        "(1, 4), (3, 2), (3, 4)",
        "(4, 1), (2, 3), (4, 3)",
        "(1, 2), (1, 2), (3, 4)",
        "(1, 2), (3, 4)",
        "(3, 4), (1, 2), (3, 4)",
    ):
        settled.sql("delete from raw.pairs", f"insert into raw.pairs values {rows}")
        settled.dbt("run -s pairs_copy", twin=True).expect({"pairs_copy": "success new_upstream_data"}, rc=0)
    settled.sql("delete from raw.pairs", "insert into raw.pairs values (3, 4), (3, 4), (1, 2)")
    settled.dbt("run -s pairs_copy").expect({"pairs_copy": "reused no_new_data"}, rc=0)


def side_table(project) -> None:
    """A source `side`, a table over it before orders, whose rows stay when 1 is added once more, and one after orders."""
    project.sql("create table raw.side (n integer)")
    project.edit("models/schema.yml", "      - name: customers\n", "      - name: customers\n      - name: side\n")
    project.model("early", "select min(n) as n from {{ source('raw', 'side') }}")
    project.model("late", "-- depends_on: {{ ref('early') }} {{ ref('orders') }}\nselect n from {{ source('raw', 'side') }}")
    project.edit("models/orders.sql", "\nwith o as", "\n-- depends_on: {{ ref('early') }}\nwith o as")


def test_s15_hook_that_writes_elsewhere(settled):
    """early reads the version of side, then a hook writes it, then late must see the new one."""
    side_table(settled)
    settled.config("orders", post_hook="insert into raw.side values (1)")
    settled.settle()
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("run -s early orders late", twin=True)
    run.expect({"orders": "success new_upstream_data", "late": "success new_upstream_data"}, rc=0)


def test_s15_hook_on_a_reuse_that_writes_elsewhere(settled):
    side_table(settled)
    settled.config("orders", post_hook="insert into raw.side values (1)", state={"execute_hooks_on_any_reuse": True})
    settled.settle()
    run = settled.dbt("run -s early orders late", twin=True)
    run.expect({"orders": "reused no_new_data", "late": "success new_upstream_data"}, rc=0)


def test_s15_statement_at_compile_time_that_writes(settled):
    side_table(settled)
    settled.edit(
        "models/orders.sql",
        "\n-- depends_on",
        "\n{% if execute %}{% do run_query('insert into raw.side values (1)') %}{% endif %}\n-- depends_on",
    )
    settled.settle()
    run = settled.dbt("run -s early orders late", twin=True)
    run.expect({"late": "success new_upstream_data"}, rc=0)


@pytest.mark.parametrize(
    "hook", ["create or replace macro lower(x) as 'z'", "set global default_null_order = 'nulls_first'"], ids=["macro", "setting"]
)
def test_s15_hook_that_changes_what_later_sql_means(settled, hook):
    settled.model(
        "late",
        "-- depends_on: {{ ref('orders') }}\nselect lower(name) as name, row_number() over (order by nullif(id, 2)) as n"
        " from {{ source('raw', 'customers') }}",
    )
    settled.settle()
    settled.config("orders", post_hook=hook)
    run = settled.dbt("run -s orders late", twin=True)
    assert run.rc == 0 and run.statuses["late"] == "success", run.text


def test_s16_read_that_began_before_the_write(settled):
    """A version of raw.big is still being read for the first model when the second one's hook adds a row: the third must not get it."""
    settled.sql("create table raw.big as select i, hash(i) as h, md5(i::varchar) as t from range(12_000_000) r (i)")
    settled.write("models/big.yml", "sources: [{name: raw_big, schema: raw, tables: [{name: big}]}]\n")
    count = "select count(*) as n from {{ source('raw_big', 'big') }}"
    settled.model("first", count)
    settled.model(
        "writer",
        "select 1 as x",
        pre_hook=[
            "select count(*) from range(30_000_000) r (i) where hash(i) % 7 = 3",
            "insert into raw.big values (-1, 0, '')",
        ],
    )
    settled.model("third", "-- depends_on: {{ ref('writer') }}\n" + count)
    settled.settle("run -s first writer third", times=2)
    settled.edit("models/writer.sql", "1 as x", "3 - 2 as x")
    run = settled.dbt("run -s first writer third")
    run.expect({"writer": "success code_changed", "third": "success new_upstream_data"}, rc=0)
    assert settled.rows("main.third") == settled.rows("raw.big", "count(*) as n")


def test_s15_target_of_a_failed_build_is_read_again(settled):
    """An incremental whose delete went through before its insert failed must not leave a version that counts."""
    settled.config("daily", post_hook="select error('after all')")
    run = settled.dbt("build", twin=True)
    assert run.statuses["daily"] == "error"
    settled.edit("models/daily.sql", "post_hook=\"select error('after all')\", ", "")
    settled.dbt("build", twin=True)


@pytest.mark.parametrize(
    "relation", ["table main.big_orders", "table main.daily", "view main.stg_orders cascade", "table main.rates"]
)
def test_s17_dropped_after_the_cache_was_filled(settled, relation):
    """on-run-start runs after dbt has listed the relations: dbt's cache still has what is gone, and plain dbt may stumble."""
    settled.edit("dbt_project.yml", "flags:", "on-run-start: ['drop " + relation + "']\nflags:")
    run = settled.dbt("build", twin=True)
    name = relation.split(".")[1].split()[0]
    assert run.statuses[name] != "reused"
    assert run.records[name]["decision"] == "build"


def test_s17_changed_after_the_cache_was_filled(settled):
    settled.edit(
        "dbt_project.yml", "flags:", "on-run-start: [\"insert into raw.orders values (7, 1, 10, '2026-01-04')\"]\nflags:"
    )
    run = settled.dbt("build", twin=True)
    run.expect({"orders": "success new_upstream_data", "big_orders": "success new_upstream_data"}, rc=0)
