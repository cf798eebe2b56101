"""Merges the functions of the engine at hand into normalize/functions.csv.

    python tools/gen-functions/collect.py     once in an environment with each version of duckdb, and one with pyspark

Rows are only added, or get one more version in `seen`; the determinism of a new row is empty (pure) and has to be judged by
hand: the flags of the engines miss some. So is the form of Spark's (function, aggregate, window), which it does not tell. Rows seen in "docs" come from the reference pages of Databricks and have no engine.
"""

import csv
import pathlib
import re

CSV = pathlib.Path(__file__).resolve().parents[2] / "normalize" / "functions.csv"
HEADER = ["dialect", "name", "form", "determinism", "seen"]
WORD = re.compile(r"[a-z_][a-z0-9_]*$")
GENERATORS = {
    "duckdb": {"range", "generate_series", "unnest", "json_each"},
    "databricks": set("range explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple".split()),
}


def engine():
    """The dialect, version and functions (name to form) of the engine that can be imported."""
    try:
        import duckdb
    except ImportError:
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
        return "databricks", spark.version, {row[0]: "function" for row in spark.sql("show functions").collect()}
    query = (
        "select function_name, min(case when function_type in ('aggregate', 'window') then function_type else 'function' end) "
        "from duckdb_functions() where function_type not in ('table', 'table_macro', 'pragma') group by 1"
    )
    return "duckdb", duckdb.__version__, dict(duckdb.connect().execute(query).fetchall())


def main():
    dialect, version, names = engine()
    rows = {}
    if CSV.exists():
        with CSV.open(newline="") as f:
            for row in csv.DictReader(f):
                rows[row["dialect"], row["name"]] = row
    forms = {name.lower(): form for name, form in names.items()}
    forms.update(dict.fromkeys(GENERATORS[dialect], "generator"))
    for name, form in sorted(forms.items()):
        if not WORD.match(name):
            continue
        row = rows.setdefault((dialect, name), dict(zip(HEADER, [dialect, name, form, "", ""])))
        row["seen"] = " ".join(sorted(set(row["seen"].split()) | {version}))
    with CSV.open("w", newline="") as f:
        out = csv.DictWriter(f, HEADER, lineterminator="\n")
        out.writeheader()
        out.writerows(rows[key] for key in sorted(rows))


main()
