"""Spark's own Thrift Server with Delta Lake, a program of its own with a metastore of its own, for the time of a command.

    thrift.py JARS -- COMMAND ...     runs COMMAND with the server's port in SPARKTEST_THRIFT and ends with its status

dbt-databricks needs it: it lists tables by a call of Thrift's that asks a Hive metastore, which the Spark of server.py has not. JARS is the
folder with Delta Lake's jars. The server speaks HTTP on loopback, path /cliservice. It and COMMAND end with this process, however that ends;
tables, metastore and log are in a temporary folder that goes with them.
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path

from server import SETTINGS, java_options

#: Errors, and the one line by which the server says that it is ready.
LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d %p %c{1}: %m%n%ex
logger.ready.name = org.apache.spark.sql.hive.thriftserver.HiveThriftServer2
logger.ready.level = info
"""
READY = "HiveThriftServer2 started"

#: Seconds that the server may take to start, on a busy machine.
PATIENCE = 600

BESIDE = {
    # The metastore, in memory.
    "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:hodor;create=true",
    "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
    "spark.hadoop.hive.metastore.schema.verification": "false",
    # Asked as a cluster, it is one whose statements Spark knows: REPLACE ON came with 17.1.
    "spark.databricks.clusterUsageTags.sparkVersion": "16.4.x-scala2.13",
    # The Thrift Server has dates of java.time, which Delta Lake 4.4 can't take where it answers max(day) from its log alone.
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
}


LIBC = ctypes.CDLL(None)


def end_with_parent() -> None:
    """In a child before its program begins: it is ended when this process is gone. Only Linux has that."""
    if sys.platform == "linux":
        LIBC.prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Server:
    """The JVM with the Thrift Server."""

    def __init__(self, jars: Path, folder: Path) -> None:
        self.log = folder / "spark.log"
        home = Path(next(iter(find_spec("pyspark").submodule_search_locations)))
        (folder / "conf").mkdir()
        (folder / "conf" / "log4j2.properties").write_text(LOGGING)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = SETTINGS | BESIDE
        settings |= {
            "spark.master": "local[2]",
            "spark.jars": ",".join(str(jar) for jar in sorted(jars.glob("*.jar"))),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.local.dir": str(folder),
            "spark.driver.extraJavaOptions": java_options(folder),
        }
        hive = {
            "hive.server2.transport.mode": "http",
            "hive.server2.thrift.http.port": str(self.port),
            "hive.server2.thrift.http.path": "cliservice",
            "hive.server2.thrift.bind.host": "127.0.0.1",
        }
        command = [str(home / "bin" / "spark-submit"), "--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"]
        for name, value in settings.items():
            command += ["--conf", f"{name}={value}"]
        command.append("spark-internal")
        for name, value in hive.items():
            command += ["--hiveconf", f"{name}={value}"]
        environment = os.environ | {
            "SPARK_HOME": str(home),
            "SPARK_CONF_DIR": str(folder / "conf"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "TZ": "UTC",
        }
        self.jvm = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C reaches this process alone, which ends both
            preexec_fn=end_with_parent,
        )
        self.ready = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with self.log.open("w") as log:
            for line in self.jvm.stdout:
                log.write(line)
                log.flush()
                if READY in line:
                    self.ready.set()
        self.ready.set()  # it has ended

    def wait(self) -> bool:
        """Tells whether the server came up."""
        return self.ready.wait(PATIENCE) and self.jvm.poll() is None and READY in self.log.read_text()

    def end(self) -> None:
        self.jvm.kill()
        self.jvm.wait()


def main(jars: str, command: list) -> int:
    # A signal ends COMMAND and the server by way of the two finally below.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(128 + signal.SIGHUP))
    folder = Path(tempfile.mkdtemp(prefix="hodor-thrift-"))
    server = None
    try:
        server = Server(Path(jars).resolve(), folder)
        if not server.wait():
            print(f"sparktest: the Thrift Server did not start\n{server.log.read_text()[-3000:]}", file=sys.stderr)
            return 1
        environment = os.environ | {"SPARKTEST_THRIFT": str(server.port)}
        child = subprocess.Popen(command, env=environment, start_new_session=True, preexec_fn=end_with_parent)
        try:
            return child.wait()
        finally:
            if child.poll() is None:  # with all that it has started
                os.killpg(child.pid, signal.SIGTERM)
                child.wait()
    finally:
        if server:
            server.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[3:]))
