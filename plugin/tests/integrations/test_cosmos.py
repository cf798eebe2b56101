"""astronomer-cosmos in Airflow: a task a node, and the watcher, whose sensors go by dbt's events."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def run_dags(project, base: Path, clean: dict, *words: str, **env: str) -> tuple[dict, str]:
    """Runs DAGs of cosmos_dags.py on the project: the states of their tasks by DAG=STATUS, and what was printed."""
    folder = base / "dags"
    folder.mkdir()
    shutil.copy(HERE / "cosmos_dags.py", folder)
    done = subprocess.run(
        [sys.executable, HERE / "cosmos_run.py", *words],
        cwd=base,
        env={
            **clean,
            "SHOP": str(project.dir),
            "SHOP_FILE": str(project.warehouse),
            "AIRFLOW_HOME": str(base / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(folder),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
            "AIRFLOW__COSMOS__ENABLE_TELEMETRY": "False",
            **env,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=850,
        check=False,
    )
    found = [json.loads(line.removeprefix("RESULT ")) for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert done.returncode == 0 and [r["run"] for r in found] == list(words), done.stdout[-6000:]
    return {r["run"]: r["tasks"] for r in found}, done.stdout


def test_cosmos(settled, tmp_path, clean_shell):
    """Cosmos runs dbt in a temporary folder of links to the project's files. One process for all: Airflow takes long to start."""
    runs = [f"{name}:HODOR_REPORTED_STATUS={status}" for name in ("local", "watching") for status in ("reused", "success")]
    tasks, said = run_dags(settled, tmp_path, clean_shell, *runs)
    for status in ("reused", "success"):
        assert tasks[f"local:HODOR_REPORTED_STATUS={status}"] == {"orders.run": "success", "orders.test": "success"}
        watched = dict(tasks[f"watching:HODOR_REPORTED_STATUS={status}"])
        # A sensor that polls waits for a status that it knows, until its timeout; one that is deferred also ends with the producer.
        assert watched.pop("orders_poking") == {"reused": "failed", "success": "success"}[status]
        assert set(watched.values()) == {"success"} and len(watched) == 4
    assert said.count("[REUSED no_new_data, built ") >= 2  # .hodor is one of the links, since it is there


def test_cosmos_finds_no_state_that_it_must_make(settled, tmp_path, clean_shell):
    """Without `.hodor` in the project the state file is made in the temporary folder and gone with it; an absolute hodor_path stays."""
    shutil.rmtree(settled.state.parent)
    path = tmp_path / "state.duckdb"
    runs = ["local:HODOR_REPORTED_STATUS=reused"] * 2 + [f"local:HODOR_PATH={path}"] * 2
    _, said = run_dags(settled, tmp_path, clean_shell, *runs)
    first, second, third, fourth, _ = said.split("\nRESULT ")
    # orders itself builds in all of them: the view that it reads is not selected, and has no record here.
    assert [part.count("hodor: 3 reused, 0 built") for part in (first, second, third, fourth)] == [0, 0, 0, 1]
    assert not settled.state.exists() and path.exists()
