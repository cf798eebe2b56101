"""A dbt plugin that returns `Reused` for every model without asking anyone: what a run costs that reuses all, and nothing more."""

from dbt.plugins.manager import dbtPlugin


class ReuseAll(dbtPlugin):
    @property
    def name(self):
        return "dbt_reuse_all"

    def initialize(self):
        from dbt.artifacts.schemas.results import RunStatus
        from dbt.artifacts.schemas.run import RunResult
        from dbt.task.run import ModelRunner

        def execute(self, model, manifest):
            return RunResult.from_node(model, RunStatus.Reused, "REUSED no_new_data")

        ModelRunner.execute = execute


plugins = [ReuseAll]
