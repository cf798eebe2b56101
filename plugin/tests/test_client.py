"""The client against a scripted child: the transcripts that the Go side replays too, and children that misbehave."""

import json
import os
import signal
import sys
import threading
import time

import pytest
from conftest import TRANSCRIPTS, VERSION
from dbt_hodor.client import Client, Interrupted, ServiceError, ServiceGone


def steps(name):
    with open(TRANSCRIPTS / f"{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line.replace("$VERSION", VERSION)) for line in file]


def until(condition):
    """Waits for what another thread does; the test's own timeout is the bound."""
    while not condition():
        time.sleep(0.01)


class Host:
    """Plays the host's side of a transcript with a real client."""

    def __init__(self, command, transcript):
        self.transcript = transcript
        self.queries = [step["host"] for step in transcript if "method" not in step.get("host", {"method": 0})]
        self.answers = {}
        self.client = Client([command], VERSION, self.serve, deadline=20)

    def serve(self, method, number, params):
        expected = next(step for step in self.queries if step["id"] == number)
        if "error" in expected:
            self.client.reply(number, error=(expected["error"]["code"], expected["error"]["message"]))
        else:
            self.client.reply(number, expected["result"])

    def play(self):
        """Each request in its own thread, so that answers may come in any order; a request that follows an answer waits."""
        pending = []
        for step in self.transcript:
            message = step.get("host")
            if message is not None and "method" in message:
                thread = threading.Thread(target=self.call, args=(message,))
                thread.start()
                pending.append((message["id"], thread))
                time.sleep(0.01)
            elif "service" in step and "id" in step["service"] and "method" not in step["service"]:
                for number, thread in pending:
                    if number == step["service"]["id"]:
                        thread.join()
        for _, thread in pending:
            thread.join()

    def call(self, message):
        try:
            self.answers[message["id"]] = self.client.call(message["method"], message.get("params"))
        except Exception as error:
            self.answers[message["id"]] = error


@pytest.fixture
def play(script, tmp_path):
    hosts = []

    def start(name):
        report = tmp_path / "report"
        command = script("scripted_child.py", TRANSCRIPTS / f"{name}.jsonl", VERSION, report)
        host = Host(command, steps(name))
        hosts.append(host)
        host.report = report
        return host

    yield start
    for host in hosts:
        host.client.close()


WHOLE = ["settled", "ahead", "build", "hooks_on_reuse", "shadow", "out_of_order", "errors", "manifest", "interrupt"]


@pytest.mark.parametrize("name", WHOLE)
def test_transcript(play, name):
    host = play(name)
    host.client.start()
    host.play()
    host.client.close()
    assert host.report.read_text() == "ok"
    for step in host.transcript:
        message = step.get("service", {})
        if "id" in message and "method" not in message:
            answer = host.answers[message["id"]]
            if "error" in message:
                assert isinstance(answer, ServiceError) and answer.code == message["error"]["code"]
                assert str(answer) == message["error"]["message"]
            else:
                assert answer == message["result"]


def test_every_transcript_is_replayed():
    other = {"bad_host_lines", "bad_service_lines", "wrong_version", "wrong_protocol", "death"}
    # Go's own transcripts of frames are of another form.
    found = {path.stem for path in TRANSCRIPTS.glob("*.jsonl") if path.read_text().startswith('{"about"')}
    assert found == set(WHOLE) | other


def test_lines_that_are_no_messages_are_passed_over(play):
    host = play("bad_service_lines")
    refused = []

    def serve(method, number, params):
        refused.append(method)
        code = -32601 if method == "warehouse/drop" else -32602
        host.client.reply(number, error=(code, "refused"))

    host.client._serve = serve
    host.client.start()
    start = next(step["host"] for step in host.transcript if "host" in step)
    assert host.client.call("run/start", start["params"])["store"] == "ok"
    finish = next(step["host"] for step in host.transcript if step.get("host", {}).get("method") == "run/finish")
    until(lambda: len(refused) == 2)
    assert host.client.call("run/finish", finish["params"])["reused"] == 0
    host.client.close()
    assert host.report.read_text() == "ok"
    assert refused == ["warehouse/drop", "warehouse/query"]


@pytest.mark.parametrize("name", ["wrong_version", "wrong_protocol"])
def test_another_version_is_refused_by_name(play, name):
    host = play(name)
    with pytest.raises(ServiceGone) as caught:
        host.client.start()
    host.client.close()
    theirs = steps(name)[1]["service"]["params"]
    text = str(caught.value)
    assert VERSION in text and theirs["version"] in text and f"protocol {theirs['protocol']}" in text
    assert host.client.command[0] in text
    assert host.report.read_text() == "ok"


def test_death_fails_the_call_in_flight_and_all_later_ones(play):
    host = play("death")
    host.client.start()
    host.play()
    failure = host.answers[2]
    assert isinstance(failure, ServiceGone)
    assert "exit status 3" in str(failure) and "panic: runtime error | goroutine 1 [running]" in str(failure)
    with pytest.raises(ServiceGone, match="exit status 3"):
        host.client.call("node/decide", {})


CHILD = """
import json, os, signal, sys, threading, time
def send(m): sys.stdout.write(json.dumps(m) + "\\n"); sys.stdout.flush()
def hello(): send({"jsonrpc": "2.0", "method": "hello", "params": {"protocol": 1, "version": sys.argv[3], "hash_version": "1"}})
"""


@pytest.fixture
def child(tmp_path):
    """A client on a child with the given code; sys.argv is the real one."""
    clients = []

    def make(code, **options):
        path = tmp_path / f"child{len(clients)}"
        path.write_text(f"#!{sys.executable}\n{CHILD}{code}")
        path.chmod(0o755)
        client = Client([str(path)], VERSION, options.pop("serve", lambda *request: None), **options)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close(0.2)


def test_a_silent_child_is_given_up_at_the_deadline(child):
    client = child("hello(); time.sleep(600)", deadline=0.3)
    client.start()
    with pytest.raises(ServiceGone, match="said nothing for 0.3 s"):
        client.call("node/decide", {})
    client.process.wait(10)


def test_a_query_that_runs_is_a_sign_of_life(child):
    running = threading.Event()
    running.set()
    client = child(
        "hello(); r = json.loads(sys.stdin.readline()); time.sleep(1.5); send({'id': r['id'], 'result': 1}); time.sleep(600)",
        deadline=0.3,
        busy=running.is_set,
    )
    client.start()
    assert client.call("run/start", {}) == 1
    running.clear()
    with pytest.raises(ServiceGone, match="said nothing"):
        client.call("node/decide", {})


def test_a_child_that_reads_nothing_is_given_up(child):
    client = child("hello(); time.sleep(600)", deadline=0.3)
    client.start()
    with pytest.raises(ServiceGone):
        client.call("node/decide", {"sql": "x" * 3_000_000})
    with pytest.raises(ServiceGone):
        client.call("node/decide", {})


def test_a_child_that_is_killed_names_the_signal(child):
    client = child("hello(); sys.stdin.readline(); os.kill(os.getpid(), signal.SIGKILL)")
    client.start()
    with pytest.raises(ServiceGone, match="killed by signal 9"):
        client.call("node/decide", {})


def test_a_child_without_hello(child):
    client = child("print('usage: hodor-sql', file=sys.stderr); sys.exit(2)")
    with pytest.raises(ServiceGone, match="exit status 2; its last words: usage: hodor-sql"):
        client.start()


def test_a_binary_that_does_not_start(tmp_path):
    client = Client([str(tmp_path / "none")], VERSION, lambda *request: None)
    with pytest.raises(ServiceGone, match="can't be started"):
        client.start()
    client.close()


def test_a_long_line_both_ways_and_in_pieces(child):
    client = child("""
hello()
r = json.loads(sys.stdin.readline())
line = json.dumps({"id": r["id"], "result": {"sql": r["params"]["sql"]}}) + "\\n"
for i in range(0, len(line), 300_000):
    sys.stdout.write(line[i:i + 300_000]); sys.stdout.flush(); time.sleep(0.02)
sys.stdin.read()
""")
    client.start()
    sql = "select 'Zo\u00eb \U0001f600'\n" * 100_000
    assert client.call("node/decide", {"sql": sql})["sql"] == sql


def test_much_stderr_does_not_block(child):
    seen = []
    client = child(
        "hello()\nfor i in range(20000): print('line', i, file=sys.stderr)\n"
        "r = json.loads(sys.stdin.readline()); send({'id': r['id'], 'result': 7}); sys.stdin.read()",
        on_stderr=seen.append,
    )
    client.start()
    assert client.call("run/start", {}) == 7
    client.close()
    assert len(seen) == 20000


def test_wake_fails_who_waits_and_nothing_later(child):
    client = child("""
hello()
for line in sys.stdin:
    r = json.loads(line)
    if r["method"] != "node/decide": send({"id": r["id"], "result": r["method"]})
""")
    client.start()
    failures = []

    def wait():
        try:
            client.call("node/decide", {})
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    until(lambda: len(client._pending) == 3)
    client.wake()
    for thread in threads:
        thread.join(10)
    assert [type(error) for error in failures] == [Interrupted] * 3
    assert client.call("run/finish", {}) == "run/finish"


def test_requests_of_the_service_are_served_while_nobody_waits(child):
    done = threading.Event()
    got = []

    def serve(method, number, params):
        got.append((method, number, params))
        client.reply(number, {"columns": [], "rows": []})

    client = child(
        "hello(); time.sleep(0.2); send({'id': 5, 'method': 'warehouse/query', 'params': {'sql': 'select 1'}})\n"
        "answer = json.loads(sys.stdin.readline()); print('answered', answer['id'], file=sys.stderr); sys.stdin.read()",
        serve=serve,
        on_stderr=lambda line: done.set(),
    )
    client.start()
    assert done.wait(10)
    assert got == [("warehouse/query", 5, {"sql": "select 1"})]


def test_many_threads(child):
    client = child("""
import random
hello()
lock = threading.Lock()
def answer(r):
    with lock: send({"id": r["id"], "result": r["params"]})
for line in sys.stdin:
    r = json.loads(line)
    if random.random() < 0.3: answer(r)
    else: threading.Timer(random.random() * 0.004, answer, [r]).start()
""")
    client.start()
    wrong = []

    def loop(name):
        for i in range(100):
            if client.call("node/decide", [name, i]) != [name, i]:
                wrong.append((name, i))

    threads = [threading.Thread(target=loop, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and not client._pending


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_neither_uses_the_child_nor_keeps_it_alive(child):
    client = child("hello(); sys.stdin.read()")
    client.start()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            client.call("node/decide", {})
            os.write(writer, b"answered")
        except ServiceGone as error:
            os.write(writer, str(error).encode())
            time.sleep(5)
        finally:
            os._exit(0)
    try:
        assert b"forked" in os.read(reader, 1000)
        client.close(3)
        assert client.process.returncode == 0  # it saw the end of its input though the fork lives
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_close_ends_a_child_that_ignores_its_input(child):
    client = child("signal.signal(signal.SIGTERM, signal.SIG_IGN); hello(); time.sleep(600)")
    client.start()
    client.close(0.2)
    assert client.process.returncode == -signal.SIGKILL
