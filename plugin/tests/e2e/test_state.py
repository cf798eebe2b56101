"""hodor-sql state on real dbt and DuckDB: planning and running exactly the build set from outside dbt."""

import json
import os
import pty
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from . import shop
from .project import STARTED, Project
from .run import short_name

PATIENCE = 1500


@dataclass
class Answer:
    """What one `hodor-sql state` command did."""

    rc: int
    result: dict | None
    error: dict | None
    err: str

    @property
    def built(self) -> set[str]:
        """The nodes that dbt built, by short name."""
        execution = (self.result or {}).get("execution")
        return {short_name(n["id"]) for n in execution["nodes"] if n["status"] == "success"} if execution else set()

    @property
    def planned(self) -> set[str]:
        return {short_name(n["id"]) for n in self.result["plan"]["build"]}

    @property
    def reasons(self) -> dict[str, str]:
        return {short_name(n["id"]): f"{n['action']} {n['reason']}" for n in self.result["plan"]["nodes"]}

    @property
    def code(self) -> str | None:
        return self.error and self.error["code"]


def command(project: Project, words: tuple, name: str = "hodor-sql", options: tuple = ("--json",)) -> list[str]:
    """Options stand before `--`, behind which those for dbt itself are."""
    at = words.index("--") if "--" in words else len(words)
    binary = project.environment.python.with_name(name)
    return [str(binary), "state", *words[:at], *options, "--profiles-dir", ".", *words[at:]]


def popen(project: Project, *words: str, env: dict | None = None, name: str = "hodor-sql") -> subprocess.Popen:
    process = subprocess.Popen(
        command(project, words, name),
        cwd=project.dir,
        env=project._environ(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    STARTED.append(process)
    return process


def finish(process: subprocess.Popen) -> Answer:
    out, err = process.communicate(timeout=PATIENCE)
    assert out.count("\n") == 1, f"stdout is not one line:\n{out}\n{err}"
    envelope = json.loads(out)
    assert set(envelope) == {"schema_version", "command", "result", "error"} and envelope["schema_version"] == 1
    return Answer(process.returncode, envelope["result"], envelope["error"], err)


def state(project: Project, *words: str, rc: int | None = 0, env: dict | None = None, name: str = "hodor-sql") -> Answer:
    answer = finish(popen(project, *words, env=env, name=name))
    assert rc is None or answer.rc == rc, f"exit {answer.rc}\n{answer.error}\n{answer.err}"
    return answer


STAR = {"stg_customers"}  # a view with a star is built each time


def test_state_builds_tests_and_records(fresh_both):
    first = state(fresh_both, "build", name="ods")
    assert first.built == shop.NODES - set(shop.TESTS) and first.error is None
    assert {short_name(i) for i in first.result["tested"]} == set(shop.TESTS)
    assert first.result["commit"]["generation"] == 1 and first.result["not_recorded"] == []

    second = state(fresh_both, "build")
    assert second.built == {"daily"} | STAR, second.reasons
    assert second.reasons["daily"] == "build code_changed"

    # What state recorded is history for the plugin, and there is one record a build: dbt ran with hodor off.
    assert {r["invocation_id"] for r in fresh_both.records()} == {
        first.result["execution"]["run_id"],
        second.result["execution"]["run_id"],
    }
    fresh_both.dbt("build").expect({"stg_customers": "success select_star_view"}, rest="reused", rc=0)
    # And the other way round.
    assert state(fresh_both, "compile").planned == STAR


def test_state_follows_changes_as_the_plugin_does(settled):
    steps = [
        ("new rows", lambda: settled.sql(shop.NEW_ORDER), {"orders", "big_orders", "daily"}),
        ("spelling", lambda: settled.edit("models/orders.sql", "amount * rate as total", "amount  *  rate AS total"), set()),
        (
            "code",
            lambda: settled.edit("models/orders.sql", "amount  *  rate AS total", "amount * rate * 2 as total"),
            {"orders", "daily"},
        ),
        ("a seed", lambda: settled.write("seeds/rates.csv", "code,rate\nx,5\ny,3\n"), {"rates", "orders", "daily"}),
        (
            "a row of a customer",
            lambda: settled.sql("update raw.customers set name = 'Zoe' where id = 1"),
            {"dim_customers", "snap_customers"},
        ),
        ("a table gone", lambda: settled.sql("drop table main.big_orders"), {"big_orders"}),
    ]
    for what, change, expected in steps:
        change()
        twin = settled.copy(settled.dir.with_name(f"twin-{what.replace(' ', '-')}"))
        planned = state(settled, "compile")
        assert planned.planned == expected | STAR, (what, planned.reasons)
        run = twin.dbt("build")
        built = {n for n, s in run.statuses.items() if s == "success"}
        assert built == expected | STAR, what
        done = state(settled, "build")
        assert done.built == expected | STAR and done.result["not_recorded"] == [], (what, done.result["not_recorded"])
        assert settled.contents() == twin.contents(), what
    settled.dbt("build").expect({"stg_customers": "success select_star_view"}, rest="reused", rc=0)


def test_s29_state_failed_test_is_tested_again(settled):
    """What would be replayed as failed vouches for nothing."""
    settled.sql("insert into raw.orders values (90, 1, -5, '2026-01-09')")
    assert settled.dbt("build").statuses["amount_positive"] == "fail"
    settled.dbt("test -s amount_positive").expect({"amount_positive": "fail no_new_data"}, rc=1)
    assert "orders" in state(settled, "test", rc=1).planned


def test_s29_state_without_tests_then_test(settled):
    settled.sql(shop.NEW_ORDER)
    run = state(settled, "run")
    assert run.built == {"orders", "big_orders", "daily"} | STAR and run.result["tested"] == []
    test = state(settled, "test")
    assert {short_name(n["id"]) for n in test.result["plan"]["build"]} == {"orders", "dim_customers"}
    assert {short_name(i) for i in test.result["tested"]} == set(shop.TESTS)
    assert state(settled, "test").result["outcome"] == "nothing_to_do"


def test_state_progress_on_a_terminal(settled):
    """The last line of the terminal counts what is done, is drawn anew below dbt's own lines, and is gone at the end."""
    settled.sql(shop.NEW_ORDER)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        command(settled, ("run",), options=()),
        cwd=settled.dir,
        env=settled._environ({"TERM": "xterm"}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=follower,
        start_new_session=True,
    )
    STARTED.append(process)
    os.close(follower)
    shown = b""
    try:
        while part := os.read(leader, 65536):
            shown += part
    except OSError:  # how Linux ends a terminal that nobody holds open any more
        pass
    finally:
        os.close(leader)
    out = process.stdout.read()
    assert process.wait(PATIENCE) == 0, shown
    assert shown.count(b"\r\x1b[K") > 3 and b"OK created sql table model main.orders" in shown
    assert b" done" in shown and shown.rstrip(b" \r\n").endswith(b"\x1b[K"), shown[-500:]
    assert b"\x1b[K" not in out


def test_state_failures(settled):
    settled.sql("insert into raw.orders values (90, 1, -5, '2026-01-09')")
    build = state(settled, "build", rc=1)
    assert build.code == "ODS-E0404" and build.result is not None
    outcome = {short_name(n["id"]): n for n in build.result["execution"]["nodes"]}
    assert outcome["orders"]["checks_failed"] == ["test.shop.amount_positive"] and outcome["daily"]["status"] == "skipped"
    assert {short_name(i) for i in build.result["recorded"]} == {"big_orders"} | STAR
    settled.sql("delete from raw.orders where id = 90")
    # orders failed its test, so it is built again; daily was skipped.
    assert state(settled, "build").built >= {"orders", "daily"}

    settled.edit("models/dim_customers.sql", "upper(name)", "error('broken')")
    broken = state(settled, "run", rc=1)
    assert broken.code == "ODS-E0404"
    assert {short_name(n["id"]): n["status"] for n in broken.result["execution"]["nodes"]}["dim_customers"] == "failed"
    settled.edit("models/dim_customers.sql", "{{ ref('stg_customers') }}", "{{ ref('nowhere') }}")
    compile_error = state(settled, "run", rc=1)
    assert compile_error.code == "ODS-E0411" and compile_error.result is None and "nowhere" in compile_error.error["message"]


def test_s30_state_saved_plan(settled):
    settled.sql(shop.NEW_ORDER)
    compiled = state(settled, "compile")
    plan = state(settled, "plan", "--out", "plan.json")
    assert plan.planned == compiled.planned
    moved = settled.copy(settled.dir.with_name("moved"))
    moved.sql("insert into raw.orders values (91, 1, 5, '2026-01-09')")
    refused = state(moved, "run", "--plan", "plan.json", rc=1)
    assert refused.code == "ODS-E0403" and "raw.orders" in refused.error["message"]
    run = state(settled, "run", "--plan", "plan.json")
    assert run.built == plan.planned


def test_s28_state_below_a_hook_that_writes(settled):
    """side is built and its hook writes what below reads, which nobody can know before: below is planned too, and its version, read
    after dbt ended, is no record's."""
    settled.model("side", "select id from {{ source('raw', 'orders') }}")
    settled.model("below", "-- depends_on: {{ ref('side') }}\nselect id, name from {{ source('raw', 'customers') }}")
    for _ in range(2):
        state(settled, "run")
    assert state(settled, "compile").planned == STAR
    settled.config("side", post_hook="insert into raw.customers values (9, 'Ida')")
    twin = settled.copy(settled.dir.with_name("twin"))
    twin.env["HODOR_MODE"] = "off"
    run = state(settled, "run")
    assert run.built >= {"side", "below"}, run.reasons
    assert "model.shop.below" in {n["id"] for n in run.result["not_recorded"]}
    twin.dbt("run")
    assert settled.rows("main.below") == twin.rows("main.below")


def test_state_interrupt(settled):
    settled.model("slow", "select count(*) as n from range(400000000) a, range(20) b where a.range % 7 = b.range")
    settled.sql(shop.NEW_ORDER)
    process = popen(settled, "run", "--", "--threads", "1")
    deadline = time.monotonic() + PATIENCE
    log = settled.dir / "logs" / "dbt.log"
    log.unlink(missing_ok=True)
    while "START sql table model main.slow" not in (log.read_text() if log.exists() else ""):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    answer = finish(process)
    assert answer.rc == 1 and answer.code == "ODS-E0416", answer.error
    done = {short_name(i) for i in answer.result["recorded"]}
    assert "slow" not in done and done == answer.built
    # What finished counts; the rest is left.
    settled.dir.joinpath("models/slow.sql").unlink()
    assert state(settled, "run").built == ({"orders", "big_orders", "daily"} - done) | STAR


@pytest.mark.parametrize(
    "words, code, rc",
    [
        (("run", "--dbt", "/nowhere/dbt"), "ODS-E0410", 3),
        (("run", "--python", "/nowhere/python"), "ODS-E0414", 3),
        (("run", "--", "--select", "orders"), "ODS-E0413", 2),
        (("plan",), "ODS-E0415", 3),
        (("run", "--project-dir", "/nowhere"), "ODS-E0413", 2),
    ],
)
def test_state_refusals(fresh, words, code, rc):
    answer = state(fresh, *words, rc=rc)
    assert answer.code == code and answer.error["hint"]
    assert not (fresh.dir / ".hodor").exists()


def test_state_settings_of_dbt(fresh):
    refused = state(fresh, "run", rc=2, env={"DBT_EXCLUDE_RESOURCE_TYPES": "seed"})
    assert refused.code == "ODS-E0413" and "DBT_EXCLUDE_RESOURCE_TYPES" in refused.error["message"]
    # A .env file, which dbt reads by itself, can't bring back what is overridden.
    fresh.write(".env", "DBT_EMPTY=true\nDBT_DEFER=true\n")
    assert state(fresh, "run", env={"DBT_INDIRECT_SELECTION": "empty"}).built == shop.NODES - set(shop.TESTS) - {"snap_customers"}
    assert len(fresh.rows("main.orders")) == 6


def test_state_locked_store_and_warehouse(settled):
    """Another process holds the state file: exit 3, and nothing runs."""
    code = "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); print(1, flush=True); time.sleep(600)"
    holder = subprocess.Popen([settled.environment.python, "-c", code, str(settled.state)], stdout=subprocess.PIPE)
    STARTED.append(holder)
    holder.stdout.readline()
    answer = state(settled, "run", rc=3)
    assert answer.code == "ODS-E0401" and str(holder.pid) in answer.error["message"]
    holder.kill()
    holder.wait()


def test_state_source_freshness(settled):
    settled.sql("alter table raw.orders add column loaded_at timestamp", "update raw.orders set loaded_at = now()::timestamp")
    settled.edit(
        "models/schema.yml",
        "      - name: orders\n",
        "      - name: orders\n        config:\n          loaded_at_field: loaded_at\n"
        "          freshness: {error_after: {count: 1, period: day}}\n",
    )
    state(settled, "build")
    assert state(settled, "run", "--source-freshness").built == STAR
    settled.sql("update raw.orders set loaded_at = '2020-01-01'")
    state(settled, "build")
    stale = state(settled, "run", "--source-freshness")
    assert {"orders", "big_orders"} <= stale.built, stale.reasons
    assert state(settled, "run").built <= {"orders", "big_orders", "daily"} | STAR


def test_state_thousand_scattered_nodes(fresh):
    """1,000 models in folders of two each, of which one is built: 1,000 selectors, in one command."""
    for i in range(1000):
        fresh.write(f"models/f{i}/a{i}.sql", "select 1 as x")
        fresh.write(f"models/f{i}/b{i}.sql", "select 1 as x")
    run = state(fresh, "run", "--threads", "8", "--exclude", ",".join(f"b{i}" for i in range(1000)))
    assert len([n for n in run.built if n.startswith("a")]) == 1000
    assert not [n for n in run.built if n.startswith("b") and n != "big_orders"]
    assert os.path.getsize(Path(fresh.dir) / "target" / "run_results.json") > 0
