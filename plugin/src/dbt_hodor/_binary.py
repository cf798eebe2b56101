"""Where the executable hodor-sql is, and the console scripts that start it.

The order is HODOR_BINARY, then the package's own bin/ folder. PATH is never searched: a hodor-sql found there could be of
another version, and the plugin would learn that only from the hello.

What the package has can't always be executed where it lies: in a zip, on a volume that knows no execute bit or is mounted
noexec. Then a copy is made in a folder that only this user can write to, and found there by the next run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

EXE = "hodor-sql.exe" if sys.platform == "win32" else "hodor-sql"
UNUSED_S = 7 * 24 * 3600.0  # after which the copy of another build is removed


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
    data = packaged(Path(__file__).parent / "bin" / EXE)  # not resolved: a zip knows its parts by the name it was opened with
    if data is None:
        import platform

        raise BinaryMissing(
            f"there is no executable {path} (platform {platform.system().lower()}-{platform.machine().lower()}); "
            "install the wheel file that is made for this platform (pip install --force-reinstall --no-deps dbt_hodor-...whl), "
            "or set HODOR_BINARY to a hodor-sql of the same version"
        )
    return copied(path, data)


def usable(path) -> bool:
    """Tells whether this user may execute the file. On a volume mounted noexec nobody may."""
    return os.path.isfile(path) and os.access(path, os.X_OK)


def packaged(path: Path) -> bytes | None:
    """What the package has under that path, be it a file or a part of a zip; None if there is nothing."""
    try:
        get_data = getattr(globals().get("__loader__"), "get_data", None)
        return get_data(str(path)) if get_data else path.read_bytes()
    except OSError:
        return None


def copied(path: Path, data: bytes) -> str:
    """An executable copy of it, in the first folder that allows one. The name is that of the content, so that no build takes another's."""
    import hashlib

    name = f"hodor-sql-{hashlib.sha256(data).hexdigest()[:32]}{'.exe' if sys.platform == 'win32' else ''}"
    refused = []
    for folder in folders():
        try:
            target = private(folder) / name
            if not (usable(target) and target.stat().st_size == len(data)):
                write(target, data)
            if usable(target):
                os.utime(target)
                forget(target)
                return str(target)
            refused.append(f"{folder}: nothing can be executed there")
        except (OSError, RuntimeError) as error:  # RuntimeError: a user without a home
            refused.append(f"{folder}: {getattr(error, 'strerror', None) or error}")
    raise BinaryMissing(
        f"{path} can't be executed where it lies (in a zip, without the execute bit, or on a volume that allows it to nothing), and no copy of it "
        f"either ({'; '.join(refused)}); install the wheel unpacked, or set HODOR_BINARY to a hodor-sql of the same version"
    )


def folders() -> list[Path]:
    """Where a copy may be kept: the user's cache, and for a user without a writable home the folder of temporary files."""
    import tempfile

    base = os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else os.environ.get("XDG_CACHE_HOME")
    found = [Path(base)] if base and os.path.isabs(base) else []
    if not found:
        found.append(Path(os.path.expanduser("~"), ".cache"))
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return [*(folder / "hodor" for folder in found), Path(tempfile.gettempdir(), f"hodor-{user}")]


def private(folder: Path) -> Path:
    """The folder, made if need be. OSError unless it is this user's, and nobody else may write to it: what lies in it is executed."""
    import stat

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "getuid"):
        about = folder.lstat()
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o022:
            raise OSError("it is not a folder that only this user can write to")
    return folder


def write(target: Path, data: bytes) -> None:
    """The whole file or none, whoever else writes it now."""
    import tempfile

    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o700)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def forget(target: Path) -> None:
    """Removes the copies of other builds that nobody has used for long."""
    import time

    for other in target.parent.iterdir():
        try:
            if (
                other != target
                and other.name.startswith(("hodor-sql-", ".new-"))
                and time.time() - other.stat().st_mtime > UNUSED_S
            ):
                other.unlink()
        except OSError:
            pass  # another process was first, or Windows runs it


def reason(binary: str, error: OSError) -> str:
    """Why the system did not start this executable, and what to do, in one line."""
    import errno

    advice = "install the wheel that is made for this platform, or correct HODOR_BINARY"
    text = error.strerror or str(error)
    if error.errno == errno.ENOENT and os.path.isfile(binary):
        text = "the loader that it names is not on this system; it is made for Linux with glibc, and musl (Alpine) is none"
        advice = "use an image with glibc, or set HODOR_BINARY to a hodor-sql of the same version built here (CGO_ENABLED=0 does without a C library)"
    elif error.errno == errno.ENOEXEC:
        text = "it is made for another processor or system"
    return f"{binary} can't be started: {text}; {advice}"


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
    try:
        if sys.platform == "win32":
            import subprocess

            return subprocess.run([binary, *arguments], check=False).returncode
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(binary, [name, *arguments])
    except OSError as error:
        print(f"hodor: {reason(binary, error)}.", file=sys.stderr)
        return 3
