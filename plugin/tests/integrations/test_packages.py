"""dbt packages that keep dbt's results in the warehouse: dbt_artifacts, and elementary with its command line edr."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from e2e import shop
from e2e.run import Run

from . import conftest
from .conftest import add_packages

KEPT_MODELS = {"stg_orders", "orders", "big_orders", "daily", "dim_customers"}

#: What dbt_artifacts makes a statement for.
DATASETS = ("models", "seeds", "snapshots", "tests", "sources", "exposures", "invocations")
EXECUTIONS = ("model_executions", "seed_executions", "snapshot_executions", "test_executions")


def builds(project, package: str) -> tuple[Run, Run, Run]:
    """Makes the package's own models, then builds the shop: after new rows, kept as reused, and kept as success."""
    own = project.dbt(f"run -s package:{package}")
    assert own.rc == 0, own.text
    project.sql(shop.NEW_ORDER)
    runs = [
        project.dbt(f"build --exclude package:{package}", env={"HODOR_REPORTED_STATUS": s})
        for s in ("reused", "reused", "success")
    ]
    assert [run.rc for run in runs] == [0, 0, 0], runs[-1].text
    assert [runs[1].statuses[name] for name in KEPT_MODELS] == ["reused"] * len(KEPT_MODELS)
    return tuple(runs)


def test_dbt_artifacts(settled):
    """The package has no dialect of DuckDB: macros of the project hand its calls to the one of Postgres."""
    add_packages(settled, "dbt_artifacts")
    settled.edit("dbt_project.yml", "models:\n", "models:\n  dbt_artifacts: {+schema: artifacts}\n")
    tail = (
        'on-run-end: ["{{ dbt_artifacts.upload_results(results) }}"]\n'
        "dispatch:\n  - {macro_namespace: dbt_artifacts, search_order: [shop, dbt_artifacts]}\n"
    )
    settled.write("dbt_project.yml", settled.read("dbt_project.yml") + tail)
    names = [f"get_{kind}_dml_sql" for kind in DATASETS + EXECUTIONS]
    bridge = "".join(
        f"{{% macro duckdb__{name}(x) %}}{{{{ return(dbt_artifacts.postgres__{name}(x)) }}}}{{% endmacro %}}\n" for name in names
    )
    bridge += (
        "{% macro duckdb__insert_into_metadata_table(a, b, c) %}"
        "{{ return(dbt_artifacts.postgres__insert_into_metadata_table(a, b, c)) }}{% endmacro %}\n"
    )
    settled.write("macros/bridge.sql", bridge)
    built, kept, called_success = builds(settled, "dbt_artifacts")

    def rows(run: Run, table: str, columns: str) -> list:
        return settled.rows(f"main_artifacts.{table} where command_invocation_id = '{run.invocation_id}'", columns)

    for run, word in ((kept, "reused"), (called_success, "success")):
        found = {
            name: rest for name, *rest in rows(run, "fct_dbt__model_executions", "name, status, message, total_node_runtime >= 0")
        }
        assert {name for name, (status, _, _) in found.items() if status == word} >= KEPT_MODELS
        assert all(found[name][1].startswith("REUSED ") and found[name][2] == "True" for name in KEPT_MODELS)
        assert [row[0] for row in rows(run, "fct_dbt__seed_executions", "status")] == [word]
        assert [row[0] for row in rows(run, "fct_dbt__snapshot_executions", "status")] == [word]
        assert {row[0] for row in rows(run, "fct_dbt__test_executions", "status")} == {"pass"}

    # "Current models" is made of executions called success: the last build, or the last time that the model was kept.
    ends = {}
    for run in (built, called_success):
        where = f"command_invocation_id = '{run.invocation_id}' and name = 'orders'"
        ((ends[run.invocation_id],),) = settled.rows(
            f"main_artifacts.fct_dbt__model_executions where {where}", "query_completed_at"
        )
    last = "main_artifacts.dim_dbt__current_models where name = 'orders'"
    assert settled.rows(last, "last_run_completed_at") == [[ends[called_success.invocation_id]]]
    settled.sql(f"delete from main_artifacts.model_executions where command_invocation_id = '{called_success.invocation_id}'")
    assert settled.rows(last, "last_run_completed_at") == [[ends[built.invocation_id]]]


def test_elementary(settled, tmp_path, clean_shell):
    add_packages(settled, "elementary", "dbt_utils")
    settled.edit("dbt_project.yml", "models:\n", "models:\n  elementary: {+schema: elementary}\n")
    settled.edit(
        "dbt_project.yml", "flags:\n", "flags:\n  require_explicit_package_overrides_for_builtin_materializations: false\n"
    )
    settled.write(
        "macros/test.sql",
        "{% materialization test, default %}{% do return(elementary.materialization_test_default()) %}{% endmaterialization %}\n",
    )
    built, kept, called_success = builds(settled, "elementary")

    def rows(run: Run, table: str, columns: str) -> list:
        return settled.rows(f"main_elementary.{table} where invocation_id = '{run.invocation_id}'", columns)

    for run, word in ((kept, "reused"), (called_success, "success")):
        found = {
            name: rest for name, *rest in rows(run, "dbt_run_results", "name, status, message, execute_completed_at is not null")
        }
        assert {name for name, (status, _, _) in found.items() if status == word} >= KEPT_MODELS
        assert all(found[name][1].startswith("REUSED ") and found[name][2] == "True" for name in KEPT_MODELS)
        # A replay is a result as well, though no statement ran.
        assert {tuple(row) for row in rows(run, "elementary_test_results", "test_name, status")} >= {("amount_positive", "pass")}
        assert len(rows(run, "elementary_test_results", "status")) == len(shop.TESTS)
    # To elementary every status but success and skipped is an alert.
    alerted = "main_elementary.alerts_dbt_models where detected_at is not null"
    assert {tuple(row) for row in settled.rows(alerted, "alias, status")} == {
        (name, "reused") for name in KEPT_MODELS | {"snap_customers"}
    }
    assert settled.rows("main_elementary.alerts_dbt_tests", "count(*)") == [["0"]]

    # Its report is made by a dbt project inside the Python package, into which `edr` would install the dbt packages.
    copy = tmp_path / "edr"
    shutil.copytree(Path(find_spec("elementary").origin).parent, copy / "elementary")
    inner = copy / "elementary" / "monitor" / "dbt_project"
    shutil.copytree(settled.dir / "dbt_packages", inner / "dbt_packages")
    shutil.copy(settled.dir / "packages.yml", inner / "packages.yml")
    (inner / "package-lock.yml").unlink(missing_ok=True)
    (copy / "config.yml").write_text("anonymous_usage_tracking: false\n")
    output = {"type": "duckdb", "path": str(settled.warehouse), "schema": "main_elementary", "threads": 2}
    (copy / "profiles.yml").write_text(json.dumps({"elementary": {"target": "dev", "outputs": {"dev": output}}}))
    done = subprocess.run(
        [sys.executable, "-m", "elementary.cli.cli", "report", "--profiles-dir", copy, "--config-dir", copy]
        + ["--file-path", copy / "report.html", "--open-browser", "false"],
        cwd=copy,
        env={**clean_shell, "PYTHONPATH": str(copy)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0 and (copy / "report.html").stat().st_size > 1_000_000, done.stdout[-4000:]


@pytest.mark.parametrize("name", ["dbt_artifacts", "elementary"])
def test_skips_say_what_is_missing(name, monkeypatch, tmp_path):
    for folder, said in (("", "HODOR_DBT_PACKAGES is to name a folder"), (str(tmp_path), "is not in")):
        monkeypatch.setattr(conftest, "PACKAGES", folder)
        with pytest.raises(pytest.skip.Exception, match=said):
            conftest.find_package(name)
