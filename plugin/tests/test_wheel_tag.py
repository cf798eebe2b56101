"""The platform of a wheel is read from the binary in it, whatever machine builds it. Real executables of one empty function."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TAG = "import sys, pathlib; sys.path.insert(0, sys.argv[1]); import hatch_build; print(hatch_build.platform_tag(pathlib.Path(sys.argv[2])))"


def tag(binary):
    python = ROOT / ".venv-tools" / "bin" / "python"
    words = [python, "-B", "-c", TAG, ROOT / "plugin", binary]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def compiled(folder, *command, **env):
    if shutil.which(command[0]) is None:
        if os.environ.get("HODOR_REQUIRE_ENGINES"):
            pytest.fail(f"no {command[0]} on PATH")
        pytest.skip(f"no {command[0]} on PATH")
    subprocess.run(command, cwd=folder, env={**os.environ, **env}, check=True)
    return folder / "out"


@pytest.mark.parametrize(
    "system, processor, expected",
    [
        ("linux", "amd64", "manylinux_2_17_x86_64.musllinux_1_1_x86_64"),
        ("linux", "arm64", "manylinux_2_17_aarch64.musllinux_1_1_aarch64"),
        ("darwin", "arm64", "macosx_12_0_arm64"),
        ("windows", "amd64", "win_amd64"),
    ],
)
def test_of_a_binary_without_c(tmp_path, system, processor, expected):
    (tmp_path / "go.mod").write_text("module empty\n\ngo 1.26.0\n")
    (tmp_path / "main.go").write_text("package main\n\nfunc main() {}\n")
    assert tag(compiled(tmp_path, "go", "build", "-o", "out", ".", GOOS=system, GOARCH=processor, CGO_ENABLED="0")) == expected


def test_needs_of_glibc_are_counted_and_those_of_other_libraries_are_for_this_machine_only(tmp_path):
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    assert tag(compiled(tmp_path, "cc", "a.c", "-o", "out")).startswith("manylinux_2_")
    (tmp_path / "a.cc").write_text("#include <iostream>\nint main() { std::cout << 1; }\n")
    assert tag(compiled(tmp_path, "c++", "a.cc", "-o", "out")).startswith("linux_")


def test_the_wheel_in_dist_has_the_tag_of_its_binary():
    """The C++ library is inside, where the compiler has an archive of it: an index takes the wheel."""
    (wheel,) = (ROOT / "dist").glob("dbt_hodor-*.whl")
    assert wheel.stem.split("-")[-1] == tag(ROOT / "bin" / "hodor-sql")
