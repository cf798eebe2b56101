"""The shop on Delta Lake by the real dbt-databricks, with its state in a Delta table that is read and written through the relay.

HODOR_DATABRICKS_URL names a proxy in front of Spark's Thrift Server (`make test-databricks`); DATABRICKS_HOST, DATABRICKS_TOKEN,
DATABRICKS_HTTP_PATH and DATABRICKS_CATALOG a workspace (`make test-workspace`). Two schemas are made and dropped at the end.
"""

import contextlib
import json
import os
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from e2e import shop
from e2e.project import Environment, Project
from e2e.run import Run, short_name
from e2e.server import THREADLESS, Server

from . import models

#: Seconds that one dbt command may take: it bounds a hang, it times nothing.
PATIENCE = 900

KEPT = ("HODOR_BINARY", "LANG", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR")


@dataclass
class Place:
    """Where the tests run: the target of profiles.yml without its schema, and what the SQL connector needs."""

    target: dict
    connection: dict
    catalog: str


def find_place() -> Place | None:
    if url := os.environ.get("HODOR_DATABRICKS_URL"):
        uri = {"_connection_uri": f"{url}/cliservice", "enable_telemetry": False, "_retry_stop_after_attempts_count": 1}
        target = {"host": url, "http_path": "/sql/1.0/warehouses/abc", "token": "x", "connection_parameters": uri}
        target["compute"] = {"cluster": {"http_path": "/sql/protocolv1/o/1/abc"}}
        connection = {"server_hostname": "127.0.0.1", "http_path": "/sql/1.0/warehouses/abc", "access_token": "x", **uri}
        return Place({**target, "catalog": "hive_metastore"}, connection, "hive_metastore")
    names = ("DATABRICKS_HOST", "DATABRICKS_TOKEN", "DATABRICKS_HTTP_PATH", "DATABRICKS_CATALOG")
    host, token, path, catalog = (os.environ.get(name) for name in names)
    if not (host and token and path and catalog):
        return None
    host = host.removeprefix("https://").rstrip("/")
    target = {"host": host, "http_path": path, "token": "{{ env_var('DATABRICKS_TOKEN') }}", "catalog": catalog}
    target["compute"] = {"cluster": {"http_path": path}}
    connection = {"server_hostname": host, "http_path": path, "access_token": token, "enable_telemetry": False}
    return Place(target, connection, catalog)


@dataclass
class Lake(Project):
    """A project whose warehouse and state are on Databricks, or what stands for it."""

    place: Place | None = None
    schema: str = ""
    #: The open connection for statements outside dbt.
    connection: object = field(default=None, repr=False)

    def sql(self, *statements: str, **_) -> list[list[str | None]]:
        """Runs statements outside dbt; the rows of the last one, if it is a query, as text. {raw} and {main} stand for the two
        schemas."""
        rows = []
        for statement in statements:
            with self.connection.cursor() as cursor:
                cursor.execute(statement.format(raw=f"{self.schema}_raw", main=self.schema))
                rows = cursor.fetchall() if statement.startswith("select") else []
        return [[None if value is None else str(value) for value in row] for row in rows]

    def rows(self, relation: str, columns: str = "*", order: str = "1") -> list[list[str | None]]:
        return self.sql(f"select {columns} from {relation} order by {order}")

    def records(self, where: str = "true") -> list[dict]:
        names = (
            "invocation_id, unique_id, mode, decision, reason, action, status, data_version, built_at_ms, upstreams, sql_facts"
        )
        rows = self.sql(f"select {names} from {{main}}.hodor_state where {where} order by recorded_at_ms")
        return [dict(zip(names.split(", "), row)) for row in rows]

    def _finish(self, job, words: list[str]) -> Run:
        run = self._outcome(words, job.wait(PATIENCE))
        own = f"invocation_id = '{run.invocation_id}' and status <> 'begun'"  # that a build began is a record of its own
        found = self.records(own) if run.results else []
        run.records = {short_name(row["unique_id"]): row for row in found}
        assert len(run.records) == len(found), "a node has two records in one invocation"
        return run


PROFILE = "shop:\n  target: dev\n  outputs:\n    dev: {}\n"

RAW = [
    "create table {raw}.orders (id int, customer_id int, amount decimal(10, 2), day date) using delta",
    "insert into {raw}.orders values (1, 1, 50, date'2026-01-01'), (2, 2, 150, date'2026-01-01'), (3, 3, 75, date'2026-01-02'),"
    " (4, 1, 250, date'2026-01-02'), (5, 2, 20, date'2026-01-03'), (6, 3, 300, date'2026-01-03')",
    "create table {raw}.customers (id int, name string) using delta",
    "insert into {raw}.customers values (1, 'Ann'), (2, 'Bob'), (3, 'Cyd')",
]


@pytest.fixture(scope="session")
def lake(tmp_path_factory):
    """The shop, nothing run yet. The tests share it, in their order, and each leaves it settled."""
    place = find_place()
    if place is None:
        message = "no HODOR_DATABRICKS_URL (make test-databricks) and no workspace in DATABRICKS_* (make test-workspace)"
        pytest.fail(message) if os.environ.get("HODOR_REQUIRE_ENGINES") else pytest.skip(message)
    from databricks import sql

    base = tmp_path_factory.mktemp("lake")
    kept = {name: os.environ[name] for name in (*KEPT, "DATABRICKS_TOKEN") if name in os.environ}
    python = Path(sys.executable)
    variables = {**kept, "HOME": str(base), "PATH": f"{python.parent}:/usr/local/bin:/usr/bin:/bin"}
    schema = f"hodor_test_{int(time.time())}_{os.getpid()}"
    lake = Lake(base / "shop", Environment("databricks", python, None, variables), place=place, schema=schema)
    for path, text in (shop.FILES | models.FILES).items():
        lake.write(path, text)
    lake.edit("models/schema.yml", "schema: raw\n", f"schema: {schema}_raw\n")
    hodor = {"hodor_mode": "on", "hodor_store": "delta", "hodor_schema": schema}
    target = {"type": "databricks", "schema": schema, "threads": 4, **place.target, **hodor}
    lake.write("profiles.yml", PROFILE.format(json.dumps(target)))
    warm = shutil.copytree(lake.dir, base / "warm")
    server = lake.environment.server = Server(python, warm, base / "server.log", variables | THREADLESS, "databricks")
    with contextlib.closing(server), sql.connect(**place.connection) as connection:
        lake.connection = connection
        if place.catalog != "hive_metastore":
            lake.sql(f"use catalog `{place.catalog}`")
        lake.sql("create schema {main}", "create schema {raw}", *RAW)
        try:
            yield lake
        finally:
            lake.sql("drop schema {main} cascade", "drop schema {raw} cascade")
