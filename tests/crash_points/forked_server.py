"""``rocklake serve`` that is up again a moment after kill -9: forked by a process that has imported it.

Run as a program, this is the process that forks: one server for each line, with its port, on its standard input.
"""

from __future__ import annotations

import importlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from rocklake_server.cli.app import main as rocklake

ROOT = Path(__file__).parents[2]
SECONDS_MAX = 30.0
_FORKED = re.compile(r"^forked (\d+)$")
_LISTENING = re.compile(r"listening on 127\.0\.0\.1:(\d+)")


class ForkedServer:
    """Keeps its port from the first start on. Logs everything that a server can log."""

    def __init__(self, store: str, log_path: Path) -> None:
        self.log_path = log_path
        self.port = 0
        self._pid = 0
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.crash_points.forked_server", store, str(log_path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )

    def start(self) -> None:
        """Returns when it listens."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(f"{self.port}\n")
        self._parent.stdin.flush()
        self._pid = self._read(_FORKED)
        self.port = self._read(_LISTENING)

    def _read(self, pattern: re.Pattern[str]) -> int:
        """The number in the next line that fits."""
        assert self._parent.stdout is not None
        while line := self._parent.stdout.readline():
            if (found := pattern.search(line)) is not None:
                return int(found[1])
        raise AssertionError(f"the server does not start:\n{self.log_path.read_text()[-3000:]}")

    def kill(self) -> None:
        """kill -9; returns when the process is gone."""
        os.kill(self._pid, signal.SIGKILL)
        deadline = time.monotonic() + SECONDS_MAX
        while Path(f"/proc/{self._pid}").exists():
            assert time.monotonic() < deadline, "the server outlives kill -9"
            time.sleep(0.001)
        self._pid = 0

    def close(self) -> None:
        if self._pid:
            self.kill()
        self._parent.kill()
        self._parent.communicate()

    def dsn(self, dbname: str) -> str:
        return f"host=127.0.0.1 port={self.port} dbname={dbname} user=lake"


def main(store: str, log_path: str) -> None:
    importlib.import_module("rocklake_server.cli.commands.serve")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the servers
    log = os.open(log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for port in iter(sys.stdin.readline, ""):
        if (pid := os.fork()) == 0:
            os.dup2(log, sys.stderr.fileno())
            sys.argv = ["rocklake", "serve", "--store", store, "--listen", f"127.0.0.1:{int(port)}",
                        "--log-level", "debug"]
            rocklake()
            os._exit(1)
        print("forked", pid, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
