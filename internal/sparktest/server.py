"""One Spark session with Delta Lake for all Go tests of a run.

    server.py JARS                    serves until its input ends; the first line of its output is the address
    server.py JARS -- COMMAND ...     runs COMMAND with the address in SPARKTEST_ADDRESS and ends with its status

JARS is the folder with Delta Lake's jars. The server listens on loopback. A client sends one JSON object a line and reads one a line back; each
connection is served by a thread of its own. The first line of a connection names the Spark session that it works in, {"session": NAME}:
temporary views, settings and the current schema are those of the session, tables are everybody's. Then, with "op" as

    parse   {"sqls": [TEXT, ...]} -> {"parsed": [{"ok", "error", "tables", "targets", "functions", "kind"}, ...]}
    refused {"sqls": [TEXT, ...]} -> {"errors": [TEXT, ...]}: the parser's message for each, "" where it accepts; much faster
    query   {"sql": TEXT, "relay": false} -> {"columns", "types", "rows", "ordered"} or {"error": {"condition", "message"}};
            with relay the values are texts as the plugin's relay makes them, otherwise of a form that tells values of one type apart
    write   {"sql": TEXT, "into": TABLE, "mode": "append", "options": {}} -> {}, the rows written by the DataFrame API
    stream  {"from": TABLE, "into": TABLE, "mode": "append"} -> {}, what is new in a table written by a stream that then ends; one that
            was written into the same table before goes on where it ended
    reset   {} -> {}, after dropping the session's temporary views and its settings
    thrift  {} -> {"port"}, of a Thrift Server over HTTP in this very Spark, started at the first call; its calls about tables (GetTables)
            fail for want of a metastore, thrift.py has one
"""

import json
import logging
import os
import re
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
from datetime import date, datetime
from pathlib import Path

SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "4g",  # what the parser and Delta Lake keep passes 1 GB; with no more than that, a third of the time goes into collecting it
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.sources.default": "delta",  # as on Databricks
    # Small data on a busy machine: nothing in parallel, no code generation. Without the last but one, VACUUM runs 10,000 tasks.
    "spark.default.parallelism": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
    "spark.hadoop.hive.server2.transport.mode": "http",
}


def java_options(folder: Path) -> str:
    """Of the JVM: a deep stack for deep queries, the first compiler only, and nothing outside the folder. That compiler alone takes 48 MB of code by
    default: Spark fills it within minutes, and from then on Java compiles nothing."""
    return (
        f"-Xss16m -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m -XX:+UseSerialGC -Dderby.system.home={folder} "
        f"-Djava.io.tmpdir={folder}"
    )


COMMA_IN_NAME = re.compile(r"[`\"][^`\"]*, [^`\"]*[`\"]")


class Spark:
    """The JVM and its sessions by name."""

    def __init__(self, jars: Path, folder: Path) -> None:
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        os.environ["TZ"] = "UTC"
        os.environ.pop("SPARK_HOME", None)
        self.folder = folder
        log = os.open(folder / "spark.log", os.O_WRONLY | os.O_CREAT)
        out, err = os.dup(1), os.dup(2)
        os.dup2(log, 1)
        os.dup2(log, 2)  # the JVM inherits both
        try:
            from pyspark.sql import SparkSession

            builder = SparkSession.builder.master("local[2]").appName("hodor")  # packages of tests run side by side
            settings = SETTINGS | {
                "spark.jars": ",".join(str(jar) for jar in sorted(jars.glob("*.jar"))),
                "spark.sql.warehouse.dir": str(folder / "warehouse"),
                "spark.local.dir": str(folder),
                "spark.driver.extraJavaOptions": java_options(folder),
            }
            for name, value in settings.items():
                builder = builder.config(name, value)
            self.base = builder.getOrCreate()
        finally:
            os.dup2(out, 1)
            os.dup2(err, 2)
        self.base.sparkContext.setLogLevel("OFF")
        logging.disable()  # PySpark logs every refused statement; that is what the tests are about
        self.sessions: dict = {}
        self.lock = threading.Lock()
        self.thrift_port = 0

    def session(self, name: str):
        with self.lock:
            if name not in self.sessions:
                self.sessions[name] = self.base.newSession()
            return self.sessions[name]

    def thrift(self) -> dict:
        with self.lock:
            if not self.thrift_port:
                with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as free:
                    port = free.server_address[1]
                jvm = self.base._jvm
                # The server takes these from the Hadoop configuration; its metastore client is not used for tables.
                conf = self.base.sparkContext._jsc.hadoopConfiguration()
                for name, value in {
                    "hive.server2.thrift.http.port": str(port),
                    "hive.server2.thrift.http.path": "cliservice",
                    "hive.server2.thrift.bind.host": "127.0.0.1",
                    "hive.server2.thrift.http.min.worker.threads": "2",
                }.items():
                    conf.set(name, value)
                jvm.org.apache.spark.sql.hive.thriftserver.HiveThriftServer2.startWithContext(
                    self.base._jsparkSession.sqlContext()
                )
                self.thrift_port = port
            return {"port": self.thrift_port}


def parse(session, sqls: list) -> list:
    jvm = session._jvm
    parser = session._jsparkSession.sessionState().sqlParser()
    cte = jvm.org.apache.spark.sql.catalyst.analysis.CTESubstitution
    return [parse_one(parser, cte, sql) for sql in sqls]


def refused(session, sqls: list) -> list:
    parser = session._jsparkSession.sessionState().sqlParser()
    out = []
    for sql in sqls:
        try:
            parser.parsePlan(sql)
            out.append("")
        except Exception as error:
            out.append(describe(error)["message"][:400] or "refused")
    return out


def parse_one(parser, cte, sql: str) -> dict:
    """What Spark's parser says of one text. Names of CTEs are told from tables by Spark's own rule. A relation that is left is
    a table that the text reads."""
    out = {"ok": True, "error": "", "tables": [], "targets": [], "functions": [], "kind": ""}
    try:
        plan = parser.parsePlan(sql)
    except Exception as error:
        return out | {"ok": False, "error": describe(error)["message"][:400]}
    try:
        plan = cte.apply(plan)
        tree = json.loads(plan.toJSON())
        out["kind"] = tree[0].get("class", "").rsplit(".", 1)[-1] if tree else ""
        walk(tree, out)
        if COMMA_IN_NAME.search(sql):
            exact(plan, out)
    except Exception as error:  # accepted by the parser; only what it reads is not known
        out["error"] = describe(error)["message"][:400]
    return out


def walk(node, out: dict) -> None:
    if isinstance(node, list):
        for x in node:
            walk(x, out)
    elif isinstance(node, dict):
        kind = node.get("class", "")
        kind = kind.rsplit(".", 1)[-1] if isinstance(kind, str) else ""
        if kind == "UnresolvedRelation":
            add(out["tables"], parts(node.get("multipartIdentifier")))
        elif kind in ("UnresolvedTableValuedFunction", "UnresolvedTVFAliases"):
            add(out["functions"], parts(node.get("functionNameParts")) or parts(node.get("name")))
        elif kind in ("UnresolvedIdentifier", "UnresolvedTable", "UnresolvedTableOrView", "UnresolvedView"):
            add(out["targets"], parts(node.get("nameParts")) or parts(node.get("multipartIdentifier")))
        for value in node.values():
            walk(value, out)


def parts(text) -> list:
    """Spark writes a name as the text "[a, b]", which is exact unless a part holds a comma and a blank."""
    return text[1:-1].split(", ") if isinstance(text, str) and text.startswith("[") and text.endswith("]") else []


def add(names: list, name: list) -> None:
    if name and name not in names:
        names.append(name)


def exact(plan, out: dict) -> None:
    """Names from the plan itself, a call a node."""
    out["tables"] = []
    n = 0
    while (node := plan.apply(n)) is not None:
        n += 1
        if node.getClass().getSimpleName() == "UnresolvedRelation":
            name = node.multipartIdentifier()
            add(out["tables"], [name.apply(i) for i in range(name.size())])


def query(session, sql: str, relay: bool) -> dict:
    try:
        frame = session.sql(sql)
        fields = frame.schema.fields
        try:
            rows = frame.collect()
        except Exception as error:
            if not re.search("NOT_IMPLEMENTED|UNSUPPORTED|CalendarInterval", str(error)):
                raise
            # Intervals have no form in Python: as text.
            flat = frame.toDF(*(f"c{i}" for i in range(len(fields))))
            columns = [flat[f"c{i}"] for i in range(len(fields))]
            odd = ["interval" in f.dataType.simpleString() for f in fields]
            rows = flat.select([c.cast("string") if o else c for c, o in zip(columns, odd, strict=True)]).collect()
        text = relay_text if relay else exact_text
        return {
            "columns": [f.name for f in fields],
            "types": [f.dataType.simpleString() for f in fields],
            "rows": [[text(value) for value in row] for row in rows],
            "ordered": ordered(frame),
        }
    except Exception as error:
        return {"error": describe(error)}


def ordered(frame) -> bool:
    """Tells whether sorting is the last thing that the query does."""
    plan = frame._jdf.queryExecution().analyzed()
    while True:
        kind = plan.getClass().getSimpleName()
        if kind == "Sort":
            return bool(getattr(plan, "global")())
        if kind not in ("Project", "GlobalLimit", "LocalLimit", "Offset", "SubqueryAlias", "WithCTE"):
            return False
        children = plan.children()
        plan = children.apply(children.size() - 1 if kind == "WithCTE" else 0)


def exact_text(value):
    """A text that differs for values of one type that differ."""
    if value is None or type(value) is str:
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, dict):
        pairs = sorted((json.dumps(exact_text(k)), json.dumps(exact_text(v))) for k, v in value.items())
        return "{" + ",".join(f"{k}:{v}" for k, v in pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(json.dumps(exact_text(v)) for v in value) + "]"
    return str(value)  # of a float as of -0.0 and nan: repr


def relay_text(value):
    if value is None or type(value) is str:
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, default=relay_text, ensure_ascii=False)
    return repr(value) if isinstance(value, (int, float)) else str(value)


def describe(error: Exception) -> dict:
    """An error of Spark's as its condition (empty if it has none) and its message."""
    condition, message = "", str(error)
    java = getattr(error, "java_exception", None)
    if java is not None:
        condition, message = "", str(java.toString())
    elif hasattr(error, "getCondition"):
        condition = error.getCondition() or ""
    if not condition and (found := re.search(r"\[([A-Z][A-Z0-9_.]+)\]", message)):
        condition = found.group(1)
    return {"condition": condition, "message": " ".join(message.split())[:4000]}


def answer(spark: Spark, session, request: dict) -> dict:
    op = request.get("op")
    if op == "parse":
        return {"parsed": parse(session, request["sqls"])}
    if op == "refused":
        return {"errors": refused(session, request["sqls"])}
    if op == "query":
        return query(session, request["sql"], request.get("relay", False))
    if op == "write":
        writer = session.sql(request["sql"]).write.format("delta").mode(request["mode"]).options(**request["options"])
        writer.saveAsTable(request["into"])
        return {}
    if op == "stream":
        # By their paths: Delta Lake 4.4 does not take the names of tables here.
        source, sink = (session.sql(f"DESCRIBE DETAIL {request[k]}").collect()[0]["location"] for k in ("from", "into"))
        writer = session.readStream.format("delta").load(source).writeStream.format("delta").outputMode(request["mode"])
        checkpoint = str(spark.folder / "checkpoints" / request["into"])
        writer.trigger(availableNow=True).option("checkpointLocation", checkpoint).start(sink).awaitTermination()
        return {}
    if op == "reset":
        for table in session.catalog.listTables():
            if table.isTemporary:
                session.catalog.dropTempView(table.name)
        session.sql("RESET")
        session.sql("USE spark_catalog.default")
        return {}
    if op == "thrift":
        return spark.thrift()
    return {"error": {"condition": "", "message": f"no such op: {op}"}}


def serve(spark: Spark) -> socketserver.ThreadingTCPServer:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            session = None
            for line in self.rfile:
                request = json.loads(line)
                if session is None:
                    session = spark.session(request["session"])
                    continue
                try:
                    out = answer(spark, session, request)
                except Exception as error:
                    out = {"error": describe(error)}
                try:
                    self.wfile.write(json.dumps(out).encode() + b"\n")
                except OSError:
                    return  # the test has gone

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main(jars: str, command: list) -> int:
    folder = Path(tempfile.mkdtemp(prefix="hodor-spark-"))
    try:
        try:
            spark = Spark(Path(jars).resolve(), folder)
        except Exception as error:
            log = (folder / "spark.log").read_text(errors="replace")[-3000:]
            print(f"sparktest: Spark did not start: {error}\n{log}", file=sys.stderr)
            return 1
        address = f"127.0.0.1:{serve(spark).server_address[1]}"
        if command:
            return subprocess.run(command, env=os.environ | {"SPARKTEST_ADDRESS": address}).returncode
        print(address, flush=True)
        sys.stdin.read()
        return 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    status = main(sys.argv[1], sys.argv[3:])
    sys.stdout.flush()
    os._exit(status)  # threads may still wait for the JVM, which ends with our end of its input
