"""A dbt project of one test: its files, its warehouse, its state, and dbt commands in it."""

import json
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import shop
from .run import Run, load_json, read_state
from .server import Server, Spawner

#: Seconds that one dbt command may take before its test fails. Far above what any needs: it bounds a hang, it times nothing.
PATIENCE = 600

#: Every `dbt` process that the tests have started; conftest ends those that a failed test leaves running.
STARTED: list[subprocess.Popen] = []

#: Columns whose values are the time of the build.
STAMPS = {"loaded_at", "dbt_scd_id", "dbt_updated_at", "dbt_valid_from"}


@dataclass
class Environment:
    """A Python environment with dbt: where it is, what starts commands in it, and the process environment of a clean shell."""

    name: str
    python: Path
    server: Server | Spawner
    base: dict[str, str]

    @property
    def dbt(self) -> Path:
        return self.python.with_name("dbt")


@dataclass
class Project:
    """A project directory; every path in it is relative, so a copy is a project of its own."""

    dir: Path
    environment: Environment
    #: Process environment beyond the base, for every command in this project.
    env: dict[str, str] = field(default_factory=dict)
    #: Where dbt is started, if not in the project.
    cwd: Path | None = None
    _count: int = 0

    # -- files ---------------------------------------------------------------------------------------------------

    def write(self, path: str, text: str) -> Path:
        """Writes a file of the project, its folders too."""
        target = self.dir / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")
        return target

    def read(self, path: str) -> str:
        with (self.dir / path).open(encoding="utf-8", newline="") as file:
            return file.read()

    def edit(self, path: str, old: str, new: str) -> None:
        """Replaces the one place where old stands; anything but one is an error of the test."""
        text = self.read(path)
        assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times"
        self.write(path, text.replace(old, new))

    def model(self, name: str, sql: str, materialized: str = "table", **settings) -> None:
        """Writes a model with its config() call."""
        keys = ", ".join(f"{key}={value!r}" for key, value in {"materialized": materialized, **settings}.items())
        self.write(f"models/{name}.sql", "{{ config(" + keys + ") }}\n" + sql + "\n")

    def config(self, model: str, **settings) -> None:
        """Adds keys to the first config() call of a model."""
        keys = ", ".join(f"{key}={value!r}" for key, value in settings.items())
        self.edit(f"models/{model}.sql", "{{ config(", "{{ config(" + keys + ", ")

    def describe(self, model: str, *lines: str) -> None:
        """Adds properties to a model of models/schema.yml."""
        head = f"  - name: {model}\n"
        schema = self.read("models/schema.yml")
        listed, models = schema.split("\nmodels:\n")
        assert models.count(head) == 1
        added = models.replace(head, head + "".join(f"    {line}\n" for line in lines))
        self.write("models/schema.yml", f"{listed}\nmodels:\n{added}")

    def profile(self, **keys) -> None:
        """Adds keys to the dev target of profiles.yml (None: removes the key)."""
        lines = [line for line in self.read("profiles.yml").splitlines() if line.strip().split(":")[0] not in keys]
        lines += [f"      {key}: {json.dumps(value)}" for key, value in keys.items() if value is not None]
        self.write("profiles.yml", "\n".join(lines) + "\n")

    @property
    def warehouse(self) -> Path:
        return self.dir / "shop.duckdb"

    @property
    def state(self) -> Path:
        return self.dir / ".hodor" / "state.duckdb"

    def copy(self, target: Path) -> "Project":
        """A copy of everything as it stands, warehouse, state and saved parse included."""
        shutil.copytree(self.dir, target)
        return Project(target, self.environment, dict(self.env))

    # -- the warehouse -------------------------------------------------------------------------------------------

    def sql(self, *statements: str, database: Path | None = None, read_only: bool = False) -> list[list[str | None]]:
        """Runs statements outside dbt, with the DuckDB of the environment; the rows of the last one as text."""
        report = self.dir / "sql.json"
        job = self.environment.server.start(
            "sql",
            self.dir,
            self.environment.base,
            self.dir / "sql.out",
            self.dir / "sql.err",
            database=str(database or self.warehouse),
            statements=list(statements),
            report=str(report),
            read_only=read_only,
        )
        assert job.wait(PATIENCE) == 0, (self.dir / "sql.err").read_text()
        return json.loads(report.read_text())

    def rows(self, relation: str, columns: str = "*", order: str = "all") -> list[list[str | None]]:
        """Rows of a relation of the warehouse as text, sorted."""
        return self.sql(f"select {columns} from {relation} order by {order}", read_only=True)

    def contents(self) -> dict[str, tuple[list[str], list[str]]]:
        """Columns (name and type) and sorted rows of every relation outside `raw`; build times are left out."""
        import duckdb

        found = {}
        with duckdb.connect(str(self.warehouse), read_only=True, config={"file_search_path": str(self.dir)}) as connection:
            relations = connection.execute(
                "select table_schema, table_name from information_schema.tables where table_schema <> 'raw'"
            ).fetchall()
            for schema, name in relations:
                columns = connection.execute(f'describe "{schema}"."{name}"').fetchall()
                picked = [
                    "dbt_valid_to is null" if column[0] == "dbt_valid_to" else '"' + column[0] + '"'
                    for column in columns
                    if column[0] not in STAMPS
                ]
                rows = connection.execute(f'select {", ".join(picked)} from "{schema}"."{name}"').fetchall()
                found[f"{schema}.{name}"] = ([f"{c[0]} {c[1]}" for c in columns], sorted(map(repr, rows)))
        return found

    # -- dbt -----------------------------------------------------------------------------------------------------

    def dbt(
        self,
        command: str,
        *args: str,
        env: dict | None = None,
        process: bool = False,
        twin: bool = False,
        hidden: bool = False,
        broken: tuple[str, str] | None = None,
    ) -> Run:
        """Runs a dbt command and says what it did.

        `process`: starts the console script `dbt` as users do, instead of a fork with dbt imported already. `twin`: runs the
        same command with HODOR_MODE=off in a copy made just before, and asserts that exit status, statuses, failures and all
        contents are the same. `hidden`: runs dbt as if no plugin were installed. `broken`: a function of the plugin and its fault.
        """
        words = [*shlex.split(command), *args]
        other = plain = None
        if twin:
            other = self.copy(self.dir.with_name(f"{self.dir.name}-plain{self._count}"))
            other.env["HODOR_MODE"] = "off"
            plain = other._start(words, env)
        if process:
            run = self._finish_process(self.popen(words, env), words)
        else:
            run = self._finish(self._start(words, env, hidden, broken), words)
        if twin:
            run.twin = other._finish(plain, words)
            self.same_as(other, run)
        return run

    def same_as(self, other: "Project", run: Run) -> None:
        """Asserts that this project stands as `other` does, where plain dbt ran the twin of `run`."""
        both = f"{run.text[-4000:]}\n---- plain dbt:\n{run.twin.text[-4000:]}"
        assert run.rc == run.twin.rc, f"exit {run.rc}, plain dbt {run.twin.rc}:\n{both}"
        as_plain = {name: "success" if status == "reused" else status for name, status in run.statuses.items()}
        assert as_plain == run.twin.statuses, both
        tested = {name for name, status in run.twin.statuses.items() if status in ("pass", "warn", "fail")}
        assert {n: run.failures[n] for n in tested} == {n: run.twin.failures[n] for n in tested}
        mine, plain = self.contents(), other.contents()
        assert mine.keys() == plain.keys()
        for name in mine:
            assert mine[name] == plain[name], f"{name} differs from what plain dbt made\n{run.text[-4000:]}"

    def _start(self, words: list[str], env: dict | None, hidden: bool = False, broken: tuple[str, str] | None = None):
        out, err = self._streams()
        return self.environment.server.start(
            "dbt", self.cwd or self.dir, self._environ(env), out, err, args=words, hidden=hidden, broken=broken
        )

    def _finish(self, job, words: list[str]) -> Run:
        return self._outcome(words, job.wait(PATIENCE))

    def popen(self, words: list[str], env: dict | None = None) -> subprocess.Popen:
        """Starts `dbt` as a shell would, in a process group of its own; finish it with finish_process."""
        out, err = self._streams()
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                [self.environment.dbt, *words],
                cwd=self.dir,
                env=self._environ(env),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job ignores Ctrl-C
            )
        STARTED.append(process)
        return process

    def _finish_process(self, process: subprocess.Popen, words: list[str]) -> Run:
        try:
            rc = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
            raise AssertionError(f"dbt {' '.join(words)} did not end within {PATIENCE} s\n{self.text()}") from None
        return self._outcome(words, rc)

    def finish_process(self, process: subprocess.Popen, *words: str) -> Run:
        """Waits for what popen started."""
        return self._finish_process(process, list(words))

    def invocations(self, *commands: list, env: dict | None = None) -> list[dict]:
        """Several dbtRunner().invoke in one process; see worker.run_invocations."""
        out, err = self._streams()
        report = self.dir / "invocations.json"
        job = self.environment.server.start(
            "invocations", self.dir, self._environ(env), out, err, commands=list(commands), report=str(report)
        )
        assert job.wait(PATIENCE) == 0, self.text()
        return json.loads(report.read_text())

    def settle(self, command: str = "build", times: int = 2) -> "Project":
        """Runs dbt until no first-run effect is left."""
        for _ in range(times):
            run = self.dbt(command)
            assert run.rc == 0, run.text
        return self

    def records(self, where: str = "true") -> list[dict]:
        """All rows of the state table."""
        return read_state(self.state, where)

    def _environ(self, env: dict | None) -> dict[str, str]:
        merged = {**self.environment.base, **self.env, **(env or {})}
        return {name: value for name, value in merged.items() if value is not None}

    def _streams(self) -> tuple[Path, Path]:
        self._count += 1
        self._before = self._invocation("run_results")
        (self.dir / "logs" / "dbt.log").unlink(missing_ok=True)
        return self.dir / f"dbt{self._count}.out", self.dir / f"dbt{self._count}.err"

    def _invocation(self, artifact: str) -> str | None:
        found = load_json(self.dir / "target" / f"{artifact}.json")
        return found and found["metadata"]["invocation_id"]

    def text(self) -> str:
        """What the newest command has printed so far."""
        return "".join(
            (self.dir / f"dbt{self._count}.{stream}").read_text(encoding="utf-8", errors="replace") for stream in ("out", "err")
        )

    def _outcome(self, words: list[str], rc: int) -> Run:
        results = load_json(self.dir / "target" / "run_results.json")
        if results and results["metadata"]["invocation_id"] == self._before:
            results = None
        log = self.dir / "logs" / "dbt.log"
        out, err = (
            (self.dir / f"dbt{self._count}.{stream}").read_text(encoding="utf-8", errors="replace") for stream in ("out", "err")
        )
        return Run(
            words,
            rc,
            out,
            err,
            results,
            load_json(self.dir / "target" / "manifest.json"),
            log.read_text(encoding="utf-8", errors="replace") if log.exists() else "",
            self.state,
        )


def create(directory: Path, environment: Environment) -> Project:
    """A fresh shop: files and the two raw tables, nothing run."""
    directory.mkdir(parents=True)
    project = Project(directory, environment)
    for path, text in shop.FILES.items():
        project.write(path, text)
    project.sql(*shop.RAW)
    return project
