"""worker.py FOLDER hodor|reused|peer: one `dbt run` of the project in FOLDER, in this process; prints one line of JSON: its processor time with
that of its children, what of it the metadata queries took (hodor only), and how many nodes were reused.

hodor: the installed dbt_hodor. reused: bench/dbt/reuse_all, and no hodor. peer: the dbt_hodor that this Python has, which is another one."""

import json
import os
import resource
import sys
import threading
import time
import types
from pathlib import Path


def metadata_meter():
    """Sums the processor time of the relay's threads while they run statements."""
    from dbt_hodor.relay import Relay

    spent, lock, original = [0.0, 0], threading.Lock(), Relay._execute

    def execute(self, name, sql):
        start = time.thread_time()
        try:
            return original(self, name, sql)
        finally:
            with lock:
                spent[0] += time.thread_time() - start
                spent[1] += 1

    Relay._execute = execute
    return spent


def main():
    folder, mode = sys.argv[1], sys.argv[2]
    os.chdir(folder)
    spent = [0.0, 0]
    if mode == "reused":
        sys.modules["dbt_hodor"] = types.ModuleType("dbt_hodor")
        sys.modules["dbt_hodor"].plugins = []
        sys.path.insert(0, str(Path(__file__).parent / "reuse_all"))
    elif mode == "hodor":
        spent = metadata_meter()
    from dbt.cli.main import dbtRunner

    out = dbtRunner().invoke(["--quiet", "--log-level-file", "none", "run"])
    cpu = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        cpu += usage.ru_utime + usage.ru_stime
    statuses = [str(r.status) for r in out.result.results] if out.result else []
    reused = sum(status.lower().endswith("reused") for status in statuses)
    print(
        json.dumps(
            {
                "cpu": cpu,
                "metadata": spent[0],
                "statements": spent[1],
                "reused": reused,
                "nodes": len(statuses),
                "ok": bool(out.success),
            }
        )
    )


main()
