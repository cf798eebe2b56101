"""Small real dbt projects for the plugin's tests, run in this process by dbtRunner."""

import json
import os
from pathlib import Path

from dbt.cli.main import dbtRunner

FILES = {
    "dbt_project.yml": """
name: shop
version: "1.0"
profile: shop
flags: {send_anonymous_usage_stats: false}
models:
  shop:
    +state: {lag_tolerance: 0s}
""",
    "profiles.yml": """
shop:
  target: dev
  outputs:
    dev: {type: duckdb, path: shop.duckdb, threads: 4, hodor_mode: on}
""",
    "seeds/rates.csv": "code,rate\nx,2\ny,3\n",
    "models/a.sql": "select 1 as id, '{{ invocation_id }}' as run, '{{ run_started_at }}' as started",
    "models/b.sql": "{{ config(materialized='table') }} select id from {{ ref('a') }}",
    "models/c.sql": "select id, rate from {{ ref('b') }} cross join {{ ref('rates') }}",
    "models/schema.yml": """
models:
  - name: a
    columns: [{name: id, data_tests: [not_null]}]
  - name: c
    config: {state: {require_fresh_data_from: all}}
""",
    "snapshots/snap.yml": """
snapshots:
  - name: snap
    relation: ref('b')
    config: {unique_key: id, strategy: check, check_cols: all}
""",
}

REUSE = {"action": "reuse"}


class Project:
    """A project in a folder, a fake service, and what it was told."""

    def __init__(self, folder: Path, monkeypatch, script):
        self.folder, self.log = folder, folder / "service.jsonl"
        self.lines: list[str] = []
        if not (folder / "dbt_project.yml").exists():
            self.write(FILES)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("HODOR_BINARY", script("fake_service.py"))
        monkeypatch.setenv("FAKE_HODOR", str(folder / "fake.json"))
        self.fake()

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def fake(self, **config) -> None:
        """What the fake service does from now on (fake_service.py)."""
        (self.folder / "fake.json").write_text(json.dumps({"log": str(self.log), **config}))

    def dbt(self, *arguments: str):
        """Runs a command; its console lines are in `lines`, what the service got in `messages`."""
        self.log.write_text("")
        events = []
        result = dbtRunner(callbacks=[events.append]).invoke(["--no-use-colors", *arguments])
        self.events = events
        self.lines = [event.info.msg for event in events if event.info.level != "debug"]
        self.messages = [json.loads(line) for line in self.log.read_text().splitlines()]
        return result

    def said(self, words: str) -> list[str]:
        return [line for line in self.lines if words in line]

    def hodor(self) -> list[str]:
        """hodor's own lines."""
        return self.said("hodor: ")

    def got(self, method: str) -> dict[str, dict]:
        """The parameters of the service's requests of one method, by node where they have one."""
        return {m["params"].get("id", ""): m["params"] for m in self.messages if m.get("method") == method}

    def statuses(self, result) -> dict[str, str]:
        return {r.node.name: str(r.status) for r in result.result.results}

    def sql(self, text: str):
        """A query on the warehouse through dbt's own open connection."""
        from dbt.adapters.duckdb.connections import DuckDBConnectionManager

        env = DuckDBConnectionManager._ENV
        if env is not None and env.conn is not None and Path(env.creds.path).resolve() == self.folder / "shop.duckdb":
            return env.conn.cursor().execute(text).fetchall()
        import duckdb

        with duckdb.connect(str(self.folder / "shop.duckdb")) as connection:
            return connection.execute(text).fetchall()


def build_template(folder: Path, files: dict[str, str]) -> None:
    """Builds a project with hodor off."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    where, os.environ["HODOR_MODE"] = os.getcwd(), "off"
    os.chdir(folder)
    try:
        assert dbtRunner().invoke(["--quiet", "build"]).success
    finally:
        os.chdir(where)
        del os.environ["HODOR_MODE"]
