"""The decision bench at a small size: what it measures is decided as it says. Nothing here looks at a time."""

import json
import subprocess
import sys

from conftest import ROOT

NODES = 40  # of ten, four are views, five tables, one a test
ALL = NODES + 1  # and a wide one, which reads all the tables


def test_the_decision_bench_measures_what_it_says():
    out = subprocess.run(
        [sys.executable, ROOT / "bench" / "decide" / "decide.py", "--nodes", str(NODES)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert out.returncode == 0, out.stderr
    result = json.loads(out.stdout)
    first, steady, changed = (result[name] for name in ("first", "steady", "changed"))
    assert (first["reused"], first["built"]) == (0, ALL)
    assert (steady["reused"], steady["built"]) == (ALL, 0)
    # Texts of tests do not change, but what they test is built anew, with the same rows.
    assert (changed["reused"], changed["built"]) == (NODES // 10, ALL - NODES // 10)
    assert [run["errors"] for run in (first, steady, changed)] == [0, 0, 0]
    assert [run["summary"]["recorded"] for run in (first, steady, changed)] == [ALL, ALL, ALL]
    debug = [run["summary"]["debug"] for run in (first, steady, changed)]
    assert [d["parsed"] for d in debug] == [ALL, 0, ALL - NODES // 10] == [d["sql_sent"] for d in debug]
    # Each of the tables is read once in the steady run, and once more where it was built.
    tables = ALL // 2 + 1
    assert 0 < debug[1]["versions_read"] <= tables + 2 < debug[0]["versions_read"]
    assert result["start"]["manifest_mb"] > 0 and result["bytes"] > 0
