"""dagster-dbt: what becomes of a kept node, a replayed test and a replayed failure in Dagster."""

import dagster
import pytest
from dagster_dbt import DbtCliResource, DbtProject, dbt_assets
from e2e import shop
from e2e.project import Project

from .conftest import STATUSES

SMALL = "{{ config(severity='warn') }}\nselect id from {{ ref('orders') }} where amount > 100\n"


def materialize(project: Project) -> dagster.ExecuteInProcessResult:
    """Everything in the project as Dagster's assets, by one `dbt build`."""
    dbt_project = DbtProject(project_dir=project.dir, profiles_dir=project.dir)
    dbt_project.preparer.prepare(dbt_project)

    @dbt_assets(manifest=dbt_project.manifest_path)
    def shop_assets(context: dagster.AssetExecutionContext, dbt: DbtCliResource):
        yield from dbt.cli(["build"], context=context).stream()

    resources = {"dbt": DbtCliResource(project_dir=dbt_project)}
    return dagster.materialize([shop_assets], resources=resources, raise_on_error=False)


@pytest.mark.parametrize("status", STATUSES)
def test_assets_and_checks(settled, status, monkeypatch):
    settled.write("tests/small.sql", SMALL)
    settled.settle("test -s small", times=1)
    before = settled.contents()
    monkeypatch.setenv("HODOR_REPORTED_STATUS", status)
    monkeypatch.chdir(settled.dir)
    result = materialize(settled)
    assert result.success
    made = {m.asset_key.path[-1]: m.metadata for m in result.asset_materializations_for_node("shop_assets")}
    assert made.keys() == shop.VIEWS | shop.TABLES
    words = {name: metadata["status"].value for name, metadata in made.items()}
    assert words == {name: "success" if name == "stg_customers" else status for name in made}
    checks = {check.check_name: check for check in result.get_asset_check_evaluations()}
    assert checks.keys() == shop.TESTS | {"small"}
    assert {name for name, check in checks.items() if check.passed} == set(shop.TESTS)
    assert checks["small"].severity == dagster.AssetCheckSeverity.WARN
    assert settled.contents() == before


def test_a_replayed_failure_fails_the_run(settled, monkeypatch):
    settled.sql("insert into raw.orders values (8, 1, -5, '2026-01-03')")
    settled.dbt("build")
    monkeypatch.chdir(settled.dir)
    result = materialize(settled)
    assert not result.success
    checks = {check.check_name: check.passed for check in result.get_asset_check_evaluations()}
    assert checks["amount_positive"] is False and checks["orders_id_given"] is True
