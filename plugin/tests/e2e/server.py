"""The pytest side of worker.py: how commands are started in a Python environment."""

import itertools
import json
import os
import subprocess
import threading
from pathlib import Path

#: Environment in which NumPy and Arrow, which dbt-databricks imports, start no thread.
THREADLESS = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}


class Job:
    """One command in a fork: its pid, and its exit status (negative: the signal that ended it) once it has ended."""

    def __init__(self) -> None:
        self.pid = 0
        self.rc = None
        self.started = threading.Event()
        self.ended = threading.Event()

    def wait(self, timeout: float) -> int:
        """Waits for the end; kills a command that takes longer than timeout (s), which fails the test that ran it."""
        if not self.ended.wait(timeout):
            os.kill(self.pid, 9)
            self.ended.wait(10)
            raise AssertionError(f"the command (pid {self.pid}) did not end within {timeout} s and was killed")
        return self.rc


class Server:
    """Runs commands in forks of a process that has imported dbt and parsed `project` once. Closing it ends that process."""

    def __init__(self, python: Path, project: Path, log: Path, env: dict[str, str], adapter: str = "duckdb") -> None:
        self.log = log
        self._ids = itertools.count(1)
        self._jobs = {0: Job()}
        self._process = subprocess.Popen(
            [python, Path(__file__).with_name("worker.py"), project, adapter],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log.open("wb"),
            env=env,
        )
        threading.Thread(target=self._read, daemon=True).start()
        if not self._jobs[0].started.wait(600):
            raise RuntimeError(f"{python} did not get dbt imported; see {log}")
        if not self._jobs[0].pid:
            raise RuntimeError(f"{python} can't run dbt: {log.read_text()[-2000:]}")

    def _read(self) -> None:
        for line in self._process.stdout:
            message = json.loads(line)
            job = self._jobs[message["id"]]
            if "rc" in message:
                job.rc = message["rc"]
                job.ended.set()
            else:
                job.pid = message["pid"]
                job.started.set()
        for job in self._jobs.values():
            job.started.set()
            job.ended.set()

    def start(self, op: str, cwd: Path, env: dict, out: Path, err: Path, **fields) -> Job:
        """Starts an operation of worker.py and returns once its process exists."""
        number = next(self._ids)
        job = self._jobs[number] = Job()
        request = {"id": number, "op": op, "cwd": str(cwd), "env": env, "out": str(out), "err": str(err), **fields}
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        if not job.started.wait(30) or not job.pid:
            raise RuntimeError(f"the fork server is gone; see {self.log}")
        return job

    def close(self) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()


class Spawner:
    """The same interface for an environment that can't be forked: a new interpreter for every command."""

    def __init__(self, python: Path) -> None:
        self.python = python

    def start(self, op: str, cwd: Path, env: dict, out: Path, err: Path, **fields) -> Job:
        job = Job()
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                [self.python, Path(__file__).with_name("worker.py"), "--once", json.dumps({"op": op, **fields})],
                cwd=cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )

        def wait() -> None:
            job.rc = process.wait()
            job.ended.set()

        job.pid = process.pid
        threading.Thread(target=wait, daemon=True).start()
        return job

    def close(self) -> None:
        """Nothing is left running."""
