"""What stands around dbt reads its results: dbt's own commands, hooks and artifacts see a kept node under either value of
hodor_reported_status, and do what they do without hodor.

The tools of others that read the same are in tests/integrations, which has an environment of its own.
"""

import json
import re

import pytest

from . import shop
from .test_commands import BROKEN, CHILD, WHOLE
from .test_console import console
from .test_state import state

#: The nodes of the settled shop that a build keeps; stg_customers selects a star, and is built.
KEPT = (shop.VIEWS | shop.TABLES) - {"stg_customers"}

#: A package as those that keep dbt's results in the warehouse: every documented field of `results` in an on-run-end hook.
PACKAGE = {
    "packages.yml": "packages:\n  - local: bookkeeping\n",  # as many as there are in dbt_packages, or dbt refuses
    "dbt_packages/bookkeeping/dbt_project.yml": (
        "name: bookkeeping\nversion: '1.0'\non-run-end: ['{{ bookkeeping.keep(results) }}']\n"
    ),
    "dbt_packages/bookkeeping/macros/keep.sql": """\
{% macro keep(results) %}
    {% if execute and results %}
        {% do run_query("create table if not exists main.kept (run varchar, id varchar, kind varchar, status varchar, seconds double,"
            ~ " message varchar, answer varchar, rows_affected bigint, failures bigint, thread varchar, compile_started timestamp,"
            ~ " execute_completed timestamp, sql_length integer, materialized varchar, plain varchar)") %}
        {% for res in results %}
            {% set times = {} %}
            {% for t in res.timing %}{% do times.update({t.name: t}) %}{% endfor %}
            {% set whole = res.to_dict() %}
            {% do run_query("insert into main.kept values ('" ~ invocation_id ~ "', '" ~ res.node.unique_id ~ "', '"
                ~ res.node.resource_type ~ "', '" ~ res.status ~ "', " ~ res.execution_time ~ ", '"
                ~ (res.message or '') | replace("'", "''") ~ "', '" ~ tojson(res.adapter_response) ~ "', "
                ~ (res.adapter_response or {}).get('rows_affected', 'null') ~ ", "
                ~ ('null' if res.failures is none else res.failures) ~ ", '" ~ res.thread_id ~ "', '"
                ~ times['compile'].started_at ~ "', '" ~ times['execute'].completed_at ~ "', "
                ~ (res.node.compiled_code or '') | length ~ ", '" ~ res.node.config.materialized ~ "', '" ~ whole['status'] ~ "')") %}
        {% endfor %}
    {% endif %}
{% endmacro %}
""",
}


@pytest.fixture(params=["reused", "success"])
def status(request, settled) -> str:
    """hodor_reported_status, in all commands of the settled shop."""
    settled.env["HODOR_REPORTED_STATUS"] = request.param
    return request.param


def plainly(project):
    """A copy of the project in which every command is plain dbt."""
    copy = project.copy(project.dir.with_name(f"{project.dir.name}-plainly"))
    copy.env["HODOR_MODE"] = "off"
    return copy


def fragile(project) -> None:
    project.write("models/fragile.sql", BROKEN)
    project.write("models/fragile_child.sql", CHILD)


# -- dbt's own words -----------------------------------------------------------------------------------------------------


def test_exit_status_summary_and_message(settled, status):
    run = settled.dbt("build")
    built, kept, tests = len(run.statuses) - len(KEPT) - len(shop.TESTS), len(KEPT), len(shop.TESTS)
    said = {"reused": (built + tests, kept), "success": (built + tests + kept, 0)}[status]
    assert run.rc == 0 and re.search(rf"Done\. PASS={said[0]} .* REUSED={said[1]} TOTAL={len(run.statuses)}", run.out), run.out
    for name in KEPT:
        # Whoever must know can tell: the line, the message, and no answer of the warehouse.
        assert run.statuses[name] == status and "[REUSED " in run.line(name)
        assert re.match(r"REUSED (no_new_data|view_unchanged), built \d{4}-\d\d-\d\d \d\d:\d\d UTC", run.messages[name])
    answers = {r["unique_id"]: r["adapter_response"] for r in run.results["results"]}
    assert answers["model.shop.orders"] == {} != answers["model.shop.stg_customers"]
    assert {run.statuses[name] for name in shop.TESTS} == {"pass"}
    assert run.records["orders"]["status"] == "reused" and run.records["orders"]["action"] == "reuse"


def test_events_of_a_kept_node(settled, status):
    """What readers of --log-format json see: dbt's status in node_info, hodor's word beside it."""
    run = settled.dbt("--log-format json build")
    events = [json.loads(line) for line in run.out.splitlines() if line.strip()]
    of = [e for e in events if (e["data"].get("node_info") or {}).get("unique_id") == "model.shop.orders"]
    (line,) = [e for e in of if e["info"]["name"] == "LogModelResult"]
    assert line["data"]["node_info"]["node_status"] == status and line["data"]["status"].startswith("REUSED no_new_data")


def test_run_results_are_dbts_schema(settled, status):
    """By the class of dbt that reads and writes the artifact, there and back."""
    run = settled.dbt("build")
    assert run.results["metadata"]["dbt_schema_version"].endswith("/run-results/v6.json")
    from dbt.artifacts.schemas.run import RunResultsArtifact

    read = RunResultsArtifact.from_dict(run.results)
    assert {(r.unique_id, str(r.status), r.message) for r in read.results} == {
        (r["unique_id"], r["status"], r["message"]) for r in run.results["results"]
    }
    found = {r["unique_id"]: r for r in run.results["results"]}
    orders = found["model.shop.orders"]
    assert orders["status"] == status and orders.keys() == found["model.shop.stg_customers"].keys()
    assert orders["compiled"] and "rates" in orders["compiled_code"] and orders["relation_name"]
    assert [t["name"] for t in orders["timing"]] == ["compile", "execute"] and all(t["completed_at"] for t in orders["timing"])


def test_wrong_status_with_warnings_as_errors(settled):
    run = settled.dbt("--warn-error run", env={"HODOR_REPORTED_STATUS": "skipped"})
    run.expect(rest="reused", rc=0)
    (said,) = [line for line in run.text.splitlines() if "hodor_reported_status" in line]
    assert "environment variable HODOR_REPORTED_STATUS" in said and "reused or success is needed; using reused" in said


# -- commands that begin where another one ended ----------------------------------------------------------------------


def test_retry_runs_what_plain_dbt_retries(settled, status):
    fragile(settled)
    plain = plainly(settled)
    first = settled.dbt("build")
    assert first.statuses["orders"] == status and (first.statuses["fragile"], first.statuses["fragile_child"]) == (
        "error",
        "skipped",
    )
    plain.dbt("build")
    for project in (settled, plain):
        project.write("models/fragile.sql", WHOLE)
    run, wanted = settled.dbt("retry"), plain.dbt("retry")
    assert (run.rc, run.statuses) == (wanted.rc, wanted.statuses) and run.statuses.keys() == {"fragile", "fragile_child"}
    settled.dbt("build").expect({name: f"{status} no_new_data" for name in ("fragile", "orders")}, rc=0)


def test_retry_of_a_replayed_failure(settled, status):
    """A replayed `fail` is a failure: dbt runs that test again, and what it kept from running."""
    settled.sql("insert into raw.orders values (8, 1, -5, '2026-01-03')")
    settled.dbt("build")
    plain = plainly(settled)
    replayed = settled.dbt("build")
    assert replayed.rc == 1 and "FAIL 1 replayed" in replayed.line("amount_positive")
    plain.dbt("build")
    for project in (settled, plain):
        project.sql("delete from raw.orders where id = 8")
    run, wanted = settled.dbt("retry"), plain.dbt("retry")
    assert run.statuses == wanted.statuses and run.rc == wanted.rc


@pytest.mark.parametrize("selector", ["result:error+", "result:skipped", "result:fail", "result:error+ result:skipped"])
def test_selection_by_result(settled, status, selector):
    fragile(settled)
    plain = plainly(settled)
    for project in (settled, plain):
        project.dbt("build")
        for artifact in ("run_results", "manifest"):
            project.write(f"before/{artifact}.json", project.read(f"target/{artifact}.json"))
        project.write("models/fragile.sql", WHOLE)
    run, wanted = (p.dbt(f"build --select {selector} --state before") for p in (settled, plain))
    assert (run.rc, run.statuses) == (wanted.rc, wanted.statuses)


def test_selection_by_result_success(settled, status):
    """The one selector that asks for the very word: `result:success` has the kept nodes only where they are called so."""
    settled.dbt("build")
    for artifact in ("run_results", "manifest"):
        settled.write(f"before/{artifact}.json", settled.read(f"target/{artifact}.json"))
    listed = {
        word: set(settled.dbt(f"ls -q --select result:{word} --state before").out.split()) for word in ("success", "reused")
    }
    kept = {"shop.orders", "shop.rates", "shop.snap_customers.snap_customers"}
    assert (kept <= listed["success"], kept <= listed["reused"]) == (status == "success", status == "reused")


def test_selection_by_source_status(settled, status):
    settled.edit(
        "models/schema.yml",
        "    schema: raw\n",
        "    schema: raw\n    config:\n      loaded_at_query: select max(day)::timestamptz from raw.orders\n"
        "      freshness: {warn_after: {count: 1, period: day}}\n",
    )
    settled.settle()
    plain = plainly(settled)
    runs = []
    for project in (settled, plain):
        project.dbt("source freshness")
        project.dbt("build")
        for artifact in ("run_results", "manifest", "sources"):
            project.write(f"before/{artifact}.json", project.read(f"target/{artifact}.json"))
        project.sql(shop.NEW_ORDER)
        project.dbt("source freshness")
        runs.append(project.dbt("build --select source_status:fresher+ --state before"))
    run, wanted = runs
    assert run.rc == wanted.rc == 0 and run.statuses.keys() == wanted.statuses.keys() > {"orders", "daily"}
    assert settled.contents() == plain.contents()


def test_docs_and_clone_after_a_run_that_kept(settled, status):
    settled.dbt("build")
    plain = plainly(settled)
    documents = []
    for project in (settled, plain):
        assert project.dbt("docs generate").rc == 0
        catalog = json.loads(project.read("target/catalog.json"))
        documents.append({key: value["columns"] for key, value in catalog["nodes"].items()})
    assert documents[0] == documents[1] and "model.shop.orders" in documents[0]
    settled.write("before/manifest.json", settled.read("target/manifest.json"))
    settled.write("before/run_results.json", settled.read("target/run_results.json"))
    assert settled.dbt("clone --state before", twin=True).rc == 0


# -- flags ---------------------------------------------------------------------------------------------------------------


def test_warnings_as_errors(settled, status):
    run = settled.dbt("--warn-error build", twin=True)
    assert run.rc == 0 and run.statuses["orders"] == status


def test_fail_fast_with_a_replayed_failure(settled, status):
    settled.sql("insert into raw.orders values (8, 1, -5, '2026-01-03')")
    settled.dbt("build")
    run = settled.dbt("test --fail-fast --threads 1", twin=True)
    assert run.rc == 1 and "FAIL 1 replayed" in run.line("amount_positive")


def test_stored_failures_of_a_replayed_test(settled, status):
    """dbt says where the failures are, after a replay as after a run of the test, and there they are."""
    settled.write("tests/small.sql", "{{ config(store_failures=true) }}\nselect id from {{ ref('orders') }} where amount > 100\n")
    settled.settle("run", times=1).dbt("test -s small")
    run = settled.dbt("test -s small", twin=True)
    assert run.rc == 1 and "FAIL 3 replayed" in run.line("small")
    said = [re.findall(r"select \* from .*small.*", r.out) for r in (run, run.twin)]
    assert said[0] == said[1] != []
    assert settled.rows("main_dbt_test__audit.small", "count(*)") == [["3"]]


# -- what others read ----------------------------------------------------------------------------------------------------


def test_a_package_that_keeps_the_results(settled, status):
    """The fields that packages such as dbt_artifacts and elementary read in on-run-end, kept nodes beside built ones."""
    for path, text in PACKAGE.items():
        settled.write(path, text)
    settled.settle()
    run = settled.dbt("build")
    assert run.rc == 0, run.text
    columns = "split_part(id, '.', 3), kind, status, seconds >= 0, message, answer, rows_affected, failures, thread, sql_length > 0, plain"
    rows = {row[0]: row for row in settled.rows(f"main.kept where run = '{run.invocation_id}'", columns)}
    assert rows.keys() == run.statuses.keys() - {"bookkeeping-on-run-end-0"}
    for name in KEPT:
        _, kind, word, timed, message, answer, affected, failures, thread, has_sql, plain = rows[name]
        assert (
            (word, plain) == (status, status)
            and timed == "True"
            and message.startswith("REUSED ")
            and thread.startswith("Thread")
        )
        assert (answer, affected, failures) == ("{}", None, None) and (has_sql == "True" or kind == "seed")
    assert rows["stg_customers"][2] == "success" and not rows["stg_customers"][4].startswith("REUSED")
    assert rows["amount_positive"][2] == "pass" and rows["amount_positive"][4].startswith("replayed from")
    dated = "compile_started <= execute_completed"
    assert settled.rows(f"main.kept where run = '{run.invocation_id}'", f"distinct {dated}") == [["True"]]


def test_hodors_own_readers(settled, status):
    """explain and state go by the records and by the SQL in run_results.json, whatever dbt was told."""
    run = settled.dbt("build")
    shown = json.loads(console(settled, "explain", "--json", "-s", "orders").stdout)
    assert '"reused"' in json.dumps(shown) and run.invocation_id in json.dumps(shown)
    answer = state(settled, "build")
    assert answer.built <= {"stg_customers"} and answer.reasons["orders"] == "reuse no_new_data", answer.reasons
    settled.edit("models/orders.sql", "amount * rate", "amount * rate * 1")
    assert "orders" in state(settled, "build").built
    settled.dbt("build")
    again = settled.dbt("build")
    assert again.statuses["orders"] == status
    assert "rate" in console(settled, "explain", "--diff", "-s", "orders").stdout
