"""The pieces of live.py that need no run."""

import json

import pytest
from conftest import ROOT
from dbt_hodor import live
from dbt_hodor.live import Replacements, Run, reads_only, warn_error_text, written_by

STARTED, DAY, ID = "2026-10-20 04:12:00.123456+00:00", "2026-10-20 04:12:00", "4b0a52c3-64ae-4f3c-9c3b-4d7a3c3f8a11"
PAIRS = [[STARTED, "{{run_started_at:1}}"], [DAY, "{{run_started_at:2}}"], [ID, "{{invocation_id:1}}"]]


@pytest.fixture(autouse=True)
def hash_loaded():
    live.load_xxh3()


@pytest.mark.parametrize(
    "sql, expected",
    [
        (f"select '{ID}'", "select '{{invocation_id:1}}'"),
        (f"'{STARTED}'", "'{{run_started_at:1}}'"),
        (f"'{DAY}'", "'{{run_started_at:2}}'"),
        (f"'{DAY}.9'", "'{{run_started_at:2}}.9'"),
        (f"{ID}{STARTED}{ID}", "{{invocation_id:1}}{{run_started_at:1}}{{invocation_id:1}}"),
        ("select '2026-10-20'", "select '2026-10-20'"),
        (f"select '{ID[:-1]}'", f"select '{ID[:-1]}'"),
        (ID.upper(), ID.upper()),
        ("", ""),
    ],
)
def test_replacements_in_one_pass(sql, expected):
    assert Replacements(PAIRS).apply(sql) == expected


def test_the_first_literal_of_the_list_wins():
    assert Replacements([["ab", "1"], ["abc", "2"], ["b", "3"]]).apply("abc b ab") == "1c 3 1"
    assert Replacements([["abc", "2"], ["ab", "1"], ["b", "1"]]).apply("abc b ab") == "2 1 1"
    assert Replacements([["a.c", "x"], ["a.c", "y"]]).apply("abc a.c") == "abc x"


def test_a_placeholder_is_not_replaced_again():
    assert Replacements([["a", "b"], ["b", "a"]]).apply("ab") == "ba"


def text_hash(sql, pairs=PAIRS):
    run = Run.__new__(Run)
    run.replacements = Replacements(pairs)
    return run.text_hash(sql)


def test_text_hash():
    assert text_hash("") == "99aa06d3014798d86001c324468d497f"  # the empty text, as the algorithm's own tests have it
    assert text_hash(f"select '{ID}'") == text_hash("select '{{invocation_id:1}}'")
    assert text_hash("select 1") != text_hash("select 1 ")
    assert text_hash("select 'Zo\u00eb'") == live.xxh3("select 'Zo\u00eb'".encode())
    for none in (None, 7, b"select 1", "select '\ud800'"):
        assert text_hash(none) is None


def test_has_text():
    """The hash of the text as it stands tells only where no placeholder can be in it; else what the replacements leave is hashed."""
    run = live.Run.__new__(live.Run)
    run.replacements = live.Replacements(PAIRS)
    for sql in ("", "select 1", "select '{'", f"select '{ID}'", "select '{{invocation_id:1}}'", "select '\ud800'", None, 7):
        assert run.has_text(sql, run.text_hash(sql))
        assert not run.has_text(sql, "0" * 32)
    # Recorded was a text with a placeholder, and one that reads like it is another.
    recorded = run.text_hash(f"select '{ID}'")
    braces = live.Replacements([*PAIRS, ["{{", "{{{{"]])
    run.replacements = braces
    assert run.has_text(f"select '{ID}'", recorded) and not run.has_text("select '{{invocation_id:1}}'", recorded)


VECTORS = ROOT / "normalize" / "testdata" / "text_hash.jsonl"


def test_text_hash_vectors():
    """The same file is a test of the Go side: a line is a run with its replacements, or a text of such a run."""
    runs, texts = {}, 0
    for line in VECTORS.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if "sql" not in case:
            runs[case["run"]] = Replacements(case["replacements"])
            continue
        texts += 1
        replaced = runs[case["run"]].apply(case["sql"])
        assert replaced == case.get("replaced", ""), case["name"]
        assert live.xxh3(replaced.encode()) == case["text_hash"], case["name"]
    assert texts > 20


def test_every_literal_is_found_alone_and_beside_others():
    (run,) = (json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()[:1])
    replacements = Replacements(run["replacements"])
    for literal, placeholder in run["replacements"]:
        for around in ("", "-- " + "x" * 500 + "\n"):
            assert replacements.apply(f"{around}x'{literal}'{around}") == f"{around}x'{placeholder}'{around}"
    assert len(replacements._probes) < 20


def test_written_by(tmp_path):
    path = tmp_path / "manifest.json"
    assert not written_by(str(path), "x")
    for text, expected in (
        ('{"metadata": {"a": "}", "invocation_id": "x"}, "nodes": {' + " " * 100_000, True),
        ('{"metadata": {"invocation_id": "y"}, "nodes": {}}', False),
        ('{"nodes": {"metadata": {"invocation_id": "x"}}}', False),
        ('{"metadata": {"env": {"a": "\\"invocation_id\\": \\"x\\""}}}', False),
        ('{"metadata": 1}', False),
        ("", False),
    ):
        path.write_text(text)
        assert written_by(str(path), "x") is expected, text[:60]
    path.write_bytes(b"\xff\xfe")
    assert not written_by(str(path), "x")


@pytest.mark.parametrize(
    "text, expected",
    [
        ('CREATE VIEW main.p AS SELECT * FROM shop.main."p_v2";', True),
        ("create view p as select * from main.p_v2", True),
        ("select * from `Shop`.`main`.`P_v2`", True),
        ("CREATE VIEW p AS SELECT * FROM shop.main.p_v1", False),
        ("CREATE VIEW p AS SELECT * FROM shop.main.p_v2 WHERE x", False),
        ("CREATE VIEW p AS SELECT id FROM shop.main.p_v2", False),
        ("CREATE VIEW p AS SELECT * FROM other.main.p_v2", False),
        ("CREATE VIEW p AS SELECT * FROM p_v2", False),
        ("", False),
        (None, False),
    ],
)
def test_reads_only(text, expected):
    assert reads_only(text, "shop", "main", "p_v2") is expected


def test_warn_error_text():
    import dbt_common.events.functions  # noqa: F401, without it dbt_common's own imports go round in a circle
    from dbt_common.helper_types import WarnErrorOptionsV2

    class Flags:
        WARN_ERROR = False
        WARN_ERROR_OPTIONS = WarnErrorOptionsV2()

    assert warn_error_text(Flags) == "" == warn_error_text(object())
    Flags.WARN_ERROR_OPTIONS = WarnErrorOptionsV2(error="all", warn=["B", "A"], valid_error_names={"A", "B"})
    assert warn_error_text(Flags) == '{"error":"all","warn":["A","B"]}'
    Flags.WARN_ERROR_OPTIONS = WarnErrorOptionsV2(error=["B", "A"], valid_error_names={"A", "B"})
    assert warn_error_text(Flags) == '{"error":["A","B"]}'
    Flags.WARN_ERROR = True
    assert warn_error_text(Flags) == "all"


class Nodes:
    """A manifest of sources and nodes for one question."""

    def __init__(self, sources, nodes):
        self.sources, self.nodes = sources, nodes


class Thing:
    def __init__(self, parents=(), ephemeral=False, meta=None, extra=None):
        self.depends_on = type("D", (), {"nodes": list(parents)})()
        self.is_ephemeral_model, self.meta = ephemeral, meta or {}
        self.config = type("C", (), {"_extra": extra or {}})()


def test_nodes_that_load_a_plugin_source_while_they_compile():
    run = Run.__new__(Run)
    run.adapter = type("A", (), {"type": lambda self: "duckdb"})()
    nodes = {
        "reader": Thing(["s.one"]),
        "ephemeral": Thing(["s.two"], ephemeral=True),
        "child": Thing(["ephemeral"]),
        "grandchild": Thing(["child"]),
        "other": Thing(["s.plain"]),
    }
    sources = {"s.one": Thing(meta={"plugin": "excel"}), "s.two": Thing(extra={"plugin": "gsheet"}), "s.plain": Thing()}
    run.manifest = Nodes(sources, nodes)
    assert run._nodes_that_load_sources() == {"reader", "ephemeral", "child"}
    run.manifest = Nodes({"s.plain": Thing()}, nodes)
    assert run._nodes_that_load_sources() == frozenset()
