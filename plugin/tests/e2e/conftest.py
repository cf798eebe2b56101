"""Environments and settled projects, made once a session and shared between pytest-xdist workers."""

import contextlib
import fcntl
import os
import sys
from pathlib import Path

import duckdb
import pytest

from . import shop
from .project import STARTED, Environment, Project, create
from .run import Run
from .server import Server, Spawner

ROOT = Path(__file__).resolve().parents[3]

#: What of the caller's environment a dbt command sees; everything else is a clean shell.
KEPT = ("HODOR_BINARY", "LANG", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR")


def next_python() -> Path | None:
    """The second environment: HODOR_E2E_NEXT_PYTHON, else .venv-next."""
    found = Path(os.environ.get("HODOR_E2E_NEXT_PYTHON") or ROOT / ".venv-next" / "bin" / "python")
    return found if found.exists() else None


def forkable() -> bool:
    """Whether the DuckDB of this very environment starts no thread when it is imported (worker.py)."""
    return int(duckdb.__version__.split(".")[0]) >= 2


def make_environment(name: str, python: Path, base: Path) -> Environment:
    home = base / "home"
    home.mkdir(exist_ok=True)
    variables = {name: os.environ[name] for name in KEPT if name in os.environ}
    variables |= {"HOME": str(home), "PATH": f"{python.parent}:/usr/local/bin:/usr/bin:/bin"}
    if name == "next" or not forkable():
        return Environment(name, python, Spawner(python), variables)
    warm = base / f"warm-{name}-{os.getpid()}"
    for path, text in shop.FILES.items():
        (warm / path).parent.mkdir(parents=True, exist_ok=True)
        (warm / path).write_text(text, encoding="utf-8")
    server = Server(python, warm, base / f"server-{name}-{os.getpid()}.log", variables)
    return Environment(name, python, server, variables)


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> Path:
    """A directory of this session, the same one for all workers."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@contextlib.contextmanager
def locked(path: Path):
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def main_environment(shared):
    """The environment that pytest itself runs in."""
    environment = make_environment("main", Path(sys.executable), shared)
    yield environment
    environment.server.close()


@pytest.fixture(scope="session")
def next_environment(shared):
    """The newest dbt-core 1.12 on the older DuckDB."""
    python = next_python()
    if python is None:
        message = "no .venv-next (make venv-next) and no HODOR_E2E_NEXT_PYTHON"
        if os.environ.get("HODOR_REQUIRE_ENGINES"):
            pytest.fail(message)
        pytest.skip(message)
    environment = make_environment("next", python, shared)
    yield environment
    environment.server.close()


@pytest.fixture(scope="session", params=["main", "next"])
def both_environments(request) -> Environment:
    return request.getfixturevalue(f"{request.param}_environment")


def settled_project(environment: Environment, shared: Path) -> Project:
    """The shop built twice in this environment; made by the first who asks. Never run it: copy it."""
    directory = shared / f"settled-{environment.name}"
    with locked(shared / f"settled-{environment.name}.lock"):
        if not (directory / ".done").exists():
            create(directory, environment).settle().write(".done", "")
    return Project(directory, environment)


@pytest.fixture(autouse=True)
def leave_nothing_running():
    """Ends the dbt processes of a test that failed while they ran."""
    yield
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            process.kill()
            process.wait(10)


@pytest.fixture
def fresh(main_environment, tmp_path) -> Project:
    """The shop, nothing run yet."""
    return create(tmp_path / "shop", main_environment)


@pytest.fixture
def settled(main_environment, shared, tmp_path) -> Project:
    """The shop after two full builds, so that no first-run effect is left."""
    return settled_project(main_environment, shared).copy(tmp_path / "shop")


@pytest.fixture
def fresh_both(both_environments, tmp_path) -> Project:
    """The shop, nothing run yet, in each of the two environments."""
    return create(tmp_path / "shop", both_environments)


@pytest.fixture
def settled_both(both_environments, shared, tmp_path) -> Project:
    """The settled shop in each of the two environments."""
    return settled_project(both_environments, shared).copy(tmp_path / "shop")


@pytest.fixture
def two_targets(settled):
    """The shop settled in the schema prod too; `prod-state` holds prod's manifest."""
    settled.write(
        "profiles.yml",
        settled.read("profiles.yml")
        + "    prod:\n      type: duckdb\n      path: shop.duckdb\n      schema: prod\n      hodor_mode: 'on'\n",
    )
    settled.settle("build --target prod")
    settled.write("prod-state/manifest.json", settled.read("target/manifest.json"))
    return settled


@pytest.fixture(scope="session")
def plain(main_environment, shared, tmp_path_factory) -> tuple[Project, Run]:
    """The settled shop with a new order, built by plain dbt."""
    project = settled_project(main_environment, shared).copy(tmp_path_factory.mktemp("plain") / "shop")
    project.env["HODOR_MODE"] = "off"
    project.sql(shop.NEW_ORDER)
    return project, project.dbt("build")
