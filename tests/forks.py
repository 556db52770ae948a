"""``rocklake`` commands that start at once: each is forked by a process that has imported the command line.

A command is a real process, with its own memory, file descriptors, locks, signals and exit code; what it does without
is the time of Python's imports. Run as a program, this is the process that forks. It has one socket, on which each
command arrives as JSON with three descriptors: standard output, standard error, and a socket on which its process
number and later its exit status go back, a line each.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
MESSAGE_BYTES_MAX = 256 * 1024
DESCRIPTORS = 3
IMPORTED_LATE = ("psycopg", "rich.progress", "rich.table", "typer.rich_utils")
"""What commands import only when they need it, as far as it is there; not duckdb, which starts a thread at once."""


class Forked:
    """One command's process; as much of ``subprocess.Popen`` as tests use."""

    def __init__(self, arguments: Sequence[str], status: socket.socket) -> None:
        self.args = list(arguments)
        self.returncode: int | None = None
        self._status = status
        self._said = b""
        self.pid = int(self._line(None))

    def poll(self) -> int | None:
        """The exit code, or minus the number of the signal that ended it; ``None`` while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(int(self._line(timeout)))
            self._status.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Nothing happens once the process has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ends at this moment
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _line(self, timeout: float | None) -> bytes:
        deadline = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._said:
            self._status.settimeout(None if deadline is None else max(0.0, deadline - time.monotonic()))
            try:
                data = self._status.recv(64)
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0) from None
            if not data:
                raise RuntimeError("the process that forks commands has ended")
            self._said += data
        line, _, self._said = self._said.partition(b"\n")
        return line


class _Parent:
    """The process that forks, started with the first command of this one. It ends when this one does."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()

    def fork(self, arguments: Sequence[str], environment: Mapping[str, str], stdout: int, stderr: int) -> Forked:
        ours, theirs = socket.socketpair()
        request = json.dumps({"arguments": arguments, "environment": dict(environment), "folder": os.getcwd()})
        with theirs, self._turn:
            if self._socket is None:
                self._socket = self._start(environment)
            socket.send_fds(self._socket, [request.encode()], [stdout, stderr, theirs.fileno()])
        return Forked(arguments, ours)

    def _start(self, environment: Mapping[str, str]) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.forks", str(theirs.fileno())], pass_fds=[theirs.fileno()], cwd=ROOT,
                env=dict(environment), stdin=subprocess.DEVNULL,
            )  # fmt: skip
        atexit.register(self._end)
        return ours

    def _end(self) -> None:
        assert self._socket is not None
        assert self._process is not None
        self._socket.close()
        self._process.wait()


_PARENT = _Parent()


def fork_command(arguments: Sequence[str], environment: Mapping[str, str], stdout: int, stderr: int) -> Forked:
    """``rocklake`` with ``arguments``, writing to the descriptors ``stdout`` and ``stderr``, which stay the caller's.
    What of ``environment`` is read while modules are imported has to be the same for all commands."""
    return _PARENT.fork(arguments, environment, stdout, stderr)


class _Forking:
    """The program."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._running: dict[int, socket.socket] = {}
        self._main = _imported()
        self._woken, waking = socket.socketpair()
        for end in (self._woken, waking):
            end.setblocking(False)
        self._waking = waking
        signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # its number goes to the socket
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's is for the tests' process

    def run(self) -> None:
        """Until nobody can send commands any more."""
        with selectors.DefaultSelector() as ready:
            ready.register(self._requests, selectors.EVENT_READ)
            ready.register(self._woken, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    if key.fileobj is self._woken:
                        self._woken.recv(4096)
                        self._reap()
                    elif not self._fork_next(ready):
                        return

    def _fork_next(self, ready: selectors.BaseSelector) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._requests, MESSAGE_BYTES_MAX, DESCRIPTORS)
        if not data:
            return False
        stdout, stderr, status = descriptors
        answers = socket.socket(fileno=status)
        pid = os.fork()
        if pid == 0:
            try:
                ready.close()
                self._become(json.loads(data), stdout, stderr, answers)
            finally:
                os._exit(255)  # the command leaves by itself
        os.close(stdout)
        os.close(stderr)
        self._running[pid] = answers
        self._tell(answers, pid)
        return True

    def _become(self, request: dict[str, object], stdout: int, stderr: int, answers: socket.socket) -> None:
        """The command itself, in the process that was forked."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for held in (self._requests, self._woken, self._waking, answers, *self._running.values()):
            held.close()
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        os.close(stdout)
        os.close(stderr)
        os.environ.clear()
        os.environ.update(request["environment"])  # type: ignore[call-overload]
        os.chdir(str(request["folder"]))
        sys.argv = ["rocklake", *request["arguments"]]  # type: ignore[misc]
        self._main()

    def _reap(self) -> None:
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            with self._running.pop(pid) as answers:
                self._tell(answers, status)

    @staticmethod
    def _tell(answers: socket.socket, number: int) -> None:
        try:
            answers.send(b"%d\n" % number)
        except OSError:
            pass  # nobody waits for it


def _imported() -> Callable[[], object]:
    """The console script, with all that it may import there already; nothing of it has begun to run."""
    app = importlib.import_module("rocklake_server.cli.app")
    app.build_app()
    for name in IMPORTED_LATE:
        try:
            importlib.import_module(name)
        except ImportError:
            pass  # the command says so
    gc.collect()
    gc.freeze()  # pages that no collection writes to stay shared
    return app.main  # type: ignore[no-any-return]


if __name__ == "__main__":
    _Forking(socket.socket(fileno=int(sys.argv[1]))).run()
