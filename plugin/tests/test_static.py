"""The wheel for systems that the other can't serve, as musl and old ones: an executable of no C at all, without the DuckDB store."""

import os
import subprocess

import pytest
from installation import ROOT
from postgres import server


@pytest.fixture(scope="module")
def static(pip, tmp_path_factory):
    """What pip, asked for a musl system, makes of the wheel that is built without a C compiler."""
    folder = tmp_path_factory.mktemp("musl")
    environment = {name: value for name, value in os.environ.items() if name != "HODOR_SQL_BINARY"} | {"CGO_ENABLED": "0"}
    hatchling = ROOT / ".venv-tools" / "bin" / "hatchling"
    subprocess.run(
        [hatchling, "build", "-t", "wheel", "-d", folder], cwd=ROOT / "plugin", env=environment, check=True, timeout=850
    )
    (wheel,) = folder.glob("*.whl")
    musl = next(tag for tag in wheel.stem.split("-")[-1].split(".") if tag.startswith("musllinux"))
    target = folder / "my libraries"
    pip("install", "--no-deps", "--no-index", "--only-binary", ":all:", "--platform", musl, "--target", target, wheel)
    return target


def test_a_static_executable_says_what_it_lacks_and_what_to_do(static, tmp_path):
    """hodor-sql and, in a project, dbt-hodor: both end with 1, since the store that is meant can't be had."""
    binary = static / "dbt_hodor" / "bin" / "hodor-sql"
    about = subprocess.run([binary, "version"], capture_output=True, text=True, check=True).stdout
    assert "without the DuckDB store" in about
    done = subprocess.run([binary, "doctor", "--store", "duckdb"], cwd=tmp_path, capture_output=True, text=True)
    said = " ".join(done.stdout.split())
    assert done.returncode == 1 and "without the DuckDB store" in said and "set hodor_store to postgres" in said, done


def test_a_static_executable_makes_plain_dbt_of_a_run_that_wants_a_state_file(static, tiny_build):
    for _ in range(2):
        status, text = tiny_build(static)
        (line, summary) = [line for line in text.splitlines() if "hodor:" in line]
        assert status == 0 and "built without DuckDB" in line and "HODOR_STORE=postgres" in line
        assert "REUSED [" not in text and "0 reused, 2 built, 0 errors" in summary


def test_a_static_executable_keeps_its_records_in_postgres(static, tiny_build):
    with server("not secret") as (variables, ask):
        store = {**variables, "HODOR_STORE": "postgres", "HODOR_DATABASE": "postgres"}
        status, text = tiny_build(static, **store)
        assert status == 0 and "0 reused, 2 built, 0 errors" in text
        status, text = tiny_build(static, **store)
        assert status == 0 and text.count("[REUSED") == 2 and "2 reused, 0 built, 0 errors" in text
        assert "model.tiny.two" in ask("select distinct unique_id from hodor_state")
