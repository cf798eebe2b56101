"""Decisions said ahead (docs/protocol.md) in real dbt runs on DuckDB, against a scripted service: which of them the plugin takes."""

import pytest

from project import REUSE

A, B, C, RATES, SNAP = "model.shop.a", "model.shop.b", "model.shop.c", "seed.shop.rates", "snapshot.shop.snap"
TEST = "test.shop.not_null_a_id.c1cebc1440"
KINDS = {A: "view", B: "table", C: "view", RATES: "table", SNAP: "table", TEST: None}
REPLAY = {"status": "warn", "failures": 2, "message": "Got 2 results", "invocation_id": "0a1b", "built_at_ms": 1}


def said(unique_id, text_hash, other=()):
    replay = REPLAY if unique_id == TEST else None
    one = {
        "id": unique_id,
        "text_hash": text_hash,
        "relation": KINDS[unique_id],
        "reason": "no_new_data",
        "note": "said ahead",
        "replay": replay,
    }
    return {**one, **dict(other)}


@pytest.fixture
def hashes(built):
    """The text hash of each node, but of the one whose text has the id and the start of its run."""
    built.dbt("build")
    found = {unique_id: params["text_hash"] for unique_id, params in built.got("node/decide").items()}
    assert set(found) == set(KINDS)
    del found[A]
    return found


def first_says(built, first, ahead, **answers):
    """The service says this ahead with the answer for the first node, and else answers as told."""
    built.fake(answers={first: {**REUSE, "ahead": ahead}, **answers})


def test_what_was_said_is_taken_without_asking(built, hashes):
    first_says(built, A, [said(i, h) for i, h in hashes.items()])
    before = built.sql("select * from main.b")
    result = built.dbt("build", "--threads", "1", "--exclude", "rates")
    assert built.statuses(result) == {"a": "reused", "b": "reused", "c": "reused", "snap": "reused", "not_null_a_id": "warn"}
    assert list(built.got("node/decide")) == [A] and built.got("node/built") == built.got("node/tested") == {}
    finish = built.got("run/finish")[""]
    assert sorted(finish["taken"]) == sorted([B, C, SNAP, TEST]) and finish["statuses"] == {}
    assert built.said("OK reused sql table model main.b ")[0].endswith("[REUSED no_new_data, said ahead]")
    assert built.said("WARN 2 not_null_a_id ")[0].endswith("[WARN 2 replayed from 0a1b, no_new_data, said ahead]")
    assert built.sql("select * from main.b") == before


def test_what_was_taken_is_told_with_the_next_request(built, hashes):
    first_says(built, A, [said(B, hashes[B])], **{C: REUSE})
    built.dbt("run", "--threads", "1")
    assert list(built.got("node/decide")) == [A, C]
    assert built.got("node/decide")[C]["taken"] == [B] and "taken" not in built.got("run/finish")[""]


@pytest.mark.parametrize("wrong", [{"text_hash": "0" * 32}, {"text_hash": None}, {"relation": "view"}, {"relation": None}])
def test_what_does_not_fit_is_asked_for(built, hashes, wrong):
    first_says(built, A, [said(B, hashes[B], wrong)])
    assert built.statuses(built.dbt("run", "-s", "a b", "--threads", "1")) == {"a": "reused", "b": "success"}
    assert list(built.got("node/decide")) == [A, B] and "taken" not in built.got("run/finish")[""]


def test_a_text_with_a_literal_of_the_run_is_found_by_its_placeholder(built):
    built.write(
        {"models/b.sql": "{{ config(materialized='table') }} select id, '{{ invocation_id }}' as run from {{ ref('a') }}"}
    )
    built.dbt("run", "-s", "a b")
    text_hash = built.got("node/decide")[B]["text_hash"]
    first_says(built, A, [said(B, text_hash)])
    assert built.statuses(built.dbt("run", "-s", "a b", "--threads", "1")) == {"a": "reused", "b": "reused"}
    assert list(built.got("node/decide")) == [A]


def test_a_build_ends_it(built, hashes):
    first_says(built, A, [said(C, hashes[C])])  # b is built
    assert built.statuses(built.dbt("run", "--threads", "1")) == {"a": "reused", "b": "success", "c": "success"}
    assert list(built.got("node/decide")) == [A, B, C]


def test_nothing_said_after_a_build_is_taken(built, hashes):
    first_says(built, B, [said(C, hashes[C])])  # a is built before
    assert built.statuses(built.dbt("run", "--threads", "1")) == {"a": "success", "b": "reused", "c": "success"}
    assert list(built.got("node/decide")) == [A, B, C]


def test_hooks_on_a_reuse_end_it(built, hashes):
    built.write({"models/b.sql": "{{ config(materialized='table', post_hook='select 1') }} select id from {{ ref('a') }}"})
    first_says(built, A, [said(C, hashes[C])], **{B: {**REUSE, "run_hooks": True}, C: REUSE})
    assert set(built.statuses(built.dbt("run", "--threads", "1")).values()) == {"reused"}
    assert list(built.got("node/decide")) == [A, B, C]


def test_a_compile_that_writes_ends_it(built, hashes):
    body = "{% if execute %}{% do run_query('create or replace table main.side as select 1 as i') %}{% endif %}"
    built.write({"models/b.sql": "{{ config(materialized='table') }}" + body + "select id from {{ ref('a') }}"})
    first_says(built, A, [said(B, hashes[B]), said(C, hashes[C])], **{B: REUSE, C: REUSE})
    assert set(built.statuses(built.dbt("run", "--threads", "1")).values()) == {"reused"}
    assert list(built.got("node/decide")) == [A, B, C] and built.got("node/decide")[B]["wrote"]


def test_an_error_of_ours_ends_it(built, hashes):
    first_says(built, A, [said(C, hashes[C])], **{B: {"action": "reuse", "decision": "reuse", "reason": None, "note": 7}})
    assert built.statuses(built.dbt("run", "--threads", "1"))["c"] == "success"
    assert list(built.got("node/decide")) == [A, B, C]


@pytest.mark.parametrize("broken", [7, ["x"], [{}], [{"id": B}], [{"id": []}], {"id": B}])
def test_nonsense_is_a_build_and_one_warning(built, hashes, broken):
    first_says(built, A, broken)
    result = built.dbt("run", "--threads", "1")
    assert result.success and "success" in built.statuses(result).values()
    assert len([line for line in built.hodor() if "only in the log file" in line]) == 1


def test_a_replay_that_makes_no_sense_runs_the_test(built, hashes):
    first_says(built, A, [said(TEST, hashes[TEST], {"replay": {"status": "error"}})])
    result = built.dbt("build", "-s", "a", "--threads", "1")
    assert built.statuses(result) == {"a": "reused", "not_null_a_id": "pass"}
    assert built.got("node/tested")[TEST]["attempted"] and "taken" not in built.got("node/tested")[TEST]


def test_shadow_takes_nothing(built, hashes, monkeypatch):
    monkeypatch.setenv("HODOR_MODE", "shadow")
    first_says(built, A, [said(B, hashes[B])])
    assert set(built.statuses(built.dbt("run", "--threads", "1")).values()) == {"success"}


def test_what_was_taken_is_told_again_after_an_error(built, hashes):
    built.fake(answers={A: {**REUSE, "ahead": [said(B, hashes[B])]}}, errors={"node/built": "no"})
    assert built.statuses(built.dbt("run", "--threads", "1")) == {"a": "reused", "b": "reused", "c": "success"}
    assert built.got("node/decide")[C]["taken"] == [B]
    built.fake(answers={A: {**REUSE, "ahead": [said(B, hashes[B])]}}, refused=[C])
    assert built.statuses(built.dbt("run", "--threads", "1")) == {"a": "reused", "b": "reused", "c": "success"}
    assert built.got("node/decide")[C]["taken"] == built.got("node/built")[C]["taken"] == [B]


def test_nodes_are_listed_as_dbt_comes_to_them(built):
    """A list in another order is no fault, but then little is said ahead that is asked for next."""
    built.write({"models/z.sql": "select 1 as id", "models/aa.sql": "select id from {{ ref('c') }}"})
    built.dbt("build", "--threads", "1")
    asked = list(built.got("node/decide"))
    assert built.got("run/start")[""]["nodes"] == asked and sorted(asked) != asked
