"""decide.py [--nodes N] [--threads N]: what a decision costs, both processes together. README.md says what is measured."""

import argparse
import json
import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

from dbt_hodor import _binary
from world import WIDE, World, begin, node_of

ROOT = Path(__file__).resolve().parents[2]
TICK = os.sysconf("SC_CLK_TCK")


class Meter:
    """Processor time of this process and of the service, and what of it went to metadata queries' own threads."""

    def __init__(self, made):
        self.pid = made.client.process.pid

    def read(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return time.process_time(), (int(fields[11]) + int(fields[12])) / TICK

    def __enter__(self):
        self.start = self.read()
        return self

    def __exit__(self, *_):
        self.plugin, self.service = (after - before for before, after in zip(self.start, self.read(), strict=True))


def per_node(meter, n):
    """Microseconds a node."""
    return {
        "plugin_us": round(meter.plugin / n * 1e6, 1),
        "service_us": round(meter.service / n * 1e6, 1),
        "both_us": round((meter.plugin + meter.service) / n * 1e6, 1),
    }


def each(nodes, threads, do):
    """Calls do for each node, on so many threads, in order of the list."""
    left = iter(nodes)
    lock = threading.Lock()
    failures = []

    def work():
        try:
            while True:
                with lock:
                    node = next(left, None)
                if node is None:
                    return
                do(node)
        except BaseException as error:
            failures.append(error)

    if threads == 1:
        work()
    else:
        workers = [threading.Thread(target=work) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    if failures:
        raise failures[0]


def one_run(world, threads, settled):
    """One run of all nodes: what was decided, and what it cost. `settled`: the wide nodes come first, for which all versions are read, so that what is
    left for the others is the decision itself, and its record."""
    out = {"reused": 0, "built": 0}
    texts = world.texts()
    asked = world.wide + [i for i in world.order if i < WIDE] if settled else world.order
    nodes = [node_of(i, texts[i]) for i in asked]
    wide = len(world.wide) if settled else 0
    runner = SimpleNamespace()
    lock = threading.Lock()
    made = begin(world, asked)
    try:
        with Meter(made) as whole:
            if not made._is_ready():
                raise SystemExit("decide: the run could not be started")

            def do(node):
                verdict = made.decide(runner, node)
                test = node.resource_type == "test"
                if verdict is None:
                    made.enter(node.unique_id)
                    made.leave(node.unique_id)
                status = ("pass" if test else "success") if verdict is None else verdict.replay.get("status", "reused")
                made.told(SimpleNamespace(node=node, status=status, failures=0 if test else None, message=None))
                with lock:
                    out["reused" if verdict else "built"] += 1
                    made.run.task.node_results.append(SimpleNamespace(node=node, status=status))

            with Meter(made) as decided:
                each(nodes[:wide], threads, do)
                with Meter(made) as rest:
                    each(nodes[wide:], threads, do)
        out["decided"] = per_node(decided, len(nodes))
        if settled:
            out["settled"] = per_node(rest, len(nodes) - wide)
        with Meter(made) as finish:
            summary = made._finish(False)
        out["finish"] = per_node(finish, len(nodes))
        out["summary"] = summary
        out["whole"] = per_node(whole, len(nodes))
        out["start"] = {
            "plugin_ms": round((whole.plugin - decided.plugin) * 1e3),
            "service_ms": round((whole.service - decided.service) * 1e3),
        }
        out["errors"] = made.errors
    finally:
        made.abandon()
    return out


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def start_up(world):
    """The child alone: by the clock to its hello and to the answer to its first request, the processor time of its life (the least of several);
    then run/start with the whole manifest, less that."""
    import dbt_hodor
    from dbt_hodor.client import Client

    hello, answer, cpu = [], [], []
    for _ in range(7):
        before, clock = children(), time.monotonic()
        client = Client([world.binary], dbt_hodor.__version__, lambda *_: None)
        client.start()
        hello.append(time.monotonic() - clock)
        client.call("shutdown", {})
        answer.append(time.monotonic() - clock)
        client.close()
        cpu.append(children() - before)
    loads = []
    for _ in range(3):
        before = children()
        made = begin(world)
        made._is_ready()
        size = made.run.path.stat().st_size
        made.abandon()
        loads.append(children() - before - min(cpu))
    milliseconds = {"hello_ms": min(hello), "answer_ms": min(answer), "cpu_ms": min(cpu), "load_ms": min(loads)}
    return {name: round(value * 1e3, 1) for name, value in milliseconds.items()} | {"manifest_mb": round(size / 1e6, 1)}


def measure(n, threads, binary):
    with tempfile.TemporaryDirectory(prefix="hodor-decide-") as folder:
        world = World(n, Path(folder), ROOT / "project" / "testdata" / "manifest_duckdb.json", binary)
        result = {"nodes": n, "threads": threads, "bytes": sum(map(len, world.texts().values()))}
        result["start"] = start_up(world)
        result["first"] = one_run(world, threads, False)
        result["steady"] = one_run(world, threads, True)
        world.edit += 1
        result["changed"] = one_run(world, threads, False)
    return result


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--nodes", type=int, default=10_000)
    options.add_argument("--threads", type=int, default=1)
    chosen = options.parse_args()
    result = measure(chosen.nodes, chosen.threads, _binary.find())
    json.dump(result, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
