"""What is installed: the wheel that `make wheel` made, with the Go binary inside and of the same version."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import dbt_hodor
import pytest

WHEEL = distribution("dbt-hodor")
PACKAGE = Path(dbt_hodor.__file__).parent
BINARY = PACKAGE / "bin" / ("hodor-sql.exe" if sys.platform == "win32" else "hodor-sql")


def run(*command: object) -> str:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, timeout=60).stdout


def test_the_package_is_installed_not_imported_from_its_sources():
    assert "site-packages" in PACKAGE.parts


def test_the_binary_is_executable_and_of_the_wheels_version():
    assert os.access(BINARY, os.X_OK)
    about = json.loads(run(BINARY, "version", "--json"))
    assert about["version"] == WHEEL.version


def test_the_wheel_names_its_platform():
    lines = WHEEL.read_text("WHEEL").splitlines()
    tags = [line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: ")]
    assert [tag.rsplit("-", 1)[0] for tag in tags] == ["py3-none"]
    assert not tags[0].endswith("-any")
    assert "Root-Is-Purelib: false" in lines


def test_no_adapter_is_a_hard_dependency():
    hard = {need.split(";")[0].split("<")[0].split(">")[0].strip() for need in WHEEL.requires if "extra ==" not in need}
    assert hard == {"dbt-core", "xxhash"}
    assert set(WHEEL.metadata.get_all("Provides-Extra")) == {"duckdb", "postgres", "lakebase"}


@pytest.mark.parametrize("name", ["hodor-sql", "ods"])
def test_both_names_start_the_binary(name):
    script = Path(sys.executable).with_name(name)
    assert run(script, "version").startswith(f"{name} {WHEEL.version} ")


def test_a_console_script_passes_the_exit_status_on():
    script = Path(sys.executable).with_name("hodor-sql")
    done = subprocess.run([script, "nonsense"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hodor-sql: unknown command")
