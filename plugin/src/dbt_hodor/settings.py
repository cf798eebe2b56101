"""The hodor_* settings of one run, and where each value came from (spec 9.2).

Precedence: environment variable HODOR_NAME, then `--vars` hodor_name, then the key hodor_name of the profile target, then
the default. A wrong value gives one warning that names setting, value, source and remedy, and the default is used. The
functions up to `read` are pure; `read` fetches the three sources from dbt.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

IDENTIFIER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*\Z")

# Environment variables that are no settings: they belong to the machine, not to the project, and have no profile key.
# The last line are those of the command line (docs/commands.md), which a run knows by itself.
OTHER_VARIABLES = frozenset(
    {"HODOR_BINARY", "HODOR_DEADLINE_S", "HODOR_REQUIRE_ENGINES", "HODOR_TELL_START"}
    | {"HODOR_DSN", "HODOR_PROJECT", "HODOR_PROJECT_DIR", "HODOR_RELAY", "HODOR_TARGET"}
)


class Wrong(ValueError):
    """A value that is not accepted; the text says what is."""


@dataclass(frozen=True)
class Setting:
    """One setting: how its value is read, and what holds without one."""

    parse: Callable[[Any], Any]
    default: Any


def one_of(*words: str, **aliases: str) -> Callable[[Any], str]:
    """Reads one of the words in any case, or an alias of one."""

    def parse(value: Any) -> str:
        if isinstance(value, bool):
            value = str(value)
        word = value.strip().lower() if isinstance(value, str) else ""
        word = aliases.get(word, word)
        if word not in words:
            raise Wrong(f"{', '.join(words[:-1])} or {words[-1]} is needed")
        return word

    return parse


def whole(low: int, high: int) -> Callable[[Any], int]:
    """Reads a whole number within the bounds, which are included."""

    def parse(value: Any) -> int:
        text = str(value).strip()
        if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
            raise Wrong(f"a number from {low} to {high} is needed")
        return int(text)

    return parse


def identifier(value: Any) -> str:
    """Reads a name that may stand quoted in SQL (docs/settings.md)."""
    text = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    if not IDENTIFIER.match(text):
        raise Wrong("a name of letters, digits, _ and - is needed, not beginning with -")
    return text


def text(value: Any) -> str:
    """Reads any text that is not blank."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise Wrong("a text is needed")
    return value.strip()


def boolean(value: Any) -> bool:
    """Reads true or false as YAML and shells write them."""
    word = str(value).strip().lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0"):
        return False
    raise Wrong("true or false is needed")


def price(value: Any) -> float:
    """Reads a finite number, 0 or more."""
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise Wrong("a number, 0 or more, is needed")
    return number


def seconds(value: Any) -> float:
    """Reads a time above 0 and up to a day."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number <= 86400:
        raise Wrong("seconds, above 0 and up to 86400, are needed")
    return number


# Defaults that depend on the adapter or the store (None here) are filled in by `resolve`.
SETTINGS: dict[str, Setting] = {
    # YAML reads an unquoted on or off as a boolean.
    "mode": Setting(one_of("off", "shadow", "on", true="on", false="off"), "shadow"),
    "store": Setting(one_of("delta", "duckdb", "postgres", lakebase="postgres"), None),
    "database": Setting(identifier, None),
    "schema": Setting(identifier, None),
    "table": Setting(identifier, "hodor_state"),
    "path": Setting(text, ".hodor/state.duckdb"),
    "metadata_threads": Setting(whole(1, 64), 8),
    "lookback_days": Setting(whole(1, 3650), 90),
    "keep_sql": Setting(boolean, False),
    "reported_status": Setting(one_of("reused", "success"), "reused"),
    "endpoint": Setting(text, None),
    "price_per_hour": Setting(price, None),
}

ADAPTERS = {"databricks": "delta", "duckdb": "duckdb"}


@dataclass
class Settings:
    """The settings of one run. `sources` tells for each where its value came from ("default" included). deadline_s is the
    time without a sign of life after which the service counts as dead."""

    mode: str = "shadow"
    store: str = ""
    database: str = ""
    schema: str = ""
    table: str = "hodor_state"
    path: str = ".hodor/state.duckdb"
    metadata_threads: int = 8
    lookback_days: int = 90
    keep_sql: bool = False
    reported_status: str = "reused"
    endpoint: str = ""
    price_per_hour: float | None = None
    deadline_s: float = 60.0
    sources: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def wire(self) -> dict[str, Any]:
        """The part that the service gets (docs/protocol.md, run/start)."""
        names = ("store", "path", "database", "schema", "table", "endpoint", "metadata_threads", "lookback_days", "keep_sql")
        return {name: getattr(self, name) for name in names}


def resolve(
    adapter: str,
    database: str | None,
    target: str,
    profile: Mapping[str, Any],
    cli_vars: Mapping[str, Any],
    env: Mapping[str, str],
) -> Settings:
    """Settles every setting. `database` is the target's own, the default of the Delta store; `profile` is its rendered
    hodor_* keys. Mode "off" ends it early: a project that hodor does not run for gets no warnings about it."""
    result = Settings()
    wrong: set[str] = set()

    def settle(name: str, default: Any) -> Any:
        setting = SETTINGS[name]
        for value, source in (
            (env.get("HODOR_" + name.upper()) or None, f"environment variable HODOR_{name.upper()}"),
            (cli_vars.get("hodor_" + name), "--vars"),
            (profile.get("hodor_" + name), f"profiles.yml, target {target}"),
        ):
            if value is None:
                continue
            try:
                parsed = setting.parse(value)
                result.sources[name] = source
                return parsed
            except Wrong as error:
                wrong.add(name)
                using = "none" if default is None else str(default).lower() if isinstance(default, bool) else default
                result.warnings.append(f"hodor_{name} is {show(value)} ({source}): {error}; using {using}.")
                break
        result.sources[name] = "default"
        return default

    result.mode = settle("mode", "shadow")
    if result.mode == "off" or adapter not in ADAPTERS:
        return result
    result.store = settle("store", ADAPTERS[adapter])
    if result.store == "delta" and adapter != "databricks":
        result.warnings.append(
            f"hodor_store is delta ({result.sources['store']}): the {adapter} adapter can't write it; using {ADAPTERS[adapter]}."
        )
        result.store = ADAPTERS[adapter]
    for name in SETTINGS:
        if name not in ("mode", "store"):
            setattr(result, name, settle(name, default_of(name, result.store, database)))
    result.database, result.schema, result.endpoint = result.database or "", result.schema or "", result.endpoint or ""
    given = env.get("HODOR_DEADLINE_S")
    if given:
        try:
            result.deadline_s = seconds(given)
        except Wrong as error:
            result.warnings.append(
                f"HODOR_DEADLINE_S is {show(given)} (environment variable): {error}; using {result.deadline_s:g}."
            )
    unknown_keys(result, profile, cli_vars, env, target)
    need = {"delta": "schema", "postgres": "database"}.get(result.store)
    if need and not getattr(result, need):
        result.mode = "off"
        result.warnings.append(
            f"the {result.store} store needs hodor_{need}; this run is plain dbt. "
            f"Set hodor_{need} on the profile target or HODOR_{need.upper()}, or another hodor_store."
        )
    return result


def default_of(name: str, store: str, database: str | None) -> Any:
    """The default of a setting for this store; `database` is the target's own."""
    if name == "database" and store == "delta":
        return database
    if name == "schema":
        return {"duckdb": "main", "postgres": "public"}.get(store)
    return SETTINGS[name].default


def unknown_keys(
    result: Settings, profile: Mapping[str, Any], cli_vars: Mapping[str, Any], env: Mapping[str, str], target: str
) -> None:
    """Warns about each name that begins as hodor's do and is none."""
    for keys, source in ((profile, f"profiles.yml, target {target}"), (cli_vars, "--vars")):
        for key in keys:
            if isinstance(key, str) and key.startswith("hodor_") and key[6:] not in SETTINGS:
                result.warnings.append(f"{key} ({source}) is no setting of hodor and is ignored{nearest(key[6:], 'hodor_')}.")
    for key in env:
        if key.startswith("HODOR_") and key not in OTHER_VARIABLES and key[6:].lower() not in SETTINGS:
            result.warnings.append(
                f"environment variable {key} is no setting of hodor and is ignored{nearest(key[6:].lower(), 'HODOR_')}."
            )


def nearest(name: str, prefix: str) -> str:
    """The end of a warning about an unknown name: the setting that is most like it, if one is."""
    import difflib

    close = difflib.get_close_matches(name, SETTINGS, 1)
    if not close:
        return ""
    return f"; the nearest is {prefix}{close[0].upper() if prefix.isupper() else close[0]}"


def show(value: Any) -> str:
    """A value as a warning quotes it: one line, 80 characters at most."""
    words = str(value)
    if isinstance(value, str):
        import json

        words = json.dumps(value, ensure_ascii=False)  # one line, whatever stands in it
    return words if len(words) <= 80 else words[:77] + "..."


def read(config: Any) -> Settings:
    """The settings of the invocation whose RuntimeConfig this is."""
    credentials = config.credentials
    return resolve(
        adapter=credentials.type,
        database=credentials.database,
        target=config.target_name,
        profile=profile_keys(config),
        cli_vars=config.cli_vars or {},
        env=os.environ,
    )


def profile_keys(config: Any) -> dict[str, Any]:
    """The rendered hodor_* keys of the profile target. The adapters drop keys that they don't know, so they come from the
    file again; dbt has loaded and rendered it once before, so an error here is not the user's to see twice."""
    from dbt.config.profile import read_profile
    from dbt.config.renderer import ProfileRenderer
    from dbt.flags import get_flags

    outputs = (read_profile(get_flags().PROFILES_DIR).get(config.profile_name) or {}).get("outputs") or {}
    raw = outputs.get(config.target_name)
    if not isinstance(raw, dict):
        return {}
    renderer = ProfileRenderer(config.cli_vars or {})
    return {key: renderer.render_value(raw[key]) for key in raw if isinstance(key, str) and key.startswith("hodor_")}
