"""python -m dbt_hodor.relay, as hodor-sql state starts it: a real dbt project on DuckDB, with the protocol on both pipes."""

import json
import os
import subprocess
import sys

import pytest

FILES = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nflags: {send_anonymous_usage_stats: false}\n"
    'models: {+state: {lag_tolerance: 0s}}\non-run-start: ["create schema if not exists {{ target.schema }}_x"]\n'
    'on-run-end: ["{{ writes() }}"]\n',
    "profiles.yml": "shop: {target: dev, outputs: {dev: {type: duckdb, path: shop.duckdb, hodor_mode: 'off', hodor_lookback_days: 7}}}\n",
    "macros/writes.sql": "{% macro writes() %}{% do run_query('delete from x') %}{% endmacro %}",
    "models/a.sql": "{{ config(materialized='table', state={'require_fresh_data_from': 'all'},"
    " post_hook=\"comment on table {{ this }} is '{{ var('word', 'plain') }}'\") }} select 1 as größe",
    "models/b.sql": "select * from {{ ref('a') }}",
}


class Process:
    def __init__(self, folder, *arguments, **environment):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dbt_hodor.relay", "--project-dir", ".", "--profiles-dir", ".", *arguments],
            cwd=folder,
            env={**os.environ, "HODOR_MODE": "shadow", **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.first = json.loads(self.process.stdout.readline())
        self.count = 0

    def ask(self, method, **params):
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.process.stdin.write((json.dumps(message) + "\n").encode())
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self.count
        return answer

    def end(self):
        rest, _ = self.process.communicate(timeout=60)
        assert rest == b""
        return self.process.returncode


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("outside"))


def write(folder):
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def process(folder):
    process = Process(folder, "--vars", "{word: other}")
    yield process
    assert process.end() == 0


def test_hello(process):
    assert process.first["method"] == "hello" and process.first["params"]["protocol"] == 1
    assert "outside/nodes" in process.first["params"]["methods"]


def test_describe(process):
    found = process.ask("outside/describe")["result"]
    assert (found["adapter"], found["project_name"], found["target_name"], found["database"]) == ("duckdb", "shop", "dev", "shop")
    assert found["merged"] is True and found["mode"] == "shadow" and found["warnings"] == []
    assert found["settings"]["store"] == "duckdb" and found["settings"]["lookback_days"] == 7
    assert all(len(found["context"][key]) == 64 for key in ("vars", "target"))
    assert not {"invocation_id", "run_started_at", "manifest_path", "nodes"} & found.keys()


def test_statements(process):
    assert process.ask("warehouse/query", sql="select 1 as a, null as b, '\u00e4\U0001f986' as c")["result"] == {
        "columns": ["a", "b", "c"],
        "rows": [["1", None, "\u00e4\U0001f986"]],
    }
    assert process.ask("warehouse/query", sql="select nothing")["error"]["code"] == -32001
    # Two statements beside each other are both answered, in any order.
    for number in (801, 802):
        line = {"jsonrpc": "2.0", "id": number, "method": "warehouse/query", "params": {"sql": f"select {number}"}}
        process.process.stdin.write((json.dumps(line) + "\n").encode())
    process.process.stdin.flush()
    answers = [json.loads(process.process.stdout.readline()) for _ in range(2)]
    assert {a["id"]: a["result"]["rows"] for a in answers} == {801: [["801"]], 802: [["802"]]}


def test_nodes(process):
    found = process.ask("outside/nodes", ids=["model.shop.a", "model.shop.b", "model.shop.none"], render=["model.shop.a"])[
        "result"
    ]["nodes"]
    assert found.keys() == {"model.shop.a", "model.shop.b"}
    a = found["model.shop.a"]
    assert a["relation"] is None and a["pointer"] is True
    assert a["state"] == {"lag_tolerance": "0s", "require_fresh_data_from": "all"}  # merged key by key
    assert a["hooks"]["post"] == ['comment on table "shop"."main"."a" is \'other\'']
    assert found["model.shop.b"]["hooks"] is None
    process.ask("warehouse/query", sql="create table main.a as select 1 as x")
    # dbt's list of relations is that of the first look.
    assert process.ask("outside/nodes", ids=["model.shop.a"])["result"]["nodes"]["model.shop.a"]["relation"] is None


def test_run_hooks(process):
    found = process.ask("outside/run_hooks")["result"]
    assert found["on-run-start"] == ["create schema if not exists main_x"]
    assert found["on-run-end"] == [None]  # it would run SQL


def test_bad_requests(process):
    assert process.ask("outside/nothing")["error"]["code"] == -32601
    assert process.ask("warehouse/query")["error"]["code"] == -32602
    assert process.ask("lakebase/credential", endpoint="projects/x")["error"]["code"] == -32603
    process.process.stdin.write(b"no json\n\n")
    assert process.ask("outside/describe")["result"]["adapter"] == "duckdb"


@pytest.mark.parametrize("arguments, words", [(("--target", "nowhere"), "nowhere"), (("--no-such-option",), "No such option")])
def test_a_project_that_cannot_be_loaded(folder, arguments, words):
    process = Process(folder, *arguments)
    assert process.first["method"] == "failed" and words in process.first["params"]["message"]
    assert process.end() == 1


def test_dbt_tells_when_it_began(tmp_path):
    """HODOR_TELL_START, which the executor sets: one line with the moment that run_started_at prints."""
    write(tmp_path)
    command = [
        sys.executable.replace("python3", "python").rsplit("/", 1)[0] + "/dbt",
        "compile",
        "--project-dir",
        ".",
        "--profiles-dir",
        ".",
    ]
    command += ["--inline", "select '{{ run_started_at }}' as t", "--log-format", "json", "--target-path", "told"]
    told = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "HODOR_MODE": "off", "HODOR_TELL_START": "1"}, capture_output=True, text=True
    )
    messages = [json.loads(line)["info"]["msg"] for line in told.stdout.splitlines() if line.startswith("{")]
    starts = [m.removeprefix("hodor: run_started_at ") for m in messages if m.startswith("hodor: run_started_at ")]
    assert len(starts) == 1 and starts[0].replace("T", " ") in told.stdout, told.stdout[-2000:]
    untold = subprocess.run(command, cwd=tmp_path, env={**os.environ, "HODOR_MODE": "off"}, capture_output=True, text=True)
    assert "run_started_at " not in untold.stdout.replace("run_started_at }}", "")
