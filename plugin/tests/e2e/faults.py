"""Executables that stand in for the service by HODOR_BINARY, each with one fault; and ways to break a store."""

import fcntl
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: What every fake service starts from: the host's version, and small words of the protocol (docs/protocol.md).
PRELUDE = """\
import json, os, signal, sys, time

host = sys.argv[sys.argv.index("--host-version") + 1]
methods = ["run/start", "node/decide", "node/built", "node/tested", "run/finish", "shutdown"]

def say(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()

def hello(**other):
    params = {"protocol": 1, "version": host, "hash_version": "1", "pid": os.getpid(), "methods": methods}
    say({"jsonrpc": "2.0", "method": "hello", "params": {**params, **other}})

def answer(request, result):
    say({"jsonrpc": "2.0", "id": request["id"], "result": result})

def requests():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            yield message

START = {"replacements": [], "render_hooks": [], "records": 0, "store": "ok", "warnings": []}
BUILD = {"action": "build", "decision": "build", "reason": "no_history", "note": "", "run_hooks": False, "replay": None}
FINISH = {"reused": 0, "built": 0, "errors": 0, "saved_ms": 0, "recorded": 0, "warnings": [], "debug": {}}
RESULTS = {"run/start": START, "node/decide": BUILD, "run/finish": FINISH}

def refuse(request):
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "no"}})

def serve(**special):
    # Answers as a service that builds everything; special: what to do instead for a method ("/" is written "_").
    for request in requests():
        act = special.get(request["method"].replace("/", "_"))
        if act:
            act(request)
        else:
            answer(request, RESULTS.get(request["method"], {}))
"""

#: Services that fail before the run has begun or in the middle of it: dbt's run must end as plain dbt's.
BROKEN = {
    "ends at once": "sys.exit(0)",
    "fails with a message": "sys.stderr.write('no libstdc++ here\\n'); sys.exit(3)",
    "says nothing": "time.sleep(600)",
    "prints text": "print('Usage: something else\\n' * 50, flush=True); time.sleep(600)",
    "prints bytes": "sys.stdout.buffer.write(bytes(range(256)) * 100 + b'\\n'); sys.stdout.flush(); time.sleep(600)",
    "stops in the middle of hello": 'sys.stdout.write(\'{"jsonrpc":"2.0","method":"hel\'); sys.stdout.flush(); sys.exit(0)',
    "has an empty hello": "say({'jsonrpc': '2.0', 'method': 'hello', 'params': {}}); time.sleep(600)",
    "says a list": "say([]); time.sleep(600)",
    "speaks another protocol": "hello(protocol=99); time.sleep(600)",
    "is of another version": "hello(version='99.9.9'); time.sleep(600)",
    "never answers": "hello(); time.sleep(600)",
    "closes its output": "hello(); os.close(1); time.sleep(600)",
    "closes its input": "hello(); os.close(0); time.sleep(600)",
    "dies at the start": "hello(); next(requests()); sys.stderr.write('out of memory\\n'); sys.exit(9)",
    "answers other questions": "hello()\nfor r in requests(): say({'jsonrpc': '2.0', 'id': r['id'] + 1000, 'result': {}})",
    "never answers a node": "hello(); serve(node_decide=lambda r: time.sleep(600))",
    "prints garbage for a node": "hello(); serve(node_decide=lambda r: (print('{{{', flush=True), time.sleep(600)))",
    "is killed in a node": "hello(); serve(node_decide=lambda r: os.kill(os.getpid(), signal.SIGKILL))",
    "never acknowledges a build": "hello(); serve(node_built=lambda r: time.sleep(600))",
    "never finishes": "hello(); serve(run_finish=lambda r: time.sleep(600))",
}

#: Services that answer, but nonsense or refusals: every node builds, whatever else happens.
ODD = {
    "refuses everything": "hello()\nfor r in requests(): refuse(r)",
    "refuses nodes": "hello(); serve(node_decide=refuse)",
    "answers null": "hello()\nfor r in requests(): answer(r, None)",
    "answers text": "hello()\nfor r in requests(): answer(r, 'reuse')",
    "knows another action": "hello(); serve(node_decide=lambda r: answer(r, {**BUILD, 'action': 'clone'}))",
    "has an action of another type": "hello(); serve(node_decide=lambda r: answer(r, {**BUILD, 'action': ['reuse']}))",
    "asks for SQL for ever": "hello(); serve(node_decide=lambda r: answer(r, {'need': 'sql'}))",
    "replays tests without a result": (
        "hello(); serve(node_decide=lambda r: answer(r, {**BUILD, 'action': 'reuse' if r['params']['id'].startswith('test.')"
        " else 'build', 'decision': 'reuse', 'reason': 'no_new_data', 'replay': None}))"
    ),
    "replays a status that dbt does not know": (
        "hello(); serve(node_decide=lambda r: answer(r, {**BUILD, 'action': 'reuse' if r['params']['id'].startswith('test.')"
        " else 'build', 'decision': 'reuse', 'reason': 'no_new_data', 'replay': {'status': 'perfect', 'failures': 'none'}}))"
    ),
    "is noisy": "hello(); sys.stderr.write(('note: ' + 'x' * 100 + '\\n') * 1000 + 'y' * 5_000_000); sys.stderr.flush(); serve()",
    "asks what the host does not know": (
        "hello(); say({'jsonrpc': '2.0', 'id': 1, 'method': 'make/coffee', 'params': {}});"
        " say({'jsonrpc': '2.0', 'id': 2, 'method': 'warehouse/query', 'params': {'sql': 'select from from'}});"
        " say({'jsonrpc': '2.0', 'id': 3, 'method': 'warehouse/query', 'params': None}); serve()"
    ),
    "answers twice": "hello(); serve(node_decide=lambda r: (answer(r, BUILD), answer(r, {**BUILD, 'action': 'reuse'})))",
    "stays after the end": "hello(); signal.signal(signal.SIGTERM, signal.SIG_IGN); serve(); time.sleep(600)",
}


def script(directory: Path, name: str, text: str) -> Path:
    """An executable Python script."""
    path = directory / name
    path.write_text(f"#!{sys.executable}\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def fake_service(directory: Path, behaviour: str) -> tuple[Path, Path]:
    """A service with the given behaviour, and the file that it writes its process id to."""
    pid = directory / "service.pid"
    return script(directory, "fake-hodor-sql", f"{PRELUDE}\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\n{behaviour}"), pid


def tripwire(directory: Path) -> tuple[Path, Path]:
    """An executable that leaves a file behind when it is started, and that file."""
    sprung = directory / "sprung"
    return script(directory, "tripwire", f"open({str(sprung)!r}, 'w').close()"), sprung


def alive(pid: int) -> bool:
    """Whether a process exists and is no zombie (Linux)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid: int, within: float = 10) -> bool:
    """Whether a process ends within some seconds."""
    end = time.monotonic() + within
    while alive(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@contextmanager
def locked_store(path: Path) -> Iterator[None]:
    """Holds the lock that DuckDB takes on a file it writes, from this process."""
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def children(pid: int) -> list[int]:
    """Process ids of the children of a process (Linux)."""
    return [int(word) for task in Path(f"/proc/{pid}/task").glob("*/children") for word in task.read_text().split()]


def command_line(pid: int) -> str:
    """The command line of a process; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except FileNotFoundError:
        return ""


def service_of(pid: int) -> int | None:
    """The process id of the service that a dbt process has started."""
    return next((child for child in children(pid) if " serve" in command_line(child)), None)


def wait_for(condition, within: float = 60, what: str = "it"):
    """Polls until condition() is true, and returns its value; a test fails that waits in vain."""
    end = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what} did not happen within {within} s"
        time.sleep(0.02)


def processor_time(pid: int) -> float:
    """Seconds that the threads of a process have used, as Linux counts them; the numbers stand behind its name, which may hold anything."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def at_work(pid: int, log: Path, statement: str) -> None:
    """Waits until DuckDB works on a statement, a pattern for dbt's log, of the dbt process.

    An interrupt that comes before is lost on the connection, in plain dbt too, and the log has the statement before DuckDB has it. So what counts is
    that the process has then used more time than handing it over takes, while everything else in it waits.
    """
    wait_for(lambda: log.exists() and re.search(statement, log.read_text(errors="replace")), within=300, what="the statement")
    handed = processor_time(pid)
    wait_for(lambda: processor_time(pid) > handed + 0.3, within=300, what="work on the statement")
