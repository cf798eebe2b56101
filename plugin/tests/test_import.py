"""dbt imports every dbt_* module for each of its commands: importing ours must cost nothing and never fail."""

import subprocess
import sys

import dbt_hodor


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_loads_nothing():
    code = "import sys; before = set(sys.modules); import dbt_hodor; print(sorted(set(sys.modules) - before))"
    assert run(code) == "['dbt_hodor']"


def test_console_scripts_load_no_dbt():
    code = (
        "import sys, dbt_hodor._binary, dbt_hodor.cli; "
        "print([m for m in ('dbt', 'duckdb', 'xxhash', 'asyncio', 'json', 'subprocess') if m in sys.modules])"
    )
    assert run(code) == "[]"


def test_a_plugin_that_can_not_be_made_is_none_and_a_warning():
    code = (
        "import sys; sys.modules['dbt_hodor.session'] = None; sys.modules['dbt.plugins.manager'] = None; "
        "import dbt_hodor; print(dbt_hodor.plugins)"
    )
    assert run(code).splitlines()[-1] == "[]"


def test_plugins_and_version():
    from dbt.plugins.manager import dbtPlugin

    assert [issubclass(plugin, dbtPlugin) for plugin in dbt_hodor.plugins] == [True]
    assert dbt_hodor.__version__[0].isdigit()
    assert hasattr(dbt_hodor, "plugins") and not hasattr(dbt_hodor, "nothing")
