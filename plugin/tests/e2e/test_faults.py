"""hodor broken, missing or misused: dbt's run stays what plain dbt's is, one warning says why, and nothing wrong is recorded."""

import json

import pytest

from . import shop
from .faults import BROKEN, ODD, fake_service, gone, locked_store, tripwire
from .project import Project
from .run import Run

#: A deadline short enough for a test: the fakes that hang do so for ten minutes.
HURRY = {"HODOR_DEADLINE_S": "3"}


def assert_plain(project: Project, run: Run, plain: tuple[Project, Run]) -> None:
    """Asserts that a run with a broken hodor reused nothing and left what plain dbt leaves."""
    run.twin = plain[1]
    assert run.rc == 0, run.text
    assert "reused" not in run.statuses.values(), run.text
    project.same_as(plain[0], run)
    assert "Traceback" not in run.text, run.text


def assert_plain_with_one_warning(project: Project, run: Run, plain: tuple[Project, Run], *words: str) -> None:
    assert_plain(project, run, plain)
    said = run.warnings
    assert len(said) == 1, run.text
    for word in words:
        assert word in said[0], said[0]


# -- the service ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BROKEN)
def test_broken_service(settled, plain, tmp_path, name):
    binary, pid = fake_service(tmp_path, BROKEN[name])
    settled.sql(shop.NEW_ORDER)
    before = settled.records()
    run = settled.dbt("build", env={"HODOR_BINARY": str(binary), **HURRY}, process=True)
    assert_plain_with_one_warning(settled, run, plain)
    assert settled.records() == before
    assert gone(int(pid.read_text())), "the service is still running"


@pytest.mark.parametrize("name", ODD)
def test_odd_service(settled, plain, tmp_path, name):
    binary, pid = fake_service(tmp_path, ODD[name])
    settled.sql(shop.NEW_ORDER)
    before = settled.records()
    run = settled.dbt("build", env={"HODOR_BINARY": str(binary), **HURRY}, process=True)
    assert_plain(settled, run, plain)
    assert settled.records() == before
    assert gone(int(pid.read_text())), "the service is still running"


def test_service_of_another_version_is_named(settled, plain, tmp_path):
    binary, _ = fake_service(tmp_path, BROKEN["is of another version"])
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", env={"HODOR_BINARY": str(binary)}, process=True)
    assert_plain_with_one_warning(settled, run, plain, "99.9.9", str(binary), "HODOR_BINARY")


def test_last_words_of_a_dead_service_are_shown(settled, plain, tmp_path):
    binary, _ = fake_service(tmp_path, BROKEN["dies at the start"])
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", env={"HODOR_BINARY": str(binary)}, process=True)
    assert_plain_with_one_warning(settled, run, plain, "out of memory", "9")


@pytest.mark.parametrize("kind", ["missing", "a folder", "not executable", "not a program"])
def test_missing_binary(settled, plain, tmp_path, kind):
    binary = tmp_path / "hodor-sql"
    if kind == "a folder":
        binary.mkdir()
    elif kind != "missing":
        binary.write_bytes(b"\x7fELF nothing")
        binary.chmod(0o755 if kind == "not a program" else 0o644)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", env={"HODOR_BINARY": str(binary)}, process=True)
    assert_plain_with_one_warning(settled, run, plain, "HODOR_BINARY", str(binary))


# -- the store --------------------------------------------------------------------------------------------------------


def test_store_locked_by_another_process(settled, plain):
    settled.sql(shop.NEW_ORDER)
    with locked_store(settled.state):
        run = settled.dbt("build", process=True)
    assert_plain_with_one_warning(settled, run, plain, "state.duckdb", "locked by", "HODOR_PATH")
    assert settled.records(f"invocation_id = '{run.invocation_id}'") == []
    settled.dbt("build", twin=True).expect(
        {
            **dict.fromkeys(["orders", "daily"], "success target_modified"),
            "big_orders": "success new_upstream_data",  # its rows are the same: the new order is small
            **dict.fromkeys(shop.TESTS, "pass new_upstream_data"),
        },
        rest="reused",
        rc=0,
    )


def test_store_in_the_warehouse_file(settled, plain):
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", env={"HODOR_PATH": "shop.duckdb"}, process=True)
    assert_plain_with_one_warning(settled, run, plain, "shop.duckdb", "warehouse", "HODOR_PATH")


@pytest.mark.parametrize("kind", ["text", "empty", "cut off", "a folder"])
def test_store_broken(settled, plain, kind):
    whole = settled.state.read_bytes()
    settled.state.unlink()
    if kind == "a folder":
        settled.state.mkdir()
    else:
        settled.state.write_bytes({"text": b"hello " * 1000, "empty": b"", "cut off": whole[: len(whole) // 2]}[kind])
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", process=True)
    assert_plain_with_one_warning(settled, run, plain, "state.duckdb", "HODOR_PATH")


@pytest.mark.parametrize(
    "statement",
    [
        "alter table hodor_state rename column decision to verdict",
        "alter table hodor_state alter column built_at_ms type varchar using 'then'",
        "drop table hodor_state; create table hodor_state (a integer); insert into hodor_state values (1)",
        "drop table hodor_state; create view hodor_state as select 1 as a",
    ],
)
def test_store_of_another_schema(settled, plain, statement):
    settled.sql(statement, database=settled.state)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", process=True)
    assert_plain_with_one_warning(settled, run, plain, "hodor_state", "HODOR_TABLE")


def test_store_of_an_older_schema(settled, plain):
    """The column is added again. Records without a checksum are no history."""
    settled.sql("alter table hodor_state drop column checksum", database=settled.state)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", process=True)
    assert_plain_with_one_warning(settled, run, plain, "11 records")
    settled.dbt("build", twin=True).expect(rest="reused", rc=0)


def test_store_of_a_newer_schema(settled, plain):
    settled.sql("alter table hodor_state add column mood varchar", database=settled.state)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", process=True)
    assert_plain_with_one_warning(settled, run, plain, "mood", "update hodor")


# -- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HODOR_STORE", "oracle"),
        ("HODOR_SCHEMA", 'main"; drop table hodor_state'),
        ("HODOR_TABLE", "hodor state"),
        ("HODOR_PATH", " "),
        ("HODOR_METADATA_THREADS", "0"),
        ("HODOR_METADATA_THREADS", "many"),
        ("HODOR_LOOKBACK_DAYS", "ninety"),
        ("HODOR_LOOKBACK_DAYS", "3651"),
        ("HODOR_KEEP_SQL", "perhaps"),
        ("HODOR_REPORTED_STATUS", "skipped"),
        ("HODOR_PRICE_PER_HOUR", "cheap"),
        ("HODOR_DEADLINE_S", "soon"),
    ],
)
def test_wrong_setting_uses_the_default(settled, name, value):
    run = settled.dbt("build", env={name: value})
    run.expect(rest="reused", rc=0)
    said = run.warnings
    assert len(said) == 1, run.text
    for word in (name, json.dumps(value, ensure_ascii=False), "needed", "; using "):
        assert word in said[0], said[0]


def test_wrong_mode_is_shadow(settled):
    """The default mode never reuses: a slip in the one setting that allows it builds everything."""
    settled.profile(hodor_mode="onn")
    run = settled.dbt("build", twin=True)
    assert "reused" not in run.statuses.values()
    assert run.records["orders"]["mode"] == "shadow"
    said = run.warnings
    assert len(said) == 1 and "hodor_mode" in said[0] and "onn" in said[0], run.text


def test_unknown_key_is_named(settled):
    settled.profile(hodor_lag="1h")
    run = settled.dbt("build")
    run.expect(rest="reused", rc=0)
    said = run.warnings
    assert len(said) == 1 and "hodor_lag" in said[0], run.text


@pytest.mark.parametrize(
    ("environment", "variable", "expected"), [("on", "off", "on"), (None, "shadow", "shadow"), (None, None, "on")]
)
def test_precedence_environment_then_vars_then_profile(settled, environment, variable, expected):
    run = settled.dbt(
        "build",
        *(["--vars", f"hodor_mode: {variable}"] if variable else []),
        env={"HODOR_MODE": environment} if environment else None,
    )
    assert {record["mode"] for record in run.records.values()} == {expected}


def test_default_mode_is_shadow(settled):
    settled.profile(hodor_mode=None)
    run = settled.dbt("build", twin=True)
    assert "reused" not in run.statuses.values()
    assert {record["mode"] for record in run.records.values()} == {"shadow"}


# -- company ----------------------------------------------------------------------------------------------------------


def test_dbt_state_installed_as_well(settled, plain, tmp_path):
    package = tmp_path / "packages" / "dbt_state"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("plugins = []\n")
    trap, sprung = tripwire(tmp_path)
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", env={"PYTHONPATH": str(package.parent), "HODOR_BINARY": str(trap)}, process=True)
    assert_plain_with_one_warning(settled, run, plain, "dbt_state")
    assert not sprung.exists()
    assert run.records == {}


POND = {
    "dbt/adapters/pond/__init__.py": (
        "from dataclasses import dataclass\n"
        "from dbt.adapters.base import AdapterPlugin\n"
        "from dbt.adapters.duckdb.connections import DuckDBConnectionManager\n"
        "from dbt.adapters.duckdb.credentials import DuckDBCredentials\n"
        "from dbt.adapters.duckdb.impl import DuckDBAdapter\n"
        "from dbt.include import pond\n\n\n"
        "@dataclass\nclass PondCredentials(DuckDBCredentials):\n"
        "    @property\n    def type(self):\n        return 'pond'\n\n\n"
        "class PondConnections(DuckDBConnectionManager):\n    TYPE = 'pond'\n\n\n"
        "class PondAdapter(DuckDBAdapter):\n    ConnectionManager = PondConnections\n\n\n"
        "Plugin = AdapterPlugin(adapter=PondAdapter, credentials=PondCredentials, include_path=pond.PACKAGE_PATH,"
        " dependencies=['duckdb'])\n"
    ),
    "dbt/adapters/pond/__version__.py": "version = '1.0.0'\n",
    "dbt/include/pond/__init__.py": "import os\n\nPACKAGE_PATH = os.path.dirname(__file__)\n",
    "dbt/include/pond/dbt_project.yml": "name: dbt_pond\nversion: 1.0\nconfig-version: 2\nmacro-paths: ['macros']\n",
}


def test_another_adapter_is_plain_dbt(settled, plain, tmp_path):
    for path, text in POND.items():
        target = tmp_path / "packages" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    trap, sprung = tripwire(tmp_path)
    settled.edit("profiles.yml", "type: duckdb", "type: pond")
    settled.sql(shop.NEW_ORDER)
    before = settled.records()
    run = settled.dbt("build", env={"PYTHONPATH": str(tmp_path / "packages"), "HODOR_BINARY": str(trap)}, process=True)
    assert_plain_with_one_warning(settled, run, plain, "pond")
    assert "adapter: pond" in run.out
    assert settled.records() == before
    assert not sprung.exists()


def test_every_other_command_is_plain_dbt(settled, tmp_path):
    trap, sprung = tripwire(tmp_path)
    before = settled.records()
    commands = ["parse", "ls", "compile", "show --inline 'select 1'", "docs generate", "clean", "deps"]
    for command in commands:
        run = settled.dbt(command, env={"HODOR_BINARY": str(trap)})
        assert run.rc == 0, run.text
        assert run.warnings == [], run.text
    assert not sprung.exists()
    assert settled.records() == before
