"""Readers of run_results.json and of dbt's events: dbt-artifacts-parser and OpenLineage's dbt-ol."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from dbt_artifacts_parser.parser import parse_run_results

from .conftest import STATUSES


@pytest.mark.parametrize("status", STATUSES)
def test_dbt_artifacts_parser(settled, status):
    """Its models of version 6 list the statuses that they accept, `reused` among them."""
    run = settled.dbt("build", env={"HODOR_REPORTED_STATUS": status})
    parsed = parse_run_results(run.results)
    words = {result.unique_id: result.status.value for result in parsed.results}
    assert words["model.shop.orders"] == status and words["model.shop.stg_customers"] == "success"
    assert {result.unique_id: result.message for result in parsed.results}["model.shop.orders"].startswith("REUSED ")


def lineage(project, status: str, mode: list[str]) -> tuple[int, str, list[tuple[str, str]]]:
    """Runs dbt through dbt-ol: exit status, output, and type and job of the events that it wrote to a file."""
    events = project.dir / "lineage.jsonl"
    events.unlink(missing_ok=True)
    env = project._environ({"HODOR_REPORTED_STATUS": status, "OPENLINEAGE__TRANSPORT__TYPE": "file"})
    env |= {"OPENLINEAGE__TRANSPORT__LOG_FILE_PATH": str(events), "OPENLINEAGE__TRANSPORT__APPEND": "true"}
    done = subprocess.run(
        [Path(sys.executable).with_name("dbt-ol"), "run", "-s", "orders", "--project-dir", ".", "--profiles-dir", ".", *mode],
        cwd=project.dir,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    found = [json.loads(line) for line in events.read_text().splitlines() if line.strip()] if events.exists() else []
    return done.returncode, done.stdout, [(event["eventType"], event["job"]["name"]) for event in found]


def test_openlineage_after_the_run(settled):
    """It knows success, skipped and error: of `reused` it makes an error of its own, after dbt's success. `success` mends that."""
    rc, out, events = lineage(settled, "reused", [])
    assert rc != 0 and "Done. PASS=0" in out and "ValueError" in out and events == []
    rc, out, events = lineage(settled, "success", [])
    assert rc == 0 and ("COMPLETE", "shop.main.shop.orders") in events


def test_openlineage_during_the_run(settled):
    """With --consume-structured-logs `reused` is an unknown status: the model's run is never complete, and nothing fails."""
    rc, _, events = lineage(settled, "reused", ["--consume-structured-logs"])
    assert rc == 0 and ("OTHER", "model.shop.orders") in events and ("COMPLETE", "model.shop.orders") not in events
    rc, _, events = lineage(settled, "success", ["--consume-structured-logs"])
    assert rc == 0 and ("COMPLETE", "model.shop.orders") in events
