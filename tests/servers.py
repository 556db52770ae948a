"""Catalog servers under test: our own in a subprocess, or an external PostgreSQL.

``RockLakeServer`` runs the console program against a store URL. ``ExternalServer`` stands for a PostgreSQL that
is already running (environment variable ``ROCKLAKE_E2E_DSN``): DuckLake's own behaviour on PostgreSQL is the
yardstick, so every end-to-end test can be pointed at one to tell a wrong test from a wrong server.
"""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Protocol

import psycopg

from tests.forks import Forked, fork_command

START_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 20.0
LOG_TAIL_LINES = 60
_LISTENING = re.compile(r"listening on (?P<host>[0-9.]+):(?P<port>\d+)")
_OWN_VARIABLES = ("ROCKLAKE_", "AWS_")


class ServerError(RuntimeError):
    """The server did not start, or did not stop as it promises to; the text ends with its log."""


class CatalogServer(Protocol):
    """What a test may do to the server that it runs against."""

    def dsn(self, dbname: str) -> str:
        """The libpq connection string of one database."""
        ...

    def restart(self) -> None:
        """Stop cleanly and start again on the same address and store."""
        ...

    def kill(self) -> None:
        """Make every connection and all unsaved state vanish at once."""
        ...

    def start(self) -> None:
        """Start on the address and store of before."""
        ...

    def log_tail(self) -> str:
        """The last lines that the server wrote to stderr."""
        ...


class RockLakeServer:
    """``rocklake serve`` as a process; a restart keeps the port, so clients' connection strings stay valid.

    ``is_fresh`` makes a process that imports everything itself, as a user's does: for measurements.
    """

    def __init__(
        self,
        store: str,
        *,
        logs: Path,
        environment: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        log_level: str = "info",
        is_fresh: bool = False,
    ) -> None:
        self.store = store
        self.arguments = list(arguments)
        self.log_level = log_level
        self.port = 0
        self.startup_lines: list[str] = []
        self.log_path = logs / "server.log"
        self._environment = _clean_environment() | dict(environment or {})
        self._is_fresh = is_fresh
        self._process: subprocess.Popen[bytes] | Forked | None = None
        self._output: IO[str] | None = None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader: threading.Thread | None = None

    def start(self) -> None:
        """Start and wait for the listening line. Raises ServerError with the server's log."""
        reading, writing = os.pipe()
        self._output = os.fdopen(reading)
        with self.log_path.open("a") as stderr, os.fdopen(writing, "wb") as stdout:
            self._process = self._launched(stdout.fileno(), stderr.fileno())
        self._lines = queue.SimpleQueue()
        self._reader = threading.Thread(target=_pump, args=(self._output, self._lines), daemon=True)
        self._reader.start()
        self._wait_until_listening()

    def _launched(self, stdout: int, stderr: int) -> subprocess.Popen[bytes] | Forked:
        arguments = ["serve", "--store", self.store, "--listen", f"127.0.0.1:{self.port}"]
        arguments += ["--log-level", self.log_level, *self.arguments]
        if not self._is_fresh:
            return fork_command(arguments, self._environment, stdout, stderr)
        command = [sys.executable, "-m", "rocklake_server.cli.app", *arguments]
        return subprocess.Popen(command, stdout=stdout, stderr=stderr, env=self._environment)

    def stop(self) -> None:
        """Ask for a clean stop (SIGTERM) and expect exit code 0 in time."""
        process = self._process
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServerError(f"no exit within {STOP_SECONDS_MAX} s of SIGTERM\n{self.log_tail()}") from None
        self._reap()
        if code != 0:
            raise ServerError(f"exit code {code} after SIGTERM\n{self.log_tail()}")

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(STOP_SECONDS_MAX)
            self._reap()

    def restart(self) -> None:
        self.stop()
        self.start()

    def dsn(self, dbname: str) -> str:
        return f"host=127.0.0.1 port={self.port} dbname={dbname} user=lake"

    def log_tail(self) -> str:
        if not self.log_path.exists():
            return "(no log)"
        lines = self.log_path.read_text(errors="replace").splitlines()
        return "\n".join(lines[-LOG_TAIL_LINES:])

    def lines_so_far(self, seconds: float) -> list[str]:
        """The lines that follow the listening line on stdout, waiting at most ``seconds`` for the first."""
        lines: list[str] = []
        try:
            while (line := self._lines.get(timeout=seconds if not lines else 0.1)) is not None:
                lines.append(line.rstrip())
        except queue.Empty:
            pass  # no more for now
        return lines

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server is not running"
        return self._process.pid

    def _wait_until_listening(self) -> None:
        deadline = time.monotonic() + START_SECONDS_MAX
        self.startup_lines = []
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self.kill()
                raise ServerError(f"no listening line in {START_SECONDS_MAX} s\n{self._said()}") from None
            if line is None:
                self.kill()
                raise ServerError(f"the server ended while starting\n{self._said()}")
            self.startup_lines.append(line.rstrip())
            if found := _LISTENING.search(line):
                self.port = int(found["port"])
                return

    def _said(self) -> str:
        return "\n".join([*self.startup_lines, self.log_tail()])

    def _reap(self) -> None:
        self._process = None
        if self._reader is not None:
            self._reader.join(STOP_SECONDS_MAX)
        if self._output is not None:
            self._output.close()


class ExternalServer:
    """A running PostgreSQL; databases are made at first use, and a restart ends every other connection."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._made: set[str] = set()

    def dsn(self, dbname: str) -> str:
        if dbname not in self._made:
            with psycopg.connect(self._dsn, autocommit=True) as admin:
                admin.execute(f'DROP DATABASE IF EXISTS "{dbname}" WITH (FORCE)')
                admin.execute(f'CREATE DATABASE "{dbname}"')
            self._made.add(dbname)
        return psycopg.conninfo.make_conninfo(self._dsn, dbname=dbname)

    def drop(self, dbname: str) -> None:
        """Remove one database, which no client uses any more."""
        with psycopg.connect(self._dsn, autocommit=True) as admin:
            admin.execute(f'DROP DATABASE IF EXISTS "{dbname}" WITH (FORCE)')
        self._made.discard(dbname)

    def kill(self) -> None:
        with psycopg.connect(self._dsn, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = ANY(%s)",
                [sorted(self._made)],
            )

    def start(self) -> None:
        """Nothing to do: the server never went away."""

    def restart(self) -> None:
        self.kill()

    def stop(self) -> None:
        for dbname in sorted(self._made):
            self.drop(dbname)

    def log_tail(self) -> str:
        return "(an external server: see its own log)"


def _pump(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _clean_environment() -> dict[str, str]:
    """The caller's environment without settings that would change the server under test."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN_VARIABLES)}
