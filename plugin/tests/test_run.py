"""The plugin in real dbt runs on DuckDB, against a scripted service: what is asked, what is told, what dbt then says."""

import json
import os

import pytest

from project import REUSE

FAIL = {
    "status": "fail",
    "failures": 2,
    "message": "Got 2 results, configured to fail if != 0",
    "invocation_id": "0a1b",
    "built_at_ms": 1,
}
A, B, C, RATES, SNAP = "model.shop.a", "model.shop.b", "model.shop.c", "seed.shop.rates", "snapshot.shop.snap"


def test_a_build_asks_and_tells(project):
    shop = project
    assert shop.dbt("build").success
    methods = [message.get("method") for message in shop.messages]
    assert methods[0] == "run/start" and methods[-2:] == ["run/finish", None] and shop.messages[-1] == {"eof": True}
    decided, told = shop.got("node/decide"), shop.got("node/built")
    test = next(name for name in decided if name.startswith("test."))
    assert set(decided) == {A, B, C, RATES, SNAP, test} and set(told) == {A, B, C, RATES, SNAP}
    assert {params["status"] for params in told.values()} == {"success"}
    assert all(params["attempted"] and not params["hooks_ran"] for params in told.values())
    assert shop.got("node/tested")[test]["status"] == "pass" and shop.got("node/tested")[test]["failures"] == 0
    assert shop.got("run/finish")[""]["statuses"] == {} and not shop.got("run/finish")[""]["interrupted"]
    assert shop.hodor() == ["hodor: 0 reused, 0 built, 0 errors."]


def test_what_the_run_is_told_to_be(built):
    import duckdb  # noqa: F401

    built.dbt("run", "-s", "a", "--vars", "{hodor_lookback_days: 7, x: 1}", "--full-refresh", "--fail-fast", "--warn-error")
    start = built.got("run/start")[""]
    assert (start["command"], start["mode"], start["adapter"]) == ("run", "on", "duckdb")
    assert (start["project_name"], start["target_name"], start["project_root"]) == ("shop", "dev", str(built.folder))
    assert (start["database"], start["schema"], start["nodes"]) == ("shop", "main", [A])
    assert start["flags"]["full_refresh"] and start["flags"]["fail_fast"] and start["flags"]["warn_error"] == "all"
    assert not start["flags"]["empty"] and not start["flags"]["sample"] and not start["flags"]["event_time"]
    assert start["settings"]["lookback_days"] == 7 and start["settings"]["path"] == ".hodor/state.duckdb"
    with open(start["manifest_path"]) as file:
        assert json.load(file)["metadata"]["invocation_id"] == start["invocation_id"]
    assert start["manifest_path"] == str(built.folder / "target" / "manifest.json")
    assert start["run_started_at"].endswith("+00:00") and len(start["run_started_at"]) == 32
    assert start["versions"]["dbt"].startswith("1.12.") and start["versions"]["adapter"]
    hashes = start["context"]
    built.dbt("run", "-s", "a", "--vars", "{x: 1, hodor_mode: shadow}")
    assert built.got("run/start")[""]["context"] == hashes
    built.dbt("run", "-s", "a", "--vars", "{x: 2}", "--empty")
    other = built.got("run/start")[""]
    assert other["context"]["vars"] != hashes["vars"] and other["context"]["target"] == hashes["target"]
    assert other["flags"]["empty"] and other["flags"]["warn_error"] == ""


def test_reuse(built):
    from dbt.contracts.results import RunStatus

    built.fake(answers={"*": REUSE, "test.shop.not_null_a_id.c1cebc1440": {**REUSE, "replay": FAIL}})
    before = built.sql("select * from main.b")
    result = built.dbt("build", "--exclude", "resource_type:test")
    assert result.success
    assert {r.status for r in result.result.results} == {RunStatus.Reused}
    assert built.sql("select * from main.b") == before
    assert built.got("node/built") == {} and built.got("run/finish")[""]["statuses"] == {}
    relations = {name: params["relation"] for name, params in built.got("node/decide").items()}
    assert relations == {A: "view", B: "table", C: "view", RATES: "table", SNAP: "table"}
    words = "[REUSED no_new_data, built 2026-10-19 04:12 UTC]"
    for head in ("OK reused sql view model main.a ", "OK reused seed file main.rates ", "OK reused snapshot main.snap "):
        (line,) = built.said(head)
        assert line.endswith(words), line
    assert built.said("REUSED=5 TOTAL=5")
    with open("target/run_results.json") as file:
        results = json.load(file)["results"]
    assert {r["message"] for r in results} == {words.strip("[]")}
    event = next(e for e in built.events if e.info.name == "LogModelResult")
    assert event.info.code == "Q012" and event.data.status == words.strip("[]") and event.data.node_info.node_status == "reused"


def test_text_hash_is_the_same_in_every_run(built):
    first = {}
    for _ in range(2):
        built.dbt("run", "-s", "a b")
        start = built.got("run/start")[""]
        hashes = {name: params["text_hash"] for name, params in built.got("node/decide").items()}
        first = first or hashes
        assert first[B] == hashes[B] and len(hashes[B]) == 32
        # a also prints run_started_at, which the fake does not list.
        assert first[A] != hashes[A] or first is hashes
        spelled = start["run_started_at"].replace("T", " ")
        built.fake(start={"replacements": [[spelled, "{{s}}"], [start["invocation_id"], "{{i}}"]]})


def test_the_text_is_sent_when_it_is_asked_for(built):
    built.fake(answers={"*": REUSE}, known=[])
    built.dbt("run", "-s", "b")
    texts = [m["params"]["sql"] for m in built.messages if m.get("method") == "node/decide"]
    assert texts[0] is None and "from" in texts[1] and len(texts) == 2


def test_reported_status_success(built, monkeypatch):
    monkeypatch.setenv("HODOR_REPORTED_STATUS", "success")
    built.fake(answers={"*": REUSE})
    result = built.dbt("run")
    assert set(built.statuses(result).values()) == {"success"}
    assert built.said("OK reused sql table model main.b ")[0].endswith("UTC]") and built.said("PASS=3")
    assert built.got("node/built") == {} and built.got("run/finish")[""]["statuses"] == {}


@pytest.mark.parametrize("status, count", [("fail", " 2"), ("warn", " 2"), ("pass", "")])
def test_replay(built, status, count):
    message = None if status == "pass" else FAIL["message"]
    replay = {**FAIL, "status": status, "failures": 0 if status == "pass" else 2, "message": message}
    built.fake(answers={"*": {**REUSE, "replay": replay}})
    result = built.dbt("test")
    assert result.success == (status != "fail")
    (outcome,) = result.result.results
    assert (str(outcome.status), outcome.failures) == (status, replay["failures"])
    assert outcome.message == (f"{message}; replayed from 0a1b" if message else "replayed from 0a1b")
    (line,) = built.said(f"{status.upper()}{count} not_null_a_id ")
    assert line.endswith(f"[{status.upper()}{count} replayed from 0a1b, no_new_data, built 2026-10-19 04:12 UTC]")
    assert built.got("node/tested") == {}
    assert not [e for e in built.events if e.info.name == "SQLQuery" and "is null" in e.data.sql]


@pytest.mark.parametrize("replay", [None, {"status": "error"}, {**FAIL, "failures": "2"}, {}])
def test_a_replay_that_makes_no_sense_runs_the_test(built, replay):
    built.fake(answers={"*": {**REUSE, "replay": replay}})
    result = built.dbt("test")
    assert result.success and built.got("node/tested")[next(iter(built.got("node/decide")))]["attempted"]
    assert len(built.hodor()) == 2 and "1 error" in built.hodor()[1]


@pytest.mark.parametrize("answer", [{"action": "maybe"}, {"action": "reuse", "decision": "build"}, {"action": None}])
def test_an_answer_that_is_no_clear_reuse_builds(built, answer):
    built.fake(answers={"*": answer})
    assert set(built.statuses(built.dbt("run")).values()) == {"success"}


def test_shadow_builds_whatever_the_service_says(built, monkeypatch):
    monkeypatch.setenv("HODOR_MODE", "shadow")
    built.fake(answers={"*": REUSE})
    assert set(built.statuses(built.dbt("run")).values()) == {"success"}
    assert set(built.got("node/built")) == {A, B, C}
    assert "shadow mode, 3 would be reused" in built.hodor()[0]


def test_off_is_plain_dbt(built, monkeypatch):
    monkeypatch.setenv("HODOR_MODE", "off")
    built.fake(answers={"*": REUSE})
    assert set(built.statuses(built.dbt("run")).values()) == {"success"}
    assert built.messages == [] and built.hodor() == []


@pytest.mark.parametrize("command", ["compile", "ls", "parse", "show -s a"])
def test_other_commands_are_plain_dbt(built, command):
    built.fake(answers={"*": REUSE})
    assert built.dbt(*command.split()).success
    assert built.messages == [] and built.hodor() == []


def test_seed_show_is_plain_dbt(built):
    built.fake(answers={"*": REUSE})
    assert built.dbt("seed", "--show").success
    assert built.messages == [] and built.said("OK loaded seed file")


def test_retry_repeats_the_command(built):
    built.write({"models/c.sql": "select nonsense from {{ ref('b') }}"})
    assert not built.dbt("run", "-s", "c").success
    built.write({"models/c.sql": "select id from {{ ref('b') }}"})
    assert built.dbt("retry").success
    assert built.got("run/start")[""]["command"] == "run" and set(built.got("node/decide")) == {C}


def test_a_failed_node_is_told(built):
    built.write({"models/c.sql": "select nonsense from {{ ref('b') }}", "models/d.sql": "select * from {{ ref('c') }}"})
    assert not built.dbt("run").success
    assert built.got("node/built")[C]["status"] == "error" and built.got("node/built")[C]["attempted"]
    assert "model.shop.d" not in built.got("node/decide")


def test_a_node_that_does_not_compile_is_not_asked_for(built):
    built.write({"models/c.sql": "select {{ exceptions.raise_compiler_error('no') if execute }} from {{ ref('b') }}"})
    assert not built.dbt("run", "-s", "c").success
    assert built.got("node/decide") == {} and built.got("node/built") == {}


def test_hooks_on_a_reuse(built):
    hooks = "post_hook=['create table if not exists main.log (i int)', 'insert into main.log values (1)'], pre_hook='select 1'"
    built.write({"models/b.sql": f"{{{{ config(materialized='table', {hooks}) }}}} select id from {{{{ ref('a') }}}}"})
    built.fake(answers={"*": {**REUSE, "run_hooks": True}})
    result = built.dbt("run", "-s", "b")
    assert built.statuses(result) == {"b": "reused"}
    assert built.sql("select count(*) from main.log") == [(1,)]
    assert built.got("node/built")[B]["hooks_ran"] and not built.got("node/built")[B]["attempted"]
    assert built.got("node/built")[B]["status"] == "reused"


def test_a_hook_that_fails_on_a_reuse_fails_the_node_as_in_dbt(built):
    built.write({"models/b.sql": "{{ config(materialized='table', post_hook='select nonsense') }} select id from {{ ref('a') }}"})
    built.fake(answers={"*": {**REUSE, "run_hooks": True}})
    assert built.statuses(built.dbt("run", "-s", "b")) == {"b": "error"}
    assert built.got("node/built")[B]["status"] == "error"


def test_hooks_are_rendered_without_side_effects(built):
    config = (
        "config(materialized='table', pre_hook=[\"{{ run_query('create table main.x (i int)') }}\", 'grant {{ target.name }}'], "
        'post_hook=["{{ ours(this) }}", "{% do adapter.drop_relation(this) %}"], sql_header=\'set x = 1;\')'
    )
    built.write(
        {
            "models/b.sql": f"{{{{ {config} }}}} select id from {{{{ ref('a') }}}}",
            "macros/ours.sql": "{% macro ours(t) %}analyze {{ t }} {{ log('never', info=true) if execute }}{% endmacro %}",
        }
    )
    built.fake(answers={"*": REUSE}, start={"render_hooks": [B]})
    assert built.statuses(built.dbt("run", "-s", "b")) == {"b": "reused"}
    hooks = built.got("node/decide")[B]["hooks"]
    assert hooks == {"pre": [None, "grant dev"], "post": ['analyze "shop"."main"."b" ', None], "header": "set x = 1;"}
    assert built.sql("select count(*) from duckdb_tables() where table_name = 'x'") == [(0,)]
    assert not built.said("never")


WRITES = "{% if execute %}{% do run_query('create or replace table main.side as select 1 as i') %}{% endif %} select 1 as id"


def test_a_compile_that_writes_is_told(built):
    built.write({"models/d.sql": WRITES})
    built.dbt("run", "-s", "d")
    assert built.got("node/decide")["model.shop.d"]["wrote"]
    built.dbt("run", "-s", "a b")
    assert not any(params["wrote"] for params in built.got("node/decide").values())


def test_an_ephemeral_model_that_writes_is_told_with_the_next_decision(built):
    built.write({"models/d.sql": "{{ config(materialized='ephemeral') }}" + WRITES})
    built.dbt("run", "-s", "d b c", "--threads", "1")  # c waits for b, and so comes after d
    assert built.got("node/decide")[C]["wrote"] and "model.shop.d" not in built.got("node/decide")


def test_what_a_compile_wrote_in_an_open_transaction_is_not_lost(built):
    body = "{% if execute %}{% call statement() %}create or replace table main.side as select 1 as i{% endcall %}{% endif %}"
    built.write({"models/d.sql": "{{ config(materialized='table') }}" + body + " select 1 as id"})
    built.fake(answers={"*": REUSE})
    assert built.statuses(built.dbt("run", "-s", "d")) == {"d": "success"}
    assert built.got("node/built")["model.shop.d"]["attempted"]
    assert built.sql("select * from main.side") == [(1,)]


def test_a_microbatch_model_is_asked_for_once_and_built(built):
    config = "materialized='incremental', incremental_strategy='microbatch', event_time='d', batch_size='day', begin='{}'"
    from datetime import datetime, timedelta, timezone

    begin = (datetime.now(timezone.utc) - timedelta(days=2)).strftime("%Y-%m-%d")
    built.write({"models/m.sql": f"{{{{ config({config.format(begin)}) }}}} select 1 as i, current_date as d"})
    built.fake(answers={"*": REUSE})
    result = built.dbt("run", "-s", "m")
    assert result.success and built.statuses(result) == {"m": "success"}
    asked = [m for m in built.messages if m.get("method") == "node/decide"]
    assert len(asked) == 1 and asked[0]["params"]["text_hash"] is None
    assert built.got("node/built")["model.shop.m"]["attempted"]


def test_a_unit_test_is_none_of_ours(built):
    unit = "unit_tests: [{name: u, model: b, given: [{input: ref('a'), rows: [{id: 1}]}], expect: {rows: [{id: 1}]}}]"
    built.write({"models/unit.yml": unit})
    built.fake(answers={B: REUSE})
    assert built.dbt("build", "-s", "b").success
    assert not any(name.startswith("unit_test.") for name in built.got("node/decide"))


def test_a_store_failures_test_names_its_table(built):
    built.dbt("test", "--store-failures")
    (first,) = built.got("node/decide").values()
    built.dbt("test", "--store-failures")
    (second,) = built.got("node/decide").values()
    assert (first["relation"], second["relation"]) == (None, "table")
    assert built.got("run/start")[""]["flags"]["store_failures"]


@pytest.mark.parametrize("flag", ["--no-populate-cache", "--cache-selected-only"])
def test_relations_without_dbts_cache(built, flag):
    built.fake(answers={"*": REUSE})
    assert built.dbt(flag, "run").success
    assert {name: p["relation"] for name, p in built.got("node/decide").items()} == {A: "view", B: "table", C: "view"}


def test_a_settled_run_looks_no_relation_up_by_node(built, monkeypatch):
    """Whether a relation stands is read from dbt's cache: a lookup a node would be a statement a node on some adapters."""
    from dbt.adapters.duckdb.impl import DuckDBAdapter

    looked_up, listed = [], []
    get, lists = DuckDBAdapter.get_relation, DuckDBAdapter.list_relations_without_caching
    monkeypatch.setattr(DuckDBAdapter, "get_relation", lambda *args, **named: looked_up.append(args) or get(*args, **named))
    monkeypatch.setattr(
        DuckDBAdapter, "list_relations_without_caching", lambda *args, **named: listed.append(args) or lists(*args, **named)
    )
    built.fake(answers={"*": REUSE})
    assert built.dbt("run").success and len(built.got("node/decide")) == 3
    assert looked_up == [] and len(listed) == 1  # the list is dbt's own, which fills its cache
    built.fake()
    assert built.dbt("run").success
    assert looked_up, "a build looks its relation up, so the count above can fail"


def test_an_alias_in_capitals(built):
    built.write({"models/b.sql": "{{ config(materialized='table', alias='BigB') }} select id from {{ ref('a') }}"})
    for expected in (None, "table"):
        built.dbt("run", "-s", "b")
        assert built.got("node/decide")[B]["relation"] == expected


def test_the_pointer_view_of_the_latest_version(built):
    versions = """
models:
  - name: p
    latest_version: {}
    config: {{materialized: table, latest_version_pointer: {{enabled: true}}}}
    versions: [{{v: 1}}, {{v: 2}}]
"""
    select = "select {} as id"
    built.write({"models/p_v1.sql": select.format(1), "models/p_v2.sql": select.format(2), "models/p.yml": versions.format(2)})
    one, two = "model.shop.p.v1", "model.shop.p.v2"

    def pointers():
        assert built.dbt("run", "-s", "p").success
        return {name: params["pointer"] for name, params in built.got("node/decide").items()}

    assert pointers() == {one: True, two: False}
    assert pointers() == {one: True, two: True}
    # The pointer still shows the other version, whose own build nothing asks for.
    built.write({"models/p.yml": versions.format(1)})
    assert pointers() == {one: False, two: True}
    assert built.sql("select id from main.p") == [(1,)]


def test_defer_sends_the_other_relations(built):
    os.rename("target/manifest.json", "manifest.json")
    os.makedirs("state")
    os.rename("manifest.json", "state/manifest.json")
    built.dbt("run", "-s", "c", "--defer", "--state", "state", "--favor-state")
    deferred = built.got("run/start")[""]["deferred"]
    assert deferred[B] == '"shop"."main"."b"' and deferred[RATES] == '"shop"."main"."rates"'


def test_without_a_manifest_on_disk_one_is_written_and_removed(built):
    os.unlink("target/manifest.json")
    built.dbt("--no-write-json", "run", "-s", "b")
    start = built.got("run/start")[""]
    assert start["manifest_path"] != str(built.folder / "target" / "manifest.json")
    assert not os.path.exists(start["manifest_path"]) and built.got("node/decide")


def test_a_manifest_given_to_dbt(built):
    """dbtRunner(manifest=...) parses nothing: its own parse is good, and one that came from elsewhere is not trusted."""
    from dbt.cli.main import dbtRunner

    manifest = built.dbt("parse").result
    built.log.write_text("")
    assert dbtRunner(manifest=manifest).invoke(["run", "-s", "b"]).success
    sent = [json.loads(line) for line in built.log.read_text().splitlines()]
    assert sent[0]["params"]["manifest_path"].startswith("/tmp") or "hodor-manifest-" in sent[0]["params"]["manifest_path"]
    manifest.state_check.vars_hash.checksum = "0"
    built.log.write_text("")
    lines = []
    assert dbtRunner(manifest=manifest, callbacks=[lambda e: lines.append(e.info.msg)]).invoke(["run", "-s", "b"]).success
    assert built.log.read_text() == "" and any("parsed without dbt-hodor" in line for line in lines)


def test_queries_of_the_service_run_on_connections_of_their_own(built):
    built.fake(
        query=["select 1 as a, 'x' as b, null as c, [1, 2] as d, true as e", "select nonsense", "select count(*) from main.b"]
    )
    built.dbt("run", "-s", "b")
    answers = [m for m in built.messages if "method" not in m and "id" in m]
    assert answers[0]["result"] == {"columns": ["a", "b", "c", "d", "e"], "rows": [["1", "x", None, "[1, 2]", "true"]]}
    assert answers[1]["error"]["code"] == -32001 and "nonsense" in answers[1]["error"]["message"]
    assert answers[2]["result"]["rows"] == [["1"]]
    names = {e.data.conn_name for e in built.events if e.info.name == "SQLQuery" and "nonsense" in e.data.sql}
    assert names == {"hodor_1"}


# --- what goes wrong ---


def test_a_service_that_dies_is_one_warning_and_plain_dbt(built):
    built.fake(answers={"*": REUSE}, die_at="node/decide")
    result = built.dbt("build")
    assert result.success and set(built.statuses(result).values()) == {"success", "pass"}
    warning, summary = built.hodor()
    assert "exit status 3" in warning and "fake: dying as told" in warning and warning.endswith("plain dbt.")
    assert "0 reused, 6 built" in summary


@pytest.mark.parametrize("method", ["run/start", "node/built", "node/tested", "run/finish"])
def test_a_service_that_dies_elsewhere(built, method):
    built.fake(answers={A: REUSE}, die_at=method)
    result = built.dbt("build")
    assert result.success
    assert len([line for line in built.hodor() if "exit status 3" in line]) == 1


def test_a_service_that_hangs(built, monkeypatch):
    monkeypatch.setenv("HODOR_DEADLINE_S", "1")
    built.fake(hang_at="node/decide")
    assert built.dbt("run").success
    assert "said nothing for 1 s" in built.hodor()[0]


@pytest.mark.parametrize("method", ["run/start", "node/decide", "node/built", "run/finish"])
def test_an_error_answer_is_a_build(built, method):
    built.fake(answers={"*": {"action": "build"}}, errors={method: "internal error"})
    result = built.dbt("run")
    assert result.success and set(built.statuses(result).values()) == {"success"}
    assert sum("internal error" in line for line in built.hodor()) == 1
    assert "error" in built.hodor()[-1]


def test_another_version_is_one_warning(built):
    built.fake(version="9.9.9")
    assert built.dbt("run").success
    (warning,) = built.hodor()
    assert "9.9.9" in warning and "plain dbt" in warning and built.got("run/start") == {}


def test_a_missing_binary_is_one_warning(built, monkeypatch):
    monkeypatch.setenv("HODOR_BINARY", "/nowhere/hodor-sql")
    assert built.dbt("run").success
    (warning,) = built.hodor()
    assert "HODOR_BINARY names /nowhere/hodor-sql" in warning


def test_a_relation_cache_that_fails_is_a_build(built, monkeypatch):
    from dbt_hodor.live import Run

    def fail(*arguments):
        raise RuntimeError("broken")

    monkeypatch.setattr(Run, "relation_at", fail)
    built.fake(answers={"*": REUSE})
    assert set(built.statuses(built.dbt("run")).values()) == {"success"}
    assert "RuntimeError: broken" in built.hodor()[0] and "3 errors" in built.hodor()[1]
    assert all(params["attempted"] for params in built.got("node/built").values())


def test_the_other_plugin_switches_both_off(built, monkeypatch):
    from dbt_hodor import session

    monkeypatch.setattr(session, "other_plugin", lambda: True)
    assert built.dbt("run").success
    assert len(built.hodor()) == 1 and "dbt_state" in built.hodor()[0] and built.messages == []


def test_warnings_of_the_settings_and_of_the_service(built, monkeypatch):
    monkeypatch.setenv("HODOR_LOOKBACK_DAYS", "ninety")
    built.fake(start={"warnings": ["state file locked."]}, finish={"warnings": ["not written."]})
    assert built.dbt("run").success
    assert [line.split("hodor: ")[1].split(" ")[0] for line in built.hodor()] == ["hodor_lookback_days", "state", "not", "0"]


def test_the_summary(built, monkeypatch):
    monkeypatch.setenv("HODOR_PRICE_PER_HOUR", "12")
    built.fake(finish={"reused": 31, "built": 10, "saved_ms": 840000})
    built.dbt("run")
    saved = "about 14 min of building saved (worth 2.80 at 12 an hour)"
    assert built.hodor() == [f"hodor: 31 reused, 10 built, 0 errors; {saved}. dbt-hodor explain -s NODE says why."]


def test_the_summary_counts_who_waits_with_new_data(built):
    """The tolerance is on by default: whoever changes a source and sees nothing built is told why."""
    waits = {**REUSE, "reason": "within_lag_tolerance"}
    for answers, words in (
        ({B: waits}, "; 1 with new data waits for lag_tolerance."),
        ({B: waits, C: waits, A: REUSE}, "; 2 with new data wait for lag_tolerance."),
        ({B: REUSE}, "0 errors."),
    ):
        built.fake(answers=answers)
        assert built.dbt("run").success
        assert built.hodor() and built.hodor()[-1].endswith(words), built.hodor()


def test_several_runs_in_one_process(built, monkeypatch):
    built.fake(answers={"*": REUSE})
    assert set(built.statuses(built.dbt("run")).values()) == {"reused"}
    monkeypatch.setenv("HODOR_MODE", "off")
    assert set(built.statuses(built.dbt("run")).values()) == {"success"}
    monkeypatch.setenv("HODOR_MODE", "on")
    assert set(built.statuses(built.dbt("run")).values()) == {"reused"}
    assert built.dbt("compile").success and built.messages == []


def test_fail_fast_tells_what_dbt_says_at_last(built):
    built.write(
        {
            "models/d.sql": "select nonsense",
            "models/e.sql": "{{ config(materialized='table') }} select count(*) as n from range(400000000) a",
        }
    )
    assert not built.dbt("run", "-s", "d e", "--fail-fast").success
    told = {name: params["status"] for name, params in built.got("node/built").items()}
    final = built.got("run/finish")[""]["statuses"]
    results = json.loads((built.folder / "target" / "run_results.json").read_text())["results"]
    for result in results:
        assert {**told, **final}.get(result["unique_id"], "skipped") == result["status"]
