"""What only the live run knows: of the run (`Run`), and of one node right before it would be executed.

Everything else about a node the service reads in the manifest that dbt wrote for this invocation. Nothing here decides, and
nothing here writes to the warehouse.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
import threading
from collections.abc import Callable
from datetime import timezone
from typing import Any

UNKNOWN = "unknown"


class Run:
    """The facts of one run of nodes: a task of dbt's in the moment before its first node."""

    def __init__(self, task: Any, adapter: Any, flags: Any) -> None:
        self.task, self.adapter, self.flags = task, adapter, flags
        self.config, self.manifest = task.config, task.manifest
        self.replacements: Replacements = Replacements([])
        self.render_hooks: frozenset[str] = frozenset()
        self._scratch: str | None = None
        self._list_lock = threading.Lock()
        self._loading = self._nodes_that_load_sources()

    # --- the run ---

    def start_params(self, command: str, mode: str, settings: dict[str, Any]) -> dict[str, Any]:
        """The parameters of run/start (docs/protocol.md)."""
        import platform

        import dbt.version
        from dbt import tracking
        from dbt_common.invocation import get_invocation_id

        config, flags = self.config, self.flags
        started = tracking.active_user.run_started_at.astimezone(timezone.utc)
        return {
            "invocation_id": get_invocation_id(),
            "run_started_at": started.isoformat(timespec="microseconds"),
            "command": command,
            "mode": mode,
            "adapter": self.adapter.type(),
            "project_name": config.project_name,
            "target_name": config.target_name,
            "project_root": os.path.abspath(config.project_root),
            "manifest_path": self.manifest_path(get_invocation_id()),
            "database": config.credentials.database or "",
            "schema": config.credentials.schema or "",
            "nodes": self._selected(),
            "deferred": self._deferred(),
            "flags": {
                "full_refresh": bool(getattr(flags, "FULL_REFRESH", False)),
                "empty": bool(getattr(flags, "EMPTY", False)),
                "sample": getattr(flags, "SAMPLE", None) is not None,
                "event_time": any(getattr(flags, f"EVENT_TIME_{end}", None) is not None for end in ("START", "END")),
                "fail_fast": bool(getattr(flags, "FAIL_FAST", False)),
                "store_failures": bool(getattr(flags, "STORE_FAILURES", False)),
                "warn_error": warn_error_text(flags),
            },
            "settings": settings,
            "context": {
                "vars": self._vars_hash(),
                "target": hash_of({k: v for k, v in config.to_target_dict().items() if k != "threads"}),
                "threads": str(config.threads),
                "session": self._session_hash(),
            },
            "ahead": True,
            "versions": {
                "dbt": dbt.version.__version__,
                "adapter": adapter_version(self.adapter.type()),
                "python": platform.python_version(),
            },
        }

    def _selected(self) -> list[str]:
        """The selected nodes in the order in which dbt's queue hands them out, as far as it tells: by their depth, then by name."""
        depths = getattr(getattr(self.task, "job_queue", None), "_scores", None) or {}
        selected = (node.unique_id for node in self.task._flattened_nodes or [])
        return sorted(selected, key=lambda unique_id: (depths.get(unique_id, 0), unique_id))

    def _deferred(self) -> dict[str, str]:
        if not getattr(self.flags, "DEFER", False):
            return {}
        other = ((node.unique_id, getattr(node, "defer_relation", None)) for node in self.manifest.nodes.values())
        return {unique_id: relation.relation_name for unique_id, relation in other if relation and relation.relation_name}

    def _vars_hash(self) -> str:
        """All vars that any node may see: of the project and its packages, and of the command line, without hodor's own."""
        projects = {name: project.vars.to_dict() for name, project in self.config.load_dependencies().items()}
        projects[self.config.project_name] = self.config.vars.to_dict()
        given = {k: v for k, v in (self.config.cli_vars or {}).items() if not str(k).startswith("hodor_")}
        return hash_of([projects, given])

    def _session_hash(self) -> str:
        """What the target sets in every session that nodes run in; "" for adapters without such settings."""
        properties = getattr(self.config.credentials, "session_properties", None)
        return hash_of(properties) if properties else ""

    def manifest_path(self, invocation_id: str) -> str:
        """The manifest that dbt wrote for this very invocation; where it wrote none, one of our own."""
        path = os.path.abspath(os.path.join(self.config.project_target_path, "manifest.json"))
        return path if written_by(path, invocation_id) else self.write_manifest(invocation_id)

    def write_manifest(self, invocation_id: str) -> str:
        """Writes the manifest in memory to a temporary file, readable by this user only; `discard` removes it."""
        import tempfile

        from dbt.utils import JSONEncoder

        content = self.manifest.writable_manifest().to_dict(omit_none=False)
        content["metadata"]["invocation_id"] = invocation_id
        handle, self._scratch = tempfile.mkstemp(prefix="hodor-manifest-", suffix=".json")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, cls=JSONEncoder)
        return self._scratch

    def discard(self) -> None:
        """Removes the temporary manifest, if there is one."""
        if self._scratch is not None:
            try:
                os.unlink(self._scratch)
            except OSError:
                pass
            self._scratch = None

    def _nodes_that_load_sources(self) -> frozenset[str]:
        """dbt-duckdb fills a source with a `plugin` while a node that reads it is compiled, past the connection manager."""
        if self.adapter.type() != "duckdb":
            return frozenset()
        sources = {
            unique_id
            for unique_id, source in self.manifest.sources.items()
            if "plugin" in (source.meta or {}) or "plugin" in getattr(source.config, "_extra", {})
        }
        if not sources:
            return frozenset()
        # Ephemeral parents are compiled inside their children: pass their sources on.
        readers, more = set(), True
        while more:
            more = False
            for unique_id, node in self.manifest.nodes.items():
                parents = getattr(node.depends_on, "nodes", ())
                if unique_id not in readers and not sources.isdisjoint(parents):
                    readers.add(unique_id)
                    if node.is_ephemeral_model:
                        sources.add(unique_id)
                        more = True
        return frozenset(readers)

    # --- one node ---

    def loads_source(self, unique_id: str) -> bool:
        return unique_id in self._loading

    def text_hash(self, sql: str | None) -> str | None:
        """XXH3-128 of the compiled SQL after this run's replacements; None where there is none or it is no valid UTF-8."""
        if not isinstance(sql, str):
            return None
        try:
            return xxh3(self.replacements.apply(sql).encode("utf-8"))
        except UnicodeEncodeError:
            return None

    def has_text(self, sql: str | None, text_hash: str | None) -> bool:
        """Whether this is the text hash of the compiled SQL. A placeholder has braces; so a text without any whose very characters have this hash
        is the one that was hashed then, as it stood, and needs no look for hundreds of literals."""
        try:
            if isinstance(sql, str) and "{" not in sql and xxh3(sql.encode("utf-8")) == text_hash:
                return True
        except UnicodeEncodeError:
            return text_hash is None
        return self.text_hash(sql) == text_hash

    def relation(self, node: Any) -> str | None:
        """The type of the relation that stands under the node's name: from dbt's cache, whose keys are in lower case, so
        that no schema is scanned. A schema that dbt has not listed is listed once, on the node's own connection."""
        return self.relation_at(node.database, node.schema, node.alias)

    def relation_at(self, database: str | None, schema: str | None, name: str | None) -> str | None:
        cache = self.adapter.cache
        key = (lower(database), lower(schema), lower(name))
        cached = cache.relations.get(key)
        if cached is None and key[:2] not in cache.schemas:
            if not self._list(database, schema):
                return UNKNOWN
            cached = cache.relations.get(key)
        if cached is None:
            return None
        kind = cached.inner.type
        return UNKNOWN if kind is None else str(getattr(kind, "value", kind))

    def _list(self, database: str | None, schema: str | None) -> bool:
        with self._list_lock:
            if (lower(database), lower(schema)) not in self.adapter.cache.schemas:
                try:
                    self.adapter.list_relations(database, schema)
                except Exception:
                    return False
        return True

    def pointer(self, runner: Any, node: Any) -> bool:
        """Whether the view that dbt makes for the latest version of a model stands, or none is due. A reuse makes none."""
        if getattr(node, "version", None) is None or not runner._should_create_latest_version_pointer(node):
            return True
        from dbt.context.providers import generate_runtime_model_context

        context = generate_runtime_model_context(node, self.config, self.manifest)
        name = runner._latest_version_pointer_identifier(node, self.manifest, context)
        if self.relation_at(node.database, node.schema, name) != "view":
            return False
        view = self.adapter.Relation.create(database=node.database, schema=node.schema, identifier=name)
        return reads_only(self._view_text(view), node.database, node.schema, node.alias)

    def _view_text(self, view: Any) -> str:
        connections = self.adapter.connections
        if self.adapter.type() == "duckdb":
            name = [part.replace("'", "''") for part in (view.database, view.schema, view.identifier)]
            sql = (
                "select sql from duckdb_views() where lower(database_name) = lower('{}') "
                "and lower(schema_name) = lower('{}') and lower(view_name) = lower('{}')".format(*name)
            )
            _, cursor = connections.add_query(sql, auto_begin=False)
            rows = cursor.fetchall()
            return rows[0][0] if len(rows) == 1 else ""
        _, cursor = connections.add_query(f"describe table extended {view.render()}", auto_begin=False)
        try:
            return next((row[1] for row in cursor.fetchall() if row[0] == "View Text"), "")
        finally:
            cursor.close()

    def hooks(self, node: Any) -> dict[str, Any] | None:
        """The hooks and the header of a node that the service asked for, rendered without side effects; a text that can't be
        is None. Rendering goes over a copy of the node in a context of its own."""
        if node.unique_id not in self.render_hooks:
            return None
        from dbt.context.providers import generate_runtime_model_context

        twin = copy.copy(node)
        twin.extra_ctes = list(getattr(node, "extra_ctes", ()))
        context = without_side_effects(generate_runtime_model_context(twin, self.config, self.manifest))

        def render(text: Any) -> str | None:
            try:
                return str(context["render"](text))
            except Exception:
                return None

        header = node.config.get("sql_header")
        return {
            "pre": [render(hook.sql) for hook in node.config.pre_hook],
            "post": [render(hook.sql) for hook in node.config.post_hook],
            # dbt writes the header as the config has it.
            "header": "" if header is None else header if isinstance(header, str) else None,
        }


class Replacements:
    """The literals of this run (its id, its start in every usual spelling and time zone) and their placeholders, applied in
    one pass: at each place the first literal of the list that matches.

    There are hundreds of them and most texts hold none, so a few short probes, at least one of which is part of each literal,
    are looked for first. Only literals that stand in the text somewhere can match, so the pattern is made of those.
    """

    PROBE = 8

    def __init__(self, pairs: list[list[str]]) -> None:
        self._map = {literal: placeholder for literal, placeholder in reversed(pairs)}
        self._literals = list(dict.fromkeys(literal for literal, _ in pairs))
        self._longest = max(map(len, self._literals), default=0)
        self._probes = self._cover()
        self._patterns: dict[tuple[int, ...], re.Pattern[str]] = {}

    def _cover(self) -> list[tuple[str, str, list[int]]]:
        """Probes with the first character of each (one character is quicker to miss) and the literals they stand for: again and
        again the part of the first literal left that most of the others have, too."""
        left, probes = list(range(len(self._literals))), []
        while left:
            literal, all_left = self._literals[left[0]], "\0".join(self._literals[i] for i in left)
            starts = range(max(1, len(literal) - self.PROBE + 1))
            parts = {literal[start : start + self.PROBE] for start in starts}
            probe = max(parts, key=lambda part: (all_left.count(part), part))
            probes.append((probe[0], probe, [i for i in left if probe in self._literals[i]]))
            left = [i for i in left if probe not in self._literals[i]]
        return probes

    def _near(self, sql: str, probe: str) -> str:
        """The text around each place of the probe, which holds every literal that the probe is part of."""
        parts, size, at = [], 0, sql.find(probe)
        while at >= 0 and size < len(sql):
            parts.append(sql[max(0, at - self._longest) : at + self._longest])
            size += len(parts[-1])
            at = sql.find(probe, at + 1)
        return sql if size >= len(sql) else "\n".join(parts)

    def apply(self, sql: str) -> str:
        found: list[int] = []
        for first, probe, members in self._probes:
            if first in sql and probe in sql:
                near = self._near(sql, probe)
                found += [i for i in members if self._literals[i] in near]
        if not found:
            return sql
        key = tuple(sorted(found))
        pattern = self._patterns.get(key)
        if pattern is None:
            pattern = self._patterns[key] = re.compile("|".join(re.escape(self._literals[i]) for i in key))
        return pattern.sub(lambda match: self._map[match.group()], sql)


xxh3: Callable[[bytes], str]


def load_xxh3() -> None:
    """Loads the hash that `text_hash` needs. ImportError where xxhash is missing."""
    global xxh3
    from xxhash import xxh3_128_hexdigest

    xxh3 = xxh3_128_hexdigest


def lower(name: str | None) -> str | None:
    """A name as the keys of dbt's relation cache have it."""
    return None if name is None else name.lower()


def hash_of(value: Any) -> str:
    """SHA-256 over the canonical JSON of the value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":"), default=str).encode()).hexdigest()


def warn_error_text(flags: Any) -> str:
    """A canonical text of --warn-error and --warn-error-options, which make a warning test fail; empty for neither."""
    if getattr(flags, "WARN_ERROR", False):
        return "all"
    options = getattr(flags, "WARN_ERROR_OPTIONS", None)
    parts = {}
    for name in ("error", "warn", "silence"):
        value = getattr(options, name, None)
        if value:
            parts[name] = value if isinstance(value, str) else sorted(value)
    return json.dumps(parts, sort_keys=True, separators=(",", ":")) if parts else ""


def adapter_version(adapter_type: str) -> str:
    """The release of the adapter; empty where it does not tell."""
    from importlib import import_module

    try:
        return str(import_module(f"dbt.adapters.{adapter_type}.__version__").version)
    except Exception:
        return ""


def written_by(path: str, invocation_id: str) -> bool:
    """Tells whether the manifest at path has this invocation's id. Only its head is read: metadata comes first."""
    head = '{"metadata": '
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(1 << 16)
        if not text.startswith(head):
            return False
        metadata, _ = json.JSONDecoder().raw_decode(text, len(head))
        return metadata.get("invocation_id") == invocation_id
    except (OSError, ValueError, AttributeError):
        return False


def reads_only(view_text: str, database: str | None, schema: str, name: str) -> bool:
    """Tells whether the text of a view ends in `from` and this relation, and nothing comes after."""
    text = re.sub(r"\s+", " ", re.sub(r'["`]', "", view_text or "")).strip(" ;").lower()
    names = [part.lower() for part in (database, schema, name) if part]
    return any(text.endswith(" select * from " + ".".join(names[i:])) for i in range(len(names) - 1)) or (
        text == "select * from " + ".".join(names)
    )


class Refused(Exception):
    """A hook's text needs something that may have a side effect, or that only the moment of its execution knows."""


class Guard:
    """Stands for the adapter while hooks are rendered. Calling other macros and naming things is free, and so is asking for the
    node's own relation, as is_incremental() does: where a node may be reused it stands, before and after. The rest is refused."""

    _FREE = frozenset({"dispatch", "type", "Relation", "Column", "quote", "quote_as_configured"})

    def __init__(self, adapter: Any, own: Any) -> None:
        self._adapter, self._own = adapter, own

    def get_relation(self, database: str, schema: str, identifier: str) -> Any:
        own = self._own
        if own is None or (database, schema, identifier) != (own.database, own.schema, own.identifier):
            raise Refused("adapter.get_relation of another relation")
        return self._adapter.get_relation(database, schema, identifier)

    def __getattr__(self, name: str) -> Any:
        if name in Guard._FREE:
            return getattr(self._adapter, name)
        raise Refused(f"adapter.{name}")


def without_side_effects(context: Any) -> Any:
    """The context, changed in place: macros read their names from it when they are called, so they get the same guard."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise Refused("a call that has side effects")

    def silent(*args: Any, **kwargs: Any) -> str:
        return ""

    changes: dict[str, Any] = {"adapter": Guard(context["adapter"], context.get("this")), "log": silent, "print": silent}
    for name in ("run_query", "statement", "noop_statement", "write", "submit_python_job", "load_agate_table"):
        changes[name] = refuse
    context.update(changes)
    context["builtins"] = {name: changes.get(name, value) for name, value in context.get("builtins", {}).items()}
    return context
