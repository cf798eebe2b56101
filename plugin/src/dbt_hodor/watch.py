"""Notices statements that may write, run on dbt's connections outside any node's `execute`.

A model's body can run SQL while it is compiled (`run_query`, `statement`), and so can an ephemeral model that never
executes. Whatever versions the service has read by then may be stale (S15). What runs inside `execute` is no
business of this module: the service makes that node's version, or all, stale when it is told of the build.

The watch wraps `add_query` of the run's connection manager, the one way all of an adapter's SQL takes, and counts. A
decision names the count that it was asked with, and an answer to it settles that count.
"""

from __future__ import annotations

import re
import threading
from typing import Any

# quiet: this thread's statements are of no interest (the relay's, a node's own execution).
# wrote: this thread wrote since it last asked for a decision.
local = threading.local()

SKIP = re.compile(r"(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?\*/|\()*", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]+")
READS = frozenset({"select", "with", "show", "describe", "desc", "explain", "begin", "values", "from", "table", "summarize"})
# Words with which a statement that begins like a query may write all the same: WITH ... INSERT, EXPLAIN ANALYZE DELETE,
# a second statement, a function that runs SQL elsewhere. Found in a literal they cost a second look at a version.
MAY_WRITE = re.compile(
    r"\b(?:insert|update|delete|merge|truncate|create|drop|alter|replace|copy|call|execute|into|nextval)\b|_execute\b|;\s*[^\s;]",
    re.IGNORECASE,
)


def may_write(sql: str) -> bool:
    """Tells whether the text may be anything but a query, SHOW, DESCRIBE or EXPLAIN. When unsure: true."""
    word = WORD.match(sql, SKIP.match(sql).end())  # type: ignore[union-attr]  # SKIP matches the empty text, too
    if word is None or word.group().lower() not in READS:
        return bool(sql.strip())
    return MAY_WRITE.search(sql) is not None


class Watch:
    """Counts the writes of one run. `install` and `remove` change the adapter's connection manager, not its class."""

    def __init__(self, adapter: Any) -> None:
        self._connections = adapter.connections
        self._lock = threading.Lock()
        self._writes = 0
        self._settled = 0

    def install(self) -> None:
        original = self._connections.add_query

        def add_query(sql, *args, **kwargs):
            if getattr(local, "quiet", False) or not self._counts(sql):
                return original(sql, *args, **kwargs)
            try:
                return original(sql, *args, **kwargs)
            finally:
                # After it, since a version read before it ended is stale; on failure too, it may have written something.
                self.note()

        self._connections.add_query = add_query

    def remove(self) -> None:
        self._connections.__dict__.pop("add_query", None)

    def _counts(self, sql: Any) -> bool:
        try:
            return may_write(sql)
        except Exception:
            return True

    def note(self) -> None:
        """Something was written."""
        local.wrote = True
        with self._lock:
            self._writes += 1

    def ask(self) -> tuple[bool, int]:
        """Called before a decision: whether anything was written that no answered decision knew of, and the count to
        settle. A write of this very thread always counts: its transaction may be newer than what another thread settled."""
        own, local.wrote = getattr(local, "wrote", False), False
        writes = self._writes
        return own or writes > self._settled, writes

    def settle(self, writes: int) -> None:
        """The decision that was asked with this count is answered."""
        with self._lock:
            self._settled = max(self._settled, writes)
