"""Ctrl-C, as a user presses it: a dbt of its own process, told by a signal."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from e2e.faults import at_work, gone, service_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals to a process group, and /proc")

LONG = "{{ config(materialized='table') }} select count(*) as n from range(100000000000) a"
STATEMENT = r"(?s)On model\.shop\.d: /\*.*create +table"


def heed():
    """A job that a script put into the background ignores Ctrl-C, and so would every child of the tests."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(built, *arguments):
    built.log.write_text("")
    return subprocess.Popen(
        [sys.executable, "-m", "dbt.cli.main", "--no-use-colors", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=heed,
    )


def messages(built):
    return [json.loads(line) for line in built.log.read_text().splitlines() if line.endswith("}")]


def wait_for(built, method, process):
    while not any(message.get("method") == method for message in messages(built)):
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.05)


def ctrl_c(process):
    os.killpg(process.pid, signal.SIGINT)


def end(process):
    out, _ = process.communicate(timeout=200)
    return process.returncode, out


def test_while_a_model_runs(built):
    built.write({"models/d.sql": LONG})
    process = start(built, "run", "-s", "b", "d", "--threads", "2")
    wait_for(built, "node/built", process)
    at_work(process.pid, built.folder / "logs" / "dbt.log", STATEMENT)
    ctrl_c(process)
    code, out = end(process)
    assert code == 2 and "hodor: " in out, out
    finish = next(m["params"] for m in messages(built) if m.get("method") == "run/finish")
    assert finish["interrupted"] and finish["statuses"] == {"model.shop.d": "skipped"}
    assert messages(built)[-1] == {"eof": True}  # the service was let go in order


def test_while_a_node_waits_for_the_service(built):
    built.fake(hang_at="node/decide")
    process = start(built, "run", "-s", "b")
    wait_for(built, "node/decide", process)
    ctrl_c(process)
    code, out = end(process)
    assert code == 2, out
    assert not [m for m in messages(built) if m.get("method") == "node/built"]


def test_while_the_service_loads(built):
    built.fake(hang_at="run/start")
    process = start(built, "run", "-s", "b")
    wait_for(built, "run/start", process)
    ctrl_c(process)
    code, out = end(process)
    assert code == 2, out


def test_twice(built):
    """The second one lands in our flush, and must end it."""
    built.write({"models/d.sql": LONG})
    built.fake(hang_at="run/finish")
    process = start(built, "run", "-s", "b", "d", "--threads", "2")
    wait_for(built, "node/built", process)
    at_work(process.pid, built.folder / "logs" / "dbt.log", STATEMENT)
    pid = service_of(process.pid)
    ctrl_c(process)
    wait_for(built, "run/finish", process)
    ctrl_c(process)
    code, out = end(process)
    assert code != 0, out
    assert pid and gone(pid, within=60)
