"""The plugin with dbt-databricks itself, in process: the driver's connect is replaced, everything above it is real."""

import ast
import inspect
import json
import os
import threading
from types import SimpleNamespace

import pytest

pytest.importorskip("dbt.adapters.databricks", reason="dbt-databricks is not installed in this environment")

PROFILE = """
shop:
  target: dev
  outputs:
    dev:
      type: databricks
      host: example.invalid
      http_path: /sql/1.0/warehouses/abc
      token: x
      catalog: main_cat
      schema: sales
      threads: 2
      hodor_mode: on
      hodor_schema: ops
"""
FILES = {
    "profiles.yml": PROFILE,
    "dbt_project.yml": "{name: shop, version: '1.0', profile: shop, flags: {send_anonymous_usage_stats: false}}",
    "models/a.sql": "{{ config(materialized='table') }} select 1 as id",
    "models/b.sql": "select * from {{ ref('a') }}",
}


class Warehouse:
    """The driver's side: what was run, on which session and by which thread."""

    def __init__(self):
        self.lock, self.sessions, self.statements = threading.Lock(), 0, []

    def connect(self, **options):
        with self.lock:
            self.sessions += 1
            return Connection(self, self.sessions)


class Connection:
    def __init__(self, warehouse, number):
        self.warehouse, self.number, self.closed = warehouse, number, False

    def cursor(self):
        return Cursor(self)

    def close(self):
        self.closed = True

    def get_session_id_hex(self):
        return f"{self.number:032x}"


class Cursor:
    description, query_id, rows = None, "q", ()

    def __init__(self, connection):
        self.connection = connection

    def execute(self, sql, parameters=None):
        assert not self.connection.closed
        self.connection.warehouse.statements.append((self.connection.number, threading.current_thread().name, sql))
        text = " ".join(sql.split()).lower()
        columns, self.rows = [("Result", "string")], []
        if "information_schema.tables" in text or "`information_schema`.`tables`" in text:
            columns = [
                (name, "string") for name in ("table_name", "table_type", "file_format", "table_owner", "databricks_table_type")
            ]
            self.rows = [("a", "table", "delta", "me", "managed"), ("b", "view", None, "me", None)]
        elif text.startswith("show schemas") or "schemata" in text:
            columns, self.rows = [("databaseName", "string")], [("sales",)]
        elif text.startswith("describe history"):
            columns = [("version", "bigint"), ("operationMetrics", "map")]
            self.rows = [(7, [("numOutputRows", "6")])]
        self.description = [(name, kind, None, None, None, None, None) for name, kind in columns]
        return self

    def fetchall(self):
        return list(self.rows)

    def fetchmany(self, size):
        return list(self.rows)[:size]

    def fetchone(self):
        return self.rows[0] if self.rows else None

    def close(self):
        pass

    def cancel(self):
        pass


@pytest.fixture
def shop(tmp_path, monkeypatch, script):
    from dbt.adapters.databricks import connections, handle
    from dbt.adapters.databricks.credentials import DatabricksCredentials

    from project import Project

    warehouse = Warehouse()
    monkeypatch.setattr(handle.dbsql, "connect", warehouse.connect)
    monkeypatch.setattr(connections, "check_spog_preconditions", lambda **options: None)
    monkeypatch.setattr(DatabricksCredentials, "authenticate", lambda self: None)
    monkeypatch.setattr(handle.SqlUtils, "prepare_connection_arguments", staticmethod(lambda *arguments: {}))
    folder = tmp_path / "shop"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    project = Project(folder, monkeypatch, script)
    project.warehouse = warehouse
    return project


def test_the_parts_of_dbt_databricks_that_are_relied_on():
    """A release that moves one of them fails here, not in a run. test_patches.py has those of dbt."""
    from dbt.adapters.databricks.connections import DatabricksConnectionManager
    from dbt.adapters.databricks.credentials import DatabricksCredentials
    from dbt.adapters.databricks.handle import CursorWrapper, DatabricksHandle
    from dbt.adapters.databricks.impl import DatabricksAdapter

    def names(function):
        return list(inspect.signature(function).parameters)

    assert names(DatabricksConnectionManager.add_query)[:4] == ["self", "sql", "auto_begin", "bindings"]
    assert names(DatabricksConnectionManager.get_thread_connection) == ["self"]
    assert names(DatabricksConnectionManager.get_if_exists) == ["self"] and names(DatabricksConnectionManager.release) == ["self"]
    assert names(DatabricksAdapter.connection_named)[:2] == ["self", "name"]
    assert names(DatabricksAdapter.acquire_connection)[:2] == ["self", "name"]
    assert names(DatabricksAdapter.release_connection) == ["self"]
    assert names(DatabricksAdapter.list_relations) == ["self", "database", "schema"]
    assert names(CursorWrapper.fetchall) == ["self"] and names(CursorWrapper.close) == ["self"]
    assert isinstance(CursorWrapper.description, property)
    assert "session_properties" in DatabricksCredentials.__dataclass_fields__
    handle = DatabricksHandle(SimpleNamespace(close=lambda: None, get_session_id_hex=lambda: ""), is_cluster=False)
    assert handle.open is True
    handle.close()
    assert handle.open is False


def test_every_statement_goes_through_add_query():
    """What the watch counts (S15) is all that a node runs: nothing else of the adapter asks the driver for a cursor to write with."""
    from dbt.adapters.databricks import connections, handle, impl

    calls = {
        (module.__name__.rsplit(".", 1)[1], function.name)
        for module in (connections, handle, impl)
        for function in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(function, ast.FunctionDef)
        and any(
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "execute"
            and ast.unparse(call.func.value) in ("cursor", "handle", "self._conn.cursor()")
            for call in ast.walk(function)
        )
    }
    assert calls == {
        ("connections", "add_query"),
        ("connections", "_query_dbr_version"),
        ("handle", "dbr_version"),
        ("handle", "execute"),
        ("impl", "run_sql_for_tests"),  # dbt's own unit tests of adapters
    }


def test_a_build_and_a_reuse(shop):
    shop.fake(query=["describe history `main_cat`.`sales`.`a` limit 20"])
    result = shop.dbt("run")
    assert result.success, shop.lines
    start = shop.got("run/start")[""]
    assert (start["adapter"], start["database"], start["schema"]) == ("databricks", "main_cat", "sales")
    assert (start["settings"]["store"], start["settings"]["database"], start["settings"]["schema"]) == (
        "delta",
        "main_cat",
        "ops",
    )
    answer = next(m["result"] for m in shop.messages if "result" in m)
    assert answer == {"columns": ["version", "operationMetrics"], "rows": [["7", '{"numOutputRows": "6"}']]}
    relations = {name: params["relation"] for name, params in shop.got("node/decide").items()}
    assert relations == {"model.shop.a": "table", "model.shop.b": "view"}
    history = [(number, thread) for number, thread, sql in shop.warehouse.statements if sql.startswith("describe history")]
    nodes = {number for number, _, sql in shop.warehouse.statements if "create or replace" in sql.lower()}
    assert [thread for _, thread in history] == ["hodor_1"] and not nodes & {number for number, _ in history}


def test_session_properties_are_part_of_the_context(shop):
    seen = []
    for value in ("UTC", "CET"):
        profile = PROFILE + f"      session_properties: {{timezone: {value}}}\n"
        (shop.folder / "profiles.yml").write_text(profile)
        assert shop.dbt("run", "-s", "b").success
        seen.append(shop.got("run/start")[""]["context"]["session"])
    assert len(seen[0]) == 64 and len(set(seen)) == 2


def test_a_reused_node_opens_no_session(shop):
    shop.fake(answers={"*": {"action": "reuse"}})
    result = shop.dbt("run")
    assert shop.statuses(result) == {"a": "reused", "b": "reused"}
    before_the_nodes = {thread.split("-")[0] for _, thread, _ in shop.warehouse.statements}
    assert before_the_nodes == {"ThreadPoolExecutor"}


def test_delta_without_a_schema_is_off_with_one_warning(shop):
    profile = (shop.folder / "profiles.yml").read_text().replace("      hodor_schema: ops\n", "")
    (shop.folder / "profiles.yml").write_text(profile)
    assert shop.dbt("run").success
    (warning,) = shop.hodor()
    assert "needs hodor_schema" in warning and shop.messages == []


def test_the_manifest_of_this_run(shop):
    shop.dbt("run")
    with open(shop.got("run/start")[""]["manifest_path"]) as file:
        assert json.load(file)["metadata"]["adapter_type"] == "databricks"
    assert os.path.exists(shop.got("run/start")[""]["manifest_path"])
