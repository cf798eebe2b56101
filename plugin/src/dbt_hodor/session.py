"""One run of dbt nodes: what the patches ask, and what they tell. There is one session at a time, checked in every patch.

`arm` is called by the plugin at the beginning of each command and forgets the one before. `begin` makes the session when
dbt starts to execute nodes; from then to its `end`, `current` finds it. The service starts loading in `begin`, while dbt
compiles its first nodes; the first decision waits for it.

No method but those that say so raises: whatever goes wrong in hodor is one warning and a build.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from typing import Any

from dbt_hodor import _binary, log, settings, state_config
from dbt_hodor.client import (
    BAD_PARAMS,
    FOREIGN_MANIFEST,
    UNKNOWN_METHOD,
    WAREHOUSE,
    Client,
    Interrupted,
    ServiceError,
    ServiceGone,
)
from dbt_hodor.live import Replacements, Run, load_xxh3
from dbt_hodor.relay import Relay
from dbt_hodor.watch import Watch, local

COMMANDS = frozenset({"run", "build", "test", "seed", "snapshot"})
FLUSH_S = 600.0  # an orderly end may write many records; every single wait inside it has the deadline as well
INTERRUPTED_FLUSH_S = 10.0

REUSE, REUSED = "reuse", "reused"
WAITS = "within_lag_tolerance"
TEST_STATUSES = ("pass", "warn", "fail")

_armed = False
_session: Session | None = None


def arm(armed: bool) -> None:
    """A new command begins: whatever an earlier one left is ended. `armed` tells whether this one may have a session."""
    global _armed, _session
    _armed, left, _session = armed, _session, None
    if left is not None:
        left.abandon()


def current(owner: Any) -> Session | None:
    """The session of the run that this task or runner belongs to, by its RuntimeConfig, in the process that began it. A thread
    of the caller's may have begun another run meanwhile, whose session knows nothing of this one's nodes, though they may bear
    the same names."""
    session = _session
    if session is None or session.pid != os.getpid() or session.run.config is not getattr(owner, "config", None):
        return None
    return session


def begin(task: Any) -> Session | None:
    """Called before dbt executes the nodes of a task. None: plain dbt."""
    global _armed, _session
    if not _armed or _session is not None:
        return None
    _armed, session = False, None
    try:
        session = open_session(task)
        if session is not None:
            session.start()
            _session = session
            return session
    except (ServiceGone, _binary.BinaryMissing) as error:
        log.warn(f"{error}. This run is plain dbt.")
    except Exception as error:
        log.warn(f"{type(error).__name__} at the start: {error}. This run is plain dbt.")
    except BaseException:  # Ctrl-C
        if session is not None:
            session.abandon()
        raise
    if session is not None:
        session.abandon()
    return None


def open_session(task: Any) -> Session | None:
    """Reads the settings and checks what this run must not have. Raises."""
    from dbt.adapters.factory import get_adapter
    from dbt.flags import get_flags

    flags = get_flags()
    command = flags.WHICH
    if command not in COMMANDS:
        return None
    found = settings.read(task.config)
    for text in found.warnings:
        log.warn(text)
    if found.mode == "off":
        return None
    if command == "seed" and getattr(flags, "SHOW", False):
        log.debug("seed --show prints what it loads: plain dbt.")
        return None
    adapter = get_adapter(task.config)
    if adapter.type() not in settings.ADAPTERS:
        log.info(f"off: the {adapter.type()} adapter is not supported, {' and '.join(settings.ADAPTERS)} are.")
        return None
    if other_plugin():
        log.warn(
            "dbt_state is installed as well and patches the same parts of dbt; this run has neither. Uninstall one of the two."
        )
        return None
    if not state_config.merged(task.manifest):
        log.warn(
            "this manifest was parsed without dbt-hodor, so its `state:` configs may be incomplete; this run is plain dbt. "
            "Let dbt parse the project in this installation."
        )
        return None
    import dbt_hodor

    return Session(Run(task, adapter, flags), found, command, _binary.find(), dbt_hodor.__version__)


def other_plugin() -> bool:
    """Tells whether dbt State's own plugin is installed beside this one."""
    from importlib.util import find_spec

    return find_spec("dbt_state") is not None


class Node:
    """What the session knows of one node that was decided."""

    __slots__ = ("said", "implied", "attempted", "hooks_ran", "began", "build_ms", "line", "is_test", "waits")

    def __init__(self, is_test: bool) -> None:
        self.is_test = is_test
        self.said: str | None = None  # the status that the service was told
        self.implied: str | None = None  # the status that a reuse or a replay implies
        self.attempted = self.hooks_ran = False
        self.began = 0.0
        self.build_ms = 0
        self.line: str | None = None  # for the log, of a node reused or replayed
        self.waits = False  # reused although there is new data


class Verdict:
    """A reuse, with all that the patches need for it. `replay` has status and failures of a test; empty for other nodes."""

    __slots__ = ("message", "run_hooks", "replay")

    def __init__(self, message: str, run_hooks: bool, replay: dict[str, Any]) -> None:
        self.message, self.run_hooks, self.replay = message, run_hooks, replay


class Session:
    """What hodor knows of one run of dbt nodes, with the child process, the relay and the watch that serve it."""

    def __init__(self, run: Run, found: settings.Settings, command: str, binary: str, version: str) -> None:
        from dbt_common.context import get_invocation_context

        self.pid = os.getpid()
        self.run, self.settings, self.command, self.version = run, found, command, version
        self._context = get_invocation_context()
        self.relay = Relay(run.adapter, found.metadata_threads, self._context)
        self.watch = Watch(run.adapter)
        self.client = Client([binary], version, self._serve, self.relay.busy, self._on_stderr, found.deadline_s)
        self._starting: Any = None
        self._ready: bool | None = None
        self._ready_lock = threading.Lock()
        self._warned = False
        self._warn_lock = threading.Lock()
        self._began = time.monotonic()
        self.interrupted = self.gone = self.over = False
        self.errors = self.would_reuse = 0
        self.nodes: dict[str, Node] = {}
        self._built: set[str] = set()  # executed, decided or not
        # What the service said ahead of being asked, by node; None once anything is built, or may be written, in this run.
        self._ahead: dict[str, dict[str, Any]] | None = {}
        self._taken: deque[str] = deque()  # nodes reused by that, of which the service is not told yet

    # --- start ---

    def start(self) -> None:
        """Spawns the service and asks it to load, without waiting for that. Raises."""
        self.client.start()
        self.watch.install()
        self._params = self.run.start_params(self.command, self.settings.mode, self.settings.wire())
        self._starting = self.client.send("run/start", self._params)

    def _is_ready(self) -> bool:
        """Waits for run/start; true if this run is decided at all. Raises Interrupted."""
        if self._ready is None:
            with self._ready_lock:
                if self._ready is None:
                    if self.interrupted:
                        raise Interrupted("dbt cancels this run")
                    self._ready = self._load()
        return self._ready

    def _load(self) -> bool:
        try:
            try:
                answer = self.client.wait(self._starting)
            except ServiceError as error:
                if error.code != FOREIGN_MANIFEST:
                    raise
                # Another dbt in the same target folder wrote its manifest after we looked.
                self._params["manifest_path"] = self.run.write_manifest(self._params["invocation_id"])
                answer = self.client.call("run/start", self._params)
            load_xxh3()
            self.run.replacements = Replacements(answer["replacements"])
            self.run.render_hooks = frozenset(answer["render_hooks"])
        except Interrupted:
            raise
        except Exception as error:
            self._failed(error)
            return False
        for text in answer.get("warnings") or ():
            log.warn(text)
        return True

    # --- decide ---

    def decide(self, runner: Any, node: Any) -> Verdict | None:
        """The verdict on a node right before it would be executed: None builds. Raises Interrupted, and nothing else."""
        if self.over or self.gone:
            return None
        if self.interrupted:
            raise Interrupted("dbt cancels this run")
        wrote, writes = False, 0
        try:
            if not self._is_ready():
                return None
            wrote, writes = self.watch.ask()
            return self._verdict(runner, node, wrote, writes)
        except Interrupted:
            raise
        except Exception as error:
            if wrote:
                self.watch.note()  # no answered decision knows of it
            self._failed(error)
            return None

    def _verdict(self, runner: Any, node: Any, wrote: bool, writes: int) -> Verdict | None:
        unique_id = node.unique_id
        run = self.run
        is_test = node.resource_type == "test"
        state = self.nodes[unique_id] = Node(is_test)
        sql = getattr(node, "compiled_code", None)
        params = {
            "id": unique_id,
            "text_hash": None,
            "sql": None,
            "relation": run.relation(node) if not is_test or node.should_store_failures else None,
            "hooks": run.hooks(node) if unique_id in run.render_hooks else None,
            "wrote": wrote or run.loads_source(unique_id),
            "pointer": run.pointer(runner, node) if not is_test else True,
        }
        said = self._said_ahead(params, sql)
        if said is not None:
            verdict = self._reuse(state, is_test, said)
            self._taken.append(unique_id)
            return verdict
        params["text_hash"] = run.text_hash(sql)
        answer = self._call("node/decide", params)
        if answer.get("need") == "sql":
            params["sql"] = sql
            answer = self._call("node/decide", params)
        if "action" not in answer:
            raise ValueError(f"an answer for {unique_id} without an action")
        self.watch.settle(writes)
        action, decision = answer["action"], answer["decision"]
        if decision == REUSE and self.settings.mode != "on":
            self.would_reuse += 1
        if action != REUSE or decision != REUSE or self.settings.mode != "on":
            return None
        if wrote and self._in_transaction():
            return None  # what the compile wrote is committed by the build only, and a reuse would lose it
        if answer.get("run_hooks"):
            self._stir()
        elif "ahead" in answer:
            self._hear_ahead(answer["ahead"])
        return self._reuse(state, is_test, answer)

    def _call(self, method: str, params: dict[str, Any], timeout: float | None = None) -> Any:
        """A call that also tells which of the decisions said ahead were taken."""
        taken = []
        try:
            while True:
                taken.append(self._taken.popleft())
        except IndexError:
            pass
        try:
            return self.client.call(method, {**params, "taken": taken} if taken else params, timeout)
        except Exception:
            self._taken.extend(taken)  # who was told twice is told once
            raise

    # --- decisions said ahead (docs/protocol.md): only as long as nothing was built or written since the run began ---

    def _hear_ahead(self, ahead: list[dict[str, Any]]) -> None:
        table = self._ahead
        if table is not None:  # another thread may take the table away now, and with it what is put in here
            table.update((said["id"], said) for said in ahead)

    def _said_ahead(self, params: dict[str, Any], sql: str | None) -> dict[str, Any] | None:
        """What was said of a node, if it holds for what is known here."""
        if params["wrote"]:
            self._stir()
        table = self._ahead
        said = None if table is None else table.pop(params["id"], None)
        if said is None or params["hooks"] is not None or not params["pointer"] or said["relation"] != params["relation"]:
            return None
        return said if self.run.has_text(sql, said["text_hash"]) else None

    def _stir(self) -> None:
        """Something is built or written from here on, maybe: what was said ahead holds no more, and nothing will be."""
        self._ahead = None

    def _in_transaction(self) -> bool:
        connection = self.run.adapter.connections.get_if_exists()
        return connection is not None and bool(connection.transaction_open)

    def _reuse(self, state: Node, is_test: bool, answer: dict[str, Any]) -> Verdict:
        """The verdict for an answer that reuses. Raises on one that makes no sense, which builds."""
        words = ", ".join(part for part in (answer["reason"], answer.get("note")) if part)
        state.waits = answer["reason"] == WAITS
        if not is_test:
            state.implied, state.line = REUSED, f"REUSED {words}"
            return Verdict(state.line, bool(answer.get("run_hooks")), {})
        replay = answer["replay"]
        status, failures = replay["status"], replay.get("failures") or 0
        if status not in TEST_STATUSES or not isinstance(failures, int):
            raise ValueError(f"a replay with status {status!r} and {failures!r} failures")
        origin = f"replayed from {replay['invocation_id']}"
        state.implied = status
        count = "" if status == "pass" else f" {failures}"
        state.line = f"{status.upper()}{count} {origin}, {words}"
        message = replay.get("message")
        return Verdict(f"{message}; {origin}" if message else origin, False, {"status": status, "failures": failures})

    # --- a node's execution, as the patches see it; all of these are safe in a finally ---

    def enter(self, unique_id: str) -> None:
        """The original `execute` is about to be called. Its statements are the service's to judge, not the watch's."""
        state = self.nodes.get(unique_id)
        local.quiet = True
        self._stir()
        self._built.add(unique_id)
        if state is not None:
            state.attempted = True
            state.began = time.monotonic()

    def leave(self, unique_id: str) -> None:
        state = self.nodes.get(unique_id)
        local.quiet = False
        if state is not None:
            state.build_ms = round((time.monotonic() - state.began) * 1000)

    def enter_hooks(self, unique_id: str) -> None:
        """The hooks of a reused node are about to run."""
        state = self.nodes[unique_id]
        local.quiet = True
        self._stir()
        state.hooks_ran = True
        state.began = time.monotonic()

    leave_hooks = leave

    def line(self, unique_id: str, status: str) -> str | None:
        """The words in brackets for the log line of a node reused or replayed, if that is how it ended."""
        state = self.nodes.get(unique_id)
        if state is None or state.line is None or self._final(state, status) != state.implied:
            return None
        return state.line

    def _final(self, state: Node, status: str) -> str:
        """dbt's word in the service's terms: with hodor_reported_status, a reused node says success."""
        return REUSED if status == "success" and state.implied == REUSED and not state.attempted else status

    def told(self, result: Any) -> None:
        """A node's final result stands and its connection is released."""
        try:
            self._told(result)
        except Interrupted:
            pass
        except Exception as error:
            self.watch.note()  # the service does not know what was written: every version is stale
            self._failed(error)

    def _told(self, result: Any) -> None:
        state = self.nodes.get(result.node.unique_id)
        if state is None or self.over or self.gone:
            return
        status = self._final(state, str(getattr(result.status, "value", result.status)))
        if status == state.implied and not state.attempted and not state.hooks_ran:
            state.said = status
            return
        params = {"id": result.node.unique_id, "status": status, "build_ms": state.build_ms, "attempted": state.attempted}
        if state.is_test:
            params["failures"] = result.failures
            params["message"] = result.message
        else:
            params["hooks_ran"] = state.hooks_ran
        if not self.interrupted:
            self._call("node/tested" if state.is_test else "node/built", params)
            state.said = status

    # --- end ---

    def interrupt(self) -> None:
        """dbt cancels its nodes, after Ctrl-C or with --fail-fast: whoever waits for the service stops waiting."""
        self.interrupted = True
        self.client.wake()

    def end(self, early: bool) -> None:
        """dbt executed its nodes, or stopped. Flushes, sums up and lets the service go. `early`: by an exception."""
        global _session
        try:
            self._sum_up(self._finish(early))
        except Exception as error:
            say = log.debug if self._warned else log.warn
            say(f"{type(error).__name__} at the end: {error}. What this run built may be built once more.")
        finally:
            if _session is self:
                _session = None
            self.abandon()

    def _finish(self, early: bool) -> dict[str, Any]:
        """The service's summary; where it can give none, what is known here."""
        try:
            # Where no node asked anything, nobody fetched the answer to run/start; it may be there all the same.
            unasked = self._ready is None and self._starting.done and self._starting.error is None
            if not self.gone and (self._ready or unasked):
                elapsed = round((time.monotonic() - self._began) * 1000)
                params = {"interrupted": early, "elapsed_ms": elapsed, "statuses": self._statuses()}
                return self._call("run/finish", params, INTERRUPTED_FLUSH_S if early else FLUSH_S)
        except (ServiceGone, ServiceError, Interrupted) as error:
            self._failed(error)
        reused = sum(state.said is not None and state.said == state.implied for state in self.nodes.values())
        return {"reused": reused, "built": len(self._built), "errors": 0, "saved_ms": 0}

    def _statuses(self) -> dict[str, str]:
        """Of the nodes decided, the final statuses that differ from what was said. dbt's list has the last word."""
        final = {result.node.unique_id: result.status for result in self.run.task.node_results if hasattr(result, "node")}
        differ = {}
        for unique_id, state in self.nodes.items():
            status = final.get(unique_id)
            word = "skipped" if status is None else self._final(state, str(getattr(status, "value", status)))
            if word != state.said:
                differ[unique_id] = word
        return differ

    def _sum_up(self, summary: dict[str, Any]) -> None:
        for text in summary.get("warnings") or ():
            log.warn(text)
        errors = summary["errors"] + self.errors
        text = f"{summary['reused']} reused, {summary['built']} built, {errors} error{'' if errors == 1 else 's'}"
        waiting = sum(state.waits and state.said == state.implied for state in self.nodes.values())
        if waiting:
            text += f"; {waiting} with new data wait{'s' if waiting == 1 else ''} for lag_tolerance"
        if self.settings.mode == "shadow":
            text += f"; shadow mode, {self.would_reuse} would be reused"
        elif summary["saved_ms"] >= 1000:
            text += f"; about {duration(summary['saved_ms'])} of building saved{self._worth(summary['saved_ms'])}"
        says_why = " dbt-hodor explain -s NODE says why." if summary["reused"] or summary["built"] else ""
        log.info(f"{text}.{says_why}")
        if "debug" in summary:
            log.debug(f"counters: {summary['debug']}")

    def _worth(self, saved_ms: int) -> str:
        per_hour = self.settings.price_per_hour
        return "" if per_hour is None else f" (worth {per_hour * saved_ms / 3_600_000:.2f} at {per_hour:g} an hour)"

    def abandon(self) -> None:
        """Lets go of the child, the connections and the temporary file. Safe to call twice, and in a finally:
        no Exception leaves it."""
        self.over = True
        if self.pid != os.getpid():
            return
        try:
            quietly(self.watch.remove)
            if not quietly(self.client.close):
                self.client.kill()
        except BaseException:  # a second Ctrl-C: the child must not outlive dbt
            self.client.kill()
            raise
        finally:
            quietly(self.run.discard)
        quietly(self.relay.close, INTERRUPTED_FLUSH_S if self.interrupted else 5.0)

    # --- the service's requests, and failures ---

    def _serve(self, method: str, number: Any, params: Any) -> None:
        """Called in the reading thread for each request of the service."""
        params = params if isinstance(params, dict) else {}
        if method == "warehouse/query":
            sql = params.get("sql")
            if not isinstance(sql, str):
                self.client.reply(number, error=(BAD_PARAMS, "warehouse/query: sql must be a text"))
                return
            self.relay.submit(sql, lambda table, error: self._answer(number, table, error))
        elif method == "lakebase/credential":
            threading.Thread(target=self._credential, args=(number, params), daemon=True).start()
        else:
            self.client.reply(number, error=(UNKNOWN_METHOD, f"unknown method {method!r}"))

    def _answer(self, number: Any, table: Any, error: str | None) -> None:
        if table is None:
            self.client.reply(number, error=(WAREHOUSE, error or "no message"))
        else:
            self.client.reply(number, {"columns": table[0], "rows": table[1]})

    def _credential(self, number: Any, params: dict[str, Any]) -> None:
        from dbt_hodor import lakebase

        try:
            self.client.reply(number, lakebase.credential(params["endpoint"]))
        except Exception as error:
            self.client.reply(number, error=(WAREHOUSE, f"{type(error).__name__}: {error}"))

    def _on_stderr(self, line: str) -> None:
        from dbt_common.context import _INVOCATION_CONTEXT_VAR

        _INVOCATION_CONTEXT_VAR.set(self._context)  # dbt's log scrubs secrets, which it finds in there
        log.debug(f"service: {line}")

    def _failed(self, error: Exception) -> None:
        """Counts an error of ours and warns, once a run: the rest of it, or this node, is plain dbt."""
        self._stir()
        self.errors += 1
        gone = isinstance(error, ServiceGone)
        self.gone = self.gone or gone
        with self._warn_lock:
            first, self._warned = not self._warned, True
        text = f"{error}" if gone or isinstance(error, ServiceError) else f"{type(error).__name__}: {error}"
        if not first or self.over:
            log.debug(f"{text}.")
        elif gone:
            log.warn(f"{text}. The rest of this run is plain dbt.")
        else:
            log.warn(f"{text}. What it concerns is built; more such errors are only in the log file.")


def quietly(step: Any, *args: Any) -> bool:
    """Takes one step of letting go, whose failure must not keep the next from being taken. False: it failed."""
    try:
        step(*args)
        return True
    except Exception as error:
        log.debug(f"{type(error).__name__} while the run was let go: {error}.")
        return False


def duration(ms: int) -> str:
    """About how long: 45 s, 14 min, 3.2 h."""
    seconds = ms / 1000
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
