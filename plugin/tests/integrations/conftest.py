"""What the tests of the tools around dbt share: the shop in the environment that has these tools, and their dbt packages.

dbt packages are not on the Python index. HODOR_DBT_PACKAGES names a folder as `dbt deps` fills it (dbt_artifacts, elementary, dbt_utils);
without it the tests of packages are skipped and say so.
"""

import os
import shutil
import sys
from pathlib import Path

import pytest
from e2e.conftest import leave_nothing_running, main_environment, settled, shared  # noqa: F401
from e2e.project import Project

STATUSES = ("reused", "success")

#: The folder of dbt packages; no test sees a HODOR_* variable that it did not set itself.
PACKAGES = os.environ.get("HODOR_DBT_PACKAGES", "")


@pytest.fixture(autouse=True)
def clean_shell(tmp_path, monkeypatch) -> dict[str, str]:
    """The tools find the dbt of this environment and a home folder of their own, and tell nobody how they are used."""
    (tmp_path / "home").mkdir()
    clean = {
        "HOME": str(tmp_path / "home"),
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "DO_NOT_TRACK": "1",
    }
    for name, value in clean.items():
        monkeypatch.setenv(name, value)
    return clean


def find_package(name: str) -> Path:
    """The folder of a dbt package; skips the test where there is none."""
    if not PACKAGES:
        pytest.skip(f"the dbt package {name} is not here: HODOR_DBT_PACKAGES is to name a folder that `dbt deps` has filled")
    found = Path(PACKAGES).resolve() / name
    if not (found / "dbt_project.yml").exists():
        pytest.skip(f"the dbt package {name} is not in {PACKAGES} (HODOR_DBT_PACKAGES)")
    return found


def add_packages(project: Project, *names: str) -> None:
    """Puts dbt packages into a project as `dbt deps` would."""
    for name in names:
        shutil.copytree(
            find_package(name), project.dir / "dbt_packages" / name, ignore=shutil.ignore_patterns("integration_test*")
        )
    project.write("packages.yml", "packages:\n" + "".join(f"  - local: dbt_packages/{name}\n" for name in names))
