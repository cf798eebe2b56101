"""The wheel as people install it: in an environment and a folder whose paths have spaces, on volumes without the execute bit, in a zip. Real pip,
real dbt. Where the executable can't be had, dbt runs as it does without hodor."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from postgres import server

ROOT = Path(__file__).resolve().parents[2]
VERSION = (ROOT / "internal" / "version" / "VERSION").read_text().strip()
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
def wheel():
    found = list((ROOT / "dist").glob(f"dbt_hodor-{VERSION}-*.whl"))
    return found[0] if len(found) == 1 else missing("no one wheel in dist: make wheel")


@pytest.fixture(scope="module")
def pip():
    tools = ROOT / ".venv-tools" / "bin" / "python"
    if subprocess.run([tools, "-m", "pip", "--version"], capture_output=True).returncode:
        tools = Path(sys.base_prefix) / "bin" / "python3"
        if subprocess.run([tools, "-m", "pip", "--version"], capture_output=True).returncode:
            missing("no pip beside .venv-tools")
    options = ("--isolated", "--disable-pip-version-check", "--quiet")
    return lambda *words: subprocess.run([str(word) for word in (tools, "-m", "pip", *options, *words)], check=True, timeout=300)


@pytest.fixture(scope="module")
def target(wheel, pip, tmp_path_factory):
    """What pip install --target makes."""
    folder = tmp_path_factory.mktemp("job") / "my libraries"
    pip("install", "--no-deps", "--no-index", "--target", folder, wheel)
    return folder


@pytest.fixture
def dbt(tmp_path):
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


def test_an_environment_whose_path_has_spaces(wheel, pip, tmp_path):
    place = tmp_path / "my environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    pip("--python", place / "bin" / "python", "install", "--no-deps", "--no-index", wheel)
    for name in ("hodor-sql", "ods", "dbt-hodor"):
        done = subprocess.run([place / "bin" / name, "version"], capture_output=True, text=True, check=True, cwd=tmp_path)
        assert done.stdout.startswith(f"{name} {VERSION} ")


def test_a_target_folder_that_can_not_be_written_to_nor_executed_from(target, dbt, tmp_path):
    """As a volume is mounted for a job. The second build reuses both models: the service that ran is a copy of the one in that folder."""
    readonly = tmp_path / "read only"
    shutil.copytree(target, readonly)
    for path in sorted(readonly.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    readonly.chmod(0o555)
    try:
        status, text = dbt(readonly)
        (copy,) = (tmp_path / "home" / ".cache" / "hodor").iterdir()
        assert status == 0 and "plain dbt" not in text and copy.name.startswith("hodor-sql-")
        status, text = dbt(readonly)
        assert status == 0 and text.count("REUSED") >= 2
    finally:
        for path in (readonly, *readonly.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)


def test_a_zipped_environment(target, dbt, tmp_path):
    """Without a place for the executable the run is plain dbt and says why once; with one it works."""
    archive = tmp_path / "job environment.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as made:
        for path in target.rglob("*"):
            if path.is_file():
                made.write(path, path.relative_to(target))
    (tmp_path / "file").write_text("")
    nowhere = str(tmp_path / "file")
    # A folder of temporary files must be one, so the copy's own place in it is taken.
    (tmp_path / "temp").mkdir()
    (tmp_path / "temp" / f"hodor-{os.getuid()}").write_text("")
    status, text = dbt(archive, XDG_CACHE_HOME=nowhere, TMPDIR=str(tmp_path / "temp"))
    (line,) = [line for line in text.splitlines() if "hodor:" in line]
    assert status == 0 and "can't be executed where it lies (in a zip" in line and "This run is plain dbt." in line
    status, text = dbt(archive)
    assert status == 0 and "plain dbt" not in text
    assert len(list((tmp_path / "home" / ".cache" / "hodor").iterdir())) == 1


def test_the_scripts_are_where_the_environment_has_its_scripts():
    scripts = Path(sysconfig.get_path("scripts"))
    assert {name for name in ("hodor-sql", "ods", "dbt-hodor") if (scripts / name).exists()} == {"hodor-sql", "ods", "dbt-hodor"}


# --- the wheel for systems that the other can't serve: an executable of no C at all, without the DuckDB store ---


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


def test_a_static_executable_makes_plain_dbt_of_a_run_that_wants_a_state_file(static, dbt):
    for _ in range(2):
        status, text = dbt(static)
        (line, summary) = [line for line in text.splitlines() if "hodor:" in line]
        assert status == 0 and "built without DuckDB" in line and "HODOR_STORE=postgres" in line
        assert "REUSED [" not in text and "0 reused, 2 built, 0 errors" in summary


def test_a_static_executable_keeps_its_records_in_postgres(static, dbt):
    with server("not secret") as (variables, ask):
        store = {**variables, "HODOR_STORE": "postgres", "HODOR_DATABASE": "postgres"}
        status, text = dbt(static, **store)
        assert status == 0 and "0 reused, 2 built, 0 errors" in text
        status, text = dbt(static, **store)
        assert status == 0 and text.count("[REUSED") == 2 and "2 reused, 0 built, 0 errors" in text
        assert "model.tiny.two" in ask("select distinct unique_id from hodor_state")
