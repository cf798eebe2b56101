"""Which statements may write, and how writes are counted and settled."""

import threading

import pytest
from dbt_hodor import watch
from dbt_hodor.watch import Watch, may_write

READS = [
    "select 1",
    "  SELECT * from t;",
    "-- note\nselect 1",
    "/* a */ /* b */ select 1",
    "((select 1) union all (select 2))",
    "with a as (select 1) select * from a",
    "show tables",
    "describe t",
    "DESC t",
    "describe history t limit 20",
    "explain select 1",
    "BEGIN",
    "from t",
    "values (1)",
    "select 1;\n",
    "select created_at, updated from t",
    "",
    "   ",
]
WRITES = [
    "insert into t values (1)",
    "create table t as select 1",
    "drop table t",
    "commit",
    "with a as (select 1) insert into t select * from a",
    "with a as (select 1) delete from t using a",
    "explain analyze insert into t values (1)",
    "select 1; drop table t",
    "-- select\ndelete from t",
    "/* select 1 */ truncate t",
    "copy t to 'x'",
    "call proc()",
    "select nextval('s')",
    "select * from postgres_execute('db', 'x')",
    "set x = 1",
    "use other",
    "{% weird",
    "-- nothing but a comment",
    "merge into t using s on true when matched then update set a = 1",
    "from t insert into u select *",
]


@pytest.mark.parametrize("sql", READS)
def test_reads(sql):
    assert not may_write(sql)


@pytest.mark.parametrize("sql", WRITES)
def test_may_write(sql):
    assert may_write(sql)


class Connections:
    def __init__(self):
        self.ran = []

    def add_query(self, sql, auto_begin=True, **options):
        self.ran.append(sql)
        if "fail" in sql:
            raise RuntimeError(sql)
        return "connection", "cursor"


class Adapter:
    def __init__(self):
        self.connections = Connections()


@pytest.fixture
def adapter():
    watch.local.__dict__.clear()
    yield Adapter()
    watch.local.__dict__.clear()


def elsewhere(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def test_a_write_counts_until_an_answered_decision_knew_it(adapter):
    watched = Watch(adapter)
    watched.install()
    assert adapter.connections.add_query("select 1", auto_begin=False) == ("connection", "cursor")
    assert watched.ask() == (False, 0)
    elsewhere(lambda: adapter.connections.add_query("insert into t values (1)"))
    assert watched.ask() == (True, 1)
    assert watched.ask() == (True, 1)  # no answer came for the first
    watched.settle(1)
    assert watched.ask() == (False, 1)


def test_an_own_write_counts_though_another_thread_settled_it(adapter):
    watched = Watch(adapter)
    watched.install()
    adapter.connections.add_query("insert into t values (1)")
    elsewhere(lambda: watched.settle(watched.ask()[1]))
    assert watched.ask() == (True, 1)
    assert watched.ask() == (False, 1)


def test_a_failed_write_counts(adapter):
    watched = Watch(adapter)
    watched.install()
    with pytest.raises(RuntimeError):
        adapter.connections.add_query("delete from fail")
    assert watched.ask() == (True, 1)


def test_a_quiet_thread_does_not_count(adapter):
    watched = Watch(adapter)
    watched.install()
    watch.local.quiet = True
    adapter.connections.add_query("insert into t values (1)")
    assert watched.ask() == (False, 0)


def test_remove_gives_the_class_back(adapter):
    watched = Watch(adapter)
    watched.install()
    watched.remove()
    watched.remove()
    assert "add_query" not in vars(adapter.connections)
    adapter.connections.add_query("insert into t values (1)")
    assert watched.ask() == (False, 0)
