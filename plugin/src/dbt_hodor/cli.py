"""The console script dbt-hodor."""

from __future__ import annotations

import sys

from dbt_hodor import _binary


def main() -> int:
    return _binary.start("dbt-hodor", sys.argv[1:])
