"""peers.py parse|normalize SECONDS PEER FILE DIALECT: take the texts of FILE (a NUL behind each) to their tree, or to canonical SQL, its
SHA-256 and the tables that are read, for SECONDS of processor time, at least once or as far as three times SECONDS allow; print one line of
JSON as bench/measure reads it.

parse: duckdb (its own parser, through extract_statements), polyglot, sqlglotc (sqlglot with compiled modules), sqlglot (the same
package, its compiled modules left out).
normalize: sqlglotc and sqlglot: parse, qualify without a schema (where that fails, the tree as parsed), print, find the tables; "partly" has the
numbers of the texts that failed or were not qualified.
polyglot: parse, qualify tables, print; no facts. polyglot-transpile: from the dialect to itself, the least that it can do."""

import hashlib
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import os
import sys
import time


def without_compiled_modules(package):
    """Makes Python import the .py files of the package although compiled modules lie beside them."""
    root = importlib.util.find_spec(package).submodule_search_locations[0]
    sources = importlib.machinery.FileFinder.path_hook((importlib.machinery.SourceFileLoader, [".py"]))

    def hook(path):
        if path == root or path.startswith(root + os.sep):
            return sources(path)
        raise ImportError

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()


def duckdb(step, name, dialect):
    import duckdb

    return duckdb.connect().extract_statements, duckdb.__version__


def polyglot(step, name, dialect):
    import polyglot_sql

    def parse(sql):
        polyglot_sql.parse_one(sql, dialect)

    def transpile(sql):
        return hashlib.sha256(polyglot_sql.transpile(sql, dialect, dialect)[0].encode()).hexdigest()

    def qualify(sql):
        tree = polyglot_sql.qualify_tables(polyglot_sql.parse_one(sql, dialect), dialect=dialect, canonicalize_table_aliases=True)
        return hashlib.sha256(polyglot_sql.generate(tree, dialect)[0].encode()).hexdigest()

    run = parse if step == "parse" else transpile if name == "polyglot-transpile" else qualify
    return run, importlib.metadata.version("polyglot-sql")


def sqlglot(step, name, dialect):
    if name == "sqlglot":
        without_compiled_modules("sqlglot")
    import sqlglot
    import sqlglot.parser
    from sqlglot import exp
    from sqlglot.optimizer.qualify import qualify

    compiled = sqlglot.parser.__file__.endswith(".so")
    if compiled != (name == "sqlglotc"):
        sys.exit(f"peers: sqlglot's parser comes from {sqlglot.parser.__file__}")

    cut_short = False

    def parse(sql):
        return sqlglot.parse_one(sql, read=dialect)

    def pipeline(sql):
        nonlocal cut_short
        tree = parse(sql)
        try:
            tree = qualify(
                tree,
                dialect=dialect,
                validate_qualify_columns=False,
                expand_stars=False,
                identify=True,
                canonicalize_table_aliases=True,
            )
        except Exception:
            # A text that qualify fails on, in whatever way, counts as parsed; qualify has changed the tree by now.
            cut_short = True
            tree = parse(sql)
        canonical = tree.sql(dialect=dialect, comments=False)
        tables = sorted(table.name for table in tree.find_all(exp.Table))
        return hashlib.sha256(canonical.encode()).hexdigest(), tables

    def whole(sql):
        nonlocal cut_short
        cut_short = False
        pipeline(sql)
        return not cut_short

    return parse if step == "parse" else whole, sqlglot.__version__


PEERS = {"duckdb": duckdb, "polyglot": polyglot, "polyglot-transpile": polyglot, "sqlglotc": sqlglot, "sqlglot": sqlglot}


def memory(field):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def main():
    step, seconds, name, path, dialect = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5]
    with open(path, encoding="utf-8") as f:
        texts = f.read().split("\0")[:-1]
    run, version = PEERS[name](step, name, dialect)
    run("select 1 as k from t")
    done = failed = size = 0
    base = memory("VmRSS")
    start, clock = time.process_time(), time.monotonic()
    spent = 0.0
    partly = set()
    while spent < seconds:
        for i, sql in enumerate(texts):
            try:
                if run(sql) is False:
                    partly.add(i)
            except Exception:
                failed += 1
                partly.add(i)
            done += 1
            size += len(sql.encode())
            spent = time.process_time() - start
            # A pass is not finished by a peer that would take minutes for it.
            if spent > 3 * seconds:
                break
    partly.update(range(done, len(texts)))
    print(
        json.dumps(
            {
                "name": name,
                "version": version,
                "bytes": size,
                "cpu": spent,
                "wall": time.monotonic() - clock,
                "texts": done,
                "failed": failed,
                "partly": sorted(partly),
                "peak": max(0, memory("VmHWM") - base),
            }
        )
    )


main()
