"""The `state:` merge and the mark on the parse, with dbt's own parser, the saved parse included."""

import pytest
from dbt_hodor import state_config

PROJECT = """
name: shop
version: "1.0"
profile: shop
flags: {send_anonymous_usage_stats: false}
models:
  shop:
    +state: {lag_tolerance: 0s, pre_clone: x}
    sub:
      +state: {require_fresh_data_from: all}
seeds: {shop: {+state: {lag_tolerance: 1h}}}
snapshots: {shop: {+state: {lag_tolerance: 2h}}}
"""
FILES = {
    "dbt_project.yml": PROJECT,
    "models/sub/m.sql": "{{ config(state={'compare_unrendered_code': true}) }} select 1 as id",
    "models/sub/n.sql": "{{ config(materialized='table') }} select 1 as id",
    "models/sub/sub.yml": """
models:
  - name: m
    config: {state: {lag_tolerance: {count: 4, period: hour}}}
  - name: n
    config: {state: null}
""",
    "seeds/seeds.yml": "seeds: [{name: rates, config: {state: {execute_hooks_on_any_reuse: true}}}]",
    "snapshots/snap.yml": """
snapshots:
  - name: snap
    relation: ref('b')
    config: {unique_key: id, strategy: check, check_cols: all, state: {require_fresh_data_from: all}}
""",
}
MERGED = {
    "lag_tolerance": {"count": 4, "period": "hour"},
    "pre_clone": "x",
    "require_fresh_data_from": "all",
    "compare_unrendered_code": True,
}


def states(project):
    nodes = project.dbt("parse").result.nodes
    return {name.split(".")[-1]: node.config._extra.get("state") for name, node in nodes.items()}


@pytest.fixture
def unpatched(monkeypatch):
    """Takes the patches out, as in an installation without hodor; called, it puts them back."""
    from dbt.parser.manifest import ManifestLoader
    from dbt_common.contracts.config.base import BaseConfig

    state_config.install()
    install = state_config.install
    kept = (BaseConfig.update_from, ManifestLoader.build_manifest_state_check)

    def patched(on):
        update_from, check = kept if on else (kept[0].hodor, kept[1].hodor)
        BaseConfig.update_from, ManifestLoader.build_manifest_state_check = update_from, check
        monkeypatch.setattr(state_config, "install", install if on else lambda: None)

    patched(False)
    yield patched
    patched(True)


def test_keys_merge_over_project_folder_file_and_model(built):
    built.write(FILES)
    found = states(built)
    assert found["m"] == MERGED
    assert found["b"] == {"lag_tolerance": "0s", "pre_clone": "x"}
    assert found["rates"] == {"lag_tolerance": "1h", "execute_hooks_on_any_reuse": True}
    assert found["snap"] == {"lag_tolerance": "2h", "require_fresh_data_from": "all"}
    assert found["n"] is None  # not a dictionary: dbt's own way, the last level wins


def test_every_command_and_mode_merges(built, monkeypatch):
    built.write(FILES)
    monkeypatch.setenv("HODOR_MODE", "off")
    built.dbt("ls")
    assert states(built)["m"] == MERGED


def test_a_parse_without_the_patch_is_dropped_once(built, unpatched):
    built.write(FILES)
    assert states(built)["m"] == {"compare_unrendered_code": True}  # the trap: the levels above are lost
    unpatched(True)
    assert states(built)["m"] == MERGED
    assert built.dbt("parse").success
    names = [event.info.name for event in built.events]
    assert "UnableToPartialParse" not in names and "PartialParsingEnabled" in names or "PartialParsingSkipParsing" in names
    unpatched(False)
    assert states(built)["m"] == {"compare_unrendered_code": True}


def test_a_manifest_tells_whether_it_was_parsed_with_the_patch(built, unpatched):
    built.write(FILES)
    assert not state_config.merged(built.dbt("parse").result)
    unpatched(True)
    assert state_config.merged(built.dbt("parse").result)
    assert state_config.merged(built.dbt("parse").result)  # from the saved parse
    assert not state_config.merged(object())


def test_install_patches_once():
    from dbt.parser.manifest import ManifestLoader
    from dbt_common.contracts.config.base import BaseConfig

    state_config.install()
    first = BaseConfig.update_from, ManifestLoader.build_manifest_state_check
    state_config.install()
    assert (BaseConfig.update_from, ManifestLoader.build_manifest_state_check) == first
    assert not hasattr(first[0].hodor, "hodor")


def test_the_update_given_is_not_changed():
    class Config:
        _extra = {"state": {"a": 1}}

    update = {"state": {"b": 2}, "x": 3}
    assert state_config.with_state(Config, update) == {"state": {"a": 1, "b": 2}, "x": 3}
    assert update == {"state": {"b": 2}, "x": 3} and Config._extra == {"state": {"a": 1}}
    for other in ({"state": "no"}, {}, None):
        assert state_config.with_state(Config, other) is other
