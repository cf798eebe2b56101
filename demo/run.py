"""The demo: builds an invented shop's dbt project with hodor on, changes one thing at a time, shows what is rebuilt.

Every step checks what it says against dbt's own target/run_results.json and ends the demo with exit status 1 if it is
not so. All of it happens in demo/.work, which each start makes anew.

    make demo
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import generate

HERE = Path(__file__).resolve().parent
WORK = HERE / ".work"
PROJECT = WORK / "project"
WAREHOUSE = WORK / "warehouse.duckdb"
CONTROL = WORK / "plain.duckdb"

TTY = sys.stdout.isatty()
COLOUR = TTY and not os.environ.get("NO_COLOR")


def main() -> None:
    say("An outdoor shop's dbt project: orders, visits and support tickets; 13 views, 25 tables, 49 tests.")
    step("Setting up demo/.work")
    counts = set_up()
    sources = [rows for name, rows in counts.items() if "." in name]
    seeds = [rows for name, rows in counts.items() if "." not in name]
    say(f"{sum(seeds):,} rows in {len(seeds)} seeds, {sum(sources):,} rows in {len(sources)} source tables.")

    step("1. The first build: nothing is known, so everything is built")
    first = build("first build")
    expect(not first.reused and not first.replayed, "nothing is reused", first.reused | first.replayed)

    step("2. Again, until nothing is left to do")
    settled = settle()
    expect(not settled.built and not settled.ran, "nothing is built and no test runs", settled.built | settled.ran)

    step("3. Customers write in: 300 new rows in the source shop.tickets")
    new_tickets()
    third = build("new support tickets")
    readers = third.tables_below("source.fernway.shop.tickets")
    expect_built(third, readers, "exactly the tables that read the tickets are built")

    step("4. Somebody tidies fct_orders.sql: a comment, capitals, an alias, line breaks")
    tidy()
    fourth = build("other spelling")
    expect_built(fourth, set(), "nothing is built: the query means the same")

    step("5. The business changes its mind: four orders now make a regular customer (dim_customers.sql)")
    change_logic()
    fifth = build("other logic")
    changed = "model.fernway.dim_customers"
    expect_built(fifth, {changed} | fifth.tables_below(changed), "dim_customers and the tables that read it are built")

    step("6. The proof: plain dbt builds the same project from nothing")
    compared = compare_with_plain_dbt()
    say(f"{compared} relations compared row by row: all equal.")

    summary([first, *settled.before, settled, third, fourth, fifth])


# --- the steps ------------------------------------------------------------------------------------------------------


def set_up() -> dict[str, int]:
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(HERE / "project", PROJECT)
    (PROJECT / "seeds").mkdir(exist_ok=True)
    return generate.generate(PROJECT / "seeds", WAREHOUSE)


def settle() -> Run:
    """Build until a run has nothing to do. An incremental model compiles to other SQL once its table stands, so the
    second build still has something to do, and the third is the first that cannot."""
    before = []
    for attempt in range(2, 5):
        run = build(f"build {attempt}")
        if not run.built and not run.ran:
            run.label = "settled"
            break
        before.append(run)
    run.before = before
    return run


def new_tickets() -> None:
    with duckdb.connect(str(WAREHOUSE)) as connection:
        connection.execute(
            """insert into shop.tickets
            select 10000 + row_number() over (order by order_id), order_id, 'delivery',
                   delivered_at + interval 5 hour, delivered_at + interval 29 hour, 1 + order_id % 5
            from shop.shipments where order_id % 19 = 0 order by order_id limit 300"""
        )


def tidy() -> None:
    path = PROJECT / "models/marts/core/fct_orders.sql"
    sql = path.read_text()
    sql = sql.replace("select\n", "-- One row an order. Amounts are in euro unless the name says otherwise.\nSELECT\n", 1)
    sql = sql.replace("from {{", "FROM {{").replace("inner join", "JOIN").replace("left join", "LEFT OUTER JOIN")
    sql = sql.replace("t.", "totals.").replace(" as t\n", " totals\n")
    path.write_text(sql)
    show_edit(path, "JOIN {{ ref('int_order_totals') }} totals")


def change_logic() -> None:
    path = PROJECT / "models/marts/core/dim_customers.sql"
    old, new = "when h.orders >= 5 then 'regular'", "when h.orders >= 4 then 'regular'"
    sql = path.read_text()
    if old not in sql:
        fail(f"{path.name} no longer holds {old!r}; the demo does not fit its project")
    path.write_text(sql.replace(old, new))
    show_edit(path, new)


def compare_with_plain_dbt() -> int:
    """Build everything with hodor off in another file, and compare every relation. What differs between two runs by its
    nature is left out: the column that names the run, and a snapshot's own times."""
    with duckdb.connect(str(CONTROL)) as connection:
        connection.execute(f"attach '{WAREHOUSE}' as source_of_truth (read_only)")
        for schema in ("shop", "web"):
            connection.execute(f"create schema {schema}")
            tables = connection.execute(
                "select table_name from duckdb_tables() where database_name = 'source_of_truth' and schema_name = ?",
                [schema],
            ).fetchall()
            for (table,) in tables:
                connection.execute(f"create table {schema}.{table} as from source_of_truth.{schema}.{table}")
    dbt(
        "build",
        "--target-path",
        str(WORK / "plain-target"),
        env={"HODOR_MODE": "off", "FERNWAY_WAREHOUSE": str(CONTROL)},
    )

    compared = 0
    with duckdb.connect() as connection:
        connection.execute(f"attach '{WAREHOUSE}' as reused (read_only)")
        connection.execute(f"attach '{CONTROL}' as plain (read_only)")
        names = connection.execute(
            "select distinct table_name from duckdb_columns() where database_name = 'plain' and schema_name = 'main' "
            "and table_name not like 'snap%' order by 1"
        ).fetchall()
        for (name,) in names:
            columns = "* exclude (written_by_run)" if name == "rpt_management_summary" else "*"
            ours, theirs = (f"select {columns} from {catalog}.main.{name}" for catalog in ("reused", "plain"))
            extra, lost = (f"(select count(*) from ({a} except all {b}))" for a, b in ((ours, theirs), (theirs, ours)))
            too_many, missing = connection.execute(f"select {extra}, {lost}").fetchone()
            if too_many or missing:
                fail(f"{name} differs from plain dbt's: {too_many} rows too many, {missing} missing")
            compared += 1
    return compared


# --- one run of dbt -------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """What one dbt command did, by unique_id."""

    label: str
    seconds: float
    dbt_seconds: float
    manifest: dict
    built: set[str] = field(default_factory=set)
    reused: set[str] = field(default_factory=set)
    ran: set[str] = field(default_factory=set)  # tests
    replayed: set[str] = field(default_factory=set)  # tests
    took: dict[str, float] = field(default_factory=dict)  # seconds
    before: list[Run] = field(default_factory=list)

    def tables_below(self, unique_id: str) -> set[str]:
        """All nodes that keep rows and read `unique_id`, directly or through others."""
        found, todo = set(), [unique_id]
        while todo:
            for child in self.manifest["child_map"][todo.pop()]:
                if child not in found and not child.startswith(("test.", "unit_test.", "exposure.")):
                    found.add(child)
                    todo.append(child)
        return {node for node in found if self.manifest["nodes"][node]["config"]["materialized"] not in ("view", "ephemeral")}


def build(label: str) -> Run:
    started = time.monotonic()
    target = PROJECT / "target"
    (target / "run_results.json").unlink(missing_ok=True)
    said = dbt("build")
    if not any(" reused, " in line for line in said):
        fail("hodor took no part in this run; " + (said[0] if said else "is dbt-hodor installed? `make venv` does it"))
    seconds = time.monotonic() - started
    results = json.loads((target / "run_results.json").read_text())
    run = Run(label, seconds, results["elapsed_time"], json.loads((target / "manifest.json").read_text()))
    for result in results["results"]:
        unique_id, status = result["unique_id"], result["status"]
        run.took[unique_id] = result["execution_time"]
        if unique_id.startswith("test."):
            if status not in ("pass", "warn"):
                fail(f"{unique_id} ended with {status}: {result['message']}")
            (run.replayed if is_replay(result) else run.ran).add(unique_id)
        elif status == "reused":
            run.reused.add(unique_id)
        elif status == "success":
            run.built.add(unique_id)
        else:
            fail(f"{unique_id} ended with {status}: {result['message']}")
    show_run(run)
    return run


def is_replay(result: dict) -> bool:
    return "replayed" in (result["message"] or "")


def dbt(*arguments: str, env: dict[str, str] | None = None) -> list[str]:
    """Run dbt with a one-line progress display, and print what it and hodor say in the end. Returns hodor's lines."""
    command = [str(Path(sys.executable).with_name("dbt")), "--log-format", "json", *arguments]
    command += ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)]
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("HODOR_", "DBT_"))}
    child = subprocess.Popen(
        command,
        cwd=PROJECT,
        env=inherited | {"FERNWAY_WAREHOUSE": str(WAREHOUSE)} | (env or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    progress("dbt starts ...")
    transcript, said = [], []
    for line in child.stdout:
        transcript.append(line)
        try:
            event = json.loads(line)
        except ValueError:
            continue
        data, message = event.get("data", {}), event["info"].get("msg", "")
        if "index" in data and "total" in data:
            progress(f"{data['index']:>4} of {data['total']}  {data.get('node_info', {}).get('node_name', '')}")
        elif "hodor: " in message or message.startswith("Done. "):
            progress("")
            print(dim(f"   {message}"), flush=True)
            if "hodor: " in message:
                said.append(message)
    progress("")
    if child.wait() != 0:
        for line in transcript[-40:]:
            try:
                print("   " + json.loads(line)["info"]["msg"])
            except ValueError:
                print("   " + line.rstrip())
        fail(f"dbt ended with status {child.returncode}; the whole log is {PROJECT / 'logs/dbt.log'}")
    return said


# --- what the user sees ---------------------------------------------------------------------------------------------


def step(text: str) -> None:
    print(f"\n{bold(text)}", flush=True)


def say(text: str) -> None:
    print(f"   {text}", flush=True)


def progress(text: str) -> None:
    if TTY:
        print(f"\r\033[K{'   ' + text if text else ''}", end="", flush=True)


def show_edit(path: Path, line: str) -> None:
    say(dim(f"{path.relative_to(PROJECT)}: {line}"))


def show_run(run: Run) -> None:
    if 0 < len(run.built) <= 8:
        say(f"built: {names(run.built)}")
    say(
        f"{len(run.built)} built, {len(run.reused)} reused; {len(run.ran)} tests run, {len(run.replayed)} replayed; "
        f"{run.dbt_seconds:.1f} s ({run.seconds:.1f} s with dbt's start)"
    )


def summary(runs: list[Run]) -> None:
    step("What was saved")
    say(f"{'':24}{'built':>7}{'reused':>8}{'tests run':>11}{'replayed':>10}{'time':>9}")
    for run in runs:
        counts = f"{len(run.built):>7}{len(run.reused):>8}{len(run.ran):>11}{len(run.replayed):>10}"
        say(f"{run.label:24}{counts}{run.dbt_seconds:>7.1f} s")
    say("")
    later = runs[1:]
    kept = sum(len(run.reused) + len(run.replayed) for run in later)
    total = kept + sum(len(run.built) + len(run.ran) for run in later)
    saved = sum(runs[0].took[unique_id] for run in later for unique_id in run.reused | run.replayed)
    say(f"After the first build hodor kept {kept} of {total} nodes and test results:")
    say(f"about {saved:.0f} s of building and testing, by what each took the first time.")
    say("Every table equals what plain dbt builds.")
    say(f"The project is in {os.path.relpath(PROJECT)}; change something and build again:")
    command = os.path.relpath(Path(sys.executable).with_name("dbt"), PROJECT)
    say(dim(f"cd {os.path.relpath(PROJECT)} && {command} build --profiles-dir ."))


def expect(holds: bool, what: str, offenders: set[str]) -> None:
    if not holds:
        fail(f"expected that {what}, but these were: {names(offenders)}")
    print(f"   {green('ok')} {what}", flush=True)


def expect_built(run: Run, expected: set[str], what: str) -> None:
    if run.built >= expected:
        expect(run.built <= expected, what, run.built - expected)
    else:
        fail(f"expected that {what}, but these were not: {names(expected - run.built)}")


def names(unique_ids: set[str]) -> str:
    """The first few of them, readable."""
    short = sorted(unique_id.split(".")[2] for unique_id in unique_ids)
    return ", ".join(short[:8]) + (f" and {len(short) - 8} more" if len(short) > 8 else "")


def fail(text: str) -> None:
    progress("")
    print(f"demo: {text}", file=sys.stderr)
    sys.exit(1)


def paint(code: str, text: str) -> str:
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def bold(text: str) -> str:
    return paint("1", text)


def dim(text: str) -> str:
    return paint("2", text)


def green(text: str) -> str:
    return paint("32", text)


if __name__ == "__main__":
    main()
