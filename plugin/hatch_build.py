"""Build hook: puts the Go binary hodor-sql into the wheel, and the Go sources into the source distribution.

The wheel is tagged py3-none-PLATFORM: any Python 3, one platform, since the binary is all that depends on it. On Linux the
platform is read from the binary: what it needs, not what the build machine is. HODOR_SQL_BINARY names a binary that is built
already, and HODOR_WHEEL_SBOM a bill of materials that describes it.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EXE = "hodor-sql.exe" if sys.platform == "win32" else "hodor-sql"
NO_GO = ("testdata", "plugin", "bin", "dist", "demo")
GLIBC = re.compile(r"(lib(c|m|dl|rt|pthread|util|resolv)\.so\.\d+|ld-linux(-[a-z0-9_-]+)?\.so\.\d+)$")
MACH_O = b"\xcf\xfa\xed\xfe"
OLD_GCC = {"GCC_3.0", "GCC_3.3", "GCC_3.3.1", "GCC_3.4", "GCC_3.4.2", "GCC_4.0.0", "GCC_4.2.0"}
ADVICE = (
    "Install the wheel file made for your platform instead (pip install dbt_hodor-...whl, from a release), "
    "or install Go 1.26 and a C and C++ compiler."
)


class HodorBuildHook(BuildHookInterface):
    """Called by hatchling once for each wheel or source distribution."""

    def initialize(self, version: str, build_data: dict) -> None:
        root = Path(self.root)
        if self.target_name == "sdist":
            build_data["force_include"].update(go_sources(root.parent))
            return
        self._scratch = Path(tempfile.mkdtemp(prefix="hodor-wheel-"))
        try:
            binary = self._scratch / EXE
            ready = os.environ.get("HODOR_SQL_BINARY")
            if ready:
                shutil.copyfile(ready, binary)
            else:
                compile_binary(module_root(root), binary)
        except BuildError as error:
            self.app.abort(str(error))
        binary.chmod(0o755)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag(binary)}"
        build_data["force_include"][str(binary)] = f"dbt_hodor/bin/{EXE}"
        if os.environ.get("HODOR_WHEEL_SBOM"):
            build_data["sbom_files"].append(os.environ["HODOR_WHEEL_SBOM"])

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        if self.target_name != "sdist":
            shutil.rmtree(self._scratch, ignore_errors=True)


class BuildError(Exception):
    """A build that cannot go on; the text says what to do."""


def module_root(root: Path) -> Path:
    """The folder of go.mod: the repository's root, or `go` inside an unpacked source distribution."""
    for folder in (root / "go", root.parent):
        if (folder / "go.mod").is_file() and (folder / "cmd" / "hodor-sql").is_dir():
            return folder
    raise BuildError(f"dbt-hodor: the Go sources are missing beside {root}. {ADVICE}")


def compile_binary(module: Path, target: Path) -> None:
    """Build the command. Without a C compiler the binary works, but has no DuckDB store."""
    if not shutil.which("go"):
        raise BuildError(f"dbt-hodor: its service is written in Go, and no `go` is on PATH. {ADVICE}")
    env = dict(os.environ)
    env.setdefault("CGO_ENABLED", "1" if any(map(shutil.which, ("g++", "c++", "clang++"))) else "0")
    ldflags = f"-s -w -buildid= -X hodor/internal/version.Commit={commit(module)}"
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", str(target), "./cmd/hodor-sql"]
    if subprocess.run(command, cwd=module, env=env, check=False).returncode:
        raise BuildError(f"dbt-hodor: `{' '.join(command)}` failed; its own message stands above. {ADVICE}")


def commit(module: Path) -> str:
    """The source commit, or "unknown" outside a clone."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            cwd=module,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip() or "unknown"


def platform_tag(binary: Path) -> str:
    """The wheel's platform. On Linux what the executable needs (PEP 600): the newest version of glibc that it asks for, and of libraries only
    glibc's own and GCC's unwinder, which every manylinux system has. A static executable runs on any, musl's included. One that needs more,
    as the C++ library of the machine it was built on, is for machines like that one. On macOS the oldest release that the executable names."""
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    with binary.open("rb") as file:
        magic = file.read(4)
    if magic == MACH_O:
        return macos_tag(binary)
    if magic.startswith(b"MZ"):
        return windows_tag(binary)
    if magic != b"\x7fELF":
        return here
    processor, libraries, versions = needs(binary)
    if not libraries:
        return f"manylinux_2_17_{processor}.musllinux_1_1_{processor}"
    unwinder = libraries.pop("libgcc_s.so.1", set())
    if not all(map(GLIBC.match, libraries)) or not unwinder <= OLD_GCC or not versions:
        return here
    major, minor = max(max(versions), (2, 5))
    return f"manylinux_{major}_{minor}_{processor}"


def macos_tag(binary: Path) -> str:
    """The tag of a 64-bit Mach-O executable: its processor, and the release in its LC_BUILD_VERSION or LC_VERSION_MIN_MACOSX."""
    data = binary.read_bytes()[: 1 << 16]
    processor = {0x01000007: "x86_64", 0x0100000C: "arm64"}[struct.unpack_from("<I", data, 4)[0]]
    at = 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, length = struct.unpack_from("<II", data, at)
        if command in (0x32, 0x24):
            oldest = struct.unpack_from("<I", data, at + (12 if command == 0x32 else 8))[0]
            major, minor = oldest >> 16, oldest >> 8 & 0xFF
            return f"macosx_{major}_{minor if major < 11 else 0}_{processor}"
        at += length
    raise BuildError(f"dbt-hodor: {binary} does not say for which macOS it is.")


def windows_tag(binary: Path) -> str:
    """The tag of a PE executable: its processor."""
    data = binary.read_bytes()[: 1 << 16]
    machine = struct.unpack_from("<H", data, struct.unpack_from("<I", data, 0x3C)[0] + 4)[0]
    return {0x8664: "win_amd64", 0xAA64: "win_arm64", 0x014C: "win32"}[machine]


def needs(binary: Path) -> tuple[str, dict[str, set[str]], set[tuple[int, int]]]:
    """What a Linux executable asks of its system: the processor, each shared library with the versions of its symbols, and those of glibc as
    pairs."""
    from elftools.elf.elffile import ELFFile

    libraries: dict[str, set[str]] = {}
    with binary.open("rb") as file:
        elf: Any = ELFFile(file)
        machine = elf["e_machine"]
        for segment in elf.iter_segments("PT_DYNAMIC"):
            libraries |= {tag.needed: set() for tag in segment.iter_tags("DT_NEEDED")}
        section = elf.get_section_by_name(".gnu.version_r")
        for library, versions in section.iter_versions() if section else ():
            libraries.setdefault(library.name, set()).update(version.name for version in versions)
    processor = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64"}.get(machine) or platform.machine()
    names = {name for versions in libraries.values() for name in versions}
    return (
        processor,
        libraries,
        {(int(found[1]), int(found[2])) for found in map(re.compile(r"GLIBC_(\d+)\.(\d+)").match, names) if found},
    )


def go_sources(repository: Path) -> dict[str, str]:
    """What compiles the binary, as {path: path in the archive}: go.mod, go.sum and every package without its tests."""
    found = {}
    for folder, subfolders, files in os.walk(repository):
        here = Path(folder)
        subfolders[:] = sorted(name for name in subfolders if not name.startswith((".", "_")) and name not in NO_GO)
        if here == repository:
            files = [name for name in files if name in ("go.mod", "go.sum") or name.endswith(".go")]
        elif not any(name.endswith(".go") for name in files):
            continue
        for name in sorted(files):
            if not name.endswith("_test.go"):
                path = here / name
                found[str(path)] = f"go/{path.relative_to(repository).as_posix()}"
    return found
