"""The clauses S19 to S27, end to end on DuckDB: configuration, the session, and volatile calls."""

import pytest

from . import shop
from .test_safety_reads import always

# -- S19 --------------------------------------------------------------------------------------------------------------


def with_setting(project, name: str, value: str) -> None:
    project.write("profiles.yml", project.read("profiles.yml") + f"      settings: {{{name}: {value}}}\n")


@pytest.mark.parametrize(
    ("name", "value"), [("integer_division", "true"), ("default_null_order", "nulls_first"), ("TimeZone", "Asia/Tokyo")]
)
def test_s19_another_session_builds_everything(settled, name, value):
    with_setting(settled, name, value)
    run = settled.dbt("build", twin=True)
    run.expect(
        {**dict.fromkeys(shop.TABLES | shop.VIEWS, "success config_changed"), **dict.fromkeys(shop.TESTS, "pass config_changed")},
        rc=0,
    )
    settled.dbt("build").expect(rest="reused", rc=0)


@pytest.mark.parametrize("name", ["memory_limit", "max_temp_directory_size"])
def test_s19_harmless_setting(settled, name):
    with_setting(settled, name, "2GB")
    settled.dbt("build").expect(rest="reused", rc=0)


def test_s19_setting_made_by_on_run_start(settled):
    """7 / 2 is 3 in one session and 3.5 in another: the pass of the first must not be replayed in the second."""
    settled.write("tests/halves.sql", "select id from {{ ref('orders') }} where id = 6 and (id + 1) / 2 = 3.5\n")
    settled.edit("dbt_project.yml", "flags:", "on-run-start: ['set global integer_division = true']\nflags:")
    settled.dbt("build -s halves").expect({"halves": "pass no_history"}, rc=0)
    settled.edit("dbt_project.yml", "on-run-start: ['set global integer_division = true']\n", "")
    settled.dbt("build -s halves", twin=True).expect({"halves": "fail config_changed"}, rc=1)


def test_s19_type_of_the_user_made_anew(settled):
    """Neither a text nor a table shows that the order of an enum's values is another one."""
    settled.sql("create type grade as enum ('low', 'high')")
    settled.model("graded", "select id from {{ ref('orders') }} where (if(id > 3, 'high', 'low'))::grade > 'low'::grade")
    settled.settle("run -s graded")
    settled.dbt("run -s graded").expect({"graded": "reused no_new_data"})
    settled.sql("drop type grade", "create type grade as enum ('high', 'low')")
    settled.dbt("run -s graded", twin=True).expect({"graded": "success config_changed"}, rc=0)
    assert settled.rows("main.graded") == []


# -- S20, S21 ---------------------------------------------------------------------------------------------------------

CREATE = (
    "{% macro duckdb__create_table_as(temporary, relation, compiled_code, language='sql', partitioned_by=none,"
    " sorted_by=none) %}\n"
    "create {% if temporary %}temporary {% endif %}table\n"
    "  {{ relation.include(database=(not temporary), schema=(not temporary)) }}\n"
    "as ({{ compiled_code }})\n"
    "{% endmacro %}\n"
)


def test_s20_override_of_an_adapter_macro(settled):
    settled.write("macros/create.sql", CREATE)
    run = settled.dbt("build", twin=True)
    run.expect({"orders": "success config_changed", "daily": "success config_changed"}, rc=0)
    settled.dbt("build").expect(rest="reused", rc=0)

    settled.edit("macros/create.sql", "as ({{ compiled_code }})", "as (select * from ({{ compiled_code }}) limit 1000)")
    settled.dbt("build", twin=True).expect({"orders": "success config_changed"}, rc=0)

    (settled.dir / "macros" / "create.sql").unlink()
    settled.dbt("build", twin=True).expect({"orders": "success config_changed"}, rc=0)


def test_s20_macro_that_an_override_calls(settled):
    settled.write("macros/create.sql", CREATE.replace("({{ compiled_code }})", "({{ compiled_code }} {{ tail() }})"))
    settled.write("macros/tail.sql", "{% macro tail() %}limit 1000{% endmacro %}\n")
    settled.settle(times=2)
    settled.write("macros/tail.sql", "{% macro tail() %}limit 4{% endmacro %}\n")
    settled.dbt("build", twin=True).expect({"orders": "success config_changed"}, rc=0)


def test_s20_macro_that_a_hook_calls(settled):
    macro = "{{% macro remark() %}}comment on table {{{{ this }}}} is '{}'{{% endmacro %}}\n"
    settled.write("macros/remark.sql", macro.format("a"))
    settled.config("orders", post_hook="{{ remark() }}")
    settled.settle("run -s orders", times=1)
    settled.dbt("run -s orders").expect({"orders": "reused no_new_data"}, rc=0)
    settled.write("macros/remark.sql", macro.format("b"))
    settled.dbt("run -s orders", twin=True).expect({"orders": "success config_changed"}, rc=0)


def test_s20_custom_incremental_strategy_is_unsupported(settled):
    settled.write(
        "macros/strategy.sql",
        "{% macro get_incremental_mine_sql(arg_dict) %}\n"
        "insert into {{ arg_dict['target_relation'] }} select * from {{ arg_dict['temp_relation'] }}\n{% endmacro %}\n",
    )
    settled.model("mine", "select id from {{ ref('orders') }}", materialized="incremental", incremental_strategy="mine")
    settled.settle("run -s mine", times=1)
    always(settled, "mine", "unsupported")


@pytest.mark.parametrize(
    ("hook", "command", "env"),
    [
        ('comment on table {{ this }} is \'{{ var("note", "a") }}\'', "run -s orders --vars 'note: b'", {}),
        ('comment on table {{ this }} is \'{{ env_var("NOTE", "a") }}\'', "run -s orders", {"NOTE": "b"}),
    ],
)
def test_s21_values_that_a_hook_reads(settled, hook, command, env):
    settled.config("orders", post_hook=hook)
    settled.settle("run -s orders", times=1)
    settled.dbt("run -s orders").expect({"orders": "reused no_new_data"}, rc=0)
    settled.dbt(command, env=env).expect({"orders": "success config_changed"}, rc=0)
    assert settled.sql("select comment from duckdb_tables() where schema_name = 'main' and table_name = 'orders'") == [["b"]]
    assert b"NOTE" not in settled.state.read_bytes()


def test_s21_threads_are_no_part_of_the_target(settled):
    """The macro that most projects have reads the target, and the number of threads changes from machine to machine."""
    settled.write(
        "macros/generate_schema_name.sql",
        "{% macro generate_schema_name(custom, node) %}{{ target.schema if custom is none else custom | trim }}{% endmacro %}\n",
    )
    settled.settle()
    settled.dbt("run --threads 2").expect({"stg_customers": "success select_star_view"}, rest="reused", rc=0)


def test_s21_meta_counts_where_a_hook_reads_it(settled):
    settled.config("orders", post_hook="comment on table {{ this }} is '{{ model.config.meta.owner }}'", meta={"owner": "ann"})
    settled.settle("run -s orders", times=1)
    settled.dbt("run -s orders").expect({"orders": "reused no_new_data"}, rc=0)
    settled.edit("models/orders.sql", "{'owner': 'ann'}", "{'owner': 'bob'}")
    settled.dbt("run -s orders").expect({"orders": "success config_changed"}, rc=0)


# -- S22 --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def warned(settled):
    """A test `small` that warns with three rows, settled."""
    settled.write("tests/small.sql", "{{ config(severity='warn') }}\nselect id from {{ ref('orders') }} where amount > 100\n")
    settled.dbt("test -s small").expect({"small": "warn no_history"}, rc=0)
    return settled


@pytest.mark.parametrize(
    ("config", "status"),
    [
        ("severity='error'", "fail"),
        ("severity='warn', warn_if='>3'", "pass"),
        ("severity='error', error_if='>2'", "fail"),
        ("severity='warn', fail_calc='count(*) - 3'", "pass"),
        ("severity='warn', limit=1", "warn"),
        ("severity='warn', where='id > 2'", "warn"),
    ],
)
def test_s22_each_key_of_a_test(warned, config, status):
    warned.edit("tests/small.sql", "severity='warn'", config)
    run = warned.dbt("test -s small", twin=True)
    assert run.statuses["small"] == status
    assert run.records["small"]["reason"] in ("config_changed", "code_changed")


def test_s22_warn_error(warned):
    run = warned.dbt("--warn-error test -s small", twin=True)
    assert run.statuses["small"] == run.twin.statuses["small"] != "warn"
    assert run.records["small"]["decision"] == "build"
    warned.dbt("test -s small", twin=True).expect({"small": "warn config_changed"}, rc=0)


def test_s22_store_failures_writes_its_table(warned):
    run = warned.dbt("test -s small --store-failures", twin=True)
    run.expect({"small": "warn config_changed"}, rc=0)
    assert warned.rows("main_dbt_test__audit.small", "count(*)") == [["3"]]
    warned.dbt("test -s small --store-failures").expect({"small": "warn no_new_data"}, rc=0)
    warned.sql("drop table main_dbt_test__audit.small")
    warned.dbt("test -s small --store-failures", twin=True).expect({"small": "warn relation_missing"}, rc=0)
    assert warned.rows("main_dbt_test__audit.small", "count(*)") == [["3"]]


@pytest.mark.parametrize(
    "change, reason", [("delete from {0}", "target_modified"), ("drop table {0}", "relation_missing")], ids=["edited", "dropped"]
)
def test_s22_failures_table_changed_by_on_run_start(warned, change, reason):
    """After dbt filled its cache, so only the warehouse itself knows."""
    hook = "{{ env_var('CHANGE', 'select 1') }}"
    warned.write("dbt_project.yml", warned.read("dbt_project.yml") + f'on-run-start: ["{hook}"]\n')
    warned.settle("test -s small --store-failures")
    change = change.format("main_dbt_test__audit.small")
    run = warned.dbt("test -s small --store-failures", env={"CHANGE": change}, twin=True)
    run.expect({"small": f"warn {reason}"}, rc=0)


def test_s22_tested_relation_is_gone(settled):
    """Plain dbt would fail the test: a replay must not hide that."""
    settled.sql("drop table main.orders cascade")
    run = settled.dbt("test -s amount_positive", twin=True)
    run.expect({"amount_positive": "error relation_missing"}, rc=1)


def test_s22_arguments_of_a_generic_test(settled):
    settled.edit(
        "models/schema.yml", "- not_null: {name: orders_id_given}", "- not_null: {name: orders_id_given, config: {where: id > 1}}"
    )
    settled.dbt("test", twin=True).expect({"orders_id_given": "pass code_changed"}, rest="reused", rc=0)


# -- S23 --------------------------------------------------------------------------------------------------------------


def test_s23_line_ends_inside_a_quoted_field_are_data(settled):
    settled.write("seeds/notes.csv", 'id,note\n1,"two\nlines"\n')
    settled.settle("seed -s notes", times=1)
    settled.write("seeds/notes.csv", 'id,note\r\n1,"two\nlines"\r\n')
    settled.dbt("seed -s notes", twin=True).expect({"notes": "reused no_new_data"}, rc=0)
    settled.write("seeds/notes.csv", 'id,note\r\n1,"two\r\nlines"\r\n')
    settled.dbt("seed -s notes", twin=True).expect({"notes": "success code_changed"}, rc=0)


def test_s23_columns_of_a_seed(settled):
    described = "seeds:\n  - name: rates\n    columns:\n      - {name: code, description: a code, data_tests: [not_null]}\n"
    settled.write("seeds/rates.yml", described)
    run = settled.dbt("build -s rates", twin=True)
    assert run.statuses["rates"] == "reused", run.text
    settled.write("seeds/rates.yml", described + "    config: {column_types: {rate: varchar}}\n")
    settled.dbt("seed -s rates").expect({"rates": "success config_changed"})


# -- S24, S26, S27 ----------------------------------------------------------------------------------------------------


def test_s24_what_is_never_known_does_not_wait(settled):
    """lag_tolerance lets known changes wait; whether a value that differs on each call has changed, nobody knows."""
    settled.model("moody", "select id from {{ ref('orders') }} where random() < 2", state={"lag_tolerance": "1h"})
    settled.model("calm", "select id from {{ ref('orders') }} where day < current_date", state={"lag_tolerance": "1h"})
    settled.settle("run -s moody calm", times=1)
    settled.dbt("run -s moody calm", twin=True).expect({"moody": "success volatile_sql", "calm": "reused no_new_data"}, rc=0)


@pytest.mark.parametrize(
    "query",
    [
        "select id from {{ ref('orders') }} where random() < 2",
        "select id from {{ ref('orders') }} where now() > day",
        "select id from {{ ref('orders') }} where current_setting('threads') is not null",
        "select id from {{ ref('orders') }} where version() <> ''",
        "select id from {{ ref('orders') }} where getvariable('x') is null",
        "select id from {{ ref('orders') }} where age(day::timestamp) > interval 1 second",
        "select id from {{ ref('orders') }} order by uuid() limit 6",
        "select id from {{ ref('orders') }} using sample 6 rows",
        "select id from {{ ref('orders') }} tablesample reservoir(6)",
        "select id from {{ ref('orders') }} where rowid >= 0",
        "select id from {{ ref('orders') }} where '{{ run_started_at }}' > '2020'",
        "select id from {{ ref('orders') }} where length('{{ invocation_id }}') = 36",
    ],
)
def test_s24_s26_s27_volatile_calls_that_decide(settled, query):
    settled.model("moody", query)
    settled.settle("run -s moody", times=1)
    settled.dbt("run -s moody", twin=True).expect({"moody": "success volatile_sql"}, rc=0)


@pytest.mark.parametrize(
    "query",
    [
        "select id from {{ ref('orders') }} where day < current_date",
        "select id from {{ ref('orders') }} where day < today()",
        "select id from {{ ref('orders') }} where current_schema() <> 'x' and current_database() = 'shop'",
        "select id, now() as loaded_at from {{ ref('orders') }}",
        "select id, '{{ invocation_id }}' as loaded_at from {{ ref('orders') }}",
        "select id, '{{ run_started_at }}'::timestamptz as loaded_at from {{ ref('orders') }}",
        "select id from {{ ref('orders') }} using sample reservoir(6 rows) repeatable (42)",
        "select id from {{ ref('orders') }} where age(day, date '2020-01-01') > interval 1 second",
    ],
)
def test_s24_s26_s27_volatile_calls_that_do_not(settled, query):
    """Equal as long as date, user, schema and time zone are; stamps; samples with a seed."""
    settled.model("calm", query)
    settled.settle("run -s calm", times=1)
    settled.dbt("run -s calm", twin=True).expect({"calm": "reused no_new_data"}, rc=0)


def test_s27_deciding_use_next_to_a_stamp(settled):
    settled.model(
        "mixed",
        "select id, '{{ run_started_at }}' as loaded_at from {{ ref('orders') }} where '{{ run_started_at }}' > '2020'",
    )
    settled.settle("run -s mixed", times=1)
    always(settled, "mixed", "volatile_sql")
