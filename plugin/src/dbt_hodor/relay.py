"""Runs SQL for the service on dbt's own adapter, from a small pool of threads with a named connection each.

A connection of dbt's belongs to a thread, and a node's may be inside the model's transaction, so the relay never touches
those. Its connections open with the first statement, are kept (opening one repeats settings and extensions, and on
Databricks it is a session) and are released by their own thread at the end. Statements run without a transaction and are
fetched to the end. An error of the warehouse is an answer to the service, not an exception.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import Any

from dbt_hodor import watch

Table = tuple[list[str], list[list[str | None]]]


class Relay:
    """A pool of at most `limit` threads, each started when a statement finds no idle one."""

    def __init__(self, adapter: Any, limit: int, context: Any = None) -> None:
        self._adapter, self._limit, self._context = adapter, max(1, limit), context
        self._jobs: queue.SimpleQueue[tuple[str, Callable] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._open = 0  # statements submitted and not yet answered
        self._closed = False

    def busy(self) -> bool:
        """Tells whether a statement waits or runs."""
        return self._open > 0

    def submit(self, sql: str, done: Callable[[Table | None, str | None], None]) -> None:
        """Runs the statement in the pool and calls done(table, None) or done(None, error) in its thread."""
        with self._lock:
            if self._closed:
                refused = True
            else:
                refused = False
                self._open += 1
                if self._open > len(self._threads) and len(self._threads) < self._limit:
                    name = f"hodor_{len(self._threads) + 1}"
                    thread = threading.Thread(target=self._work, args=(name,), name=name, daemon=True)
                    self._threads.append(thread)
                    thread.start()
        if refused:
            done(None, "the run is over")
        else:
            self._jobs.put((sql, done))

    def run(self, sql: str) -> Table:
        """Runs the statement in the pool and waits for it. RuntimeError with the engine's message."""
        answer: queue.SimpleQueue = queue.SimpleQueue()
        self.submit(sql, lambda table, error: answer.put((table, error)))
        table, error = answer.get()
        if table is None:
            raise RuntimeError(error)
        return table

    def close(self, patience: float = 5.0) -> None:
        """Ends the threads; a statement that outlasts `patience` seconds is left to its daemon thread."""
        with self._lock:
            self._closed = True
            threads = list(self._threads)
        for _ in threads:
            self._jobs.put(None)
        for thread in threads:
            thread.join(patience / len(threads))

    def _work(self, name: str) -> None:
        watch.local.quiet = True
        if self._context is not None:
            from dbt_common.context import _INVOCATION_CONTEXT_VAR

            _INVOCATION_CONTEXT_VAR.set(self._context)
        served = False
        try:
            with self._adapter.connection_named(name):
                self._serve(name, None)
                served = True
        except Exception as error:
            if not served:  # the connection could not be taken; what is queued must still get an answer
                self._serve(name, f"hodor's connection {name} failed: {error}")

    def _serve(self, name: str, broken: str | None) -> None:
        while (job := self._jobs.get()) is not None:
            sql, done = job
            table, error = None, broken
            if broken is None:
                try:
                    table = self._execute(name, sql)
                except Exception as failure:
                    error = str(failure) or type(failure).__name__
            # Before the answer: who gets it may look at busy() at once. The answer itself is a sign of life.
            with self._lock:
                self._open -= 1
            done(table, error)

    def _execute(self, name: str, sql: str) -> Table:
        connections = self._adapter.connections
        # Cancelling a run closes a Databricks handle for good, and the flush after it needs one.
        connection = connections.get_thread_connection()
        if str(connection.state) == "open" and getattr(connection.handle, "open", True) is False:
            self._adapter.release_connection()
            self._adapter.acquire_connection(name)
        _, cursor = connections.add_query(sql, auto_begin=False)
        try:
            described = cursor.description or []
            columns = [column[0] for column in described]
            maps = [column[1] == "map" for column in described]
            rows = cursor.fetchall() if columns else []
            return columns, [[as_text(value, is_map) for value, is_map in zip(row, maps, strict=True)] for row in rows]
        finally:
            # A DuckDB cursor is the connection itself; a Databricks one holds its result on the server until it is closed.
            if self._adapter.type() != "duckdb":
                cursor.close()


def as_text(value: Any, is_map: bool = False) -> str | None:
    """A value as text or null. The service casts in SQL, so what is not text already comes from statements that can't be
    cast (DESCRIBE HISTORY): times in ISO form, maps, lists and structs as JSON, the rest as Python writes it."""
    if value is None or type(value) is str:
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if hasattr(value, "tolist"):  # an array of numpy
        value = value.tolist()
    if is_map and not isinstance(value, dict) and isinstance(value, Iterable) and not isinstance(value, str):
        value = dict(value)
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, default=as_text, ensure_ascii=False)
    return str(value)


if __name__ == "__main__":  # python -m dbt_hodor.relay: the relay without a dbt around it
    from dbt_hodor.outside import main

    raise SystemExit(main())
