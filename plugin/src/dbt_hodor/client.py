"""The host's side of the wire (docs/protocol.md): starts hodor-sql, sends requests, hands out answers, answers its requests.

Callers write their lines themselves, and one of those who wait for an answer reads for all: a call then wakes no other
thread, which halves its cost. A thread of the client's own looks now and then while nobody waits (and always where a pipe
can't be polled). The pipe is written without blocking and with a deadline: a child that reads no more can't hang dbt.

Every way for a call to fail is an exception of this module: ServiceError (one request, the run goes on), ServiceGone (this
and all later calls), Interrupted (dbt was told to stop).
"""

from __future__ import annotations

import itertools
import json
import os
import select
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from dbt_hodor import _binary

PROTOCOL = 1
HELLO_S = 30.0  # until the first line; a cold disk is slow, and nothing else is known of the child before it
LAST_WORDS = 5
MAX_LINE = 256 << 20  # bytes of one line; the service writes none that comes near
IDLE_S = 0.005, 0.5  # the own thread's intervals

WAREHOUSE, UNKNOWN_METHOD, BAD_PARAMS, INTERNAL = -32001, -32601, -32602, -32603
FOREIGN_MANIFEST = -32003

encode = json.JSONEncoder(separators=(",", ":")).encode
decode = json.JSONDecoder().decode


class ServiceError(Exception):
    """An error answer to one request."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class ServiceGone(Exception):
    """The child ended, hangs, or can't be served; the text says why, with its last words."""


class Interrupted(Exception):
    """dbt cancels its nodes; who waited for an answer must not start anything now."""


class Pending:
    """One request in flight. Its waiter sleeps on the lock, which is released when there is an answer, or when nobody reads
    any more and the waiter should (a nudge). A lock is cheaper than an Event, and takes a timeout."""

    __slots__ = ("lock", "done", "waiting", "result", "error", "sent")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lock.acquire()
        self.done = self.waiting = False
        self.result: Any = None
        self.error: Exception | None = None
        self.sent = time.monotonic()

    def settle(self, result: Any, error: Exception | None) -> None:
        self.result, self.error = result, error
        self.done = True
        self.nudge()

    def nudge(self) -> None:
        try:
            self.lock.release()
        except RuntimeError:
            pass  # nobody took notice of the last one yet


class Client:
    """One child process. Not usable after a fork, nor a second time.

    `serve(method, id, params)` is called for each request of the service, in whichever thread reads, and must not block;
    `busy()` tells whether one of its queries runs, which counts as a sign of life.
    """

    def __init__(
        self,
        command: list[str],
        version: str,
        serve: Callable[[str, Any, Any], None],
        busy: Callable[[], bool] = lambda: False,
        on_stderr: Callable[[str], None] = lambda line: None,
        deadline: float = 60.0,
    ) -> None:
        self.command, self.version = command, version
        self._serve, self._busy, self._on_stderr, self._deadline = serve, busy, on_stderr, deadline
        self._ids = itertools.count(1)
        self._pending: dict[int, Pending] = {}
        self._write_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._poll: Any = None
        self._begun = bytearray()  # a line whose end is not read yet
        self._at_end = False
        self._stop = threading.Event()
        self._gone: ServiceGone | None = None
        self._gone_lock = threading.Lock()
        self._hello = Pending()
        self._greeted = False
        self._heard = time.monotonic()
        self._words: deque[str] = deque(maxlen=LAST_WORDS)
        self._pid = os.getpid()
        self.hello: dict[str, Any] = {}
        self.process: Any = None  # the Popen, once there is one

    # --- starting and stopping ---

    def start(self) -> None:
        """Spawns the child and waits for its hello. ServiceGone if it does not come or names another version."""
        # Ctrl-C reaches only dbt.
        apart: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        try:
            self.process = subprocess.Popen(
                [*self.command, "serve", "--host-version", self.version],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **apart,
            )
        except OSError as error:
            raise ServiceGone(_binary.reason(self.command[0], error)) from None
        _clients.add(self)
        self._stdin = self.process.stdin.fileno()
        self._stdout = self.process.stdout.fileno()
        if os.name == "posix":
            os.set_blocking(self._stdin, False)
            self._poll = select.poll()
            self._poll.register(self._stdout, select.POLLIN)
        self._stderr_thread = self._thread(self._read_stderr, "hodor-stderr")
        self._reader = self._thread(self._read_always if self._poll is None else self._read_idle, "hodor-reader")
        self.wait(self._hello, HELLO_S)
        theirs, protocol = self.hello.get("version"), self.hello.get("protocol")
        if protocol != PROTOCOL or theirs != self.version:
            raise self._fail(
                f"the plugin is version {self.version} (protocol {PROTOCOL}), {self.command[0]} is version {theirs} "
                f"(protocol {protocol}); install both from one wheel, or unset HODOR_BINARY"
            )

    def _thread(self, target: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread

    def close(self, patience: float = 2.0) -> None:
        """Lets the child end: closes its stdin, waits `patience` seconds, then terminates it, then kills it. Never raises."""
        process = self.process
        if process is None or os.getpid() != self._pid:
            return
        try:
            if self._write_lock.acquire(timeout=1.0):
                try:
                    process.stdin.close()
                except OSError:
                    pass  # a buffered line could not be written any more
                finally:
                    self._write_lock.release()
            for stop in (None, process.terminate, process.kill):
                if stop is not None:
                    stop()
                try:
                    process.wait(patience if stop is None else 1.0)
                    break
                except subprocess.TimeoutExpired:
                    continue
            self._stop.set()
            self._reader.join(1.0)
            self._stderr_thread.join(1.0)
        except Exception:
            pass
        finally:
            self._fail("the run is over")
            _clients.discard(self)

    def kill(self) -> None:
        """Ends the child at once. Never raises, never waits."""
        try:
            if self.process is not None and os.getpid() == self._pid:
                self.process.kill()
        except Exception:
            pass

    # --- calling ---

    def call(self, method: str, params: Any, timeout: float | None = None) -> Any:
        """Sends a request and returns the answer."""
        if self._gone is not None:
            raise self._gone
        leads = self._lead()
        try:
            pending = self.send(method, params)
            if leads:
                self._read_until(pending, timeout)
        finally:
            if leads:
                self._follow()
        return self.wait(pending, timeout)

    def send(self, method: str, params: Any) -> Pending:
        """Writes a request. Its answer is what `wait` returns."""
        if self._gone is not None:
            raise self._gone
        pending = Pending()
        number = next(self._ids)
        self._pending[number] = pending
        try:
            tail = "" if params is None else f',"params":{encode(params)}'
            self._write(f'{{"jsonrpc":"2.0","id":{number},"method":"{method}"{tail}}}\n'.encode("ascii"))
        except BaseException:
            self._pending.pop(number, None)
            raise
        if self._gone is not None:  # it failed between the first look and the entry, and may have missed the entry
            self._pending.pop(number, None)
            raise self._gone
        return pending

    def wait(self, pending: Pending, timeout: float | None = None) -> Any:
        """The answer, as soon as it is there. After `timeout` seconds, or HODOR_DEADLINE_S without a sign of life, the service
        counts as gone."""
        while not pending.done:
            if self._lead():
                try:
                    self._read_until(pending, timeout)
                finally:
                    self._follow()
                continue
            # Said before the next look at the lead: who gives it up looks for one who waits afterwards.
            pending.waiting = True
            if not self._read_lock.locked() and self._poll is not None and not self._at_end:
                continue
            if pending.lock.acquire(timeout=self._left(pending, timeout)) and pending.done:
                pending.lock.release()  # several threads may wait for one answer
        if pending.error is not None:
            raise pending.error
        return pending.result

    def _lead(self) -> bool:
        """Makes this thread the one that reads, if no other is."""
        return self._poll is not None and not self._at_end and self._read_lock.acquire(blocking=False)

    def _follow(self) -> None:
        """Gives up the reading, to one of those who wait."""
        self._read_lock.release()
        if self._pending:
            try:
                waiter = next((pending for pending in self._pending.values() if pending.waiting), None)
            except RuntimeError:
                return  # the dictionary changed, so somebody is on the move and will look at the lead
            if waiter is not None:
                waiter.nudge()

    def _read_until(self, pending: Pending, timeout: float | None) -> None:
        while not pending.done and not self._at_end:
            # In slices, since `wake` and a child given up by another thread can't end a poll.
            if self._poll.poll(500):
                self._pump()
            elif not pending.done:
                self._left(pending, timeout)

    def _left(self, pending: Pending, timeout: float | None) -> float:
        """Seconds for which this call may go on waiting before it looks again; raises ServiceGone where none are left."""
        now = time.monotonic()
        limit = None if timeout is None else pending.sent + timeout
        left = max(self._heard, pending.sent) + self._deadline - now
        if left <= 0:
            if not self._busy():
                raise self._give_up(f"hodor-sql said nothing for {self._deadline:g} s")
            left = 1.0
        if limit is not None:
            if limit <= now:
                raise self._give_up(f"hodor-sql did not answer within {timeout:g} s")
            left = min(left, limit - now)
        return left

    def wake(self) -> None:
        """Fails every call in flight with Interrupted; later calls work."""
        self._drain(Interrupted("dbt cancels this run"))

    def reply(self, number: Any, result: Any = None, error: tuple[int, str] | None = None) -> None:
        """Answers a request of the service. Never raises: where the child is gone, nobody waits for the answer."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
        if error is None:
            message["result"] = result
        else:
            message["error"] = {"code": error[0], "message": error[1]}
        try:
            self._write((encode(message) + "\n").encode("ascii"))
        except (ServiceGone, OSError, ValueError):
            pass

    def _write(self, line: bytes) -> None:
        if os.getpid() != self._pid:
            raise ServiceGone("this process was forked from the one that started hodor-sql")
        with self._write_lock:
            if self._gone is not None or self.process.stdin.closed:
                raise self._gone or ServiceGone("the run is over")
            try:
                written = os.write(self._stdin, line)
                if written < len(line):
                    self._write_rest(memoryview(line)[written:])
            except BlockingIOError:
                self._write_rest(memoryview(line))
            except OSError:
                raise self._ended() from None  # with the exit status, which says more than a broken pipe

    def _write_rest(self, rest: memoryview) -> None:
        """Writes as the child makes room. Half a line may be out already, so giving up here ends the connection."""
        stalled = time.monotonic()
        try:
            while rest:
                if not select.select([], [self._stdin], [], 0.5)[1]:
                    if self._gone is not None:
                        raise self._gone
                    if time.monotonic() - max(stalled, self._heard) > self._deadline and not self._busy():
                        raise self._give_up(f"hodor-sql took no request for {self._deadline:g} s")
                    continue
                try:
                    rest = rest[os.write(self._stdin, rest) :]
                    stalled = time.monotonic()
                except BlockingIOError:
                    continue
        except BaseException:  # a Ctrl-C in here, too, leaves half a line
            self._fail("a request could not be written to its end")
            self.kill()
            raise

    # --- reading ---

    def _read_idle(self) -> None:
        """The client's own thread: looks after what the service asks of its own accord, at ever longer intervals, and stays
        while there is something. Nobody is in a hurry then: whoever is reads."""
        pause = IDLE_S[0]
        while not self._at_end and not self._stop.wait(pause):
            pause = min(pause * 2, IDLE_S[1])
            if self._lead():
                try:
                    patience = 0
                    while not self._at_end and self._poll.poll(patience):
                        self._pump()
                        patience, pause = 20, IDLE_S[0]
                finally:
                    self._follow()

    def _read_always(self) -> None:
        """The client's own thread where only one thread can wait for the pipe."""
        with self._read_lock:
            while not self._at_end:
                self._pump()

    def _pump(self) -> None:
        """Reads once and hands out the whole lines. Called with the read lock."""
        try:
            data = os.read(self._stdout, 1 << 16)
            self._heard = time.monotonic()
            if data:
                *lines, rest = data.split(b"\n")
                if lines:
                    if self._begun:
                        lines[0] = bytes(self._begun) + lines[0]
                        self._begun.clear()
                    for line in lines:
                        self._receive(line)
                self._begun += rest
                if len(self._begun) > MAX_LINE:
                    raise ValueError(f"a line of more than {MAX_LINE} bytes")
                return
        except Exception as error:
            self._fail(f"the connection to hodor-sql failed ({type(error).__name__}: {error})")
            self.kill()
        self._at_end = True  # what stands in _begun is half a line of a child that died
        self._ended()

    def _receive(self, line: bytes) -> None:
        try:
            message = decode(str(line, "utf-8"))
        except ValueError:
            message = None
        if not isinstance(message, dict):
            if line.strip():
                self._on_stderr(line.decode("utf-8", "replace").rstrip())
            return
        if "method" not in message:
            number = message.get("id")
            pending = self._pending.pop(number, None) if type(number) is int else None  # true is 1 to a dictionary
            if pending is None:
                return  # given up meanwhile, or never asked
            error = message.get("error")
            if error is None and "result" in message:
                pending.settle(message["result"], None)
            elif isinstance(error, dict):
                pending.settle(None, ServiceError(error.get("code", INTERNAL), str(error.get("message", ""))))
            else:
                pending.settle(None, ServiceError(INTERNAL, "an answer without result and error"))
        elif "id" in message:
            self._serve(message["method"], message["id"], message.get("params"))
        elif message["method"] == "hello" and not self._greeted:
            self._greeted = True
            params = message.get("params")
            self.hello = params if isinstance(params, dict) else {}
            self._hello.settle(self.hello, None)

    def _read_stderr(self) -> None:
        try:
            for line in iter(self.process.stderr.readline, b""):
                text = line.decode("utf-8", "replace").rstrip()
                if text:
                    self._words.append(text)
                    self._on_stderr(text)
        except Exception:
            pass  # the pipe was closed under us

    def _ended(self) -> ServiceGone:
        """A pipe of the child's is at its end: it is dead or about to be."""
        if self._gone is not None:
            return self._gone
        try:
            status = self.process.wait(2.0)
            how = f"ended with exit status {status}" if status >= 0 else f"was killed by signal {-status}"
        except subprocess.TimeoutExpired:
            how = "closed its pipes"
            self.kill()
        self._stderr_thread.join(0.5)
        return self._fail(f"hodor-sql {how}{self._last_words()}")

    def _last_words(self) -> str:
        return "; its last words: " + " | ".join(self._words) if self._words else ""

    def _give_up(self, reason: str) -> ServiceGone:
        gone = self._fail(reason + self._last_words())
        self.kill()
        return gone

    def _fail(self, reason: str) -> ServiceGone:
        """Fails all pending and later calls; the first reason stands."""
        with self._gone_lock:
            if self._gone is None:
                self._gone = ServiceGone(reason)
            gone = self._gone
        self._drain(gone)
        return gone

    def _drain(self, error: Exception) -> None:
        if not self._greeted and isinstance(error, ServiceGone):
            self._greeted = True
            self._hello.settle(None, error)
        while self._pending:
            try:
                _, pending = self._pending.popitem()
            except KeyError:
                return
            pending.settle(None, error)


_clients: weakref.WeakSet[Client] = weakref.WeakSet()


def _after_fork() -> None:
    """A forked process must neither use the child nor hold its stdin open, else the child never sees the end of it. The
    descriptors stay taken, since the file objects on them close them once more."""
    for client in list(_clients):
        client._gone = ServiceGone("this process was forked from the one that started hodor-sql")
        try:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for pipe in (client.process.stdin, client.process.stdout, client.process.stderr):
                os.dup2(nowhere, pipe.fileno(), inheritable=False)
            os.close(nowhere)
        except (OSError, ValueError):
            pass


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
