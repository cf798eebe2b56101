"""Where the executable is looked for, and what is said when it is not there."""

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

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


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The user's cache and the folder of temporary files, both of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "temp").mkdir()
    return tmp_path / "my cache" / "hodor"


@pytest.fixture
def plain(package):
    """What a volume that knows no execute bit makes of the executable."""
    path = executable(package / "bin" / _binary.EXE)
    path.chmod(0o644)
    return path


def test_an_executable_without_the_execute_bit_is_copied_once(plain, cache):
    copy = Path(_binary.find())
    assert copy.parent == cache and copy.read_bytes() == plain.read_bytes()
    assert (copy.stat().st_mode & 0o777, cache.stat().st_mode & 0o777) == (0o700, 0o700)
    node = copy.stat().st_ino
    assert _binary.find() == str(copy) and copy.stat().st_ino == node
    assert [path.name for path in cache.iterdir()] == [copy.name]


def test_a_copy_is_never_that_of_another_build(plain, cache):
    first = _binary.find()
    plain.write_text("#!/bin/sh\necho another one\n")
    second = _binary.find()
    assert first != second and Path(second).read_bytes() == plain.read_bytes()


def test_half_a_copy_is_made_again(plain, cache):
    copy = Path(_binary.find())
    copy.write_bytes(b"#!")
    assert _binary.find() == str(copy) and copy.read_bytes() == plain.read_bytes()


def test_copies_that_nobody_used_for_long_go(plain, cache):
    cache.mkdir(parents=True, mode=0o700)
    old, recent = executable(cache / "hodor-sql-1"), executable(cache / "hodor-sql-2")
    weeks_ago = time.time() - 3 * _binary.UNUSED_S
    os.utime(old, (weeks_ago, weeks_ago))
    _binary.find()
    assert not old.exists() and recent.exists()


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_a_cache_that_others_may_write_to_is_not_used(plain, cache, tmp_path, mode):
    cache.mkdir(parents=True)
    cache.chmod(mode)
    assert Path(_binary.find()).parent == tmp_path / "temp" / f"hodor-{os.getuid()}"
    assert list(cache.iterdir()) == []


def test_a_link_is_no_private_folder(plain, cache, tmp_path):
    (tmp_path / "theirs").mkdir(mode=0o700)
    cache.parent.mkdir()
    cache.symlink_to(tmp_path / "theirs")
    _binary.find()
    assert list((tmp_path / "theirs").iterdir()) == []


def test_no_place_for_a_copy(plain, cache, tmp_path):
    cache.parent.write_text("a file")
    (tmp_path / "temp" / f"hodor-{os.getuid()}").write_text("a file")
    with pytest.raises(_binary.BinaryMissing) as caught:
        _binary.find()
    text = str(caught.value)
    assert (
        str(plain) in text
        and str(cache) in text
        and str(tmp_path / "temp") in text
        and "HODOR_BINARY" in text
        and "\n" not in text
    )


def test_out_of_a_zip(tmp_path, cache):
    """The package in a zip on sys.path, its name with a space, reached through a link."""
    archive = tmp_path / "job env.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for name in ("__init__.py", "_binary.py"):
            made.write(Path(_binary.__file__).with_name(name), f"dbt_hodor/{name}")
        made.writestr(f"dbt_hodor/bin/{_binary.EXE}", "#!/bin/sh\necho from the zip\n")
    link = tmp_path / "link.zip"
    link.symlink_to(archive)
    code = "from dbt_hodor import _binary; print(_binary.__file__); print(_binary.find())"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(link)}, capture_output=True, text=True, check=True
    )
    module, found = done.stdout.splitlines()
    assert module.startswith(str(link)) and Path(found).parent == cache
    assert subprocess.run([found], capture_output=True, text=True, check=True).stdout == "from the zip\n"


def test_an_executable_for_another_system_is_named_as_such(tmp_path, monkeypatch):
    foreign = executable(tmp_path / "foreign", "#!/lib/ld-of-another-system.so.2\n")
    code = "import sys; from dbt_hodor import _binary; sys.exit(_binary.main())"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "HODOR_BINARY": str(foreign)}, capture_output=True, text=True
    )
    assert done.returncode == 3 and done.stderr.count("\n") == 1
    assert f"{foreign} can't be started: the loader" in done.stderr and "musl" in done.stderr and "HODOR_BINARY" in done.stderr
    garbage = executable(tmp_path / "garbage", "MZ\x01\x02")
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "HODOR_BINARY": str(garbage)}, capture_output=True, text=True
    )
    assert done.returncode == 3 and "another processor or system" in done.stderr and done.stderr.count("\n") == 1
