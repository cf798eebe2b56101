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
from installation import ROOT, missing

VERSION = (ROOT / "internal" / "version" / "VERSION").read_text().strip()


@pytest.fixture(scope="module")
def wheel():
    found = list((ROOT / "dist").glob(f"dbt_hodor-{VERSION}-*.whl"))
    return found[0] if len(found) == 1 else missing("no one wheel in dist: make wheel")


@pytest.fixture(scope="module")
def target(wheel, pip, tmp_path_factory):
    """What pip install --target makes."""
    folder = tmp_path_factory.mktemp("job") / "my libraries"
    pip("install", "--no-deps", "--no-index", "--target", folder, wheel)
    return folder


def test_an_environment_whose_path_has_spaces(wheel, pip, tmp_path):
    place = tmp_path / "my environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    pip("--python", place / "bin" / "python", "install", "--no-deps", "--no-index", wheel)
    for name in ("hodor-sql", "ods", "dbt-hodor"):
        done = subprocess.run([place / "bin" / name, "version"], capture_output=True, text=True, check=True, cwd=tmp_path)
        assert done.stdout.startswith(f"{name} {VERSION} ")


def test_a_target_folder_that_can_not_be_written_to_nor_executed_from(target, tiny_build, tmp_path):
    """As a volume is mounted for a job. The second build reuses both models: the service that ran is a copy of the one in that folder."""
    readonly = tmp_path / "read only"
    shutil.copytree(target, readonly)
    for path in sorted(readonly.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    readonly.chmod(0o555)
    try:
        status, text = tiny_build(readonly)
        (copy,) = (tmp_path / "home" / ".cache" / "hodor").iterdir()
        assert status == 0 and "plain dbt" not in text and copy.name.startswith("hodor-sql-")
        status, text = tiny_build(readonly)
        assert status == 0 and text.count("REUSED") >= 2
    finally:
        for path in (readonly, *readonly.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)


def test_a_zipped_environment(target, tiny_build, tmp_path):
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
    status, text = tiny_build(archive, XDG_CACHE_HOME=nowhere, TMPDIR=str(tmp_path / "temp"))
    (line,) = [line for line in text.splitlines() if "hodor:" in line]
    assert status == 0 and "can't be executed where it lies (in a zip" in line and "This run is plain dbt." in line
    status, text = tiny_build(archive)
    assert status == 0 and "plain dbt" not in text
    assert len(list((tmp_path / "home" / ".cache" / "hodor").iterdir())) == 1


def test_the_scripts_are_where_the_environment_has_its_scripts():
    scripts = Path(sysconfig.get_path("scripts"))
    assert {name for name in ("hodor-sql", "ods", "dbt-hodor") if (scripts / name).exists()} == {"hodor-sql", "ods", "dbt-hodor"}
