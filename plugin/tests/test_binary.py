"""Where the executable is looked for, and what is said when it is not there."""

import os
import subprocess
import sys

import pytest
from dbt_hodor import _binary


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setattr(_binary, "__file__", str(tmp_path / "_binary.py"))
    return tmp_path


def executable(path, text='#!/bin/sh\necho $0 "$@"\n'):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_package_has_it(package):
    binary = executable(package / "bin" / _binary.EXE)
    assert _binary.find() == str(binary)


def test_the_override_wins(package, monkeypatch, tmp_path):
    executable(package / "bin" / _binary.EXE)
    mine = executable(tmp_path / "mine" / "hodor-sql")
    monkeypatch.setenv("HODOR_BINARY", str(mine))
    assert _binary.find() == str(mine)


def test_path_is_never_searched(package, monkeypatch, tmp_path):
    executable(tmp_path / "elsewhere" / _binary.EXE)
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    with pytest.raises(_binary.BinaryMissing) as caught:
        _binary.find()
    text = str(caught.value)
    assert str(package / "bin" / _binary.EXE) in text and "platform " in text and "pip install" in text and "HODOR_BINARY" in text


def test_an_override_that_is_no_executable(package, monkeypatch, tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    executable(package / "bin" / _binary.EXE)
    monkeypatch.setenv("HODOR_BINARY", str(plain))
    with pytest.raises(_binary.BinaryMissing, match=f"HODOR_BINARY names {plain}"):
        _binary.find()


@pytest.mark.parametrize("name", ["hodor-sql", "ods"])
def test_the_scripts_become_the_executable_under_their_own_name(tmp_path, name):
    code = f"import sys; sys.argv = ['/x/bin/{name}', 'normalize', '-']; from dbt_hodor import _binary; sys.exit(_binary.main())"
    shown = executable(tmp_path / "show", f"#!{sys.executable}\nimport sys\nprint(sys.argv[1:])\n")
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "HODOR_BINARY": str(shown)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['normalize', '-']"


def test_a_missing_executable_ends_a_script_with_3(tmp_path):
    code = "import sys; from dbt_hodor import _binary; sys.exit(_binary.main())"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "HODOR_BINARY": str(tmp_path / "none")}, capture_output=True, text=True
    )
    assert done.returncode == 3 and done.stderr.startswith("hodor: HODOR_BINARY names") and done.stderr.count("\n") == 1
