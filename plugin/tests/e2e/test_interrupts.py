"""A run that is cut short: the service killed, Ctrl-C, two runs at once. What was proven is kept, nothing else."""

import os
import signal
import subprocess
import time

import pytest

from . import shop
from .faults import at_work, fake_service, gone, service_of, wait_for
from .project import Project
from .run import Run

#: A table that takes DuckDB a second or two, and one that takes it minutes.
BUSY = "select count(*) as n from range({}) t (i) where hash(i) % 7 = 3"
SLOW = {
    "models/slow.sql": "{{ config(materialized='table') }}\n" + BUSY.format(300_000_000) + "\n",
    "models/after_slow.sql": "{{ config(materialized='table') }}\nselect n from {{ ref('slow') }}\n",
}


#: The head of a model that comes after everything else, and the statement that makes it.
LAST = "{{ config(materialized='table') }}\n-- depends_on: {{ ref('daily') }}\n"
SLOW_STATEMENT = r"(?s)On model\.shop\.slow: /\*.*create +table"


def add(project: Project, files: dict[str, str]) -> None:
    for path, text in files.items():
        project.write(path, text)


def test_service_killed_in_the_middle_of_a_run(settled):
    add(settled, SLOW)
    settled.sql(shop.NEW_ORDER)
    other = settled.copy(settled.dir.with_name("plain"))
    other.env["HODOR_MODE"] = "off"
    process, service = start_slow(settled)
    assert service, "the run has no service"
    os.kill(service, signal.SIGKILL)
    run = settled.finish_process(process, "build")
    run.twin = other.dbt("build")
    settled.same_as(other, run)
    assert run.rc == 0
    assert run.statuses["slow"] == run.statuses["after_slow"] == "success"
    assert len(run.warnings) == 1, run.text
    assert not settled.records("status = 'success' and unique_id like '%slow%' and data_version is not null")
    assert gone(service)

    settled.dbt("build", twin=True).expect({"slow": "success no_history", "after_slow": "success no_history"}, rc=0)


def start_slow(project: Project, *words: str) -> tuple[subprocess.Popen, int | None]:
    """Starts dbt build and returns, with the service's process id, once DuckDB works on the slow model."""
    process = project.popen(["build", *words])
    at_work(process.pid, project.dir / "logs" / "dbt.log", SLOW_STATEMENT)
    return process, service_of(process.pid)


def interrupt(project: Project) -> tuple[Run, int | None]:
    """Presses Ctrl-C while the slow model runs, as a terminal does: for the whole process group."""
    process, service = start_slow(project)
    os.killpg(process.pid, signal.SIGINT)
    return project.finish_process(process, "build"), service


def test_ctrl_c(settled):
    settled.write("models/slow.sql", LAST + BUSY.format(10**12))
    settled.sql(shop.NEW_ORDER)
    other = settled.copy(settled.dir.with_name("plain"))
    other.env["HODOR_MODE"] = "off"
    run, service = interrupt(settled)
    run.twin, _ = interrupt(other)
    assert run.rc == run.twin.rc == 2
    settled.same_as(other, run)
    assert run.text.count("Traceback") == run.twin.text.count("Traceback"), run.text
    assert service and gone(service)
    assert run.records["orders"]["reason"] == "new_upstream_data"
    assert settled.records("unique_id = 'model.shop.slow' and action = 'build' and status = 'success'") == []

    settled.write("models/slow.sql", LAST + "select 1 as n\n")
    settled.dbt("build", twin=True).expect({"slow": "success no_history"}, rest="reused", rc=0)


def test_ctrl_c_twice(settled):
    """The second one comes while dbt and the service clean up after the first."""
    settled.write("models/slow.sql", LAST + BUSY.format(10**12))
    settled.sql(shop.NEW_ORDER)
    process, service = start_slow(settled)
    for _ in range(2):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.1)
    run = settled.finish_process(process, "build")
    assert run.rc != 0
    assert service and gone(service)
    assert settled.records("unique_id = 'model.shop.slow' and action = 'build' and status = 'success'") == []

    settled.write("models/slow.sql", LAST + "select 1 as n\n")
    settled.dbt("build", twin=True).expect({"slow": "success no_history"}, rc=0)


def test_slow_metadata_query(settled):
    """A version that takes the warehouse longer to read than the service may be silent is waited for: the query runs in this process."""
    settled.sql("create table shop.raw.big as select i, hash(i) as h, i::varchar as t from range(20_000_000) r (i)")
    settled.write("models/sources_big.yml", "sources: [{name: raw_big, schema: raw, tables: [{name: big}]}]\n")
    settled.write(
        "models/big.sql", "{{ config(materialized='table') }}\nselect count(*) as n from {{ source('raw_big', 'big') }}\n"
    )
    settled.env["HODOR_DEADLINE_S"] = "1"
    settled.dbt("run -s big").expect({"big": "success no_history"}, rc=0)
    run = settled.dbt("run -s big")
    run.expect({"big": "reused no_new_data"}, rc=0)
    assert not run.warnings


def test_ctrl_c_while_the_service_hangs(settled, tmp_path):
    binary, pid = fake_service(tmp_path, "hello(); serve(node_decide=lambda r: time.sleep(600))")
    process = settled.popen(["build"], {"HODOR_BINARY": str(binary)})
    wait_for(lambda: "START sql view model main.stg_orders" in settled.text(), what="the first node")
    wait_for(pid.exists, what="the service")
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    run = settled.finish_process(process, "build")
    assert run.rc == 2, run.text
    assert "reused" not in run.statuses.values()
    assert gone(int(pid.read_text()))


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_dbt_itself_is_killed(settled, signal_number):
    """The service sees the end of its input, writes what is proven and ends; the store stays whole."""
    add(settled, SLOW)
    settled.sql(shop.NEW_ORDER)
    process, service = start_slow(settled)
    os.kill(process.pid, signal_number)
    process.wait(60)
    assert gone(service)
    assert settled.records("unique_id = 'model.shop.slow' and action = 'build' and status = 'success'") == []
    settled.dbt("build", twin=True).expect({"slow": "success no_history", "after_slow": "success no_history"}, rc=0)


def hooked(project: Project, sql: str) -> Project:
    """A model whose hook writes another table before the build's transaction begins. Neither is told by the model's own table."""
    hook = "create or replace table main.side as select max(id) as id from {{ source('raw', 'customers') }}"
    project.model("hooked", sql, pre_hook=[{"sql": hook, "transaction": False}])
    project.settle("run -s hooked")
    project.dbt("run -s hooked").expect({"hooked": "reused no_new_data"}, rc=0)
    return project


def as_before(project: Project, wrote: str) -> None:
    """What the model reads is what it was; the hook's table is not, and a build makes it so."""
    assert project.rows("main.side") == [[wrote]]
    project.sql("delete from raw.customers where id > 3")
    run = project.dbt("run -s hooked", twin=True)
    run.expect({"hooked": "success no_history"}, rc=0)
    assert "began to build it" in run.records["hooked"]["sql_facts"]
    assert project.rows("main.side") == [["3"]]
    project.dbt("run -s hooked").expect({"hooked": "reused no_new_data"}, rc=0)


@pytest.mark.parametrize("service_first", [False, True])
def test_s2_killed_after_a_hook_wrote_another_table(settled, service_first):
    numbers = "range(c.id::bigint * c.id * c.id) r (i)"
    project = hooked(
        settled, f"select count(*) as n from {{{{ source('raw', 'customers') }}}} c, {numbers} where hash(i) % 7 < 9"
    )
    project.sql("insert into raw.customers values (2000000, 'Dee')")
    process = project.popen(["run", "-s", "hooked"])
    at_work(process.pid, project.dir / "logs" / "dbt.log", SLOW_STATEMENT.replace("slow", "hooked"))
    service = service_of(process.pid)
    for pid in (service, process.pid) if service_first else (process.pid,):
        os.kill(pid, signal.SIGKILL)
    process.wait(60)
    assert gone(service)
    as_before(project, "2000000")


def test_s2_failed_after_a_hook_wrote_another_table(settled):
    project = hooked(settled, "select id::utinyint as id from {{ source('raw', 'customers') }}")
    project.sql("insert into raw.customers values (300, 'Dee')")
    for _ in range(2):  # nothing is reused meanwhile, and one build is enough after
        project.dbt("run -s hooked", twin=True).expect({"hooked": "error"}, rc=1)
    as_before(project, "300")


def test_field_15_two_runs_at_once_on_one_store(settled, plain, tmp_path):
    """Two targets of one project in two warehouses; whatever the store lets the second one do, both runs are right."""
    store = str(settled.state)
    second = settled.copy(tmp_path / "second")
    second.edit("profiles.yml", "target: dev", "target: prod")
    second.edit("profiles.yml", "    dev:", "    prod:")
    second.env["HODOR_PATH"] = store
    for project in (settled, second):
        project.sql(shop.NEW_ORDER)
    processes = [(project, project.popen(["build"])) for project in (settled, second)]
    for project, process in processes:
        run = project.finish_process(process, "build")
        run.twin = plain[1]
        assert run.rc == 0, run.text
        project.same_as(plain[0], run)
        assert run.statuses["orders"] == "success"

    for project in (settled, second):
        project.settle(times=2)
        run = project.dbt("build")
        run.state = settled.state
        run.expect(rest="reused", rc=0)
