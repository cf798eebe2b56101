"""A scripted stand-in for `hodor-sql serve`, for tests of the plugin alone: it keeps no state and knows no SQL.

FAKE_HODOR is the path of a JSON file: {"answers": {unique_id or "*": result of node/decide}, "log": path, "start": {...},
"query": [sql, ...], "die_at": method, "hang_at": method, "version": "..."}. Every message received is appended to the log, one
object a line. A text hash that is not in "known" (if given) is asked for once; decisions on the nodes in "refused" are errors.
"""

import json
import os
import sys
import time

config = json.load(open(os.environ["FAKE_HODOR"]))
log = open(config["log"], "a", buffering=1)
own_id = 0
backlog = []


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def receive():
    if backlog:
        return backlog.pop(0)
    line = sys.stdin.readline()
    if not line:
        return None
    message = json.loads(line)
    log.write(json.dumps(message) + "\n")
    return message


def query(sql):
    """Asks the host, and keeps what else arrives meanwhile."""
    global own_id
    own_id += 1
    send({"id": own_id, "method": "warehouse/query", "params": {"sql": sql}})
    later = []
    while (message := receive()) is not None:
        if "method" not in message and message["id"] == own_id:
            break
        later.append(message)
    backlog.extend(later)


def answer(method, params):
    if method == "run/start":
        for sql in config.get("query", ()):
            query(sql)
        replacements = [[params["invocation_id"], "{{invocation_id:1}}"]]
        return {
            "replacements": replacements,
            "render_hooks": [],
            "records": 0,
            "store": "ok",
            "warnings": [],
            **config.get("start", {}),
        }
    if method == "node/decide":
        known = config.get("known")
        if known is not None and params["text_hash"] not in known and params["sql"] is None:
            return {"need": "sql"}
        answers = config.get("answers", {})
        found = answers.get(params["id"], answers.get("*", {}))
        default = {"action": "build", "decision": "build", "reason": "no_history", "note": "", "run_hooks": False, "replay": None}
        if found.get("action") == "reuse":
            default.update(decision="reuse", reason="no_new_data", note="built 2026-10-19 04:12 UTC")
        return {**default, **found}
    if method == "run/finish":
        debug = {"parsed": 0, "sql_sent": 0, "versions_read": 0, "statements": 0}
        return {
            "reused": 0,
            "built": 0,
            "errors": 0,
            "saved_ms": 0,
            "recorded": 0,
            "warnings": [],
            "debug": debug,
            **config.get("finish", {}),
        }
    return {}


assert sys.argv[1:3] == ["serve", "--host-version"], sys.argv
version = config.get("version", sys.argv[3])
methods = ["run/start", "node/decide", "node/built", "node/tested", "run/finish", "shutdown"]
send(
    {
        "method": "hello",
        "params": {"protocol": 1, "version": version, "hash_version": "1", "pid": os.getpid(), "methods": methods},
    }
)
while (request := receive()) is not None:
    method = request.get("method")
    if method is None:
        continue
    if config.get("die_at") == method:
        print("fake: dying as told", file=sys.stderr, flush=True)
        os._exit(3)
    if config.get("hang_at") == method:
        time.sleep(600)
    if (request.get("params") or {}).get("id") in config.get("refused", ()) and method == "node/decide":
        send({"id": request["id"], "error": {"code": -32603, "message": "refused"}})
    elif method in config.get("errors", {}):
        send({"id": request["id"], "error": {"code": -32603, "message": config["errors"][method]}})
    else:
        send({"id": request["id"], "result": answer(method, request.get("params"))})
log.write(json.dumps({"eof": True}) + "\n")
