"""A PostgreSQL server of a test's own, on loopback."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def server(password: str) -> Iterator[tuple[dict[str, str], Callable[[str], str]]]:
    """The PG* variables of a server with that password, and a function that asks it; without PostgreSQL the test is skipped, or fails where
    engines are required."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if not found:
        message = "no PostgreSQL: apt-get install postgresql"
        pytest.fail(message) if os.environ.get("HODOR_REQUIRE_ENGINES") else pytest.skip(message)
    binaries = found[-1].parent
    folder = Path(tempfile.mkdtemp(prefix="hodor-postgres-"))
    other = {}
    if os.getuid() == 0:  # PostgreSQL does not run as root
        other = {"user": "postgres", "group": "postgres"}
        shutil.chown(folder, "postgres", "postgres")
    (folder / "word").write_text(password)
    (folder / "word").chmod(0o644)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **other}
    initdb = [binaries / "initdb", "-D", "data", "-U", "hodor", "--pwfile", "word", "-A", "scram-sha-256", "--no-sync"]
    subprocess.run([str(word) for word in initdb], check=True, **common)
    options = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"]
    process = subprocess.Popen(
        [str(binaries / "postgres"), "-D", "data", "-p", str(port), *(word for o in options for word in ("-c", o))], **common
    )
    variables = {"PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "hodor", "PGPASSWORD": password, "PGSSLMODE": "disable"}

    def ask(sql: str) -> str:
        done = subprocess.run(
            [binaries / "psql", "-X", "-d", "postgres", "-c", sql],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout if done.returncode == 0 else ""

    try:
        end = time.monotonic() + 120
        while not ask("select 1"):
            assert process.poll() is None and time.monotonic() < end, "the server does not answer"
            time.sleep(0.05)
        yield variables, ask
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)
