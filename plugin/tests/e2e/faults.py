"""Executables that stand in for the service by HODOR_BINARY, each with one fault."""

import sys
from pathlib import Path


def script(directory: Path, name: str, text: str) -> Path:
    """An executable Python script."""
    path = directory / name
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)
    return path


def tripwire(directory: Path) -> tuple[Path, Path]:
    """An executable that leaves a file behind when it is started, and that file."""
    sprung = directory / "sprung"
    return script(directory, "tripwire", f"open({str(sprung)!r}, 'w').close()\n"), sprung
