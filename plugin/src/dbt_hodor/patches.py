"""The patches of dbt's runners, and the only code that touches them.

Class attributes are replaced once a process and stay; each replacement asks for the current session and calls the original
where there is none. The original is never called inside a `try` that catches: its exceptions are dbt's. Ours never leave:
the session turns them into a build.

    GraphRunnableTask.execute_nodes        begin and end of a session, whatever the end is
    GraphRunnableTask._cancel_connections  Ctrl-C and --fail-fast: nobody waits for the service any longer
    ModelRunner.execute                    models, seeds, snapshots: reuse or build; microbatch batches pass
    MicrobatchModelRunner.execute          asked for the record's sake, always builds
    TestRunner.execute                     replay or run; unit tests pass
    *.after_execute                        the final result, after the connection was released
    *.print_result_line                    says so of a node reused or replayed
"""

from __future__ import annotations

from typing import Any

from dbt_hodor import log
from dbt_hodor.client import Interrupted
from dbt_hodor.session import Verdict, begin, current


def patched(command: str | None = None) -> dict[tuple[type, str], Any]:
    """Every method that is patched for a command (None: for any) and the maker of its replacement. Raises where dbt-core has no such
    method. A command that runs one kind of node gets no runners of others: the module of tests alone takes dbt as long to import as
    all of this package."""
    from dbt.task.run import MicrobatchModelRunner, ModelRunner
    from dbt.task.runnable import GraphRunnableTask

    found = {
        (GraphRunnableTask, "execute_nodes"): execute_nodes,
        (GraphRunnableTask, "_cancel_connections"): cancel_connections,
        (ModelRunner, "execute"): execute_model,
        (MicrobatchModelRunner, "execute"): execute_microbatch,
        (ModelRunner, "after_execute"): after_execute,
        (ModelRunner, "print_result_line"): print_result_line,
    }
    single = command in ("run", "seed", "snapshot", "test")
    if command == "seed" or not single:
        from dbt.task.seed import SeedRunner

        found[SeedRunner, "print_result_line"] = print_result_line
    if command == "snapshot" or not single:
        from dbt.task.snapshot import SnapshotRunner

        found[SnapshotRunner, "print_result_line"] = print_result_line
    if command == "test" or not single:
        from dbt.task.test import TestRunner

        found[TestRunner, "execute"] = execute_test
        found[TestRunner, "after_execute"] = after_execute
        found[TestRunner, "print_result_line"] = print_result_line
    return found


def install(command: str | None = None) -> None:
    """Patches all that the command needs or, where one is missing, none and raises."""
    found = [(owner, name, owner.__dict__[name], make) for (owner, name), make in patched(command).items()]
    for owner, name, original, make in found:
        if not hasattr(original, "hodor"):
            replacement = make(original)
            replacement.hodor = original
            setattr(owner, name, replacement)


# --- the run ---


def execute_nodes(original):
    def execute_nodes(self):
        session = begin(self)
        if session is None:
            return original(self)
        early = True
        try:
            results = original(self)
            early = False
            return results
        finally:
            session.end(early)

    return execute_nodes


def cancel_connections(original):
    def _cancel_connections(self, pool):
        session = current(self)
        if session is not None:
            session.interrupt()
        return original(self, pool)

    return _cancel_connections


# --- a node ---


def execute_model(original):
    from dbt.task.run import MicrobatchBatchRunner

    def execute(self, model, manifest):
        session = current(self)
        if session is None or isinstance(self, MicrobatchBatchRunner):
            return original(self, model, manifest)
        verdict = decide(session, self, model)
        if verdict is None:
            return build(session, original, self, model, manifest)
        if verdict.run_hooks:
            session.enter_hooks(model.unique_id)
            try:
                run_hooks(self, model, manifest)
            finally:
                session.leave_hooks(model.unique_id)
        return reused(session, model, verdict)

    return execute


def execute_microbatch(original):
    def execute(self, model, manifest):
        session = current(self)
        if session is None:
            return original(self, model, manifest)
        decide(session, self, model)
        return build(session, original, self, model, manifest)

    return execute


def execute_test(original):
    from dbt.contracts.graph.nodes import GenericTestNode, SingularTestNode

    def execute(self, test, manifest):
        session = current(self)
        if session is None or not isinstance(test, (GenericTestNode, SingularTestNode)):
            return original(self, test, manifest)
        verdict = decide(session, self, test)
        if verdict is None:
            return build(session, original, self, test, manifest)
        return replayed(test, verdict)

    return execute


def decide(session: Any, runner: Any, node: Any) -> Verdict | None:
    """The session's verdict; None builds. Where dbt cancels its nodes, an exception of dbt's own kind."""
    try:
        return session.decide(runner, node)
    except Interrupted as stop:
        from dbt_common.exceptions import DbtRuntimeError

        # dbt cancels its nodes, and this one has not begun: it must not, since nobody would cancel it any more.
        raise DbtRuntimeError(f"hodor: {stop}") from None


def build(session: Any, original: Any, runner: Any, node: Any, manifest: Any) -> Any:
    """Plain dbt, between two notes to the session."""
    session.enter(node.unique_id)
    try:
        return original(runner, node, manifest)
    finally:
        session.leave(node.unique_id)


def run_hooks(runner: Any, model: Any, manifest: Any) -> None:
    """The hooks of a reused node, in the order and the transactions of a materialization. Their errors are the user's."""
    from dbt.context.providers import generate_runtime_model_context

    adapter = runner.adapter
    context = generate_runtime_model_context(model, runner.config, manifest)
    hook_context = adapter.pre_model_hook(context["config"])
    try:
        hooks = context["run_hooks"]
        hooks(context["pre_hooks"], False)
        hooks(context["pre_hooks"], True)
        hooks(context["post_hooks"], True)
        connection = adapter.connections.get_if_exists()
        if connection is not None and connection.transaction_open:
            adapter.commit_if_has_connection()  # the release would roll them back
        hooks(context["post_hooks"], False)
    finally:
        adapter.post_model_hook(context["config"], hook_context)


def reused(session: Any, node: Any, verdict: Verdict) -> Any:
    """The result of a node that is kept, with the status that hodor_reported_status asks for."""
    from dbt.artifacts.schemas.results import RunStatus
    from dbt.artifacts.schemas.run import RunResult

    status = RunStatus.Success if session.settings.reported_status == "success" else RunStatus.Reused
    return RunResult.from_node(node, status, verdict.message)


def replayed(test: Any, verdict: Verdict) -> Any:
    """The result of a test as it was recorded."""
    from dbt.artifacts.schemas.results import TestStatus
    from dbt.artifacts.schemas.run import RunResult

    result = RunResult.from_node(test, TestStatus(verdict.replay["status"]), verdict.message)
    result.failures = verdict.replay["failures"]
    return result


def after_execute(original):
    from dbt.task.run import MicrobatchBatchRunner

    def after_execute(self, result):
        session = current(self)
        if session is None or isinstance(self, MicrobatchBatchRunner):
            return original(self, result)
        try:
            return original(self, result)
        finally:
            session.told(result)

    return after_execute


# --- the log line ---


def print_result_line(original):
    def print_result_line(self, result):
        session = current(self)
        if session is None or not say(session, self, result):
            return original(self, result)

    return print_result_line


def say(session: Any, runner: Any, result: Any) -> bool:
    """Fires dbt's own event of this kind of node, with words of ours. False: not reused, or it could not be said."""
    try:
        words = session.line(result.node.unique_id, str(getattr(result.status, "value", result.status)))
        if words is None:
            return False
        fire_line(runner, result, words)
        return True
    except Exception as error:
        log.debug(f"the line of a reused node failed ({type(error).__name__}: {error}).")
        return False


def fire_line(runner: Any, result: Any, words: str) -> None:
    """Fires the event that dbt would have fired for this kind of node, filled from the result. Raises what dbt raises."""
    from dbt.events import types
    from dbt.task import group_lookup
    from dbt_common.events.base_types import EventLevel
    from dbt_common.events.functions import fire_event
    from dbt_common.ui import green, red, yellow
    from dbt_common.utils import cast_dict_to_dict_of_strings

    node = result.node
    info = {
        "index": runner.node_index,
        "execution_time": result.execution_time,
        "node_info": node.node_info,
        "group": group_lookup.get(node.unique_id),
    }
    kind, level, colour = str(node.resource_type), EventLevel.INFO, green
    if kind == "test":
        status = str(result.status)
        colour = {"pass": green, "warn": yellow}.get(status, red)
        level = types.LogTestResult.status_to_level(status)
        head = status.upper() if status == "pass" else f"{status.upper()} {result.failures}"
        event, text = "LogTestResult", f"{head} {node.name}"
        info |= {"name": node.name, "status": status, "num_models": runner.num_nodes, "num_failures": result.failures}
        info["attached_node"] = getattr(node, "attached_node", None)
    else:
        text, info["total"] = f"OK reused {runner.describe_node()}", runner.num_nodes
        if kind == "seed":
            event = "LogSeedResult"
            info |= {"status": str(result.status), "result_message": words, "schema": node.schema, "relation": node.alias}
        elif kind == "snapshot":
            event = "LogSnapshotResult"
            info |= {"status": str(result.status), "result_message": words, "description": runner.get_node_representation()}
            info["cfg"] = cast_dict_to_dict_of_strings(node.config.to_dict(omit_none=True))
        else:
            event = "LogModelResult"
            info |= {"status": words, "description": runner.describe_node()}
    fire_event(line_event(getattr(types, event)(**info), text, colour(words), runner), level=level)


def line_event(event: Any, text: str, words: str, runner: Any) -> Any:
    """One of dbt's result events, with another message: a reader of --log-format json sees the event it knows."""
    from dbt_common.events.format import format_fancy_output_line

    line = format_fancy_output_line(msg=text, status=words, index=runner.node_index, total=runner.num_nodes)
    event.__dict__["message"] = lambda: line  # an event takes attributes of its message only
    return event
