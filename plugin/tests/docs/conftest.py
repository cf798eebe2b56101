"""One environment for all pages, and the project that docs/start.md makes, in which the other pages' commands run."""

import sys
from pathlib import Path

import pytest
from e2e.conftest import leave_nothing_running, locked, make_environment, shared  # noqa: F401 (fixtures)
from e2e.project import Environment

from . import session
from .blocks import ROOT


@pytest.fixture(scope="session")
def environment(shared):  # noqa: F811
    environment = make_environment("main", Path(sys.executable), shared)
    environment.base["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
    yield environment
    environment.server.close()


@pytest.fixture(scope="session")
def shop(environment: Environment, shared) -> Path:  # noqa: F811
    """The project as docs/start.md leaves it. Never run it: copy it."""
    folder = shared / "start"
    with locked(shared / "start.lock"):
        if not folder.exists():
            folder.mkdir()
            session.run_page(ROOT / "docs" / "start.md", folder, environment)
    return folder
