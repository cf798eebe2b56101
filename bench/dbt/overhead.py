"""overhead.py [--models N] [--rounds N] [--peer PYTHON] [--json]: what a `dbt run` of settled models costs with hodor, beside the same run with a plugin
that returns `Reused` for every model and asks nobody. README.md says what is measured."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "decide"))

PROJECT = """
name: settled
version: "1.0"
profile: settled
flags: {send_anonymous_usage_stats: false, partial_parse: true}
"""
PROFILE = """
settled:
  target: dev
  outputs:
    dev: {type: duckdb, path: settled.duckdb, threads: 4, config_options: {threads: 1}}
"""


def sql(i, size):
    """A model of about so many bytes that runs: views on the seed, tables on views."""
    kind = "view" if i % 2 == 0 else "table"
    source = "{{ ref('numbers') }}" if kind == "view" else f"{{{{ ref('m_{i - 1}') }}}}"
    lines, length, k = [f"{{{{ config(materialized='{kind}') }}}}\nselect\n    t.id,\n    t.amount"], 0, 0
    while length < size:
        line = f",\n    case when t.amount > {k} then cast(t.amount * {k} as decimal(18, 2)) else null end as sum_{k}"
        lines.append(line)
        length += len(line)
        k += 1
    return "".join(lines) + f"\nfrom {source} as t\nwhere t.id is not null\n"


def make(folder, models):
    """Writes the project. Sizes go from 300 bytes to 16 KB; a table of 64 KB would be all that its build costs."""
    (folder / "models").mkdir(parents=True)
    (folder / "seeds").mkdir()
    (folder / "dbt_project.yml").write_text(PROJECT)
    (folder / "profiles.yml").write_text(PROFILE)
    (folder / "seeds" / "numbers.csv").write_text("id,amount\n" + "".join(f"{i},{i * 3}\n" for i in range(20)))
    for i in range(models):
        (folder / "models" / f"m_{i}.sql").write_text(sql(i, int(300 * 2 ** (i % 24 / 4))))


def dbt(python, folder, *arguments):
    code = "import sys; from dbt.cli.main import dbtRunner; sys.exit(not dbtRunner().invoke(sys.argv[1:]).success)"
    done = subprocess.run(
        [python, "-c", code, "--quiet", *arguments], cwd=folder, env=environment(), capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"overhead: dbt {' '.join(arguments)} failed\n{done.stdout}{done.stderr}")


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HODOR_") or name == "HODOR_BINARY"}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)  # an installation has its modules compiled
    return {**kept, "HODOR_MODE": "on", "HODOR_STORE": "duckdb", "DBT_PROFILES_DIR": "."}


def run(python, folder, mode):
    done = subprocess.run([python, HERE / "worker.py", folder, mode], env=environment(), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"overhead: {mode} failed\n{done.stdout}{done.stderr}")
    result = json.loads(done.stdout.splitlines()[-1])
    if not result["ok"]:
        raise SystemExit(f"overhead: dbt failed in mode {mode}\n{done.stdout}{done.stderr}")
    return result


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def measure(models, rounds, peer):
    """Each mode in turn, so that a load that changes hits all alike. What is compared is within a round."""
    with tempfile.TemporaryDirectory(prefix="hodor-overhead-") as top:
        runs = {"reused": sys.executable, "hodor": sys.executable} | ({"peer": peer} if peer else {})
        folders = {}
        for mode, python in runs.items():
            folder = folders[mode] = Path(top) / mode
            if mode == "reused":
                continue  # runs in hodor's folder: the same project, the same saved parse
            make(folder, models)
            dbt(python, folder, "build")
            dbt(python, folder, "run")
        folders["reused"] = Path(top) / "reused"
        shutil.copytree(folders["hodor"], folders["reused"])
        results = {mode: [] for mode in runs}
        for n in range(rounds + 1):
            for mode, python in runs.items():
                result = run(python, folders[mode], mode)
                if n > 0:  # the first of each warms up: the saved parse of a plugin is its own
                    results[mode].append(result)
    out = {"models": models, "rounds": rounds, "modes": {}}
    base = [r["cpu"] for r in results["reused"]]
    for mode, list_ in results.items():
        mine = [r["cpu"] - r["metadata"] for r in list_]
        out["modes"][mode] = {
            "cpu_ms": round(median([r["cpu"] for r in list_]) * 1e3),
            "metadata_ms": round(median([r["metadata"] for r in list_]) * 1e3),
            "statements": list_[-1]["statements"],
            "reused": list_[-1]["reused"],
            "nodes": list_[-1]["nodes"],
            # The least of all rounds: whatever disturbs adds to it.
            "least_ms": round(min(mine) * 1e3),
            "more_percent": round(100 * (min(mine) / min(base) - 1), 1),
            "more_percent_median": round(100 * (median([m / b for m, b in zip(mine, base)]) - 1), 1),
        }
    return out


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--models", type=int, default=200)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--peer", help="the Python of an environment with another dbt_hodor")
    chosen = options.parse_args()
    json.dump(measure(chosen.models, chosen.rounds, chosen.peer), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
