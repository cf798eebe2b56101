"""The console script dbt-hodor with real dbt: project, profile and settings by dbt's own loaders, then the executable's commands."""

import json
import subprocess

import pytest

from . import shop


def console(project, *words: str, where=None, **env: str) -> subprocess.CompletedProcess:
    """Runs the installed script in the project's folder."""
    script = project.environment.python.parent / "dbt-hodor"
    return subprocess.run(
        [script, *words],
        cwd=where or project.dir,
        env=project._environ(env),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_explain_history_and_report(settled_both):
    project = settled_both
    project.sql(shop.NEW_ORDER)
    project.dbt("build")
    brief = console(project, "explain", "--brief")
    assert brief.returncode == 0, brief.stderr
    assert "new_upstream_data" in brief.stdout and "view_unchanged" in brief.stdout
    one = console(project, "explain", "-s", "daily", "--json")
    node = json.loads(one.stdout)["nodes"][0]
    assert node["unique_id"] == "model.shop.daily" and node["reason"] == "new_upstream_data"
    roots = node["cause"]["causes"]
    while roots[0]["causes"]:
        roots = roots[0]["causes"]
    assert roots[0]["name"].endswith("raw.orders"), node["cause"]
    past = console(project, "history", "orders")
    assert past.returncode == 0 and "model.shop.orders: 2 built, 1 reused" in past.stdout, past.stdout + past.stderr
    page = project.dir / "report.html"
    assert console(project, "report", "--html", "report.html").returncode == 0
    assert "model.shop.daily" in page.read_text(encoding="utf-8")


def test_where_the_project_is(settled, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    nothing = console(settled, "explain", where=elsewhere)
    assert nothing.returncode == 3 and "dbt_project.yml" in nothing.stderr and nothing.stderr.count("\n") == 1
    named = console(
        settled,
        "explain",
        "--brief",
        f"--project-dir={settled.dir}",
        "--profiles-dir",
        str(settled.dir),
        where=elsewhere,
    )
    assert named.returncode == 0, named.stderr
    below = console(settled, "explain", "--brief", "--profiles-dir", "..", "--project-dir", "..", where=settled.dir / "models")
    assert below.returncode == 0, below.stderr
    other = console(settled, "prune", HODOR_PATH="other/state.duckdb")
    assert other.returncode == 0 and other.stdout.startswith("0 records of project shop, target dev"), other.stderr
    assert console(settled, "explain", "--target", "prod").returncode == 3  # the profile has no such target
    assert console(settled, "explain", "--profiles-dir").returncode == 2


def test_mode_off_can_be_explained(settled):
    settled.profile(hodor_mode="off")
    assert console(settled, "explain", "--brief").returncode == 0
    checked = console(settled, "doctor", "--json")
    findings = {f["check"]: f for f in json.loads(checked.stdout)["findings"]}
    assert checked.returncode == 0 and findings["mode"]["state"] == "warn", checked.stdout


def test_doctor(settled_both):
    project = settled_both
    project.profile(hodor_lookback_days="ninety")
    checked = console(project, "doctor", "--json", HODOR_PRICE_PER_HOUR="4")
    answer = json.loads(checked.stdout)
    states = {f["check"]: f["state"] for f in answer["findings"]}
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert states == {
        "binary": "ok", "dbt": "ok", "patches": "ok", "project": "ok", "adapter": "ok", "settings": "warn", "mode": "ok", "store": "ok", "store writable": "ok",
    }  # fmt: skip
    settings = {s["name"]: s for s in answer["settings"]}
    assert settings["hodor_mode"] == {"name": "hodor_mode", "value": "on", "source": "profiles.yml, target dev"}
    assert settings["hodor_price_per_hour"]["source"] == "environment variable HODOR_PRICE_PER_HOUR"
    assert settings["hodor_table"]["source"] == "default"


@pytest.mark.parametrize("command", ["doctor", "explain"])
def test_no_secret_is_printed(settled, command):
    """A profile that renders a secret: where it works, and where dbt's own error quotes it."""
    word = "s3cret-word"
    settled.profile(schema="{{ env_var('SHOP_TOKEN') }}")
    works = console(settled, command, SHOP_TOKEN=word)
    settled.profile(type="{{ env_var('SHOP_TOKEN') }}")
    breaks = console(settled, command, SHOP_TOKEN=word)
    assert breaks.returncode != 0
    for run in (works, breaks):
        assert word not in run.stdout + run.stderr


def test_what_needs_no_project(settled, tmp_path):
    assert console(settled, "version", where=tmp_path).stdout.startswith("dbt-hodor ")
    helped = console(settled, "explain", "--help", where=tmp_path)
    assert helped.returncode == 0 and "dbt-hodor explain -s dim_customers" in helped.stdout and "--profiles-dir" in helped.stdout
    assert console(settled, "nonsense", where=tmp_path).returncode == 2
