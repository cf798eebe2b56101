"""Makes Airflow's database, then runs the DAGs named on the command line; prints one line of JSON a run. In a process of its own, since
Airflow reads its settings once.

    python cosmos_run.py DAG:VARIABLE=VALUE ...    # the variable stays set for the runs that follow
"""

import json
import os
import sys


def airflow(*words: str) -> None:
    from airflow.cli.cli_parser import get_parser

    options = get_parser().parse_args(words)
    options.func(options)


def main() -> None:
    airflow("db", "migrate")
    airflow("dags", "reserialize")
    sys.path.insert(0, os.environ["AIRFLOW__CORE__DAGS_FOLDER"])
    import cosmos_dags

    for word in sys.argv[1:]:
        name, setting = word.split(":", 1)
        variable, value = setting.split("=", 1)
        os.environ[variable] = value
        run = getattr(cosmos_dags, name).test()
        states = {task.task_id: str(task.state) for task in run.get_task_instances()}
        print("RESULT " + json.dumps({"run": word, "state": str(run.state), "tasks": states}), flush=True)


if __name__ == "__main__":
    main()
