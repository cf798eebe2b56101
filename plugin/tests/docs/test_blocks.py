"""What stands in the pages, apart from what the commands do (test_commands.py): code parses, settings exist, links lead somewhere."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from dbt_hodor import _binary
from dbt_hodor.settings import OTHER_VARIABLES, SETTINGS, resolve

from . import blocks
from .blocks import ROOT, Block

#: Keys below `state:` (docs/settings.md, "Settings of a node").
STATE = {
    *("lag_tolerance", "require_fresh_data_from", "compare_unrendered_code", "evaluate_volatile_sql"),
    *("execute_hooks_on_any_reuse", "execute_hooks_on_reuse", "pre_clone", "allow_clones", "defer_to_target"),
}
#: Variables of hodor's own long tests (CONTRIBUTING.md, docs/reliability.md).
TESTING = re.compile(r"HODOR_(LONG|MUTANTS|(SIMULATION|SOUNDNESS|SELECT)_[A-Z]+)")


def of(*languages: str) -> list[Block]:
    return [block for block in blocks.all_blocks() if block.language in languages]


def params(*languages: str):
    return pytest.mark.parametrize("block", of(*languages), ids=str)


def test_code_stands_in_fences():
    loose = [place for page in blocks.pages() for place in blocks.read(page)[1]]
    assert not loose, f"code without a fence at {', '.join(loose)}"
    for block in blocks.all_blocks():
        assert block.language in blocks.LANGUAGES, f"{block}: language {block.language!r} is none of {sorted(blocks.LANGUAGES)}"


def test_what_is_not_run_says_why():
    for block in blocks.all_blocks():
        if block.mark:
            assert block.language in ("sh", "console"), f"{block}: only commands are run, so nothing else is marked"
            assert block.mark in blocks.REASONS, f"{block}: {block.mark!r} is none of {sorted(blocks.REASONS)}"
    marked = sum(len(re.findall(r"(?m)^ *<!-- not run:", page.read_text())) for page in blocks.pages())
    assert marked == sum(bool(block.mark) for block in blocks.all_blocks()), "a mark that stands before no fence"


def test_targets_of_make_exist():
    known = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in blocks.pages():
        for line in page.read_text().splitlines():
            named = re.findall(r"(?:^|&& |`)(?:[A-Z_]+=\S+ )*make ((?:[a-z0-9-]+|[A-Z_]+=\S+)(?: [a-z0-9-]+)*)", line)
            for words in named:
                for word in words.split():
                    assert "=" in word or word in known, f"{blocks.name(page)}: make {word}: {line}"


@params("yaml")
def test_yaml(block):
    for document in yaml.safe_load_all(block.text):
        for settings in mappings_with(document, "hodor_"):
            given = {key: value for key, value in settings.items() if key.startswith("hodor_")}
            adapter = settings.get("type", "databricks")
            assert (
                resolve(adapter, "main", "prod", {"hodor_schema": "ops", "hodor_database": "main"} | given, {}, {}).warnings == []
            )
        for settings in states(document):
            assert set(settings) <= STATE, f"{block}: {settings}"


def mappings_with(value, prefix: str):
    """Every mapping at any depth that has a key with the prefix."""
    if isinstance(value, dict):
        if any(isinstance(key, str) and key.startswith(prefix) for key in value):
            yield value
        for inner in value.values():
            yield from mappings_with(inner, prefix)
    elif isinstance(value, list):
        for inner in value:
            yield from mappings_with(inner, prefix)


def states(value):
    """Every mapping at any depth that stands below `+state`, or below `state` of a `config`."""
    for mapping in mappings_with(value, ""):
        for inner in (mapping.get("+state"), (mapping.get("config") or {}).get("state")):
            if inner is not None:
                yield inner


@params("json", "toml", "python")
def test_data_and_python(block):
    if block.language == "json":
        json.loads(block.text)
    elif block.language == "toml":
        pytest.importorskip("tomllib").loads(block.text)
    else:
        compile(block.text, str(block), "exec")


@params("sql")
def test_sql(block):
    """Every statement parses in one of the two dialects; models, whose Jinja hodor never sees, with a name in its place."""
    text = re.sub(r"\{\{ *config\(.*?\) *\}\}", "", block.text, flags=re.DOTALL)
    text = re.sub(r"\{% .*? %\}", "", re.sub(r"\{\{.*?\}\}", "name", text))
    binary = _binary.find()
    for statement in text.split(";\n"):
        if not statement.strip():
            continue
        found = []
        for dialect in ("duckdb", "databricks"):
            done = subprocess.run(
                [binary, "normalize", "--json", "--dialect", dialect, "-"],
                input=statement,
                capture_output=True,
                text=True,
                check=False,
            )
            found.append(json.loads(done.stdout))
        assert any(answer["level"] != "text" for answer in found), f"{block}: {statement}\n{found[0].get('error')}"


@params("sh", "console", "yaml")
def test_variables_exist(block):
    known = {f"HODOR_{name.upper()}" for name in SETTINGS} | OTHER_VARIABLES
    for name in re.findall(r"\bHODOR_[A-Z_]+", block.text):
        assert name in known or TESTING.fullmatch(name), f"{block}: no variable is called {name}"


@pytest.mark.parametrize("page", blocks.pages(), ids=blocks.name)
def test_links(page: Path):
    for target in blocks.LINK.findall(blocks.outside_fences(page)):
        if re.match(r"https?:|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        assert other.exists(), f"{blocks.name(page)}: no {target}"
        if anchor and other.suffix == ".md":
            assert anchor in blocks.anchors(other), f"{blocks.name(page)}: {blocks.name(other)} has no heading #{anchor}"


def test_rules_stand_in_one_order():
    """docs/how-it-decides.md lists the rules as docs/reason-codes.md does, which engine's tests hold to the code."""
    listed = re.findall(r"^\| \d+ \| \[`(\w+)`\]", (ROOT / "docs" / "how-it-decides.md").read_text(), re.MULTILINE)
    codes = re.findall(r"^## `(\w+)`", (ROOT / "docs" / "reason-codes.md").read_text(), re.MULTILINE)
    assert [*listed, "hodor_error"] == codes


def test_every_page_is_in_the_site():
    """mkdocs would build a page that the navigation lacks, and nobody would find it; one that it has twice it would list twice."""
    listed = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text())
    here = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert here <= set(listed), f"not in mkdocs.yml: {sorted(here - set(listed))}"
    twice = sorted({page for page in listed if listed.count(page) > 1})
    assert not twice, f"more than once in mkdocs.yml: {twice}"


#: The package by its name, as an index would be asked for it: behind `install` or in a list of requirements, or with an extra or a version. The wheel's
#: file name, a direct reference (`dbt-hodor @ file:...`) and what is no requirement are none.
BY_NAME = re.compile(
    r"\b(?:install|add|package:|dependencies:)(?=[\s:\[])[^\n`;&|]*?(?<![\w./-])dbt[-_.]hodor(?:\[[\w,\s]*\])?(?=[\s\"',;`)\]}=<>~!]|$)(?!\s*@)"
    r"|(?<![\w./-])dbt[-_.]hodor(?:\[[\w,\s]*\](?!\s*@)|\s*(?:[=~!]=|[<>]=?)\s*\d)"
    r"|^\s*- [\"']?dbt[-_.]hodor(?:\[[\w,\s]*\])?[\"']?\s*$",
    re.MULTILINE,
)


@pytest.mark.parametrize(
    "text, yes",
    [
        ("pip install dbt-hodor", True),
        ("- run: pip install dbt-databricks dbt-hodor", True),
        ("(pip install --force-reinstall --only-binary dbt-hodor dbt-hodor), ", True),
        ("pip install 'dbt_hodor[lakebase]'", True),
        ("uv add dbt-hodor", True),
        ("with its extra: `dbt-hodor[lakebase]`", True),
        ('dependencies: ["dbt-databricks==1.12.7", "dbt-hodor==0.1.0"]', True),
        ("dependencies: [dbt-hodor]", True),
        ('{pypi: {package: "dbt-hodor"}}', True),
        ("  - dbt-hodor", True),
        ("pip install dist/dbt_hodor-*.whl", False),
        ("pip install dbt_hodor-...whl, from a release", False),
        ("pip install 'dbt_hodor-0.1.0-py3-none-manylinux_2_34_x86_64.whl[lakebase]'", False),
        ("dbt-hodor[duckdb,postgres,lakebase] @ file:///dist/x.whl", False),
        ("pip uninstall dbt-hodor", False),
        ("in the environment where dbt and dbt-hodor are installed", False),
        ("dbt-hodor explain -s NODE says why", False),
        ("dependencies: [/Volumes/main/ops/wheels/dbt_hodor-0.1.0-py3-none-any.whl]", False),
    ],
)
def test_what_names_it_to_an_index(text, yes):
    assert bool(BY_NAME.search(text)) == yes


def test_nobody_installs_the_other_project():
    """The public index has another project under the name dbt-hodor: no page, message or script may have anybody install it by that name. The
    benchmarks' environment, which is for that other project, is pinned in requirements/."""
    folders = "plugin/src cmd doctor executor explain protocol report session state stores demo tools .github".split()
    found = [*blocks.pages(), *(ROOT / name for name in ("SECURITY.md", "CHANGELOG.md", "Makefile", "plugin/hatch_build.py"))]
    for folder in folders:
        found += [path for path in (ROOT / folder).rglob("*") if path.suffix in {"", ".py", ".go", ".yml"} and path.is_file()]
    assert len(found) > 200
    for path in found:
        if "bin" in path.parts or ".work" in path.parts:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        text = re.sub(r'"\s*\n\s*f?"', "", text)  # a message of several literals is one
        wrong = BY_NAME.search(text)
        assert not wrong, f"{path.relative_to(ROOT)}: {wrong[0]!r} asks an index for another project; name the wheel file"


def test_wheels_have_their_full_name():
    """pip refuses a wheel whose file name lacks the version or the tags. `*` and `...` stand for them."""
    full = re.compile(r"dbt_hodor-(\*|\.\.|\d+\.\d+\.\d+-py3-none-\w+)\.whl")
    for page in blocks.pages():
        for wheel in re.findall(r"\bdbt_hodor[^\s/\"'`]*\.whl", page.read_text()):
            assert full.fullmatch(wheel), f"{blocks.name(page)}: {wheel}"


def test_help_lists_every_command():
    """`make help` prints each target that says what it does, whatever its name is made of."""
    makefile = (ROOT / "Makefile").read_text()
    told = {name for names in re.findall(r"(?m)^([\w./ %-]+):[^=\n]*## ", makefile) for name in names.split()}
    done = subprocess.run(["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = set(re.findall(r"(?m)^  make (\S+) ", done.stdout))
    assert len(told) > 30 and told <= listed, sorted(told - listed)
