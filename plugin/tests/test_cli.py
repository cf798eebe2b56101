"""The console script's own parts: dbt's options, and the connection that it lends."""

import json
import os

import pytest
from dbt_hodor import cli

from project import Project


def test_take_options():
    options, rest = cli.take_options(["explain", "--target", "dev", "-s", "a", "--profiles-dir=x y", "-t", "prod"])
    assert options == {"TARGET": "prod", "PROFILES_DIR": "x y"} and rest == ["explain", "-s", "a"]
    with pytest.raises(ValueError, match="--profile needs a value"):
        cli.take_options(["explain", "--profile"])


def test_lent_connection(tmp_path, monkeypatch, script):
    """Requests of the executable are answered on dbt's own adapter; what fails is an answer too."""
    Project(tmp_path, monkeypatch, script)
    found = cli.load({"PROJECT_DIR": str(tmp_path), "PROFILES_DIR": str(tmp_path)})
    assert found.variables()["HODOR_PROJECT"] == "shop" and found.variables()["HODOR_TARGET"] == "dev"
    requests, write = os.pipe()
    read, answers = os.pipe()
    lender = cli.Lender(found, requests, answers)
    methods = [
        ("warehouse/query", {"sql": "select 42 as a, null as b"}),
        ("warehouse/query", {"sql": "selec"}),
        ("run/start", {}),
        ("warehouse/query", {}),
    ]
    with os.fdopen(write, "wb") as out:
        out.write(b"no json\n")
        for number, (method, params) in enumerate(methods):
            out.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
    lender.serve()
    with os.fdopen(read, "rb") as lines:
        got = {}
        while len(got) < len(methods):
            message = json.loads(lines.readline())
            got[message["id"]] = message
    lender.close()
    assert got[0]["result"] == {"columns": ["a", "b"], "rows": [["42", None]]}
    assert [got[n]["error"]["code"] for n in (1, 2, 3)] == [-32001, -32601, -32001]


def test_scrub(monkeypatch):
    monkeypatch.setenv("SOME_API_TOKEN", "tip-top-secret")
    monkeypatch.setenv("SHORT_TOKEN", "a")
    assert cli.scrub("a tip-top-secret b") == "a ***** b"
