"""The registry of fault points, an error, a hang beyond the deadline and SIGKILL of the service at each: what dbt leaves is what plain dbt leaves,
one warning at most, and the next run decides rightly.

The points of the service are those of internal/faultpoints/points.csv, built into a binary of their own; the plugin's are functions
(test_fault_points.py has their errors). HODOR_FAULTS=all has every fault at every point (`make test-faults`); else each point has one, in turn.
"""

import csv
import os
import subprocess

import pytest

from . import shop
from .conftest import ROOT, locked
from .project import Project
from .run import Run
from .test_fault_points import AFTER, BEFORE, DECIDING

with (ROOT / "internal" / "faultpoints" / "points.csv").open(encoding="utf-8", newline="") as file:
    POINTS = [row["name"] for row in csv.DictReader(file)]

#: A deadline short enough for a test.
DEADLINE = {"HODOR_DEADLINE_S": "2"}

#: What is said of a service that does not answer, which a busy machine may bring about before the point is reached.
SILENT = "said nothing for 2 s"

#: A record is queued after a build, and for some reuses when they are decided: two warnings of different things.
TWO_WARNINGS = {("built.enqueue", "error")}

ANOTHER_ORDER = "insert into raw.orders values (8, 2, 40, '2026-01-05')"


def faults(points: list[str], kinds: list[str]) -> list[tuple[str, str]]:
    """Points with the faults that are put there."""
    every = os.environ.get("HODOR_FAULTS") == "all"
    return [(point, kind) for i, point in enumerate(points) for j, kind in enumerate(kinds) if every or i % len(kinds) == j]


def test_there_are_fifty():
    names = POINTS + BEFORE + DECIDING + AFTER
    assert len(names) >= 50 and len(set(names)) == len(names)


@pytest.fixture(scope="session")
def faulty(shared) -> str:
    """hodor-sql with the fault points in it."""
    binary = shared / "faulty" / "hodor-sql"
    binary.parent.mkdir(exist_ok=True)
    with locked(shared / "faulty.lock"):
        if not binary.exists():
            subprocess.run(["go", "run", "./internal/faultpoints", "-o", binary], cwd=ROOT, check=True)
    return str(binary)


@pytest.fixture(scope="session")
def then(plain, tmp_path_factory) -> tuple[Project, Run]:
    """What plain dbt makes of one more order."""
    project = plain[0].copy(tmp_path_factory.mktemp("then") / "shop")
    project.sql(ANOTHER_ORDER)
    return project, project.dbt("build")


def assert_harmless(project: Project, run: Run, plain, then, warnings: int = 1) -> None:
    run.twin = plain[1]
    project.same_as(plain[0], run)
    assert len(run.warnings) <= warnings, run.text
    assert "Traceback" not in run.text, run.text
    project.sql(ANOTHER_ORDER)
    after = project.dbt("build")
    after.twin = then[1]
    project.same_as(then[0], after)
    assert not after.warnings, after.text


@pytest.mark.parametrize(("point", "kind"), faults(POINTS, ["error", "hang", "kill"]))
def test_fault_in_the_service(settled, plain, then, faulty, tmp_path, point, kind):
    settled.sql(shop.NEW_ORDER)
    settled.write("models/orders.sql", settled.read("models/orders.sql") + "\n-- a text that must be analysed\n")
    reached = tmp_path / "reached"
    env = {"HODOR_BINARY": faulty, "FAULT_AT": point, "FAULT": kind, "FAULT_REACHED": str(reached)}
    run = settled.dbt("build", env=env | (DEADLINE if kind == "hang" or point.startswith("wire.") else {}))
    assert reached.exists() or SILENT in run.text, run.text
    assert_harmless(settled, run, plain, then, 1 + ((point, kind) in TWO_WARNINGS))


@pytest.mark.parametrize(("point", "kind"), faults(BEFORE + DECIDING + AFTER, ["hangs", "kills"]))
def test_fault_in_the_plugin(settled, plain, then, point, kind):
    settled.sql(shop.NEW_ORDER)
    run = settled.dbt("build", broken=(point, kind), env=DEADLINE if kind == "hangs" else None)
    assert_harmless(settled, run, plain, then)
