"""The console script dbt-hodor: the commands of hodor-sql, told of the project and the store by dbt's own loaders.

Profile and project are loaded as dbt loads them, so env_var(), targets and HODOR_* hold as in a run; `--vars` is not read. The
executable gets the settings as HODOR_* variables. Where the store is behind dbt's adapter (Delta) or needs Databricks' SDK
(Lakebase), this process stays and lends the connection over two pipes, with the requests of docs/protocol.md; else it becomes
the executable.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from typing import Any

from dbt_hodor import _binary

# The commands that read the store. All others need nothing of the project.
COMMANDS = frozenset({"explain", "history", "report", "prune", "ddl", "doctor"})

# dbt's options, taken out of the command line; --project-dir and --target are the executable's too.
OPTIONS = {
    "--project-dir": "PROJECT_DIR",
    "--profiles-dir": "PROFILES_DIR",
    "--profile": "PROFILE",
    "--target": "TARGET",
    "-t": "TARGET",
}
EXTRA_HELP = """
dbt-hodor takes dbt's options, too: --project-dir, --profiles-dir, --profile, --target (-t). Project, target and store are those
of the profile; `hodor-sql` takes them by options alone.
"""

SECRET = re.compile(r"token|secret|passw|private|credential|_key$|dsn", re.IGNORECASE)


def main() -> int:
    """The console script. The exit statuses are those of hodor-sql: 2 for wrong usage, 3 where the project can't be loaded."""
    arguments = sys.argv[1:]
    words = [word for word in arguments if not word.startswith("-")]
    asks_help = any(word in ("-h", "--help") for word in arguments)
    if not words or arguments[0] not in COMMANDS or asks_help:
        if asks_help:
            print(EXTRA_HELP.strip() + "\n", flush=True)
        return _binary.start("dbt-hodor", arguments)
    try:
        options, rest = take_options(arguments)
    except ValueError as error:
        return say(error, 2)
    if rest[0] == "doctor":
        return doctor(options, rest)
    try:
        found = load(options)
    except Exception as error:
        return say(f"the project can't be loaded: {one_line(error)}; --project-dir and --profiles-dir say where it is", 3)
    settings = found.settings
    for text in settings.warnings:
        say(text, 0)
    if not settings.store:
        return say(f"the {found.adapter_type} adapter is not supported; databricks and duckdb are", 3)
    os.environ.update(found.variables())
    if settings.store != "delta" and not settings.endpoint:
        return _binary.start("dbt-hodor", rest)
    return lend(found, rest)


def say(text: Any, status: int) -> int:
    """Prints one line to stderr, without secrets, and returns the exit status that goes with it."""
    print(f"dbt-hodor: {scrub(str(text))}", file=sys.stderr)
    return status


def scrub(text: str) -> str:
    """Takes the values of variables that look like secrets out of a text: dbt's messages may quote the rendered profile. The
    executable does the same for what it prints (doctor/doctor.go)."""
    for name, value in os.environ.items():
        if len(value) >= 5 and SECRET.search(name):
            text = text.replace(value, "*****")
    return text


def one_line(error: BaseException) -> str:
    """The text of an error without line ends, or its type where it has none."""
    return " ".join(str(error).split()) or type(error).__name__


def take_options(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    """dbt's options and the rest of the command line. ValueError for an option without a value."""
    options: dict[str, str] = {}
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in OPTIONS:
            rest.append(word)
            continue
        if not equals:
            value = next(words, "")
        if not value:
            raise ValueError(f"{name} needs a value")
        options[OPTIONS[name]] = value
    return options, rest


class Found:
    """A loaded project: dbt's RuntimeConfig and hodor's settings."""

    def __init__(self, config: Any, settings: Any, shown: Any) -> None:
        self.config, self.settings = config, settings
        self.shown = shown  # the settings of a run, its mode included; `settings` are those of mode shadow, which settles all
        self.adapter_type = config.credentials.type

    def variables(self) -> dict[str, str]:
        """What the executable is told. Every variable is set, so that none of the shell's holds that the settings did not take."""
        s = self.settings
        values = {
            "STORE": s.store,
            "PATH": s.path,
            "DATABASE": s.database,
            "SCHEMA": s.schema,
            "TABLE": s.table,
            "ENDPOINT": s.endpoint,
            "LOOKBACK_DAYS": s.lookback_days,
            "PRICE_PER_HOUR": "" if s.price_per_hour is None else s.price_per_hour,
            "PROJECT": self.config.project_name,
            "TARGET": self.config.target_name,
            "PROJECT_DIR": os.path.abspath(self.config.project_root),
        }
        found = {f"HODOR_{name}": str(value) for name, value in values.items()}
        if "DBT_TARGET_PATH" not in os.environ:
            found["DBT_TARGET_PATH"] = os.path.join(found["HODOR_PROJECT_DIR"], self.config.target_path or "target")
        return found


def load(options: dict[str, str]) -> Found:
    """Loads profile and project. Raises what dbt raises."""
    from argparse import Namespace

    from dbt.cli.resolvers import default_profiles_dir, default_project_dir
    from dbt.config.runtime import RuntimeConfig, load_profile, load_project
    from dbt.flags import get_flags, set_from_args
    from dbt_common.context import set_invocation_context
    from dbt_common.events.event_manager_client import cleanup_event_logger

    from dbt_hodor import settings

    set_invocation_context(os.environ)  # env_var() reads it
    cleanup_event_logger()  # dbt's own lines would stand on stdout, between ours, with what the profile renders

    project_dir = options.get("PROJECT_DIR") or os.environ.get("DBT_PROJECT_DIR") or str(default_project_dir())
    profiles_dir = options.get("PROFILES_DIR") or os.environ.get("DBT_PROFILES_DIR") or str(default_profiles_dir())
    profile_name = options.get("PROFILE") or os.environ.get("DBT_PROFILE")
    target = options.get("TARGET") or os.environ.get("DBT_TARGET")
    set_from_args(
        Namespace(
            project_dir=project_dir,
            profiles_dir=profiles_dir,
            profile=profile_name,
            target=target,
            vars={},
            which="debug",
            threads=None,
            send_anonymous_usage_stats=False,
        ),
        {},
    )
    profile = load_profile(project_dir, {}, profile_name, target)
    project = load_project(project_dir, False, profile, {})
    config = RuntimeConfig.from_parts(project, profile, get_flags())

    def resolve(env: dict[str, str]) -> Any:
        return settings.resolve(
            adapter=config.credentials.type,
            database=config.credentials.database,
            target=config.target_name,
            profile=settings.profile_keys(config),
            cli_vars={},
            env=env,
        )

    return Found(config, resolve({**os.environ, "HODOR_MODE": "shadow"}), resolve(dict(os.environ)))


# --- lending dbt's connection ---


def lend(found: Found, arguments: list[str], stdin: bytes | None = None) -> int:
    """Runs the executable beside this process, and answers its requests until it ends. Returns its exit status."""
    import subprocess

    try:
        binary = _binary.find()
    except _binary.BinaryMissing as error:
        return say(error, 3)
    if sys.platform == "win32":
        return say("the Delta store can't be reached from here on Windows; use hodor-sql with DATABRICKS_HOST and the like", 3)
    theirs, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    os.environ["HODOR_RELAY"] = f"{theirs}:{theirs_out}"
    try:
        process = subprocess.Popen(
            [binary, *arguments],
            executable=binary,
            stdin=subprocess.PIPE if stdin is not None else None,
            pass_fds=(theirs, theirs_out),
        )
    except OSError as error:
        return say(_binary.reason(binary, error), 3)
    os.close(theirs)
    os.close(theirs_out)
    lender = Lender(found, ours_in, ours_out)
    threading.Thread(target=lender.serve, daemon=True).start()
    try:
        process.communicate(stdin)
        return process.returncode
    except KeyboardInterrupt:
        process.terminate()
        return process.wait() or 130
    finally:
        lender.close()


class Lender:
    """Answers warehouse/query and lakebase/credential. The adapter is loaded with the first statement."""

    def __init__(self, found: Found, read: int, write: int) -> None:
        from dbt_hodor.outside import Wire

        self._found, self._lines = found, os.fdopen(read, "rb")
        self._wire = Wire(os.fdopen(write, "wb"))
        self._relay: Any = None

    def serve(self) -> None:
        import json

        for line in self._lines:
            try:
                message = json.loads(line)
                number, method, params = message["id"], message["method"], message.get("params") or {}
            except Exception:
                continue
            self._answer(number, method, params)

    def _answer(self, number: Any, method: str, params: dict[str, Any]) -> None:
        from dbt_hodor.client import UNKNOWN_METHOD, WAREHOUSE
        from dbt_hodor.outside import lent

        try:
            if not lent(self._wire, self.relay, number, method, params):
                self._wire.answer(number, None, (UNKNOWN_METHOD, f"no method {method}"))
        except Exception as error:
            self._wire.answer(number, None, (WAREHOUSE, one_line(error)))

    def relay(self) -> Any:
        if self._relay is None:
            from dbt.adapters.factory import get_adapter, register_adapter
            from dbt.mp_context import get_mp_context

            from dbt_hodor.relay import Relay

            register_adapter(self._found.config, get_mp_context())
            self._relay = Relay(get_adapter(self._found.config), 2)
        return self._relay

    def close(self) -> None:
        if self._relay is not None:
            from dbt.adapters.factory import get_adapter

            self._relay.close()
            get_adapter(self._found.config).cleanup_connections()


# --- doctor ---


def doctor(options: dict[str, str], arguments: list[str]) -> int:
    """`dbt-hodor doctor`: what only this process knows goes to the executable, which has the checks."""
    import json
    import subprocess

    facts = installed()
    found = None
    try:
        found = load(options)
        facts |= described(found)
        os.environ.update(found.variables())
    except Exception as error:
        facts["error"] = one_line(error)
    words = [arguments[0], "--host", *arguments[1:]]
    raw = json.dumps(facts).encode()
    if found is not None and (found.settings.store == "delta" or found.settings.endpoint):
        return lend(found, words, raw)
    try:
        binary = _binary.find()
        return subprocess.run([binary, *words], input=raw, check=False).returncode
    except _binary.BinaryMissing as error:
        return say(error, 3)
    except OSError as error:
        return say(_binary.reason(binary, error), 3)


def installed() -> dict[str, Any]:
    """Versions, and whether this dbt can be patched. Never raises."""
    import platform

    import dbt_hodor

    facts: dict[str, Any] = {
        "version": dbt_hodor.__version__,
        "python": platform.python_version(),
        "binary": "",
        "dbt": "",
        "dbt_supported": False,
    }
    try:
        facts["binary"] = _binary.find()
    except _binary.BinaryMissing:
        pass
    try:
        from dbt.version import __version__

        facts["dbt"], facts["dbt_supported"] = __version__, __version__.startswith("1.12.")
    except Exception as error:
        facts["dbt"] = f"missing ({one_line(error)})"
    try:
        from dbt_hodor import patches, state_config

        for owner, name in patches.patched():
            if name not in owner.__dict__:
                raise AttributeError(f"{owner.__name__} has no {name}")
        state_config.install()
        facts["patches"] = ""
    except Exception as error:
        facts["patches"] = f"this dbt-core can't be patched ({type(error).__name__}: {one_line(error)})"
    try:
        from dbt_hodor.session import other_plugin

        facts["other_plugin"] = other_plugin()
    except Exception:
        facts["other_plugin"] = False
    return facts


def described(found: Found) -> dict[str, Any]:
    """The project, the adapter and the settings with their sources."""
    from importlib.metadata import PackageNotFoundError, version

    from dbt_hodor.settings import SETTINGS

    try:
        adapter_version = version(f"dbt-{found.adapter_type}")
    except PackageNotFoundError:
        adapter_version = "of an unknown version"
    listed = []
    for name in SETTINGS:
        settled = found.shown if name == "mode" else found.settings
        value = getattr(settled, name)
        listed.append(
            {
                "name": f"hodor_{name}",
                "value": "" if value is None else str(value).lower() if isinstance(value, bool) else str(value),
                "source": settled.sources.get(name, "default"),
            }
        )
    return {
        "adapter": found.adapter_type,
        "adapter_version": adapter_version,
        "project": found.config.project_name,
        "target": found.config.target_name,
        "root": os.path.abspath(found.config.project_root),
        "settings": listed,
        "warnings": found.shown.warnings or found.settings.warnings,
    }
