"""Running the commands of a page, in order, as its reader would."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

from e2e.project import PATIENCE, Environment

from . import blocks

#: What makes a line one for the shell; any other `dbt` and `dbt-hodor` run in forks of a process that has dbt imported.
SHELL = re.compile(r"[|&;<>$`*]|\bcd ")
ASSIGNMENT = re.compile(r"([A-Z_]+)=(.*)", re.DOTALL)


def run_page(page: Path, folder: Path, environment: Environment) -> int:
    """Writes the files of a page and runs its commands in the folder. Returns how many it ran."""
    count = 0
    for block in blocks.read(page)[0]:
        if block.title:
            target = folder / block.title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language in ("sh", "console") and not block.mark:
            for command, said in blocks.commands(block):
                rc, printed = run(command.replace("ID", newest_invocation(folder)), folder, environment)
                assert rc == 0, f"{block}: {command}: exit status {rc}\n{printed}"
                if block.language == "console":
                    assert fits(said, printed), f"{block}: {command} printed\n{printed}\nwhich is not\n" + "\n".join(said)
                count += 1
    return count


def newest_invocation(folder: Path) -> str:
    """What `ID` stands for in a command: the newest dbt invocation in the folder."""
    results = folder / "target" / "run_results.json"
    return json.loads(results.read_text())["metadata"]["invocation_id"] if results.exists() else "ID"


def run(command: str, folder: Path, environment: Environment) -> tuple[int, str]:
    """Exit status and output (stdout, then stderr) of one command line."""
    out, err = folder / ".out", folder / ".err"
    variables = {**environment.base, "COLUMNS": "160"}
    words = shlex.split(command, comments=True)
    while words and (found := ASSIGNMENT.fullmatch(words[0])):
        variables[found[1]] = found[2]
        words.pop(0)
    if words[0] in ("dbt", "dbt-hodor") and not SHELL.search(command):
        rc = environment.server.start(words[0], folder, variables, out, err, args=words[1:]).wait(PATIENCE)
    else:
        variables = {**os.environ, **environment.base, "COLUMNS": "160"}
        with out.open("wb") as stdout, err.open("wb") as stderr:
            rc = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command],
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                timeout=PATIENCE,
                check=False,
            ).returncode
    return rc, plain(out.read_text(encoding="utf-8", errors="replace") + err.read_text(encoding="utf-8", errors="replace"))


def plain(printed: str) -> str:
    """Output without colours and without the time that dbt puts before each line."""
    return re.sub(r"(?m)^\d\d:\d\d:\d\d  ?", "", re.sub(r"\x1b\[[0-9;]*m", "", printed))


def fits(said: list[str], printed: str) -> bool:
    """Whether a page tells the truth about what a command prints. `...` alone stands for any lines, `...` within a line for any text;
    how many dots, dashes or blanks fill a line up is no matter."""
    pattern = ""
    for line in said:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
            continue
        parts = re.split(r"(?<!\.)\.\.\.(?!\.)", re.sub(r"\.{4,}", "....", line.rstrip()))
        words = [r"[^\S\n]+".join(re.escape(word) for word in re.split(r"\s+", part)) for part in parts]
        pattern += r"[^\n]*".join(words) + r"[^\S\n]*\n"
    return re.search(r"(?m)^" + pattern, re.sub(r"\.{4,}", "....", printed) + "\n") is not None
