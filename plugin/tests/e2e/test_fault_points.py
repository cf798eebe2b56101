"""An exception at every step of the plugin, named one by one: dbt's run stays what plain dbt's is, with one warning at most.

The steps of the service have such a list in session/faults_test.go.
"""

import pytest

from . import shop
from .faults import fake_service
from .test_faults import assert_plain, assert_plain_with_one_warning

#: What happens before anything is decided: the run is plain dbt.
BEFORE = [
    "settings:read",
    "state_config:merged",
    "_binary:find",
    "session:other_plugin",
    "session:Run",
    "session:Relay",
    "session:Watch",
    "session:Client",
    "session:Session.start",
    "live:Run.start_params",
    "live:Run._vars_hash",
    "live:Run._session_hash",
    "live:Run.manifest_path",
    "client:Client.start",
    "client:Client.send",
    "client:Client.wait",
    "watch:Watch.install",
    "session:Replacements",
    "session:load_xxh3",
]

#: What happens while a node is decided, and what the service asks for: the node builds.
DECIDING = [
    "session:Session._is_ready",
    "session:Session._verdict",
    "session:Session._reuse",
    "session:Node",
    "session:Verdict",
    "watch:Watch.ask",
    "watch:Watch.settle",
    "live:Run.text_hash",
    "live:Run.relation",
    "live:Run.pointer",
    "live:Run.loads_source",
    "client:Client.call",
    "relay:Relay.submit",
    "relay:Relay._execute",
    "relay:as_text",
]

#: What happens to some nodes only, to one that is decided, and at the end: reuse stands, and is right.
AFTER = [
    "live:Replacements.apply",  # of no seed
    "session:Session.line",
    "session:Session._final",
    "session:Session._finish",
    "session:Session._statuses",
    "session:Session._sum_up",
    "session:Session._worth",
    "session:duration",
    "patches:fire_line",
    "patches:line_event",
    "watch:Watch.remove",
    "live:Run.discard",
    "client:Client.close",
    "relay:Relay.close",
]


@pytest.mark.parametrize("point", BEFORE)
def test_fault_before_the_first_decision(settled, plain, point):
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", broken=(point, "raises"))
    assert_plain_with_one_warning(settled, run, plain)


@pytest.mark.parametrize("point", DECIDING)
def test_fault_while_deciding(settled, plain, point):
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", broken=(point, "raises"))
    assert_plain(settled, run, plain)
    assert len(run.warnings) <= 1, run.text
    assert run.warnings or point.startswith("relay:"), run.text


@pytest.mark.parametrize("point", AFTER)
def test_fault_after_a_decision(settled, plain, point):
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", broken=(point, "raises"))
    run.twin = plain[1]
    assert run.rc == 0, run.text
    settled.same_as(plain[0], run)
    assert len(run.warnings) <= 1, run.text
    assert "Traceback" not in run.text, run.text
    assert settled.dbt("build").rc == 0


@pytest.mark.parametrize("answer", ["no rows", "other rows"])
def test_field_32_warehouse_that_answers_nothing_of_use(settled, plain, answer):
    """An empty answer where versions were expected is not "all as before"."""
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", broken=("relay:Relay._execute", answer))
    assert_plain(settled, run, plain)


# -- the store on a disk that is full or read-only --------------------------------------------------------------------

#: Runs the service with the state's folder on a file system of its own: very small, or read-only.
MOUNTED = (
    "import os, sys\n"
    "os.execvp('unshare', ['unshare', '--map-root-user', '--mount', 'sh', '-c',"
    " 'mount -t tmpfs -o {} none {} && exec {} \"$@\"', 'sh', *sys.argv[1:]])\n"
)


def mounted(project, directory, options: str) -> dict[str, str]:
    """The environment of a run whose state is in a folder that is mounted for the service only."""
    import shutil
    import subprocess

    import dbt_hodor._binary

    if not shutil.which("unshare") or subprocess.run(["unshare", "--map-root-user", "--mount", "true"]).returncode:
        pytest.skip("this system gives no mount namespace")
    from .faults import script

    folder = directory / "disk"
    folder.mkdir()
    binary = script(directory, "mounted-hodor-sql", MOUNTED.format(options, folder, dbt_hodor._binary.find()))
    return {"HODOR_BINARY": str(binary), "HODOR_PATH": str(folder / "state.duckdb")}


@pytest.mark.parametrize("options", ["size=16k", "ro"])
def test_disk_that_takes_no_state(settled, plain, tmp_path, options):
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", env=mounted(settled, tmp_path, options))
    assert_plain_with_one_warning(settled, run, plain, "state.duckdb")


def test_state_in_a_folder_that_can_not_be_made(settled, plain):
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", env={"HODOR_PATH": "/proc/no/state.duckdb"})
    assert_plain_with_one_warning(settled, run, plain, "/proc/no")


def test_warnings_of_a_fake_service_reach_the_log(settled, tmp_path):
    """What the service has to say at the end is said, once."""
    binary, _ = fake_service(
        tmp_path, "hello(); serve(run_finish=lambda r: answer(r, {**FINISH, 'warnings': ['the disk is nearly full.']}))"
    )
    run = settled.dbt("build -s rates", env={"HODOR_BINARY": str(binary)})
    assert run.rc == 0
    assert [line.split("hodor: ")[1] for line in run.warnings] == ["the disk is nearly full."]
