"""Every command of the pages is run, with real dbt on DuckDB, and prints what its page says."""

import shutil

import pytest

from . import blocks, session
from .blocks import ROOT

#: Makes the project, once, for all others.
START = ROOT / "docs" / "start.md"


def runs_something(page) -> bool:
    return any(block.language in ("sh", "console") and not block.mark for block in blocks.read(page)[0])


@pytest.mark.parametrize("page", [page for page in blocks.pages() if page != START and runs_something(page)], ids=blocks.name)
def test_commands(page, shop, environment, tmp_path):
    folder = shutil.copytree(shop, tmp_path / "shop")
    assert session.run_page(page, folder, environment) > 0


def test_start_reuses_and_builds(shop):
    """The page that all newcomers follow ends with a store that has both."""
    from e2e.run import read_state

    records = read_state(shop / ".hodor" / "state.duckdb")
    assert {record["action"] for record in records} == {"build", "reuse"}


@pytest.mark.parametrize(
    "said, printed, yes",
    [
        (["...", "hodor: 6 reused, ..."], "a\nb\nhodor: 6 reused, 0 built\n", True),
        (["hodor: 6 reused, ..."], "a\nhodor: 5 reused, 1 built\n", False),
        (["1 of 2 OK ..... [REUSED x, built ...]"], "1 of 2 OK .............. [REUSED x, built 2026]\n", True),
        (["one", "two"], "one\nbetween\ntwo\n", False),
        (["one", "...", "two"], "one\nbetween\ntwo\n", True),
        (["a b"], "a     b\n", True),
        (["x"], "xy\n", False),
    ],
)
def test_what_fits(said, printed, yes):
    assert session.fits(said, printed) == yes
