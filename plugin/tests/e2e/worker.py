"""A fork server for dbt: imports dbt once, then runs every command in a fresh fork of that clean process.

Each command is a process of its own, with its own working directory, environment, standard streams and interpreter exit, as
`dbt` started by hand is; only what dbt spends on importing itself is shared. The server opens no database and imports no
plugin: a command inherits nothing but loaded modules.

Requests and answers are JSON, one a line: {"id", "op": a key of OPERATIONS, "cwd", "env", "out", "err", ...} on stdin;
{"id", "pid"} once it runs and {"id", "rc"} once it has ended on stdout. EOF ends the server.

Forking a process with threads is not sound, and DuckDB before 2.0 starts some when it is imported; so does what dbt-databricks brings, unless
server.THREADLESS is in its environment. The server refuses to serve then; such an environment runs `worker.py --once REQUEST`, a whole new
process for each command.
"""

import gc
import json
import os
import selectors
import signal
import sys
import time
from importlib import import_module


def preload(adapter: str) -> None:
    """Imports what every dbt command with this adapter imports, the plugin excepted."""
    import_module(f"dbt.adapters.{adapter}")
    import dbt.adapters.factory  # noqa: F401
    import dbt.cli.main  # noqa: F401
    import dbt.parser.manifest  # noqa: F401
    import dbt.task.build  # noqa: F401
    import dbt.task.retry  # noqa: F401


def warm_up(project: str) -> None:
    """Parses a project once with all plugins hidden.

    dbt generates most of its (de)serialization code at first use, which costs as much as importing it. Parsing opens no database
    and, without the static parser, starts no thread; dbt itself resets what it keeps between commands.
    """
    from dbt.cli.main import dbtRunner
    from dbt.plugins.manager import PluginManager

    here, seen = os.getcwd(), vars(PluginManager)["get_prefixed_modules"]
    os.chdir(project)
    hide_plugins()
    silent = os.dup(1)
    os.dup2(2, 1)
    try:
        for _ in range(2):
            if not dbtRunner().invoke(["--quiet", "--no-static-parser", "parse"]).success:
                raise SystemExit("the warm-up project can't be parsed")
    finally:
        os.dup2(silent, 1)
        os.close(silent)
        PluginManager.get_prefixed_modules = seen
        os.chdir(here)
    if "dbt_hodor" in sys.modules:
        raise SystemExit("the warm-up imported the plugin")
    if os.path.isdir("/proc/self/task") and len(os.listdir("/proc/self/task")) > 1:
        raise SystemExit("dbt or an engine has started threads while it was imported: this environment can't be forked")
    gc.freeze()


def hide_plugins() -> None:
    """Makes dbt find no plugin, as if none were installed."""
    from dbt.plugins.manager import PluginManager

    PluginManager.get_prefixed_modules = classmethod(lambda cls: {})


def break_plugin(point: str, how: str) -> None:
    """Puts a fault in the place of a function of the plugin, named "module:Class.function"."""
    module, path = point.split(":")
    owner = import_module(f"dbt_hodor.{module}")
    *classes, name = path.split(".")
    for part in classes:
        owner = getattr(owner, part)
    whole = getattr(owner, name)
    first = iter([True])

    def raises(*args, **kwargs):
        raise RuntimeError("broken on purpose")

    def hangs(*args, **kwargs):
        if next(first, False):
            time.sleep(float(os.environ["HODOR_DEADLINE_S"]) + 1)
        return whole(*args, **kwargs)

    def kills(*args, **kwargs):
        if next(first, False):
            kill_services()
        return whole(*args, **kwargs)

    answers = {
        "raises": raises,
        "hangs": hangs,
        "kills": kills,
        "no rows": lambda *args, **kwargs: ([], []),
        "other rows": lambda *args, **kwargs: (["a", "b"], [["1", None], ["x", "y"], ["z", "z"]]),
    }
    setattr(owner, name, answers[how])


def kill_services() -> None:
    """Kills the services that this process has started."""
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children", encoding="ascii") as file:
            for child in file.read().split():
                if os.path.basename(os.readlink(f"/proc/{child}/exe")) == "hodor-sql":
                    os.kill(int(child), signal.SIGKILL)


def run_dbt(request: dict) -> int:
    """What the console script `dbt` does; with "hidden" as if no plugin were installed, with "broken" with a fault in it."""
    from dbt.cli.main import cli

    if request.get("hidden"):
        hide_plugins()
    if request.get("broken"):
        break_plugin(*request["broken"])
    sys.argv = ["dbt", *request["args"]]
    try:
        cli()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0


def run_command_line(request: dict) -> int:
    """What the console script `dbt-hodor` does."""
    from dbt_hodor.cli import main

    sys.argv = ["dbt-hodor", *request["args"]]
    return main()


def run_invocations(request: dict) -> int:
    """Several commands in one process, one after another, as an orchestrator does; prints a line of JSON for each."""
    from dbt.cli.main import dbtRunner

    report = []
    for args in request["commands"]:
        before = args.pop(0) if args and isinstance(args[0], dict) else {}
        for path, text in before.get("write", {}).items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        os.environ.update(before.get("env", {}))
        outcome = dbtRunner().invoke(args)
        results = getattr(outcome.result, "results", None) or []
        report.append(
            {
                "success": outcome.success,
                "exception": repr(outcome.exception) if outcome.exception else None,
                "invocation_id": results and outcome.result.args.get("invocation_id"),
                "statuses": {unique_id(r): str(r.status) for r in results},
            }
        )
    with open(request["report"], "w", encoding="utf-8") as file:
        json.dump(report, file)
    return 0


def unique_id(result) -> str:
    """Results of a run that came to its end are read back from its artifact, and have no node."""
    return result.node.unique_id if hasattr(result, "node") else result.unique_id


def run_sql(request: dict) -> int:
    """Statements against a DuckDB file with the DuckDB of this environment; "report" gets the last one's rows as text or null."""
    import duckdb

    try:
        with duckdb.connect(request["database"], read_only=request["read_only"]) as connection:
            for statement in request["statements"]:
                cursor = connection.execute(statement)
            rows = cursor.fetchall()
    except duckdb.Error as error:
        sys.exit(f"{type(error).__name__}: {error}")
    with open(request["report"], "w", encoding="utf-8") as file:
        json.dump([[None if value is None else str(value) for value in row] for row in rows], file)
    return 0


OPERATIONS = {"dbt": run_dbt, "dbt-hodor": run_command_line, "invocations": run_invocations, "sql": run_sql}


def become_child(request: dict) -> int:
    """In the fork: takes on the request's streams, directory and environment and runs it."""
    signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for fd, (path, flags) in enumerate(
        [
            (os.devnull, os.O_RDONLY),
            (request["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            (request["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        ]
    ):
        opened = os.open(path, flags, 0o644)
        os.dup2(opened, fd)
        os.close(opened)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    return OPERATIONS[request["op"]](request)


def serve() -> int:
    """Forks for every request until EOF; in a fork, returns that fork's exit status."""
    preload(sys.argv[2])
    warm_up(sys.argv[1])
    wake_read, wake_write = os.pipe()
    for fd in (wake_read, wake_write):
        os.set_blocking(fd, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    selector = selectors.DefaultSelector()
    selector.register(0, selectors.EVENT_READ)
    selector.register(wake_read, selectors.EVENT_READ)
    running: dict[int, int] = {}
    pending = b""

    def answer(message: dict) -> None:
        os.write(1, json.dumps(message).encode() + b"\n")

    answer({"id": 0, "pid": os.getpid()})
    while True:
        for key, _ in selector.select():
            if key.fd == wake_read:
                os.read(wake_read, 4096)
                continue
            chunk = os.read(0, 1 << 20)
            if not chunk:
                return 0
            pending += chunk
        while b"\n" in pending:
            line, pending = pending.split(b"\n", 1)
            request = json.loads(line)
            pid = os.fork()
            if pid == 0:
                for fd in (wake_read, wake_write):
                    os.close(fd)
                selector.close()
                return become_child(request)
            running[pid] = request["id"]
            answer({"id": request["id"], "pid": pid})
        while running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            answer({"id": running.pop(pid), "rc": os.waitstatus_to_exitcode(status)})


if __name__ == "__main__":
    if sys.argv[1] == "--once":
        request = json.loads(sys.argv[2])
        sys.exit(OPERATIONS[request["op"]](request))
    sys.exit(serve())
