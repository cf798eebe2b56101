"""Plays the service's side of a transcript (docs/protocol.md, Transcripts): python scripted_child.py TRANSCRIPT VERSION REPORT.

Writes what the service writes, and checks that the host writes what the transcript says, by value and with the host's own
numbering. The report file gets "ok", or the first step that went otherwise.
"""

import json
import os
import sys

transcript, version, report = sys.argv[1:4]
steps = [json.loads(line.replace("$VERSION", version)) for line in open(transcript, encoding="utf-8")]
numbers = {}  # the transcript's number of a host's request -> the host's
out = sys.stdout.buffer


def end(text, status=1):
    with open(report, "w", encoding="utf-8") as file:
        file.write(text)
    sys.exit(status)


def same(want, got):
    if isinstance(want, dict):
        return isinstance(got, dict) and want.keys() == got.keys() and all(same(want[k], got[k]) for k in want)
    return want == got or want == "*"


def expect(step, line):
    want, got = dict(step), json.loads(line)
    if "method" in want and "id" in want:
        numbers[want["id"]] = got.get("id")
        want["id"] = got.get("id")
    if not same(want, got):
        end(f"expected {json.dumps(want)}\ngot {json.dumps(got)}")


waiting = []  # host lines that came before their step: two threads, or a node's and the relay's, may write in either order


def host_line(step):
    for early in waiting:
        if json.loads(early).get("params") == step.get("params") and json.loads(early).get("method") == step.get("method"):
            waiting.remove(early)
            return early
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            end(f"the host closed before {json.dumps(step)}; it said {waiting}")
        got = json.loads(line)
        other = got.get("method") == "node/decide" and got["params"] != step.get("params")
        if got.get("method") != step.get("method") or other:
            waiting.append(line)
            continue
        return line


for step in steps:
    kind, value = next(iter(step.items()))
    if kind == "service":
        message = dict(value)
        if "method" not in message:
            message["id"] = numbers.get(message["id"], message["id"])
        out.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        out.flush()
    elif kind == "service_raw":
        out.write(value.encode())
        out.flush()
    elif kind == "service_stderr":
        print(value, file=sys.stderr, flush=True)
    elif kind == "host":
        expect(value, host_line(value))
    elif kind == "host_eof":
        rest = sys.stdin.buffer.read()
        if rest or waiting:
            end(f"expected the end, got {waiting} {rest!r}")
    elif kind == "service_exit":
        with open(report, "w", encoding="utf-8") as file:
            file.write("ok")
        os._exit(value)
