"""peers.py SECONDS PARSER FILE DIALECT: parse the texts of FILE (a NUL behind each) for SECONDS of processor time, at least
once or as far as ten times SECONDS allow; print one line of JSON as bench/parse/main.go reads it.

Parsers: duckdb (its own, through extract_statements), polyglot, sqlglotc (sqlglot with compiled modules), sqlglot (the same
package, its compiled modules left out)."""

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


def parser(name, dialect):
    if name == "duckdb":
        import duckdb

        return duckdb.connect().extract_statements, duckdb.__version__
    if name == "polyglot":
        import polyglot_sql

        return lambda sql: polyglot_sql.parse_one(sql, dialect), importlib.metadata.version("polyglot-sql")
    if name == "sqlglot":
        without_compiled_modules("sqlglot")
    import sqlglot
    import sqlglot.parser

    compiled = sqlglot.parser.__file__.endswith(".so")
    if compiled != (name == "sqlglotc"):
        sys.exit(f"peers: sqlglot's parser comes from {sqlglot.parser.__file__}")
    return lambda sql: sqlglot.parse_one(sql, read=dialect), sqlglot.__version__


def memory(field):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def main():
    seconds, name, path, dialect = float(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    with open(path, encoding="utf-8") as f:
        texts = f.read().split("\0")[:-1]
    parse, version = parser(name, dialect)
    parse("select 1")
    texts_done = failed = size = 0
    base = memory("VmRSS")
    start = time.process_time()
    spent = 0.0
    while spent < seconds and (texts_done == 0 or texts_done % len(texts) == 0):
        for sql in texts:
            try:
                parse(sql)
            except Exception:
                failed += 1
            texts_done += 1
            size += len(sql.encode())
            spent = time.process_time() - start
            if spent > 10 * seconds:
                break
    print(
        json.dumps(
            {
                "parser": name,
                "version": version,
                "bytes": size,
                "cpu": spent,
                "texts": texts_done,
                "failed": failed,
                "peak": max(0, memory("VmHWM") - base),
            }
        )
    )


main()
