"""Where the executable hodor-sql is, and the console scripts that start it.

The order is HODOR_BINARY, then the package's own bin/ folder. PATH is never searched: a hodor-sql found there could be of
another version, and the plugin would learn that only from the hello.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

EXE = "hodor-sql.exe" if sys.platform == "win32" else "hodor-sql"


class BinaryMissing(Exception):
    """The executable is not there or can't be run; the text says where it was looked for and what to do."""


def find() -> str:
    """The absolute path of the executable, or BinaryMissing."""
    override = os.environ.get("HODOR_BINARY")
    if override:
        if usable(override):
            return os.path.abspath(override)
        raise BinaryMissing(
            f"HODOR_BINARY names {override}, which is not an executable file; correct it, or unset it to use the packaged one"
        )
    path = Path(__file__).resolve().parent / "bin" / EXE
    if usable(path):
        return str(path)
    import platform

    raise BinaryMissing(
        f"there is no executable {path} (platform {platform.system().lower()}-{platform.machine().lower()}); "
        "install the wheel that is made for this platform (pip install --force-reinstall --only-binary dbt-hodor dbt-hodor), "
        "or set HODOR_BINARY to a hodor-sql of the same version"
    )


def usable(path) -> bool:
    """Tells whether this user may execute the file."""
    return os.path.isfile(path) and os.access(path, os.X_OK)


def main() -> int:
    """The console scripts hodor-sql and ods: become the executable, which tells the two apart by its first argument."""
    return start(Path(sys.argv[0]).stem, sys.argv[1:])


def start(name: str, arguments: list[str]) -> int:
    """Replace this process by the executable under that name; on Windows run it and return its exit status."""
    try:
        binary = find()
    except BinaryMissing as error:
        print(f"hodor: {error}.", file=sys.stderr)
        return 3
    if sys.platform == "win32":
        import subprocess

        return subprocess.run([binary, *arguments], check=False).returncode
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(binary, [name, *arguments])
