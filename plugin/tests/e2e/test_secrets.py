"""Words planted where users have secrets (SQL, vars, environment, profile, hooks, errors) and looked for wherever hodor writes or prints.

dbt itself writes some of them: into target/, its log, its messages, the tables. So each command also runs without hodor, in a copy; what holds a planted
word with hodor must hold it without.
"""

import os
import re
import signal
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from postgres import server

from .faults import gone
from .project import Project
from .test_console import console
from .test_interrupts import BUSY, start_slow

WORD = "canary-q7"
FAILING = "{{ config(materialized='table') }}\nselect cast('canary-q7-in-error' as integer) as n from {{ ref('orders') }}\n"
FILES = {
    "models/guarded.sql": (
        "{{ config(materialized='table', pre_hook=\"select 'canary-q7-hook'\","
        " post_hook=\"select '{{ env_var('SHOP_TOKEN') }}' where {{ var('pass') | length }} > 0\") }}\n"
        "select id, 'canary-q7-literal' as a, '{{ var('pass') }}' as b, '{{ env_var('SHOP_TOKEN') }}' as c\n"
        "from {{ ref('orders') }} where customer_id::varchar <> 'canary-q7-where' -- canary-q7-comment\n"
    ),
    "models/opened.sql": "{{ config(materialized='view') }}\nselect '{{ var('pass') }}' as a, 'canary-q7-view' as b, id from {{ ref('orders') }}\n",
    "models/failing.sql": FAILING,
    "models/unparsable.sql": "{{ config(materialized='table') }}\nselect from where 'canary-q7-broken' (\n",
    "tests/guarded_given.sql": "select * from {{ ref('guarded') }} where a = '{{ env_var('SHOP_TOKEN') }}'\n",
}
VARS = "{pass: canary-q7-var}"
ENVIRONMENT = {
    "SHOP_TOKEN": "canary-q7-env",
    "SHOP_PASSWORD": "canary-q7-password",
    "DBT_ENV_SECRET_SHOP": "canary-q7-env-secret",
}


@pytest.fixture
def planted(fresh) -> tuple[Project, Project]:
    """The shop with the words, and a copy for plain dbt."""
    for path, text in FILES.items():
        fresh.write(path, text)
    fresh.profile(password="{{ env_var('SHOP_PASSWORD') }}", token="{{ env_var('DBT_ENV_SECRET_SHOP') }}")
    fresh.env |= ENVIRONMENT
    plain = fresh.copy(fresh.dir.with_name("plain"))
    plain.env["HODOR_MODE"] = "off"
    for project in (fresh, plain):
        own = project.dir.with_name(f"{project.dir.name}-tmp")
        own.mkdir()
        project.env["TMPDIR"] = str(own)
    return fresh, plain


def lines(text: str) -> Counter:
    """The lines that hold a planted word, without times, threads and durations, and but for dbt's list of its arguments, which has no order."""
    plain = re.compile(r"^\S*\d\d:\d\d:\d\d(\.\d+)?\S*\s*(\[\w+ *\] *\[[^]]*\]:)?|\d+\.\d+ ?s\b|/(shop|plain)\b")
    found = (line for line in text.splitlines() if WORD in line and "running dbt with arguments" not in line)
    return Counter(plain.sub("", line).strip() for line in found)


def holders(project: Project) -> set[str]:
    """The files below the project and its temporary folder that hold a planted word."""
    found = set()
    for top in (project.dir, Path(project.env["TMPDIR"])):
        found |= {
            str(path.relative_to(top))
            for path in top.rglob("*")
            if path.is_file() and not path.is_symlink() and WORD.encode() in path.read_bytes()
        }
    return found


def said_by_hodor(mine, plain) -> Counter:
    """Lines with a planted word that only the run with hodor has."""
    return lines(mine.text + mine.log) - lines(plain.text + plain.log)


def state(project: Project) -> str:
    """Everything in the state file, as text."""
    with duckdb.connect(str(project.state), read_only=True) as connection:
        names = connection.execute("select table_schema, table_name from information_schema.tables").fetchall()
        return "".join(repr(connection.execute(f'select * from "{schema}"."{name}"').fetchall()) for schema, name in names)


def build(project: Project, **options):
    return project.dbt("build", "--vars", VARS, process=True, **options)


def test_nothing_planted_is_kept_or_said(planted):
    mine, plain = planted
    both = build(mine), build(plain)
    assert both[0].rc == both[1].rc == 1  # two models fail
    assert both[0].statuses["failing"] == "error" and lines(both[0].text), both[0].text
    assert not said_by_hodor(*both)
    look_further(mine, plain)
    kept = state(mine)
    assert "model.shop.guarded" in kept and WORD not in kept


def look_further(mine: Project, plain: Project) -> None:
    """Runs in which all is reused, and in which a model is another; then every place."""
    again = build(mine), build(plain)
    assert again[0].statuses["opened"] == "reused", again[0].text
    assert not said_by_hodor(*again)
    for project in (mine, plain):
        project.edit("models/guarded.sql", "canary-q7-where", "canary-q7-elsewhere")
    edited = build(mine), build(plain)
    assert edited[0].decided("guarded") == "code_changed", edited[0].text
    assert not said_by_hodor(*edited)
    assert holders(plain), "the words are not where they were planted"
    assert holders(mine) <= holders(plain)
    for command in (
        ["explain"],
        ["explain", "-s", "guarded", "--json"],
        ["history", "guarded"],
        ["report", "--json"],
        ["doctor", "--json"],
    ):
        shown = console(mine, *command)
        assert WORD not in shown.stdout + shown.stderr, command


def test_a_crash_says_nothing_planted(planted):
    """The service ends with a stack of all that it was doing (SIGQUIT), while a model with a planted word is built."""
    mine, plain = planted
    slow = "{{ config(materialized='table') }}\n" + BUSY.format(200_000_000) + " and 'canary-q7-slow' <> ''\n"
    for project in (mine, plain):
        project.write("models/slow.sql", slow)
    process, service = start_slow(mine, "--vars", VARS)
    assert service
    os.kill(service, signal.SIGQUIT)
    run = mine.finish_process(process, "build")
    assert gone(service)
    assert run.warnings and ("goroutine" in run.text + run.log or "SIGQUIT" in run.text + run.log), run.text
    assert not said_by_hodor(run, build(plain))
    assert holders(mine) <= holders(plain)


# -- the Postgres store -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def postgres():
    """A server on loopback whose password is a planted word; the PG* variables for it."""
    with server("canary-q7-postgres") as running:
        yield running


def test_nothing_planted_is_in_postgres(planted, postgres):
    mine, plain = planted
    variables, ask = postgres
    for project in (mine, plain):
        project.env |= variables | {"HODOR_STORE": "postgres", "HODOR_DATABASE": "postgres"}
    both = build(mine), build(plain)
    assert both[0].rc == both[1].rc == 1
    assert not said_by_hodor(*both)
    again = build(mine), build(plain)
    assert again[0].statuses["opened"] == "reused", again[0].text
    assert not said_by_hodor(*again)
    # A password that the server refuses: the error says where, not what.
    refused = build(mine, env={"PGPASSWORD": "canary-q7-wrong"}), build(plain)
    assert refused[0].warnings, refused[0].text
    assert not said_by_hodor(*refused)
    assert holders(mine) <= holders(plain)
    kept = ask("copy hodor_state to stdout") + ask("copy hodor_state_commit to stdout")
    assert "model.shop.guarded" in kept and WORD not in kept
    shown = console(mine, "explain", "-s", "guarded", "--json")
    assert shown.returncode == 0 and WORD not in shown.stdout + shown.stderr, shown.stderr
