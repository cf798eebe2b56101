"""Every kind of node on DuckDB: what is decided of it, and that the data are what plain dbt makes."""

import pytest

from . import shop

# -- incremental models -----------------------------------------------------------------------------------------------

STRATEGIES = {
    "unset, with a key": {"unique_key": "id"},
    "unset, without a key": {},
    "append": {"incremental_strategy": "append"},
    "delete+insert": {"incremental_strategy": "delete+insert", "unique_key": "id"},
    "merge": {"incremental_strategy": "merge", "unique_key": "id"},
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_incremental_strategy(settled, name):
    settled.model(
        "grown",
        "select id, amount from {{ ref('orders') }}"
        "{% if is_incremental() %} where id >= (select max(id) from {{ this }}){% endif %}",
        materialized="incremental",
        **STRATEGIES[name],
    )
    settled.settle("run -s grown")
    settled.dbt("run -s grown").expect({"grown": "reused no_new_data"}, rc=0)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("run -s orders grown", twin=True)
    run.expect({"orders": "success new_upstream_data", "grown": "success new_upstream_data"}, rc=0)
    assert ["7"] in settled.rows("main.grown", "id")
    settled.dbt("run -s orders grown").expect({"orders": "reused no_new_data", "grown": "reused no_new_data"}, rc=0)


def test_incremental_that_changes_its_columns(settled):
    settled.config("daily", on_schema_change="append_new_columns")
    settled.settle("run -s daily", times=1)
    settled.edit("models/daily.sql", "count(*) as orders", "count(*) as orders, max(id) as newest")
    settled.dbt("run -s daily", twin=True).expect({"daily": "success code_changed"}, rc=0)
    assert "newest INTEGER" in settled.contents()["main.daily"][0]
    settled.dbt("run -s daily").expect({"daily": "reused no_new_data"}, rc=0)


def test_microbatch(settled):
    """Always built, whatever moved: its windows depend on the time of the run. A batch is no node of its own."""
    settled.config("orders", event_time="day")
    settled.model(
        "batched",
        "select id, day from {{ ref('orders') }}",
        materialized="incremental",
        incremental_strategy="microbatch",
        event_time="day",
        begin="2025-12-01",
        batch_size="month",
        lookback=20,
    )
    settled.model("batched_child", "select id from {{ ref('batched') }}")
    settled.settle("build -s orders batched batched_child")
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build -s orders batched batched_child", twin=True)
    run.expect({"orders": "success new_upstream_data", "batched": "success unsupported"}, rc=0)
    assert run.records["batched_child"]["decision"] == "build"
    assert settled.rows("main.batched_child", "count(*)") == [["7"]]


# -- python, and what DuckDB can't run --------------------------------------------------------------------------------

PYTHON = "def model(dbt, session):\n    dbt.config(materialized='table')\n    return dbt.ref('orders').project('id{}')\n"


def test_python_model(settled):
    """Nothing is known of what it reads, so it builds; what it made is a table, whose rows tell its children."""
    settled.write("models/snake.py", PYTHON.format(""))
    settled.model("snake_child", "select * from {{ ref('snake') }}")
    settled.settle("run -s snake snake_child")
    for change, child in (("", "reused no_new_data"), (" + 1 as id", "success new_upstream_data")):
        settled.write("models/snake.py", PYTHON.format(change))
        run = settled.dbt("run -s snake snake_child", twin=True)
        run.expect({"snake": "success unsupported", "snake_child": child}, rc=0)
    assert settled.rows("main.snake_child", "min(id)") == [["2"]]


@pytest.mark.parametrize("kind", ["materialized_view", "streaming_table", "metric_view", "no_such_thing"])
def test_what_duckdb_can_not_run(settled, kind):
    """The decision is that it is out of scope; the error is dbt's own."""
    settled.model("odd", "select id from {{ ref('orders') }}", materialized=kind)
    settled.model("odd_child", "select id from {{ ref('odd') }}")
    run = settled.dbt("build", twin=True)
    run.expect({"odd": "error unsupported", "odd_child": "skipped"}, rest="reused", rc=1)
    assert run.messages["odd"] == run.twin.messages["odd"]


FUNCTION = {
    "functions/twice.sql": "x * 2\n",
    "functions/twice.yml": (
        "functions:\n  - name: twice\n    arguments: [{name: x, data_type: integer}]\n    returns: {data_type: integer}\n"
    ),
    "models/doubled.sql": "{{ config(materialized='table') }}\nselect {{ function('twice') }}(id) as id from {{ ref('orders') }}\n",
}


def test_function(settled):
    """dbt-duckdb can't make one; a macro of the same name serves its callers, who read what has no version."""
    for path, text in FUNCTION.items():
        settled.write(path, text)
    run = settled.dbt("build", twin=True)
    run.expect({"twice": "error", "doubled": "skipped", "orders": "reused no_new_data"}, rc=1)
    settled.sql("create macro main.twice(x) as x * 2")
    settled.settle("run -s doubled", times=1)
    settled.dbt("run -s doubled", twin=True).expect({"doubled": "success unknown_upstream"}, rc=0)
    settled.sql("create or replace macro main.twice(x) as x * 3")
    settled.dbt("run -s doubled", twin=True).expect({"doubled": "success unknown_upstream"}, rc=0)
    assert ["18"] in settled.rows("main.doubled", "id")


UNIT_TEST = """\
unit_tests:
  - name: names_are_in_capitals
    model: dim_customers
    given:
      - input: ref('stg_customers')
        rows: [{id: 1, name: ann}]
    expect:
      rows: [{id: 1, name: %s}]
"""


def test_unit_test(settled):
    settled.write("models/units.yml", UNIT_TEST % "ANN")
    for command in ("build", "test"):
        run = settled.dbt(command, twin=True)
        run.expect({"names_are_in_capitals": "pass"}, rc=0)
        assert "names_are_in_capitals" not in run.records
        assert run.ran_sql("unit_test.shop.dim_customers.names_are_in_capitals")
        assert run.statuses.get("dim_customers", "reused") == "reused"
    settled.write("models/units.yml", UNIT_TEST % "Ann")
    run = settled.dbt("build", twin=True)
    run.expect({"names_are_in_capitals": "fail", "dim_customers": "skipped"}, rc=1)
    settled.write("models/units.yml", UNIT_TEST % "ANN")
    settled.dbt("build", twin=True).expect({"dim_customers": "reused no_new_data", "orders": "reused no_new_data"}, rc=0)


# -- views, versions, names -------------------------------------------------------------------------------------------


def test_names_by_macros_of_the_project(settled):
    """What a project's own naming macros make of a node is its identity; another name is another node without a history."""
    naming = (
        "{% macro generate_schema_name(custom_schema_name, node) %}{{ custom_schema_name or target.schema }}{% endmacro %}\n"
        "{% macro generate_alias_name(custom_alias_name, node) %}PREFIX{{ custom_alias_name or node.name }}{% endmacro %}\n"
    )
    settled.write("macros/names.sql", naming.replace("PREFIX", ""))
    settled.config("orders", schema="sales")
    settled.settle("run -s orders big_orders", times=1)
    settled.dbt("run -s orders big_orders").expect(rest="reused", rc=0)
    assert settled.rows("sales.orders", "count(*)") == [["6"]]
    settled.write("macros/names.sql", naming.replace("PREFIX", "{{ 'new_' if node.name == 'big_orders' }}"))
    run = settled.dbt("run -s orders big_orders")
    run.expect({"big_orders": "success no_history", "orders": "success config_changed"}, rc=0)
    assert settled.rows("main.new_big_orders", "count(*)") == [["3"]]


def test_quoted_and_odd_names(settled):
    settled.model(
        "odd_name", 'select id as "Order Id", amount as "größe" from {{ ref(\'orders\') }}', alias="Bestellung größer 1"
    )
    settled.model("odd_reader", "select \"Order Id\" as id from {{ ref('odd_name') }}")
    settled.settle("run -s odd_name odd_reader", times=1)
    settled.dbt("run -s odd_name odd_reader", twin=True).expect(rest="reused", rc=0)
    settled.sql('insert into main."Bestellung größer 1" values (99, 1)')
    run = settled.dbt("run -s odd_name odd_reader", twin=True)
    run.expect({"odd_name": "success target_modified"}, rc=0)


def test_model_that_becomes_another_kind(settled):
    """There and back between table and view: what stands in the warehouse is of the kind that is asked for."""
    for kind in ("view", "table", "view", "incremental"):
        settled.model("shifty", "select id from {{ ref('orders') }}", materialized=kind, unique_key="id")
        run = settled.dbt("run -s shifty", twin=True)
        assert run.statuses["shifty"] == "success"
        assert settled.dbt("run -s shifty").statuses["shifty"] == "reused"


# -- seeds and snapshots ----------------------------------------------------------------------------------------------


def test_seed_delimiter(settled):
    described = "seeds:\n  - name: prices\n    config: {delimiter: '%s', column_types: {price: varchar}}\n"
    settled.write("seeds/prices.csv", "code;price\na;b\n")
    settled.write("seeds/prices.yml", described % ";")
    settled.settle("seed -s prices", times=1)
    settled.dbt("seed -s prices").expect({"prices": "reused no_new_data"}, rc=0)
    settled.write("seeds/prices.yml", described % ",")
    assert settled.dbt("seed -s prices", twin=True).decided("prices") == "config_changed"


def test_seed_with_a_byte_order_mark_and_no_last_newline(settled):
    settled.write("seeds/marked.csv", "\ufeffid,name\n1,ä")
    settled.settle("seed -s marked", times=1)
    settled.dbt("seed -s marked", twin=True).expect({"marked": "reused no_new_data"}, rc=0)
    settled.write("seeds/marked.csv", "\ufeffid,name\n1,Ä")
    settled.dbt("seed -s marked", twin=True).expect({"marked": "success code_changed"}, rc=0)


SNAPSHOT = (
    "{{% snapshot stock %}}\n{{{{ config(unique_key='id', {}) }}}}\n"
    "select id, name, changed from {{{{ source('raw', 'stock') }}}}\n{{% endsnapshot %}}\n"
)


@pytest.mark.parametrize("strategy", ["strategy='timestamp', updated_at='changed'", "strategy='check', check_cols=['name']"])
@pytest.mark.parametrize("deletes", ["ignore", "invalidate", "new_record"])
def test_snapshot(settled, strategy, deletes):
    settled.sql(
        "create table raw.stock (id integer, name varchar, changed timestamp)",
        "insert into raw.stock values (1, 'a', '2026-01-01'), (2, 'b', '2026-01-01')",
    )
    settled.edit("models/schema.yml", "      - name: customers\n", "      - name: customers\n      - name: stock\n")
    settled.write("snapshots/stock.sql", SNAPSHOT.format(f"{strategy}, hard_deletes='{deletes}'"))
    settled.settle("snapshot -s stock")
    settled.dbt("snapshot -s stock").expect({"stock": "reused no_new_data"}, rc=0)
    for change in (
        "update raw.stock set name = 'c', changed = '2026-01-02' where id = 1",
        "delete from raw.stock where id = 2",
        "insert into raw.stock values (2, 'd', '2026-01-03')",
    ):
        settled.sql(change)
        settled.dbt("snapshot -s stock", twin=True).expect({"stock": "success new_upstream_data"}, rc=0)
        settled.dbt("snapshot -s stock", twin=True).expect({"stock": "reused no_new_data"}, rc=0)


def test_snapshot_in_a_property_file(settled):
    settled.write(
        "snapshots/people.yml",
        "snapshots:\n  - name: people_history\n    relation: source('raw', 'customers')\n"
        "    config: {unique_key: id, strategy: check, check_cols: [name], dbt_valid_to_current: \"'9999-12-31'::timestamp\"}\n",
    )
    settled.settle("snapshot -s people_history")
    settled.dbt("snapshot -s people_history").expect({"people_history": "reused no_new_data"}, rc=0)
    settled.sql("update raw.customers set name = 'Zoe' where id = 2")
    settled.dbt("snapshot -s people_history", twin=True).expect({"people_history": "success new_upstream_data"}, rc=0)


def test_reader_of_a_snapshot_and_of_a_seed(settled):
    settled.model("history", "select id, name, dbt_valid_to is null as open from {{ ref('snap_customers') }}, {{ ref('rates') }}")
    settled.settle("build -s snap_customers history")
    settled.dbt("build -s snap_customers history").expect({"history": "reused no_new_data"}, rc=0)
    settled.sql("update raw.customers set name = 'Zoe' where id = 2")
    run = settled.dbt("build -s snap_customers history", twin=True)
    run.expect({"snap_customers": "success new_upstream_data", "history": "success new_upstream_data"}, rc=0)


# -- failing parents --------------------------------------------------------------------------------------------------


@pytest.fixture
def going_on(settled):
    """A parent whose errors its children survive, settled, and broken since."""
    settled.model("shaky", "select id from {{ ref('orders') }}", on_error="continue")
    settled.model("shaky_child", "select id from {{ ref('shaky') }}")
    settled.settle("run -s shaky shaky_child", times=1)
    settled.edit("models/shaky.sql", "select id", "select error('no such luck') as id")
    return settled


def test_on_error_continue(going_on):
    """The child reads what the last good build of its parent left."""
    run = going_on.dbt("build", twin=True)
    run.expect({"shaky": "error code_changed", "shaky_child": "reused no_new_data"}, rest="reused", rc=1)
    going_on.edit("models/shaky.sql", "select error('no such luck') as id", "select id + 1 as id")
    run = going_on.dbt("build", twin=True)
    run.expect({"shaky": "success code_changed", "shaky_child": "success new_upstream_data"}, rest="reused", rc=0)


def test_on_error_continue_after_a_partial_write(going_on):
    """The failing build has changed its table before it failed: its child must see that in the same run."""
    going_on.edit("models/shaky.sql", "select error('no such luck') as id", "select id + 100 as id")
    going_on.config("shaky", post_hook={"sql": "select error('after all')", "transaction": False})
    run = going_on.dbt("run -s shaky shaky_child", twin=True)
    run.expect({"shaky": "error", "shaky_child": "success new_upstream_data"}, rc=1)
    assert going_on.rows("main.shaky_child", "min(id)") == [["101"]]


def test_skipped_parent_is_no_new_data(settled):
    """A parent that dbt skips keeps its data, and what reads it by another way keeps its record."""
    settled.write("models/broken.sql", "{{ config(materialized='table') }}\nselect error('no') as id\n")
    settled.edit("models/orders.sql", "\nwith o as", "\n-- depends_on: {{ ref('broken') }}\nwith o as")
    settled.model("by_source", "select count(*) as n from {{ source('raw', 'orders') }}")
    settled.settle("run -s by_source", times=1)
    run = settled.dbt("build", twin=True)
    run.expect({"broken": "error", "orders": "skipped", "by_source": "reused no_new_data"}, rc=1)
    assert "orders" not in run.records or run.records["orders"]["status"] == "skipped"
    settled.write("models/broken.sql", "{{ config(materialized='table') }}\nselect 1 as id\n")
    settled.dbt("build", twin=True).expect({"broken": "success no_history", "by_source": "reused no_new_data"}, rc=0)
