"""Every part of dbt that the plugin replaces, calls or relies on, with its signature: a dbt release that moves one of them
fails here, not in a run."""

import inspect
import os
from types import SimpleNamespace

import pytest
from dbt_hodor import patches, plugin, session

SIGNATURES = {
    ("GraphRunnableTask", "execute_nodes"): "self",
    ("GraphRunnableTask", "_cancel_connections"): "self, pool",
    ("ModelRunner", "execute"): "self, model, manifest",
    ("MicrobatchModelRunner", "execute"): "self, model, manifest",
    ("TestRunner", "execute"): "self, test, manifest",
    ("ModelRunner", "after_execute"): "self, result",
    ("TestRunner", "after_execute"): "self, result",
    ("ModelRunner", "print_result_line"): "self, result",
    ("SeedRunner", "print_result_line"): "self, result",
    ("SnapshotRunner", "print_result_line"): "self, result",
    ("TestRunner", "print_result_line"): "self, result",
}


def original(owner, name):
    found = owner.__dict__[name]
    return getattr(found, "hodor", found)


def names(function):
    return list(inspect.signature(function).parameters)


def test_every_patched_method_is_there_with_its_parameters():
    found = {(owner.__name__, name): names(original(owner, name)) for owner, name in patches.patched()}
    assert found == {key: text.split(", ") for key, text in SIGNATURES.items()}


def test_state_patches():
    from dbt.parser.manifest import ManifestLoader
    from dbt_common.contracts.config.base import BaseConfig

    assert names(original(BaseConfig, "update_from")) == ["self", "data", "config_cls", "validate"]
    assert names(original(ManifestLoader, "build_manifest_state_check")) == ["self"]


def test_who_inherits_what():
    """Seeds and snapshots run by ModelRunner.execute, batches too; nobody else overrides what is patched."""
    from dbt.task.run import MicrobatchBatchRunner, MicrobatchModelRunner, ModelRunner
    from dbt.task.seed import SeedRunner
    from dbt.task.snapshot import SnapshotRunner

    for runner in (SeedRunner, SnapshotRunner, MicrobatchBatchRunner):
        assert issubclass(runner, ModelRunner) and "execute" not in runner.__dict__ and "after_execute" not in runner.__dict__
    assert "after_execute" not in MicrobatchModelRunner.__dict__
    assert "print_result_line" in MicrobatchBatchRunner.__dict__ and "print_result_line" not in MicrobatchModelRunner.__dict__


def test_the_rest_of_dbt_that_is_relied_on():
    from dbt.artifacts.schemas.results import RunStatus, TestStatus
    from dbt.artifacts.schemas.run import RunResult
    from dbt.config.profile import read_profile
    from dbt.config.renderer import ProfileRenderer
    from dbt.context.providers import generate_runtime_model_context
    from dbt.events import types
    from dbt.plugins.manager import dbtPlugin
    from dbt.task.run import ModelRunner
    from dbt_common.context import _INVOCATION_CONTEXT_VAR, get_invocation_context, set_invocation_context
    from dbt_common.events.format import format_fancy_output_line

    assert RunStatus.Reused == "reused" and [str(TestStatus(s)) for s in session.TEST_STATUSES] == list(session.TEST_STATUSES)
    assert names(RunResult.from_node) == ["node", "status", "message"]
    assert names(read_profile) == ["profiles_dir"] and names(ProfileRenderer.__init__) == ["self", "cli_vars"]
    assert names(generate_runtime_model_context) == ["model", "config", "manifest"]
    assert names(ModelRunner._should_create_latest_version_pointer) == ["self", "model"]
    assert names(ModelRunner._latest_version_pointer_identifier) == ["self", "model", "manifest", "context"]
    assert names(format_fancy_output_line) == ["msg", "status", "index", "total", "execution_time", "truncate"]
    assert names(dbtPlugin.initialize) == ["self"]
    assert {"LogModelResult", "LogSeedResult", "LogSnapshotResult", "LogTestResult"} <= set(dir(types))
    before = _INVOCATION_CONTEXT_VAR.set(None)
    try:
        set_invocation_context({})
        assert get_invocation_context() is not None
    finally:
        _INVOCATION_CONTEXT_VAR.reset(before)


def test_adapters():
    from dbt.adapters.base.connections import BaseConnectionManager
    from dbt.adapters.cache import RelationsCache
    from dbt.adapters.reference_keys import _make_ref_key
    from dbt.adapters.sql.connections import SQLConnectionManager

    assert names(SQLConnectionManager.add_query)[:4] == ["self", "sql", "auto_begin", "bindings"]
    assert names(BaseConnectionManager.get_if_exists) == ["self"]
    cache = RelationsCache()
    assert cache.relations == {} and cache.schemas == set()

    class Relation:
        database, schema, identifier = "DB", "Sch", "Name"

    assert _make_ref_key(Relation) == ("db", "sch", "name")  # a plain tuple finds it


def test_install_patches_once_and_all_or_none(monkeypatch):
    patches.install()
    first = {key: owner.__dict__[name] for key in patches.patched() for owner, name in [key]}
    patches.install()
    assert {key: owner.__dict__[name] for key in patches.patched() for owner, name in [key]} == first
    assert not any(hasattr(replacement.hodor, "hodor") for replacement in first.values())

    class Other:
        def execute(self):
            return "dbt"

    whole = patches.patched()
    monkeypatch.setattr(
        patches, "patched", lambda command: {**whole, (Other, "execute"): patches.execute_test, (Other, "gone"): None}
    )
    with pytest.raises(KeyError, match="gone"):
        patches.install()
    assert Other().execute() == "dbt"


def test_a_command_gets_the_patches_of_its_kinds(monkeypatch):
    """`retry` may repeat any of them, and `build` runs all kinds."""
    from dbt.task.seed import SeedTask
    from dbt.task.snapshot import SnapshotTask
    from dbt.task.test import TestTask

    def owners(command):
        return {owner.__name__ for owner, _ in patches.patched(command)}

    always = {"GraphRunnableTask", "ModelRunner", "MicrobatchModelRunner"}
    assert owners("run") == always
    for command, task in (("seed", SeedTask), ("snapshot", SnapshotTask), ("test", TestTask)):
        runner = task.get_runner_type(task.__new__(task), SimpleNamespace(resource_type=command))
        assert owners(command) == always | {runner.__name__}
    for command in ("build", "retry", None):
        assert owners(command) == always | {"SeedRunner", "SnapshotRunner", "TestRunner"}
    asked = []
    monkeypatch.setattr(patches, "install", asked.append)
    for command in sorted(plugin.GATED):
        monkeypatch.setattr(plugin.HodorPlugin, "_command", lambda self, command=command: command)
        plugin.HodorPlugin("shop")
    assert asked == sorted(plugin.GATED)
    session.arm(False)


def test_initialize_never_raises(monkeypatch):
    def fail(*arguments):
        raise RuntimeError("broken")

    monkeypatch.setattr(session, "arm", fail)
    plugin.HodorPlugin("shop")
    from dbt_hodor import state_config

    monkeypatch.setattr(state_config, "install", fail)
    plugin.HodorPlugin("shop")


def test_without_a_session_the_originals_run():
    """Patches stay in the process: a later command that is not hodor's must not notice."""
    session.arm(False)
    assert session.current(None) is None
    calls = []
    for make, arguments in (
        (patches.execute_nodes, ("task",)),
        (patches.cancel_connections, ("task", "pool")),
        (patches.execute_model, ("runner", "model", "manifest")),
        (patches.execute_microbatch, ("runner", "model", "manifest")),
        (patches.execute_test, ("runner", "test", "manifest")),
        (patches.after_execute, ("runner", "result")),
        (patches.print_result_line, ("runner", "result")),
    ):
        replacement = make(lambda *given: calls.append(given) or len(calls))
        assert replacement(*arguments) == len(calls) and calls[-1] == arguments


def test_a_session_is_of_one_run(monkeypatch):
    """Two runs in two threads of one process: the later one's session must not decide about the nodes of the earlier."""
    mine, other = object(), object()
    found = SimpleNamespace(pid=os.getpid(), run=SimpleNamespace(config=mine))
    monkeypatch.setattr(session, "_session", found)
    assert session.current(SimpleNamespace(config=mine)) is found and session.current(SimpleNamespace(config=other)) is None
