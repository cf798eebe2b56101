"""Shared by the plugin's unit tests."""

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest
from installation import pip, tiny_build  # noqa: F401 - fixtures of two files

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TRANSCRIPTS = ROOT / "protocol" / "testdata"
VERSION = (ROOT / "internal" / "version" / "VERSION").read_text().strip()


@pytest.fixture(autouse=True)
def no_hodor_environment(monkeypatch):
    """What the developer's shell sets must not decide a test."""
    for name in list(os.environ):
        if name.startswith("HODOR_"):
            monkeypatch.delenv(name)


@pytest.fixture
def script(tmp_path):
    """Makes an executable that runs a Python script of this folder with the arguments given, then its own."""

    def make(name, *arguments):
        path = tmp_path / f"run-{name}.sh"
        words = " ".join(f"'{word}'" for word in (sys.executable, HERE / name, *arguments))
        path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


def close_warehouse():
    """The next test has another warehouse file, and this process must not keep the old one open. dbt-duckdb takes two files of the same
    relative path for one, so this is done before a test as well: a thread that an interrupted run left may have opened it once more."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager
    from dbt_hodor import session

    session.arm(False)
    if DuckDBConnectionManager._ENV is not None:
        DuckDBConnectionManager._ENV.close()
        DuckDBConnectionManager._ENV = None


@pytest.fixture
def project(tmp_path, monkeypatch, script):
    """The Project of project.py in a folder of its own, nothing run yet."""
    from project import Project

    folder = tmp_path / "shop"
    folder.mkdir()
    close_warehouse()
    yield Project(folder, monkeypatch, script)
    close_warehouse()


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """The project after one build without hodor, made once."""
    from project import FILES, build_template

    folder = tmp_path_factory.mktemp("template") / "shop"
    close_warehouse()
    build_template(folder, FILES)
    close_warehouse()
    return folder


@pytest.fixture
def built(template, tmp_path, monkeypatch, script):
    """A copy of the template, saved parse and warehouse included."""
    from project import Project

    shutil.copytree(template, tmp_path / "shop")
    close_warehouse()
    yield Project(tmp_path / "shop", monkeypatch, script)
    close_warehouse()
