"""The DAGs of test_cosmos.py, read by Airflow from its folder of DAGs. SHOP names the dbt project.

local     Cosmos makes a task of each node from the manifest, and each task runs dbt
watching  Cosmos' watcher: one task runs `dbt build`, and a sensor a node learns from its events how the node ended. The producer stands
          before the sensors here, since `dag.test()` runs one task at a time.
"""

import os
from datetime import datetime
from pathlib import Path

from airflow.sdk import DAG
from cosmos import DbtDag, ExecutionConfig, ProfileConfig, ProjectConfig, RenderConfig
from cosmos.constants import ExecutionMode, InvocationMode, LoadMode
from cosmos.operators.watcher import DbtProducerWatcherOperator, DbtRunWatcherOperator

HOME = Path(os.environ["SHOP"])
PROFILE = ProfileConfig(profile_name="shop", target_name="dev", profiles_yml_filepath=HOME / "profiles.yml")
WHEN = {"schedule": None, "start_date": datetime(2026, 1, 1), "catchup": False}
DBT = {"project_dir": str(HOME), "profile_config": PROFILE, "install_deps": False}

local = DbtDag(
    dag_id="local",
    project_config=ProjectConfig(dbt_project_path=HOME, manifest_path=HOME / "target" / "manifest.json"),
    profile_config=PROFILE,
    execution_config=ExecutionConfig(execution_mode=ExecutionMode.LOCAL, invocation_mode=InvocationMode.DBT_RUNNER),
    render_config=RenderConfig(load_method=LoadMode.DBT_MANIFEST, select=["orders"]),
    operator_args={"install_deps": False},
    **WHEN,
)

with DAG(dag_id="watching", **WHEN) as watching:
    producer = DbtProducerWatcherOperator(**DBT, select=["orders", "stg_customers"], invocation_mode=InvocationMode.DBT_RUNNER)
    for node in ("orders", "stg_customers"):
        told = {"extra_context": {"dbt_node_config": {"unique_id": f"model.shop.{node}"}}, "poke_interval": 1, "timeout": 5}
        producer >> DbtRunWatcherOperator(**DBT, task_id=f"{node}_deferred", deferrable=True, **told)
        producer >> DbtRunWatcherOperator(**DBT, task_id=f"{node}_poking", deferrable=False, **told)
