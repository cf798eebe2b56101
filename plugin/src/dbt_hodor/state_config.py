"""The `state:` config, merged key by key over project, folder and model, for every command and in every mode.

dbt lets the deepest level replace the whole dictionary: a folder's `lag_tolerance: 0s` is lost where a model sets
`require_fresh_data_from`, and the default of 45 minutes would then reuse too much. dbt keeps merged configs in its saved
parse, so one command without this patch (`dbt ls` with hodor off) would poison the runs after it. Hence two patches, both
installed even when hodor decides nothing:

- BaseConfig.update_from merges `state` where both levels have a dictionary;
- ManifestLoader.build_manifest_state_check marks the parse, so that dbt drops a saved parse made without the patch, and
  `merged` can tell a manifest that came from elsewhere.

What the values mean, and warnings about wrong ones, is the service's: it reads the merged result in the manifest.
"""

from __future__ import annotations

from typing import Any

# Changing how `state` is merged must change the mark.
MARK = "+hodor-state-1"


def install() -> None:
    """Patches both methods, once a process. Raises if dbt no longer has them; then neither is patched."""
    from dbt.parser.manifest import ManifestLoader
    from dbt_common.contracts.config.base import BaseConfig

    found = [
        (BaseConfig, "update_from", BaseConfig.update_from, merging),
        (ManifestLoader, "build_manifest_state_check", ManifestLoader.build_manifest_state_check, marking),
    ]
    for owner, name, original, make in found:
        if not hasattr(original, "hodor"):
            replacement = make(original)
            replacement.hodor = original
            setattr(owner, name, replacement)


def merging(original):
    """The replacement of update_from."""

    def update_from(self, data, config_cls, validate=True):
        return original(self, with_state(self, data), config_cls, validate)

    return update_from


def with_state(config: Any, data: Any) -> Any:
    """The update, with `state` replaced by what it makes of the level above."""
    try:
        new = data.get("state")
        if isinstance(new, dict):
            old = config._extra.get("state")
            if isinstance(old, dict):
                return {**data, "state": {**old, **new}}
    except Exception:
        pass
    return data


def marking(original):
    """The replacement of build_manifest_state_check."""

    def build_manifest_state_check(self):
        check = original(self)
        try:
            check.vars_hash.checksum += MARK
        except Exception:
            pass  # not marked: `merged` says no, and nothing is reused
        return check

    return build_manifest_state_check


def merged(manifest: Any) -> bool:
    """Tells whether the manifest was parsed with the patch, in this process or in the one that saved the parse."""
    try:
        return manifest.state_check.vars_hash.checksum.endswith(MARK)
    except AttributeError:
        return False
