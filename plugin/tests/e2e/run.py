"""What one dbt command did: exit status, output, status of each node, and the records that hodor wrote for it."""

import ast
import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

REUSE_REASONS = {"no_new_data", "view_unchanged", "within_lag_tolerance"}
SUMMARY = re.compile(r"hodor: (\d+) reused, (\d+) built, (\d+) (?:fail-open )?errors?")

#: The columns of the state table of spec section 8.1 that the tests look at.
COLUMNS = (
    "record_id, invocation_id, recorded_at_ms, node_key, unique_id, mode, decision, reason, action, status, code_hash,"
    " config_hash, data_version, built_at_ms, upstreams, test_result, sql_facts"
)


def short_name(unique_id: str) -> str:
    """model.shop.orders -> orders; test.shop.amount_positive.0123456789 -> amount_positive; model.shop.m.v2 -> m.v2;
    unit_test.shop.orders.names -> names."""
    parts = unique_id.split(".")
    return parts[2] if parts[0] == "test" else parts[3] if parts[0] == "unit_test" else ".".join(parts[2:])


def read_state(path: Path, where: str = "true") -> list[dict]:
    """Rows of the state table in the order in which they were written; none if there is no state file."""
    if not path.exists():
        return []
    import duckdb

    with duckdb.connect(str(path), read_only=True) as connection:
        table = connection.execute(
            "select table_schema || '.' || table_name from information_schema.tables where table_name = 'hodor_state'"
        ).fetchone()
        if table is None:
            return []
        cursor = connection.execute(f"select {COLUMNS} from {table[0]} where {where} order by recorded_at_ms")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]


@dataclass
class Run:
    """The outcome of one dbt command in one project."""

    args: list[str]
    rc: int
    out: str
    err: str
    results: dict | None
    manifest: dict | None
    log: str
    state: Path
    twin: "Run | None" = field(default=None, repr=False)

    @property
    def text(self) -> str:
        return self.out + self.err

    @property
    def invocation_id(self) -> str:
        return self.results["metadata"]["invocation_id"]

    @cached_property
    def statuses(self) -> dict[str, str]:
        """Status by short name; empty if dbt wrote no run_results.json of this run."""
        return {short_name(r["unique_id"]): r["status"] for r in (self.results or {"results": []})["results"]}

    @cached_property
    def failures(self) -> dict[str, int | None]:
        return {short_name(r["unique_id"]): r["failures"] for r in self.results["results"]}

    @cached_property
    def messages(self) -> dict[str, str | None]:
        return {short_name(r["unique_id"]): r["message"] for r in self.results["results"]}

    @cached_property
    def records(self) -> dict[str, dict]:
        """The record of each node in this very invocation, by short name. Two for one node are an error of their own.

        That a build began is left out: it has a record of its own, before the one of its end.
        """
        found = {}
        where = f"invocation_id = '{self.results and self.invocation_id}' and status <> 'begun'"
        for row in read_state(self.state, where) if self.results else []:
            name = short_name(row["unique_id"])
            assert name not in found, f"{name} has two records in one invocation"
            found[name] = row
        return found

    def decided(self, name: str) -> str | None:
        """The recorded reason of a node in this run, None without a record."""
        record = self.records.get(name)
        return record and record["reason"]

    def line(self, name: str) -> str:
        """The result line (not the START line) that dbt printed for a node."""
        pattern = re.compile(rf"\b\d+ of \d+ (?!START)(?:OK|PASS|FAIL|WARN|ERROR|SKIP).*[ .]{re.escape(name)}\b.*")
        found = [line for line in self.out.splitlines() if pattern.search(line)]
        assert found, f"dbt printed no result line for {name}:\n{self.out}"
        return found[-1]

    @property
    def summary(self) -> tuple[int, int, int] | None:
        """(reused, built, errors) of hodor's summary line; None without one."""
        found = SUMMARY.search(self.text)
        return found and tuple(int(part) for part in found.groups())

    @property
    def counters(self) -> dict[str, int]:
        """What the service counted in this run, from dbt's log file (docs/protocol.md, run/finish)."""
        return ast.literal_eval(re.findall(r"hodor: counters: (\{.*\})", self.log)[-1])

    @property
    def warnings(self) -> list[str]:
        """hodor's own lines in dbt's output, the summary left out."""
        lines = [line for line in self.text.splitlines() if re.search(r"\bhodor:", line, re.I)]
        return [line for line in lines if not SUMMARY.search(line)]

    @property
    def reused_count(self) -> int:
        """REUSED= of dbt's own last line."""
        return int(re.search(r"REUSED=(\d+)", self.out).group(1))

    def ran_sql(self, unique_id: str) -> list[str]:
        """Statements that dbt's debug log shows on the connection of this node."""
        return re.findall(rf"On {re.escape(unique_id)}[^:\n]*: (.*)", self.log)

    def expect(self, expected: dict[str, str] | None = None, rest: str | None = None, mode: str = "on", rc: int | None = None):
        """Asserts "status reason" for each node: dbt's own status, and the recorded decision, reason, action and mode.

        `rest` says what holds for every node not named. "reused" means: views `view_unchanged`, everything else `no_new_data`,
        tests replayed with the status `pass`, and stg_customers built as `select_star_view`. A status without a reason leaves
        the record open; "-" as reason demands that there is no record.
        """
        wanted = {name: self._default(name, rest) for name in self.statuses} if rest else {}
        wanted |= expected or {}
        wrong = []
        for name, words in wanted.items():
            status, _, reason = words.partition(" ")
            wrong += self._compare(name, status, reason, mode)
        if rc is not None and self.rc != rc:
            wrong.append(f"exit status {self.rc}, expected {rc}")
        assert not wrong, "\n".join([f"dbt {' '.join(self.args)}:", *wrong, "", self.text[-3000:]])
        return self

    def _default(self, name: str, rest: str) -> str:
        if rest != "reused":
            return rest
        node = next(n for u, n in self.manifest["nodes"].items() if short_name(u) == name and n["resource_type"] != "operation")
        if node["resource_type"] == "test":
            return "pass no_new_data"
        if name == "stg_customers":
            return "success select_star_view"
        return "reused view_unchanged" if node["config"]["materialized"] == "view" else "reused no_new_data"

    def _compare(self, name: str, status: str, reason: str, mode: str) -> list[str]:
        got = self.statuses.get(name)
        record = self.records.get(name)
        said = f"{record['decision']}/{record['action']} {record['reason']}" if record else "no record"
        if got != status and not (status == "success" and got == "pass"):
            return [f"{name}: status {got} ({said}), expected {status} {reason}"]
        if reason == "-":
            return [f"{name}: {said}, expected no record"] if record else []
        if not reason:
            return []
        if record is None:
            return [f"{name}: no record, expected {reason}"]
        decision = "reuse" if reason in REUSE_REASONS else "build"
        action = "build" if mode == "shadow" else decision
        wrong = []
        if (record["reason"], record["decision"], record["action"], record["mode"]) != (reason, decision, action, mode):
            wrong.append(f"{name}: {said} ({record['mode']}), expected {decision}/{action} {reason} ({mode})")
        if (record["built_at_ms"] is None) != (action == "reuse"):
            wrong.append(f"{name}: built_at_ms is {record['built_at_ms']} though the action was {action}")
        return wrong


def load_json(path: Path) -> dict | None:
    """A JSON file, None where there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
