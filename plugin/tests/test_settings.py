"""Precedence, accepted forms and warnings of the hodor_* settings (spec 9.2). The sources are given; test_run has dbt's own."""

import json
from pathlib import Path

import pytest
from dbt_hodor.settings import SETTINGS, resolve


def settle(profile=None, cli_vars=None, env=None, adapter="duckdb", database="shop"):
    return resolve(adapter, database, "dev", profile or {}, cli_vars or {}, env or {})


def test_defaults_on_duckdb():
    found = settle()
    assert (found.mode, found.store, found.database, found.schema) == ("shadow", "duckdb", "", "main")
    assert (found.table, found.path) == ("hodor_state", ".hodor/state.duckdb")
    assert (found.metadata_threads, found.lookback_days, found.keep_sql) == (8, 90, False)
    assert (found.reported_status, found.endpoint, found.price_per_hour) == ("reused", "", None)
    assert set(found.sources.values()) == {"default"} and set(found.sources) == set(SETTINGS) and found.warnings == []


def test_defaults_on_databricks():
    found = settle({"hodor_schema": "ops"}, adapter="databricks", database="cat")
    assert (found.mode, found.store, found.database, found.schema) == ("shadow", "delta", "cat", "ops")


def test_precedence():
    env, given, profile = {"HODOR_LOOKBACK_DAYS": "1"}, {"hodor_lookback_days": 2}, {"hodor_lookback_days": 3}
    for sources, value, name in (
        ((profile, given, env), 1, "environment variable HODOR_LOOKBACK_DAYS"),
        ((profile, given, {}), 2, "--vars"),
        ((profile, {}, {}), 3, "profiles.yml, target dev"),
        (({}, {}, {}), 90, "default"),
    ):
        found = settle(*sources)
        assert (found.lookback_days, found.sources["lookback_days"], found.warnings) == (value, name, [])


def test_an_empty_environment_variable_is_none():
    assert settle({"hodor_mode": "on"}, env={"HODOR_MODE": ""}).mode == "on"


@pytest.mark.parametrize(
    "value, mode",
    [("on", "on"), ("ON ", "on"), (True, "on"), ("off", "off"), (False, "off"), ("false", "off"), ("shadow", "shadow")],
)
def test_modes(value, mode):
    assert settle({"hodor_mode": value}).mode == mode


WRONG = [
    ("mode", "of", "shadow", "off, shadow or on is needed; using shadow"),
    ("mode", 1, "shadow", "off, shadow or on is needed; using shadow"),
    ("store", "sqlite", "duckdb", "delta, duckdb or postgres is needed; using duckdb"),
    ("schema", "a.b", "main", "letters, digits, _ and -"),
    ("schema", "-a", "main", "letters, digits, _ and -"),
    ("table", 'x"; drop table y', "hodor_state", "letters, digits, _ and -"),
    ("table", "t\n", "hodor_state", "letters, digits, _ and -"),
    ("path", 7, ".hodor/state.duckdb", "a text is needed"),
    ("path", " ", ".hodor/state.duckdb", "a text is needed"),
    ("metadata_threads", 0, 8, "a number from 1 to 64 is needed; using 8"),
    ("metadata_threads", 65, 8, "a number from 1 to 64 is needed; using 8"),
    ("metadata_threads", True, 8, "a number from 1 to 64 is needed; using 8"),
    ("metadata_threads", "4.0", 8, "a number from 1 to 64 is needed; using 8"),
    ("lookback_days", "ninety", 90, "a number from 1 to 3650 is needed; using 90"),
    ("keep_sql", "maybe", False, "true or false is needed; using false"),
    ("reported_status", "ok", "reused", "reused or success is needed; using reused"),
    ("price_per_hour", "cheap", None, "a number, 0 or more, is needed; using none"),
    ("price_per_hour", -1, None, "a number, 0 or more, is needed; using none"),
    ("price_per_hour", "nan", None, "a number, 0 or more, is needed; using none"),
    ("price_per_hour", False, None, "a number, 0 or more, is needed; using none"),
]


@pytest.mark.parametrize("name, value, default, words", WRONG)
def test_a_wrong_value_is_one_warning_and_the_default(name, value, default, words):
    found = settle({f"hodor_{name}": value})
    assert getattr(found, name) == default
    assert found.sources[name] == "default"
    (warning,) = found.warnings
    shown = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
    assert warning.startswith(f"hodor_{name} is {shown} (profiles.yml, target dev): ") and words in warning


def test_the_warning_of_the_examples():
    found = settle({"hodor_lookback_days": "ninety"})
    assert found.warnings == [
        'hodor_lookback_days is "ninety" (profiles.yml, target dev): a number from 1 to 3650 is needed; using 90.'
    ]


def test_a_wrong_value_is_shown_in_one_line():
    (warning,) = settle({"hodor_mode": 'o"n\nhodor: all is well'}).warnings
    assert warning.startswith('hodor_mode is "o\\"n\\nhodor: all is well" (profiles.yml')


def test_a_wrong_value_does_not_fall_through_to_a_weaker_source():
    found = settle({"hodor_metadata_threads": 4}, env={"HODOR_METADATA_THREADS": "many"})
    assert found.metadata_threads == 8 and "environment variable HODOR_METADATA_THREADS" in found.warnings[0]


RIGHT = [
    ("metadata_threads", "64", 64),
    ("lookback_days", "3650", 3650),
    ("keep_sql", "yes", True),
    ("keep_sql", 0, False),
    ("table", "9_a-b", "9_a-b"),
    ("schema", "OPS", "OPS"),
    ("reported_status", "Success", "success"),
    ("price_per_hour", "2.5", 2.5),
    ("price_per_hour", 0, 0.0),
    ("path", " x y.duckdb ", "x y.duckdb"),
]


@pytest.mark.parametrize("name, value, expected", RIGHT)
def test_accepted_forms(name, value, expected):
    found = settle({f"hodor_{name}": value})
    assert getattr(found, name) == expected and found.warnings == []


def test_delta_needs_a_schema():
    found = settle({"hodor_mode": "on"}, adapter="databricks", database="cat")
    assert found.mode == "off"
    (warning,) = found.warnings
    assert "needs hodor_schema" in warning and "HODOR_SCHEMA" in warning


def test_postgres_needs_a_database():
    assert settle({"hodor_store": "lakebase"}).mode == "off"
    found = settle({"hodor_store": "lakebase", "hodor_database": "ops", "hodor_endpoint": "projects/p/branches/b/endpoints/e"})
    assert (found.mode, found.store, found.database, found.schema) == ("shadow", "postgres", "ops", "public")
    assert found.wire()["endpoint"] == "projects/p/branches/b/endpoints/e"


def test_duckdb_can_not_write_delta():
    found = settle({"hodor_store": "delta", "hodor_schema": "x"})
    assert (found.mode, found.store, found.schema) == ("shadow", "duckdb", "x")
    assert "delta (profiles.yml, target dev)" in found.warnings[0]


def test_a_duckdb_store_on_databricks():
    found = settle({"hodor_store": "duckdb"}, adapter="databricks")
    assert (found.mode, found.store, found.schema, found.database) == ("shadow", "duckdb", "main", "")


def test_unknown_keys_are_named_with_the_nearest_one():
    found = settle({"hodor_shema": "a", "type": "duckdb"}, {"hodor_mod": "on", "other": 1}, {"HODOR_PATHS": "x", "HOME": "/"})
    assert sorted(found.warnings) == [
        "environment variable HODOR_PATHS is no setting of hodor and is ignored; the nearest is HODOR_PATH.",
        "hodor_mod (--vars) is no setting of hodor and is ignored; the nearest is hodor_mode.",
        "hodor_shema (profiles.yml, target dev) is no setting of hodor and is ignored; the nearest is hodor_schema.",
    ]


def test_the_machine_variables_are_no_settings():
    found = settle(env={"HODOR_BINARY": "/x", "HODOR_DEADLINE_S": "5", "HODOR_PROJECT": "shop"})
    assert (found.deadline_s, found.warnings) == (5, [])


@pytest.mark.parametrize("value", ["soon", "0", "-1", "nan", "inf", "86401"])
def test_a_wrong_deadline_is_one_warning_and_the_default(value):
    found = settle(env={"HODOR_DEADLINE_S": value})
    (warning,) = found.warnings
    assert found.deadline_s == 60 and f'HODOR_DEADLINE_S is "{value}"' in warning and "using 60" in warning


def test_off_says_nothing_about_the_rest():
    assert settle({"hodor_mode": "off", "hodor_shema": "a", "hodor_table": "-"}).warnings == []


def test_a_long_value_is_cut():
    (warning,) = settle({"hodor_table": "x." * 500}).warnings
    assert len(warning) < 250


def test_the_docs_list_every_setting_with_its_default():
    rows = {}
    for line in (Path(__file__).parents[2] / "docs" / "settings.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `hodor_"):
            rows[cells[0].strip("`")] = cells
    assert set(rows) == {f"hodor_{name}" for name in SETTINGS}
    for name, setting in SETTINGS.items():
        cells = rows[f"hodor_{name}"]
        assert cells[1] == f"`HODOR_{name.upper()}`"
        if setting.default is not None:
            assert cells[2].strip("`") == str(setting.default).lower()
