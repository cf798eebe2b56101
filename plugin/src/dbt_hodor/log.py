"""What hodor says, through dbt's own events, so that --quiet, --log-format json and the log file treat it as dbt's lines.

Nothing here raises: with --warn-error dbt may turn a warning into an exception, and a message of ours must not fail a run.
"""

from __future__ import annotations

PREFIX = "hodor: "


def warn(text: str) -> None:
    """One warning line on the console and in the log. Falls back to an information where warnings are errors."""
    text = " ".join(line.strip() for line in text.splitlines() if line.strip())  # an engine's message may have several
    try:
        from dbt_common.ui import warning_tag

        tagged = warning_tag(PREFIX + text)
    except Exception:
        tagged = PREFIX + text
    if not _fire(tagged, "warn"):
        _fire(PREFIX + text, "info")


def info(text: str) -> None:
    """One line on the console, as dbt's own progress lines."""
    _fire(PREFIX + text, "info")


def debug(text: str) -> None:
    """One line in dbt's log file, or on the console with --debug."""
    _fire(PREFIX + text, "debug")


def _fire(text: str, level: str) -> bool:
    try:
        from dbt_common.events.base_types import EventLevel
        from dbt_common.events.functions import fire_event
        from dbt_common.events.types import Note

        fire_event(Note(msg=text), level=EventLevel(level))
        return True
    except Exception:
        return False
