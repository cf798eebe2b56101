"""The settings under `state:`, wherever they stand: what each does, how the levels merge, and what is said of wrong ones."""

import pytest

from . import shop


def settings_of(run, model: str = "orders") -> dict:
    return run.manifest["nodes"][f"model.shop.{model}"]["config"]["state"]


def test_levels_merge_key_by_key(settled):
    """Project, folder, property file and config() each set one key; the deepest level that names a key wins."""
    settled.edit(
        "dbt_project.yml",
        "models:\n  shop:\n    +state: {lag_tolerance: 0s}\n",
        "models:\n  +state: {lag_tolerance: 1w, evaluate_volatile_sql: true}\n"
        "  shop:\n    +state: {lag_tolerance: 0s}\n    core:\n      +state: {require_fresh_data_from: all}\n",
    )
    settled.write("models/core/orders.sql", settled.read("models/orders.sql"))
    (settled.dir / "models" / "orders.sql").unlink()
    settled.describe("orders", "config: {state: {compare_unrendered_code: true, require_fresh_data_from: any}}")
    settled.edit("models/core/orders.sql", "{{ config(", "{{ config(state={'execute_hooks_on_any_reuse': true}, ")
    run = settled.dbt("run -s orders")
    assert settings_of(run) == {
        "lag_tolerance": "0s",
        "evaluate_volatile_sql": True,
        "require_fresh_data_from": "any",
        "compare_unrendered_code": True,
        "execute_hooks_on_any_reuse": True,
    }
    assert settings_of(run, "daily") == {"lag_tolerance": "0s", "evaluate_volatile_sql": True}
    settled.sql(shop.NEW_ORDER)
    settled.dbt("run -s orders").expect({"orders": "success new_upstream_data"}, rc=0)


@pytest.mark.parametrize("command", ["compile", "run -s rates"])
def test_levels_merge_after_a_command_without_hodor(settled, command):
    """dbt keeps merged settings in its saved parse; one that was made without the merge is not used."""
    settled.config("orders", state={"require_fresh_data_from": "any"})
    assert settled.dbt(command, hidden=True).rc == 0
    run = settled.dbt("run -s orders")
    assert settings_of(run) == {"lag_tolerance": "0s", "require_fresh_data_from": "any"}


def test_merge_in_the_middle_of_a_partial_parse(settled):
    """A file that changes after a parse with hodor is merged anew, the others are kept."""
    settled.dbt("build")
    settled.describe("orders", "config: {state: {require_fresh_data_from: all}}")
    settled.config("daily", state={"compare_unrendered_code": True})
    run = settled.dbt("build")
    assert settings_of(run) == {"lag_tolerance": "0s", "require_fresh_data_from": "all"}
    assert settings_of(run, "daily") == {"lag_tolerance": "0s", "compare_unrendered_code": True}
    run.expect(rest="reused", rc=0)


FORMS = ["1h", "3600", "{count: 1, period: hour}", "{count: 2, period: hours}", "60m", "1d", "1w", "3600s", "'3600'"]


def as_jinja(value: str) -> str:
    """A value of YAML in flow style as a Jinja expression."""
    return "{'count': 1, 'period': 'hour'}" if value.startswith("{") else value if value.strip("'").isdigit() else f"'{value}'"


def test_lag_tolerance_in_every_form_and_place(settled):
    """One model for each form and place: all are young enough to keep, and nothing is warned of."""
    project, properties, names = "", "", []
    for number, form in enumerate(FORMS):
        for place in ("project", "properties", "config"):
            name = f"lag_{place}_{number}"
            names.append(name)
            settled.model(name, "select id from {{ source('raw', 'orders') }}")
            if place == "project":
                project += f"    {name}:\n      +state: {{lag_tolerance: {form}}}\n"
            elif place == "properties":
                properties += f"  - name: {name}\n    config: {{state: {{lag_tolerance: {form}}}}}\n"
            else:
                settled.edit(f"models/{name}.sql", "{{ config(", "{{ config(state={'lag_tolerance': " + as_jinja(form) + "}, ")
    settled.edit("dbt_project.yml", "seeds:\n", project + "seeds:\n")
    settled.write("models/lags.yml", "models:\n" + properties)
    settled.settle("run -s lag_*", times=1)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("run -s lag_*")
    run.expect(dict.fromkeys(names, "reused within_lag_tolerance"), rc=0)
    assert run.warnings == []


WRONG = [
    ("lag_tolerance", "soon", "using 45m"),
    ("lag_tolerance", "-1", "using 45m"),
    ("lag_tolerance", "1.5h", "using 45m"),
    ("lag_tolerance", "[1, 2]", "using 45m"),
    ("lag_tolerance", "{count: 1, period: fortnight}", "using 45m"),
    ("require_fresh_data_from", "some", "using any"),
    ("compare_unrendered_code", "perhaps", "using false"),
    ("execute_hooks_on_any_reuse", "2", "using false"),
    ("execute_hooks_on_reuse", "2", "using false"),
    ("evaluate_volatile_sql", "often", "using auto"),
    ("lag_tolerence", "1h", "no setting of hodor"),
]


def test_wrong_values_are_warned_of_and_the_default_holds(settled):
    """One line for each wrong value, though two models have it."""
    listed = ""
    for number, (key, value, _) in enumerate(WRONG):
        for twin in "ab":
            settled.model(f"wrong_{number}{twin}", "select id from {{ source('raw', 'orders') }}")
            listed += f"  - name: wrong_{number}{twin}\n    config: {{state: {{{key}: {value}}}}}\n"
    settled.write("models/wrong.yml", "models:\n" + listed)
    settled.settle("run -s wrong_*", times=1)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("run -s wrong_*")
    for number, (key, _, said) in enumerate(WRONG):
        kept = "reused within_lag_tolerance" if key == "lag_tolerance" else "success new_upstream_data"
        run.expect({f"wrong_{number}a": kept, f"wrong_{number}b": kept})
        found = [line for line in run.warnings if f".wrong_{number}a (and 1 more)" in line]
        assert len(found) == 1, run.text
        assert f"state.{key}" in found[0] and said in found[0], found[0]
    assert len(run.warnings) == len(WRONG)


def test_block_that_is_no_block(settled):
    settled.describe("orders", "config: {state: 1h}")
    settled.settle("run -s orders --full-refresh", times=1)  # its age counts, however long ago the project was made
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("run -s orders")
    assert len(run.warnings) == 1 and "state" in run.warnings[0], run.text
    run.expect({"orders": "reused within_lag_tolerance"}, rc=0)


def test_settings_of_the_other_product_are_named_once(settled):
    settled.edit(
        "dbt_project.yml",
        "models:\n  shop:\n    +state: {",
        "models:\n  shop:\n    +state: {pre_clone: true, allow_clones: true, ",
    )
    settled.describe("orders", "config: {state: {defer_to_target: prod}}")
    run = settled.dbt("build")
    run.expect(rest="reused", rc=0)
    assert len(run.warnings) == 1, run.text
    assert all(key in run.warnings[0] for key in ("pre_clone", "allow_clones", "defer_to_target"))


ANY, ALIAS = "execute_hooks_on_any_reuse", "execute_hooks_on_reuse"


def test_both_names_of_execute_hooks(settled):
    """The name with `any` wins over its alias where both stand."""
    settings = [{ANY: True}, {ALIAS: True}, {ANY: False}, {ALIAS: "true"}, {ANY: False, ALIAS: True}, {ANY: True, ALIAS: False}]
    settled.sql("create table raw.audit (n integer)")
    for n, state in enumerate(settings):
        settled.model(f"hooked_{n}", "select 1 as id", post_hook=f"insert into raw.audit values ({n})", state=state)
    settled.settle("run -s hooked_* --threads 1", times=1)
    settled.dbt("run -s hooked_* --threads 1").expect(rest="reused", rc=0)
    ran = settled.sql("select n from raw.audit group by n having count(*) = 2 order by n")
    assert ran == [["0"], ["1"], ["3"], ["5"]]


def test_settings_of_seeds_and_snapshots(settled):
    """Without a tolerance of their own they have the default of 45 minutes, as models do."""
    settled.write("dbt_project.yml", settled.read("dbt_project.yml").split("seeds:")[0])
    settled.settle("build -s snap_customers --full-refresh", times=1)
    settled.sql("update raw.customers set name = 'Zoe' where id = 2")
    settled.dbt("snapshot").expect({"snap_customers": "reused within_lag_tolerance"}, rc=0)
    settled.edit("snapshots/snap_customers.sql", "{{ config(", "{{ config(state={'lag_tolerance': '0s'}, ")
    settled.dbt("snapshot", twin=True).expect({"snap_customers": "success new_upstream_data"}, rc=0)


# -- compare_unrendered_code ------------------------------------------------------------------------------------------


@pytest.fixture
def unrendered(settled):
    """A model whose SQL comes from a var and, over two levels, from macros."""
    settled.write("macros/outer.sql", "{% macro outer_rule() %}{{ inner_rule() }}{% endmacro %}\n")
    settled.write("macros/inner.sql", "{% macro inner_rule() %}id <= {{ var('most', 3) }}{% endmacro %}\n")
    settled.model(
        "limited", "select id from {{ ref('orders') }} where {{ outer_rule() }}", state={"compare_unrendered_code": True}
    )
    settled.settle("run -s limited", times=1)
    settled.dbt("run -s limited").expect({"limited": "reused no_new_data"}, rc=0)
    return settled


def test_unrendered_var(unrendered):
    """What the user asked for: a changed value of a var alone does not build."""
    unrendered.dbt("run -s limited --vars 'most: 4'").expect({"limited": "reused no_new_data"}, rc=0)
    assert unrendered.rows("main.limited", "count(*)") == [["3"]]


def test_unrendered_code(unrendered):
    unrendered.edit("models/limited.sql", "select id", "select id + 1 as id")
    unrendered.dbt("run -s limited", twin=True).expect({"limited": "success code_changed"}, rc=0)


def test_unrendered_comment(unrendered):
    """Unrendered code differs, rendered code means the same."""
    unrendered.edit("models/limited.sql", "select id", "select id {# the key #}")
    unrendered.dbt("run -s limited", twin=True).expect({"limited": "reused no_new_data"}, rc=0)


def test_unrendered_macro_two_levels_down(unrendered):
    unrendered.edit("macros/inner.sql", "id <=", "id <")
    unrendered.dbt("run -s limited", twin=True).expect({"limited": "success code_changed"}, rc=0)


def test_unrendered_macro_and_var(unrendered):
    unrendered.edit("macros/inner.sql", "id <=", "id  <=")
    unrendered.dbt("run -s limited --vars 'most: 4'", twin=True).expect({"limited": "success code_changed"}, rc=0)


def test_unrendered_ephemeral_parent(settled):
    settled.config("big_orders", state={"compare_unrendered_code": True})
    settled.settle("run -s big_orders", times=1)
    settled.edit("models/eph_big.sql", "amount > 100", "amount > 50")
    settled.dbt("run -s big_orders", twin=True).expect({"big_orders": "success code_changed"}, rc=0)
