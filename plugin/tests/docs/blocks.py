"""Reading the documentation: its pages, the code in them and the links between them.

Three rules make that possible, and test_blocks.py holds every page to them. All code stands in fences that name their language. A fence
with a `title` is a file of the project that the page builds. What can't be run says why in a comment right before its fence:
`<!-- not run: needs a Databricks workspace -->`.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

#: What a fence may hold. `sh` is commands; `console` is commands behind `$ ` with what they print; `text` is neither code nor data.
LANGUAGES = frozenset({"console", "csv", "json", "python", "sh", "sql", "text", "toml", "yaml"})

#: Why commands may stand in the pages unrun.
REASONS = frozenset(
    {
        "builds hodor itself",
        "installs packages",
        "needs a Databricks workspace",
        "needs a PostgreSQL server",
        "needs another program",
        "needs another release",
    }
)

FENCE = re.compile(r"^( *)(```+)(.*)$")
MARK = re.compile(r"^ *<!-- not run: (.*?) -->")
ITEM = re.compile(r"^ *([-*]|\d+\.) ")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """One fence: where it stands, what it holds, and why it is not run ("" where it is)."""

    page: str
    line: int
    language: str
    title: str
    text: str
    mark: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """Every page for users and developers: README and CONTRIBUTING, the plugin's, and all of docs/."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "plugin" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def read(page: Path) -> tuple[list[Block], list[str]]:
    """The fences of a page, and each place where code stands without one, as `page:line`."""
    blocks, loose = [], []
    fence, body, mark, blank, listed = None, [], "", True, False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        found = FENCE.match(line)
        if fence is not None:
            indent, ticks, info, start = fence
            if found and found[2].startswith(ticks) and not found[3].strip():
                language, _, rest = info.strip().partition(" ")
                title = re.fullmatch(r'title="([^"]+)"', rest.strip())
                text = "".join(one.removeprefix(indent) + "\n" for one in body)
                blocks.append(Block(name(page), start, language, title[1] if title else "", text, mark))
                fence, body, mark, blank = None, [], "", False
            else:
                body.append(line)
        elif found:
            fence = (found[1], found[2], found[3], number)
        else:
            if line.strip():
                said = MARK.search(line)
                mark = said[1] if said else ""
                if ITEM.match(line):
                    listed = True
                elif not line.startswith(" "):
                    listed = False
                elif line.startswith("    ") and blank and not listed:
                    loose.append(f"{name(page)}:{number}")
            blank = not line.strip()
    assert fence is None, f"{name(page)}:{fence[3]}: a fence without an end"
    return blocks, loose


def all_blocks() -> list[Block]:
    return [block for page in pages() for block in read(page)[0]]


def commands(block: Block) -> list[tuple[str, list[str]]]:
    """The commands of a block with the lines that each is said to print; comments are none, and a backslash joins two lines."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.replace("\\\n", " ").splitlines():
        if block.language == "console" and not line.startswith("$ "):
            assert found, f"{block}: output before the first command"
            found[-1][1].append(line)
        elif (command := line.removeprefix("$ ").strip()) and not command.startswith("#"):
            found.append((command, []))
    return found


def outside_fences(page: Path) -> str:
    """The text of a page with its fences and code spans blanked."""
    text, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if FENCE.match(line):
            inside = not inside
            line = ""
        text.append("" if inside else re.sub(r"`[^`]*`", "", line))
    return "\n".join(text)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and Markdown's toc both make them of plain words."""
    found = set()
    for line in page.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"#+ (.*)", line):
            words = re.sub(r"[^\w\- ]", "", heading[1].lower())
            found.add(words.strip().replace(" ", "-"))
    return found
