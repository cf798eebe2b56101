"""dbt-hodor: Hold Old Data, Or Rebuild. A dbt plugin that reuses what did not change.

dbt imports every top-level module called dbt_* for each of its commands and asks it for `plugins`. So this module imports
nothing: both of its names are made when they are first asked for, and neither can raise. An exception here would fail
every dbt command of the installation, `dbt ls` included.
"""

__all__ = ["__version__", "plugins"]


def __getattr__(name):
    if name == "plugins":
        value = _plugins()
    elif name == "__version__":
        value = _version()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _plugins():
    try:
        from dbt_hodor.plugin import HodorPlugin

        return [HodorPlugin]
    except Exception as error:
        from dbt_hodor import log

        log.warn(f"the plugin can't be loaded ({type(error).__name__}: {error}); this command is plain dbt.")
        return []


def _version():
    """The release, as the one VERSION file has it: beside the sources of a checkout, else in the installed package's metadata."""
    from pathlib import Path

    try:
        return (Path(__file__).parents[3] / "internal" / "version" / "VERSION").read_text().strip()
    except (OSError, IndexError):
        pass
    try:
        from importlib.metadata import version

        return version("dbt-hodor")
    except Exception:
        return "unknown"
