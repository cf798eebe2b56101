"""Replayed tests: what they say, what makes them run, and which rule comes first. And shadow mode's proof of its own decisions."""

import json
import subprocess

import dbt_hodor._binary
import pytest

from . import shop


def test_replay_says_which_run_it_comes_from(settled):
    settled.write("tests/small.sql", "{{ config(severity='warn') }}\nselect id from {{ ref('orders') }} where amount > 100\n")
    first = settled.dbt("test -s small orders_id_given")
    for _ in range(2):
        run = settled.dbt("test -s small orders_id_given")
        run.expect({"small": "warn no_new_data", "orders_id_given": "pass no_new_data"}, rc=0)
        assert first.invocation_id in run.messages["small"] and first.messages["small"] in run.messages["small"]
        assert first.invocation_id in run.line("small")
        assert "WARN 3" in run.line("small")
        newest = settled.records("unique_id like 'test.shop.orders_id_given%' and action = 'build'")[-1]["invocation_id"]
        assert newest in run.line("orders_id_given") and newest in run.messages["orders_id_given"]
        assert run.ran_sql("test.shop.small") == []


def test_two_parents(settled):
    """Either parent's data make it run."""
    settled.sql(shop.NEW_ORDER)
    settled.dbt("build -s orders").expect({"orders_customer_known": "pass new_upstream_data"}, rc=0)
    settled.sql(shop.NEW_CUSTOMER)
    settled.dbt("build -s dim_customers").expect({"orders_customer_known": "pass new_upstream_data"}, rc=0)
    settled.dbt("test -s orders_customer_known").expect({"orders_customer_known": "pass no_new_data"}, rc=0)


def test_changed_arguments_make_another_test(settled):
    """What a generic test asks is part of its SQL, and of its name."""
    settled.edit(
        "models/schema.yml", "- not_null: {name: orders_id_given}", "- not_null: {name: orders_id_given, config: {limit: 5}}"
    )
    settled.dbt("test -s orders_id_given").expect({"orders_id_given": "pass config_changed"}, rc=0)


RULES = {
    "code_changed": lambda project: project.edit("tests/amount_positive.sql", "amount <= 0", "amount < 0"),
    "config_changed": lambda project: project.edit(
        "tests/amount_positive.sql", "select id", "{{ config(severity='warn') }}select id"
    ),
    "new_upstream_data": lambda project: project.sql("update main.orders set amount = 51 where id = 1"),
}


def test_order_of_the_rules(settled):
    """Everything at once, and one thing less each time: a table that is gone, code, configuration, data."""
    for change in RULES.values():
        change(settled)
    command = "test -s amount_positive"
    assert settled.dbt(command).decided("amount_positive") == "code_changed"
    settled.sql("update main.orders set amount = 52 where id = 1")
    settled.edit("tests/amount_positive.sql", "severity='warn'", "severity='error'")
    assert settled.dbt(command).decided("amount_positive") == "config_changed"
    settled.sql("update main.orders set amount = 53 where id = 1")
    assert settled.dbt(command).decided("amount_positive") == "new_upstream_data"
    settled.edit("tests/amount_positive.sql", "amount < 0", "amount < 1")
    settled.sql("drop table main.orders cascade")
    run = settled.dbt(command)
    run.expect({"amount_positive": "error relation_missing"}, rc=1)


@pytest.mark.parametrize("kind", ["table", "view", "ephemeral"])
def test_store_failures_as(settled, kind):
    settled.write(
        "tests/small.sql",
        f"{{{{ config(severity='warn', store_failures_as='{kind}') }}}}\nselect id from {{{{ ref('orders') }}}} where amount > 100\n",
    )
    settled.dbt("test -s small").expect({"small": "warn no_history"}, rc=0)
    run = settled.dbt("test -s small", twin=True)
    run.expect({"small": "warn no_new_data"}, rc=0)


def test_test_that_begins_to_store_its_failures(settled):
    settled.write("tests/small.sql", "{{ config(severity='warn') }}\nselect id from {{ ref('orders') }} where amount > 100\n")
    settled.dbt("test -s small")
    settled.edit("tests/small.sql", "severity='warn'", "severity='warn', store_failures=true")
    settled.dbt("test -s small", twin=True).expect({"small": "warn config_changed"}, rc=0)
    assert settled.rows("main_dbt_test__audit.small", "count(*)") == [["3"]]
    settled.sql("drop table main_dbt_test__audit.small")
    settled.dbt("test -s small", twin=True).expect({"small": "warn relation_missing"}, rc=0)


# -- shadow mode ------------------------------------------------------------------------------------------------------

#: Spec sections 8.1 and 14: decided as a reuse, built all the same, and other rows than the build before.
FALSE_REUSES = """
select r.unique_id from hodor_state r
where r.mode = 'shadow' and r.decision = 'reuse' and r.data_version is distinct from (
    select p.data_version from hodor_state p
    where p.node_key = r.node_key and p.action = 'build' and p.status = 'success' and p.recorded_at_ms < r.recorded_at_ms
    order by p.recorded_at_ms desc limit 1)
and r.resource_type <> 'test'
"""


def false_reuses(project) -> tuple[int, str]:
    """Exit status and output of hodor-sql report --false-reuses."""
    done = subprocess.run(
        [dbt_hodor._binary.find(), "report", "--false-reuses", "--json", "--project-dir", project.dir],
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, done.stdout


def test_false_reuse_is_found(settled):
    """A model that its user takes for steady, and that is not: shadow builds it, and its rows tell."""
    settled.model("opted", "select id from {{ ref('orders') }} where random() < 0.5", state={"evaluate_volatile_sql": False})
    settled.settle("run -s opted", times=1)
    assert false_reuses(settled)[0] == 0
    shadow = {"HODOR_MODE": "shadow"}
    wrong = set()
    for _ in range(4):  # one in 64 draws repeats the rows
        run = settled.dbt("run -s orders opted", env=shadow)
        run.expect({"orders": "success no_new_data", "opted": "success no_new_data"}, mode="shadow", rc=0)
        wrong = {name for (name,) in settled.sql(FALSE_REUSES, database=settled.state, read_only=True)}
        if wrong:
            break
    assert wrong == {"model.shop.opted"}
    status, text = false_reuses(settled)
    assert status == 1
    assert "model.shop.opted" in text and "model.shop.orders" not in json.dumps(json.loads(text))
