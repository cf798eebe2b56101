#!/usr/bin/env python3
"""Make the manifests of testdata/ with real dbt, and the lists of configuration keys that dbt and the adapters know.

Run it with a Python that has dbt-core, dbt-duckdb and dbt-databricks (no workspace is needed: only `dbt parse` runs):

    python project/testdata/make_manifests.py

Written: manifest_<adapter>.json (what a run of the project shop/ starts from; dbt's own macros without their text, nothing of this machine),
compiled_<adapter>.json (compiled SQL by unique id, of what compiles without a warehouse) and keys.json (the keys of node configurations and columns,
by where they come from).
"""
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
INTERNAL = {"dbt", "dbt_duckdb", "dbt_databricks", "dbt_spark"}


def trim(manifest):
    meta = manifest["metadata"]
    meta.update(invocation_id="11111111-2222-4333-8444-555555555555", generated_at="2026-01-01T00:00:00Z", project_id=None, user_id=None)
    for key in ("invocation_started_at", "run_started_at"):
        meta[key] = "2026-01-01T00:00:00+00:00"
    for section in ("nodes", "sources", "unit_tests", "functions"):
        for entry in manifest[section].values():
            entry["created_at"] = 0
            if "root_path" in entry:
                entry["root_path"] = "/project"
            if "sources" in entry:  # dbt keeps these two as sets: their order is another one at each parse
                entry["sources"].sort()
            if "nodes" in entry.get("depends_on", {}):
                entry["depends_on"]["nodes"].sort()
        manifest[section] = dict(sorted(manifest[section].items()))
    for entry in manifest["macros"].values():
        entry["created_at"] = 0
        if entry["package_name"] in INTERNAL:
            keep = ("name", "resource_type", "package_name", "unique_id", "depends_on")
            for key in [k for k in entry if k not in keep]:
                del entry[key]
            entry["macro_sql"] = ""
    for section in ("docs", "disabled", "parent_map", "child_map", "group_map"):
        manifest[section] = {}
    return manifest


NEEDS_WAREHOUSE = ["py", "daily", "uses_function", "plus_one", "from_files"]


def parse(target):
    """The manifest of a run, and the compiled SQL."""
    with tempfile.TemporaryDirectory() as work:
        project = pathlib.Path(work) / "shop"
        shutil.copytree(HERE / "shop", project)
        dbt = pathlib.Path(sys.executable).with_name("dbt")
        base = ["--profiles-dir", ".", "--target", target]
        subprocess.run([dbt, "parse", *base], cwd=project, check=True, stdout=subprocess.DEVNULL)
        manifest = json.loads((project / "target" / "manifest.json").read_text())
        subprocess.run([dbt, "compile", "--no-introspect", "--no-populate-cache", "--exclude", *NEEDS_WAREHOUSE, *base],
                       cwd=project, check=True, stdout=subprocess.DEVNULL)
        nodes = json.loads((project / "target" / "manifest.json").read_text())["nodes"]
        return manifest, {k: v["compiled_code"] for k, v in sorted(nodes.items()) if v.get("compiled_code")}


def names(cls):
    fields = {f.metadata.get("alias", f.name) for f in dataclasses.fields(cls)}
    return sorted(f for f in fields if not f.startswith("_"))


def keys():
    from dbt.adapters.databricks.impl import DatabricksConfig
    from dbt.adapters.duckdb.impl import DuckDBConfig
    from dbt.artifacts.resources.v1.components import ColumnInfo
    from dbt.artifacts.resources.v1.config import TestConfig
    from dbt.artifacts.resources.v1.model import ModelConfig
    from dbt.artifacts.resources.v1.seed import SeedConfig
    from dbt.artifacts.resources.v1.snapshot import SnapshotConfig

    classes = {"model": ModelConfig, "seed": SeedConfig, "snapshot": SnapshotConfig, "test": TestConfig,
               "databricks": DatabricksConfig, "duckdb": DuckDBConfig, "column": ColumnInfo}
    found = {name: names(cls) for name, cls in classes.items()}
    # what the macros and adapters themselves read, declared or not
    asked = set()
    for package in ("dbt/include", "dbt/adapters"):
        for root in {pathlib.Path(p) / package for p in sys.path}:
            for file in [*root.rglob("*.sql"), *root.rglob("*.py")]:
                asked.update(re.findall(r"config\.(?:get|require)\(\s*['\"]([a-z_]+)", file.read_text()))
    found["read by macros"] = sorted(asked)
    return found


for adapter in ("duckdb", "databricks"):
    manifest, compiled = parse(adapter)
    (HERE / f"manifest_{adapter}.json").write_text(json.dumps(trim(manifest)) + "\n")
    (HERE / f"compiled_{adapter}.json").write_text(json.dumps(compiled, indent=1) + "\n")
(HERE / "keys.json").write_text(json.dumps(keys(), indent=1) + "\n")
