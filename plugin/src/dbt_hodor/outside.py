"""The relay outside dbt: `python -m dbt_hodor.relay DBT_ARGUMENTS` (docs/protocol.md, "Outside dbt").

`hodor-sql state` plans and records before and after dbt runs, with no dbt around it. It starts this process, which loads
profile, project and adapter with dbt's own loaders and options, and answers over stdin and stdout what the plugin would know
inside dbt: settings, what stands under a node's name, hooks as dbt renders them, and statements on dbt's adapter. It decides
nothing, builds nothing, and ends when stdin does. stdout belongs to the protocol: whatever else prints goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

# The command whose options and flags hold; nothing of it is run.
COMMAND = "build"

# dbt's own output is no part of the protocol, and nothing may leave the machine for a plan.
QUIET = [
    "--log-level",
    "error",
    "--log-format",
    "text",
    "--log-level-file",
    "none",
    "--no-send-anonymous-usage-stats",
    "--no-print",
]


class Wire:
    """Writes one message a line. Its lock is held for a line, never for work."""

    def __init__(self, file: Any) -> None:
        self._file, self._lock = file, threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        line = (json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=True, separators=(",", ":")) + "\n").encode("ascii")
        with self._lock:
            try:
                self._file.write(line)
                self._file.flush()
            except (OSError, ValueError):
                pass  # nobody listens any more; stdin ends too

    def answer(self, number: Any, result: Any = None, error: tuple[int, str] | None = None) -> None:
        if error is None:
            self.send({"id": number, "result": result})
        else:
            self.send({"id": number, "error": {"code": error[0], "message": error[1]}})


def main(arguments: list[str] | None = None) -> int:
    """Serves until stdin ends. A project or profile that can't be loaded is an error message in place of the hello."""
    wire = Wire(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    import dbt_hodor

    try:
        from dbt.cli.main import cli

        words = [COMMAND, *(sys.argv[1:] if arguments is None else arguments), *QUIET]
        context = cli.make_context(cli.name, words.copy())
        context.obj = {"manifest": None, "callbacks": [], "dbt_runner_command_args": words}
        with context:
            name, command, rest = cli.resolve_command(context, [*context.protected_args, *context.args])
            below = command.make_context(name, rest, parent=context)
            with below:
                load(below, lambda task: serve(task, wire, dbt_hodor.__version__))
        return 0
    except BaseException as error:
        if isinstance(error, SystemExit) and not error.code:
            return 0
        wire.send({"method": "failed", "params": {"message": first_lines(error)}})
        return 1


def load(context: Any, then: Any) -> None:
    """Loads everything as `dbt build` does, and calls `then` with what a task of dbt's would hold."""
    from dbt.cli import requires

    def ready(context: Any) -> None:
        obj = context.obj
        then(SimpleNamespace(config=obj["runtime_config"], manifest=obj["manifest"], flags=obj["flags"], _flattened_nodes=[]))

    steps = requires.manifest(write=False)(ready)
    for step in (requires.runtime_config, requires.project, requires.profile, requires.preflight):
        steps = step(steps)
    steps(context)


def first_lines(error: BaseException) -> str:
    """The first six lines of an error in one, or its type where it has no text."""
    text = str(error).strip() or type(error).__name__
    return " ".join(line.strip() for line in text.splitlines()[:6])


def lent(wire: Wire, relay: Callable[[], Any], number: Any, method: str, params: dict[str, Any]) -> bool:
    """Answers the two requests that need nothing but dbt's adapter or its surroundings: a statement, which `relay()` runs, and a
    login for Lakebase. False: it is another request. Raises KeyError for a parameter that is missing, and what the login does."""
    if method == "warehouse/query":
        from dbt_hodor.client import WAREHOUSE

        relay().submit(
            params["sql"],
            lambda table, error: wire.answer(
                number,
                None if table is None else {"columns": table[0], "rows": table[1]},
                None if error is None else (WAREHOUSE, error),
            ),
        )
        return True
    if method == "lakebase/credential":
        from dbt_hodor.lakebase import credential

        wire.answer(number, credential(params["endpoint"]))
        return True
    return False


def serve(task: Any, wire: Wire, version: str) -> None:
    """Says hello and answers requests, one after another but for statements, which run in the relay's threads."""
    from dbt.adapters.factory import get_adapter
    from dbt_common.context import get_invocation_context

    from dbt_hodor import settings
    from dbt_hodor.live import Run
    from dbt_hodor.relay import Relay

    adapter = get_adapter(task.config)
    run = Run(task, adapter, task.flags)
    found = settings.read(task.config)
    relay = Relay(adapter, found.metadata_threads, get_invocation_context())
    outside = Outside(run, adapter, found, relay, wire)
    wire.send(
        {
            "method": "hello",
            "params": {
                "protocol": PROTOCOL,
                "version": version,
                "pid": os.getpid(),
                "methods": ["warehouse/query", "lakebase/credential", *outside.methods],
            },
        }
    )
    try:
        for line in sys.stdin.buffer:
            if line.strip():
                outside.handle(line)
    finally:
        relay.close()
        adapter.cleanup_connections()


PROTOCOL = 1


class Outside:
    """Answers the requests of `hodor-sql state`, each with what the plugin would know inside dbt."""

    def __init__(self, run: Any, adapter: Any, found: Any, relay: Any, wire: Wire) -> None:
        self.run, self.adapter, self.found, self.relay, self.wire = run, adapter, found, relay, wire
        self.methods = {
            "outside/describe": self.describe,
            "outside/nodes": self.nodes,
            "outside/run_hooks": self.run_hooks,
        }

    def handle(self, line: bytes) -> None:
        """Answers one request. A line that is none is passed over; an error is an answer."""
        from dbt_hodor.client import BAD_PARAMS, INTERNAL, UNKNOWN_METHOD

        try:
            message = json.loads(line)
            number, method, params = message["id"], message["method"], message.get("params") or {}
        except Exception:
            return
        try:
            if method in self.methods:
                self.wire.answer(number, self.methods[method](params))
            elif not lent(self.wire, lambda: self.relay, number, method, params):
                self.wire.answer(number, None, (UNKNOWN_METHOD, f"no method {method}"))
        except KeyError as error:
            self.wire.answer(number, None, (BAD_PARAMS, f"{error} is missing"))
        except Exception as error:
            self.wire.answer(number, None, (INTERNAL, f"{type(error).__name__}: {first_lines(error)}"))

    def describe(self, params: dict[str, Any]) -> dict[str, Any]:
        """What run/start holds, but for what belongs to an invocation of dbt, with the mode as it is set."""
        from dbt_hodor import state_config

        start = self.run.start_params(COMMAND, self.found.mode, self.found.wire())
        for key in ("invocation_id", "run_started_at", "manifest_path", "nodes", "command"):
            start.pop(key, None)
        start["profile_name"] = self.run.config.profile_name
        start["warnings"] = self.found.warnings
        start["merged"] = state_config.merged(self.run.manifest)
        return start

    def nodes(self, params: dict[str, Any]) -> dict[str, Any]:
        """What stands in the warehouse under each node, its `state` settings, and for those in `render` its hooks."""
        from dbt.task.run import ModelRunner

        self.run.render_hooks = frozenset(params.get("render") or ())
        nodes = self.run.manifest.nodes
        found = {}
        with self.adapter.connection_named("hodor_outside"):
            for unique_id in params["ids"]:
                node = nodes.get(unique_id)
                if node is None:
                    continue
                is_test = node.resource_type == "test"
                relation = None
                if not is_test or node.should_store_failures:
                    relation = self.run.relation(node)
                pointer = True
                if not is_test and getattr(node, "version", None) is not None:
                    pointer = self.run.pointer(ModelRunner(self.run.config, self.adapter, node, 1, 1), node)
                found[unique_id] = {
                    "relation": relation,
                    "pointer": pointer,
                    "hooks": self.run.hooks(node),
                    "state": node.config._extra.get("state"),
                    "loads_source": self.run.loads_source(unique_id),
                }
        return {"nodes": found}

    def run_hooks(self, params: dict[str, Any]) -> dict[str, Any]:
        """The texts of the on-run-start and on-run-end hooks, in no order, rendered without side effects; None where that can't be done."""
        import copy

        from dbt.context.providers import generate_runtime_model_context

        from dbt_hodor.live import without_side_effects

        found: dict[str, list[str | None]] = {"on-run-start": [], "on-run-end": []}
        with self.adapter.connection_named("hodor_outside"):
            for node in self.run.manifest.nodes.values():
                if node.resource_type != "operation":
                    continue
                for when in found:
                    if when not in node.tags:
                        continue
                    try:
                        context = generate_runtime_model_context(copy.copy(node), self.run.config, self.run.manifest)
                        found[when].append(str(without_side_effects(context)["render"](node.raw_code)))
                    except Exception:
                        found[when].append(None)
        return found
