"""The client against a service that writes anything: every call ends, with its own answer or with an error of the client's."""

import json
import os
import random
import sys
import threading

import pytest
from conftest import VERSION
from dbt_hodor import client as client_module
from dbt_hodor.client import Client, Pending, ServiceError, ServiceGone

SEEDS = int(os.environ.get("HODOR_FUZZ_SEEDS", "12"))


def serve(method, number, params):
    """Whatever is asked, no answer is needed."""


@pytest.fixture
def started():
    clients = []

    def start(*command, deadline=2.0):
        client = Client(list(command), VERSION, serve, deadline=deadline)
        clients.append(client)
        client.start()
        return client

    yield start
    for client in clients:
        client.kill()
        client.close()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_call_ends_with_its_own_answer(seed, script, started):
    client = started(script("fuzz_child.py", seed, VERSION), deadline=1.0)
    wrong, ended = [], []

    def caller(name):
        rnd = random.Random(f"{seed} {name}")
        for i in range(40):
            params = {"who": name, "i": i, "text": "x" * rnd.randint(0, 3000), "more": rnd.choice([None, [], "é\u2028", 1e300])}
            try:
                got = client.call("node/decide", params)
                if got != params and got != "twice":
                    wrong.append((params, got))
                elif got == "twice":
                    wrong.append((params, "the second answer"))
            except ServiceError:
                continue
            except ServiceGone:
                break
            except Exception as error:
                wrong.append((params, repr(error)))
        ended.append(name)

    threads = [threading.Thread(target=caller, args=(n,), daemon=True) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert wrong == []
    assert sorted(ended) == [0, 1, 2, 3], "a call hangs"


def lines(rnd):
    """One line as a service gone mad might write it."""
    odd = [None, True, False, 0, 1, -1, 1.5, "1", "", [], {}, [1], {"code": 1}, {"code": "x", "message": []}, "\ud800", 10**30]
    message = {key: rnd.choice(odd) for key in ("jsonrpc", "id", "method", "params", "result", "error") if rnd.random() < 0.6}
    if rnd.random() < 0.3:
        message["id"] = rnd.randint(1, 4)
    if rnd.random() < 0.2:
        message["method"] = "hello"
    data = json.dumps(message).encode()
    roll = rnd.random()
    if roll < 0.2:
        cut = rnd.randint(0, len(data))
        return data[:cut]
    if roll < 0.4:
        at = rnd.randrange(len(data))
        return data[:at] + bytes([rnd.randrange(256)]) + data[at + 1 :]
    if roll < 0.42:
        return b'{"id":' + b"[" * rnd.randint(1, 3000)
    return data


class Counting:
    """A request in flight that counts its answers."""

    done = waiting = False

    def __init__(self):
        self.answers = 0

    def settle(self, result, error):
        self.answers += 1


@pytest.mark.parametrize("seed", range(8))
def test_no_line_breaks_the_client_or_answers_twice(seed):
    rnd = random.Random(seed)
    for _ in range(400):
        client = Client(["nothing"], VERSION, serve)
        asked = {number: Counting() for number in range(1, 5)}
        client._pending.update(asked)
        for _ in range(8):
            try:
                client._receive(lines(rnd).replace(b"\n", b" "))
            except RecursionError:
                pass  # the reader gives the child up
        assert all(one.answers <= 1 for one in asked.values())


@pytest.mark.parametrize("number", [True, 1.0, "1", [1], {"1": 1}, None])
def test_only_an_integer_is_an_id(number):
    client = Client(["nothing"], VERSION, serve)
    pending = client._pending[1] = Pending()
    client._receive(json.dumps({"jsonrpc": "2.0", "id": number, "result": "not yours"}).encode())
    assert not pending.done


@pytest.mark.parametrize("params", [[], [1], "1", 7, True, {"version": []}, {"protocol": 1}, None])
def test_a_hello_of_another_kind_is_refused(params, tmp_path, started):
    child = tmp_path / "child.py"
    hello = {"jsonrpc": "2.0", "method": "hello", "params": params}
    child.write_text(f"import sys\nprint({json.dumps(hello)!r}, flush=True)\nsys.stdin.read()\n")
    with pytest.raises(ServiceGone):
        started(*runs(tmp_path, child))


def test_a_line_without_end_is_given_up(tmp_path, started, monkeypatch):
    monkeypatch.setattr(client_module, "MAX_LINE", 1 << 20)
    child = tmp_path / "child.py"
    hello = {"jsonrpc": "2.0", "method": "hello", "params": {"protocol": 1, "version": VERSION}}
    child.write_text(
        f"import sys\nprint({json.dumps(hello)!r}, flush=True)\nsys.stdin.readline()\nwhile True: sys.stdout.write('x' * 65536)\n"
    )
    client = started(*runs(tmp_path, child), deadline=30.0)
    with pytest.raises(ServiceGone, match="a line of more than"):
        client.call("node/decide", {})
    assert len(client._begun) <= (1 << 20) + (1 << 16)


def runs(tmp_path, child):
    path = tmp_path / "run.sh"
    path.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{child}'\n")
    path.chmod(0o755)
    return (str(path),)
