"""The plugin that dbt loads: called once for each command that loads a project, before anything is parsed."""

from __future__ import annotations

from dbt.plugins.manager import dbtPlugin

from dbt_hodor import log

GATED = frozenset({"run", "build", "test", "seed", "snapshot", "retry"})


class HodorPlugin(dbtPlugin):
    """`initialize` never raises: dbt would fail the command, whatever it is."""

    @property
    def name(self) -> str:
        return "dbt_hodor"

    def initialize(self) -> None:
        """Patches what this command needs. A warning says so where it can't, and the command is plain dbt."""
        # For every command and in every mode: a saved parse without the merge is wrong for later runs.
        try:
            from dbt_hodor import state_config

            state_config.install()
        except Exception as error:
            # Nothing is reused then either: a manifest parsed without it does not have its mark.
            log.warn(f"this dbt-core can't be patched to merge `state:` ({type(error).__name__}: {error}).")
        try:
            from dbt_hodor import session

            session.arm(False)
            # What else this run needs to know (mode, adapter, the command that `retry` repeats) is settled when dbt begins
            # to execute nodes: only then do the flags say it for `retry` as well.
            command = self._command()
            if command in GATED:
                from dbt_hodor import patches

                patches.install(command)
                session.arm(True)
        except Exception as error:
            log.warn(f"off: this dbt-core can't be patched ({type(error).__name__}: {error}). This run is plain dbt.")

        self._tell_start()

    def _tell_start(self) -> None:
        """Says when this run began, where `hodor-sql state` started dbt and asks for it: no artifact holds the moment that
        `run_started_at` prints, and compiled SQL that has it could not be told from changed SQL."""
        import os

        try:
            if os.environ.get("HODOR_TELL_START"):
                from datetime import timezone

                from dbt import tracking

                started = tracking.active_user.run_started_at.astimezone(timezone.utc)
                log.info(f"run_started_at {started.isoformat(timespec='microseconds')}")
        except Exception as error:
            log.debug(f"the start of this run can't be told ({type(error).__name__}: {error}).")

    def _command(self) -> str | None:
        from dbt.flags import get_flags

        return getattr(get_flags(), "WHICH", None)
