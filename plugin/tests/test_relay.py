"""The relay on a scripted adapter: its own connections, one a thread, and an answer for everything."""

import threading
from datetime import date, datetime, timezone
from decimal import Decimal

import pytest
from dbt_hodor.relay import Relay, as_text


class Cursor:
    def __init__(self, sql):
        self.closed = False
        self.description = None if sql == "ddl" else [("a", "string"), ("m", "map")]
        self.rows = [("x", [("k", "v")]), (None, None)]

    def fetchall(self):
        return self.rows

    def close(self):
        self.closed = True


class Handle:
    def __init__(self):
        self.open = True


class Connection:
    def __init__(self, name):
        self.name, self.state, self.handle = name, "open", Handle()


class Adapter:
    """What the relay uses of an adapter; a connection belongs to the thread that took it."""

    def __init__(self, kind="databricks"):
        self.kind, self.connections, self.by_thread = kind, self, {}
        self.log, self.lock = [], threading.Lock()
        self.gate = threading.Event()
        self.gate.set()
        self.cursors = []

    def type(self):
        return self.kind

    def connection_named(self, name):
        adapter = self

        class Named:
            def __enter__(self):
                adapter.acquire_connection(name)

            def __exit__(self, *error):
                adapter.release_connection()

        return Named()

    def acquire_connection(self, name):
        if name == "hodor_1" and "refuse" in self.log:
            raise RuntimeError("no session")
        with self.lock:
            self.by_thread[threading.get_ident()] = Connection(name)
            self.log.append(f"open {name}")

    def release_connection(self):
        with self.lock:
            self.log.append(f"close {self.by_thread.pop(threading.get_ident()).name}")

    def get_thread_connection(self):
        return self.by_thread[threading.get_ident()]

    def add_query(self, sql, auto_begin=True):
        assert auto_begin is False
        connection = self.get_thread_connection()
        if not connection.handle.open:
            raise RuntimeError("Attempting to execute on a closed connection")
        self.gate.wait(10)
        if sql == "bad":
            raise RuntimeError("no such table")
        cursor = Cursor(sql)
        self.cursors.append(cursor)
        return connection, cursor


def test_an_answer_is_text_or_null_and_the_cursor_is_closed():
    adapter = Adapter()
    relay = Relay(adapter, 4)
    assert relay.run("select") == (["a", "m"], [["x", '{"k": "v"}'], [None, None]])
    assert relay.run("ddl") == ([], [])
    assert [cursor.closed for cursor in adapter.cursors] == [True, True]
    relay.close()
    assert adapter.log == ["open hodor_1", "close hodor_1"]


def test_a_duckdb_cursor_stays_open():
    adapter = Adapter("duckdb")
    relay = Relay(adapter, 1)
    relay.run("select")
    assert not adapter.cursors[0].closed
    relay.close()


def test_an_error_is_an_answer():
    relay = Relay(Adapter(), 1)
    with pytest.raises(RuntimeError, match="no such table"):
        relay.run("bad")
    assert relay.run("select")[0] == ["a", "m"]
    relay.close()


def test_threads_start_when_none_is_idle_and_not_beyond_the_limit():
    adapter = Adapter()
    relay = Relay(adapter, 2)
    relay.run("select")
    relay.run("select")
    assert len(relay._threads) == 1
    adapter.gate.clear()
    done = []
    for _ in range(5):
        relay.submit("select", lambda table, error: done.append(table))
    assert relay.busy() and len(relay._threads) == 2
    adapter.gate.set()
    relay.close()
    assert len(done) == 5 and not relay.busy()
    assert sorted(adapter.log) == ["close hodor_1", "close hodor_2", "open hodor_1", "open hodor_2"]


def test_a_handle_that_was_cancelled_is_opened_anew():
    adapter = Adapter()
    relay = Relay(adapter, 1)
    relay.run("select")
    (connection,) = adapter.by_thread.values()
    connection.handle.open = False
    assert relay.run("select")[0] == ["a", "m"]
    relay.close()
    assert adapter.log == ["open hodor_1", "close hodor_1", "open hodor_1", "close hodor_1"]


def test_a_connection_that_can_not_be_taken_answers_all_the_same():
    adapter = Adapter()
    adapter.log.append("refuse")
    relay = Relay(adapter, 1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no session"):
            relay.run("select")
    relay.close()


def test_after_the_end_nothing_runs():
    relay = Relay(Adapter(), 1)
    relay.close()
    with pytest.raises(RuntimeError, match="the run is over"):
        relay.run("select")


@pytest.mark.parametrize(
    "value, expected",
    [
        (None, None),
        ("", ""),
        ("007", "007"),
        (True, "true"),
        (False, "false"),
        (12345678901234567890, "12345678901234567890"),
        (0.1, "0.1"),
        (Decimal("1.50"), "1.50"),
        (date(2026, 10, 20), "2026-10-20"),
        (datetime(2026, 10, 20, 4, 12, 0, 5, timezone.utc), "2026-10-20T04:12:00.000005+00:00"),
        (b"\x00\xff", "00ff"),
        ([1, "x", None], '[1, "x", null]'),
        ({"a": date(2026, 1, 1)}, '{"a": "2026-01-01"}'),
    ],
)
def test_as_text(value, expected):
    assert as_text(value) == expected


def test_an_array_of_numpy_is_a_list():
    class Array:
        def tolist(self):
            return [1, 2]

    assert as_text(Array()) == "[1, 2]"


def test_a_map_is_an_object_whatever_its_form():
    assert (
        as_text([("numOutputRows", "6")], is_map=True) == as_text({"numOutputRows": "6"}, is_map=True) == '{"numOutputRows": "6"}'
    )
    assert as_text('{"a": 1}', is_map=True) == '{"a": 1}'
