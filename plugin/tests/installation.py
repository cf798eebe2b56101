"""What the tests of an installation share: pip, and dbt on a project of two models."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "dbt_project.yml": "name: tiny\nprofile: tiny\nmodel-paths: [models]\nmodels: {+materialized: table, +state: {lag_tolerance: 0s}}\n",
    "profiles.yml": "tiny: {target: dev, outputs: {dev: {type: duckdb, path: tiny.duckdb}}}\n",
    "models/one.sql": "select 1 as a",
    "models/two.sql": "select a from {{ ref('one') }}",
}


def missing(text):
    if os.environ.get("HODOR_REQUIRE_ENGINES"):
        pytest.fail(text)
    pytest.skip(text)


@pytest.fixture(scope="module")
def pip():
    tools = ROOT / ".venv-tools" / "bin" / "python"
    if subprocess.run([tools, "-m", "pip", "--version"], capture_output=True).returncode:
        tools = Path(sys.base_prefix) / "bin" / "python3"
        if subprocess.run([tools, "-m", "pip", "--version"], capture_output=True).returncode:
            missing("no pip beside .venv-tools")
    options = ("--isolated", "--disable-pip-version-check", "--quiet")
    return lambda *words: subprocess.run([str(word) for word in (tools, "-m", "pip", *options, *words)], check=True, timeout=300)


@pytest.fixture
def tiny_build(tmp_path):
    """Runs dbt build on a project of two models with those folders in front of what is installed; returns the status and the output."""
    folder = tmp_path / "a shop"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)

    def build(path, **variables):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HODOR_", "DBT_", "XDG_"))}
        kept |= {"PYTHONPATH": str(path), "HOME": str(tmp_path / "home"), "HODOR_MODE": "on", "DO_NOT_TRACK": "1", **variables}
        (tmp_path / "home").mkdir(exist_ok=True)
        command = [
            sys.executable,
            "-P" if sys.version_info >= (3, 11) else "-B",
            "-m",
            "dbt.cli.main",
            "--no-use-colors",
            "build",
        ]
        done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, timeout=850)
        return done.returncode, done.stdout + done.stderr

    return build
