"""A synthetic project for the decision path: a manifest of dbt's own shape, a warehouse in DuckDB, and objects with what the plugin asks of
dbt's. Everything between is what is shipped: the plugin's Session, Run, Client, Relay and Watch, the wire, and hodor-sql with a store."""

import copy
import json
import random
import re
import threading
import uuid
from contextlib import contextmanager
from datetime import datetime, timezone
from types import SimpleNamespace

import dbt_hodor
import duckdb
from dbt_hodor import live, session, settings

PROJECT, SCHEMA, SOURCE = "shop", "main", "source.shop.raw.orders"
LONGEST = 64 << 10


WIDE = 10**9  # the number of the first wide node; each reads 50 tables


def kind_of(i):
    """Of ten nodes four are views, five tables and one a test."""
    if i >= WIDE:
        return "table"
    return "view" if i % 10 < 4 else "table" if i % 10 < 9 else "test"


def name(i):
    return f"m_{i}"


def unique_id(i):
    return f"test.shop.t_{i}" if kind_of(i) == "test" else f"model.shop.{name(i)}"


def parents(i, rng):
    """Views read a source or a view, tables one to three of the 50 nodes before, tests the table before. A wide node reads all the tables of a hundred."""
    if i >= WIDE:
        return [k for k in range((i - WIDE) * 100, (i - WIDE + 1) * 100) if kind_of(k) == "table"]
    tens = i // 10 * 10
    if kind_of(i) == "test":
        return [i - 1]
    if kind_of(i) == "view":
        return [i - 1] if i % 10 == 3 else []
    before = [k for k in range(max(0, tens - 40), tens + 4) if kind_of(k) != "test"]
    return rng.sample(before, min(len(before), 1 + i % 3))


def lengths(n, rng):
    """Bytes of each node's SQL: as many of 250 to 500 as of 32 to 64 thousand."""
    return [int(250 * 2 ** rng.uniform(0, 8)) for _ in range(n)]


def text(i, reads, size, edit):
    """SQL of about so many bytes, as models are written: renames, casts, CASE."""
    if kind_of(i) == "test":
        return f'select id from "shop"."main"."{name(i - 1)}" where id is null'
    froms = [f'"shop"."main"."{name(k)}"' for k in reads] or ['"shop"."raw"."orders"']
    lines, length, k = [f"-- {name(i)}\nselect\n    t0.id,\n    {edit} as edit"], 100, 0
    while length < size:
        line = (
            f",\n    coalesce(t{k % len(froms)}.amount_{k}, 0) * (1 - t0.rate_{k}) as net_{k}"
            if k % 3
            else f",\n    case when t0.status_{k} in ('open', 'paid') then cast(t0.amount_{k} as decimal(18, 2)) else null end as sum_{k}"
        )
        lines.append(line)
        length += len(line)
        k += 1
    joins = "".join(f"\nleft join {table} as t{k + 1} on t0.id = t{k + 1}.id" for k, table in enumerate(froms[1:]))
    return "".join(lines) + f"\nfrom {froms[0]} as t0{joins}\nwhere t0.id is not null"


class Warehouse:
    """DuckDB with a table to read, and in place of its catalog and its fingerprints canned answers: a real one looks through its whole catalog for
    each relation that was just built, which at 10,000 of them would be all that is measured."""

    COLUMNS = "2:id7:INTEGER"
    WANTED = re.compile(r"lower\([tv]\.(?:table|view)_name\) = system\.main\.lower\('([^']*)'\)")

    def __init__(self, relations):
        self.connection = duckdb.connect()
        self.connection.execute("attach ':memory:' as shop; create schema shop.raw")
        self.relations = {"orders": ("raw", "table"), **{relation: (SCHEMA, kind) for relation, kind in relations}}

    def answer(self, sql):
        """(names of columns, rows) for the statements that are not left to DuckDB; None for the others."""
        if sql.startswith("select system.main.count_star()"):
            return ("a", "b", "c"), [("1", "2", "3")]
        for kind, part in (("table", "duckdb_tables() t"), ("view", "duckdb_views() v")):
            if part in sql:
                wanted = self.WANTED.search(sql)
                names = [wanted.group(1)] if wanted else self.relations
                return ("a", "b", "c", "d", "e")[: 5 if kind == "table" else 4], list(self._rows(kind, names))
        return None

    def _rows(self, kind, names):
        for relation in names:
            schema, of = self.relations.get(relation, (None, None))
            if of == kind:
                row = ("shop", schema, relation, f"create {kind} {relation}")
                yield (*row, self.COLUMNS) if kind == "table" else row


class Answered:
    """A cursor that holds an answer."""

    def __init__(self, columns, rows):
        self.description, self._rows = [(column, "string") for column in columns], rows

    def fetchall(self):
        return self._rows


class World:
    """`n` nodes under `folder`; `template` is a manifest whose entries are copied."""

    def __init__(self, n, folder, template, binary, seed=7):
        self.n, self.folder, self.binary = n, folder, binary
        rng = random.Random(seed)
        self.wide = [WIDE + k for k in range(-(-n // 100))]
        self.parents = {i: parents(i, rng) for i in range(n)}
        self.sizes = dict(enumerate(lengths(n, rng)))
        for i in self.wide:
            self.parents[i], self.sizes[i] = [k for k in parents(i, rng) if k < n], 250
        self.order = self._in_order()
        self.template = json.loads(template.read_text(encoding="utf-8"))
        self.warehouse = Warehouse([(name(i), kind_of(i)) for i in self.parents if kind_of(i) != "test"])
        self.edit = 0

    def _in_order(self):
        """As dbt's queue has them: by depth, then by name."""
        depths = {}
        for i, above in self.parents.items():
            depths[i] = max((depths[k] + 1 for k in above), default=0)
        return sorted(depths, key=lambda i: (depths[i], unique_id(i)))

    def texts(self):
        """By node, in that order."""
        return {i: text(i, self.parents[i], self.sizes[i], self.edit) for i in self.order}

    def write_manifest(self, invocation):
        """The manifest as dbt would write it for this invocation; returns its path."""
        m = self.template
        shapes = {
            "view": m["nodes"]["model.shop.stg_orders"],
            "table": m["nodes"]["model.shop.reads_priced"],
            "test": m["nodes"]["test.shop.not_null_orders_id.84ef11d8fe"],
        }
        nodes = {}
        for i in self.parents:
            kind = kind_of(i)
            node = copy.copy(shapes[kind])
            node["unique_id"], node["name"], node["alias"] = unique_id(i), unique_id(i).split(".")[2], unique_id(i).split(".")[2]
            node["fqn"] = ["shop", node["name"]]
            ids = [unique_id(k) for k in self.parents[i]] or [SOURCE]
            node["depends_on"] = {"macros": [], "nodes": ids}
            node["raw_code"] = "select " + "x" * min(self.sizes[i], 2000)
            if kind != "test":
                node["relation_name"] = f'"shop"."main"."{node["name"]}"'
            nodes[node["unique_id"]] = node
        sources = {SOURCE: m["sources"][SOURCE]}
        whole = {**m, "metadata": {**m["metadata"], "invocation_id": invocation}, "nodes": nodes, "sources": sources}
        path = self.folder / "manifest.json"
        path.write_text(json.dumps(whole), encoding="utf-8")
        return path


class Adapter:
    """What the plugin asks of dbt's adapter: SQL on a connection a thread, and the cache of relations."""

    def __init__(self, world):
        self._world, self._local = world, threading.local()
        self.connections = SimpleNamespace(
            add_query=self._add_query,
            get_thread_connection=lambda: SimpleNamespace(state="open", handle=None),
            get_if_exists=lambda: None,
        )
        kinds = {name(i): SimpleNamespace(inner=SimpleNamespace(type=kind_of(i))) for i in world.parents if kind_of(i) != "test"}
        self.cache = SimpleNamespace(
            relations={(PROJECT, SCHEMA, key): value for key, value in kinds.items()}, schemas={(PROJECT, SCHEMA)}
        )

    def type(self):
        return "duckdb"

    def _add_query(self, sql, auto_begin=False):
        known = self._world.warehouse.answer(sql)
        if known is not None:
            return None, Answered(*known)
        cursor = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._world.warehouse.connection.cursor()
            cursor.execute("use shop")
        cursor.execute(sql)
        return None, cursor

    @contextmanager
    def connection_named(self, name):
        yield


class Run(live.Run):
    """The facts of one run, without a dbt."""

    def __init__(self, world, asked):
        self.world, self.asked, self.adapter = world, asked, Adapter(world)
        self.task = SimpleNamespace(node_results=[])
        self.config = None
        self.replacements, self.render_hooks = live.Replacements([]), frozenset()
        self._scratch, self._list_lock, self._loading = None, threading.Lock(), frozenset()
        self.invocation = str(uuid.uuid4())
        self.path = world.write_manifest(self.invocation)

    def start_params(self, command, mode, wire):
        flags = dict.fromkeys(("full_refresh", "empty", "sample", "event_time", "fail_fast", "store_failures"), False)
        return {
            "invocation_id": self.invocation,
            "run_started_at": datetime.now(timezone.utc).isoformat(timespec="microseconds"),
            "command": command,
            "mode": mode,
            "adapter": "duckdb",
            "project_name": PROJECT,
            "target_name": "dev",
            "project_root": str(self.world.folder),
            "manifest_path": str(self.path),
            "database": PROJECT,
            "schema": SCHEMA,
            "nodes": [unique_id(i) for i in self.asked],
            "deferred": {},
            "flags": {**flags, "warn_error": ""},
            "settings": wire,
            "context": {"vars": "v", "target": "t", "session": "", "threads": "4"},
            "ahead": True,
            "versions": {},
        }


def node_of(i, sql):
    return SimpleNamespace(
        unique_id=unique_id(i),
        resource_type="test" if kind_of(i) == "test" else "model",
        compiled_code=sql,
        database=PROJECT,
        schema=SCHEMA,
        alias=name(i),
        version=None,
        should_store_failures=False,
    )


def begin(world, asked=None):
    """A session as the plugin makes it, its child started and asked to load. `asked`: the nodes in the order in which they will be asked for, if it is
    not dbt's."""
    from dbt_common.context import set_invocation_context

    set_invocation_context({})
    run = Run(world, asked or world.order)
    found = settings.Settings(
        mode="on", store="duckdb", schema="main", path=str(world.folder / "state.duckdb"), metadata_threads=4, deadline_s=600
    )
    made = session.Session(run, found, "build", world.binary, dbt_hodor.__version__)
    made.start()
    return made
