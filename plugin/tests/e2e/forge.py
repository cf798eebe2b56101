"""Records as a run could have left them, with checksums that are right: history that can't be made by waiting."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import duckdb


def checksum(row: dict) -> str:
    """The checksum of a record: "1:" and the SHA-256 over its columns but the checksum, in the order of the DDL. Text enters as
    its length in bytes, a colon and the bytes; an integer as i42; and NULL as -."""
    parts = []
    for name, value in row.items():
        if name == "checksum":
            continue
        if value is None:
            parts.append(b"-")
        elif isinstance(value, int):
            parts.append(b"i%d;" % value)
        else:
            text = value.encode()
            parts.append(b"%d:%s" % (len(text), text))
    return "1:" + hashlib.sha256(b"".join(parts)).hexdigest()


def forge(state: Path, where: str, change: Callable[[dict], dict]) -> int:
    """Replaces the columns that `change` returns in every record that matches, and seals it again. Returns how many there were.

    It asserts first that the records' own checksums are what `checksum` says, so that a forged one differs in nothing else.
    """
    with duckdb.connect(str(state)) as connection:
        cursor = connection.execute(f"select * from hodor_state where {where}")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row)) for row in cursor.fetchall()]
        for row in rows:
            assert checksum(row) == row["checksum"], "the records' checksums are not made as this test makes them"
            changes = change(row)
            forged = {**row, **changes}
            changes = {**changes, "checksum": checksum(forged)}
            setting = ", ".join(f"{name} = ?" for name in changes)
            connection.execute(f"update hodor_state set {setting} where record_id = ?", [*changes.values(), row["record_id"]])
    return len(rows)
