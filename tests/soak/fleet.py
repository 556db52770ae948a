"""The client processes of a soak run: started, listened to, and started again when their server took them along."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
SILENCE_SECONDS_MAX = 90.0
"""A client that says nothing for so long hangs; losing its server may do that to DuckDB, and is no finding."""


@dataclass
class Client:
    """One role under one number, through however many processes."""

    role: str
    number: int
    tried: set[int] = field(default_factory=set)
    acknowledged: set[int] = field(default_factory=set)
    said: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    process: subprocess.Popen[str] | None = None
    listener: threading.Thread | None = None
    starts: int = 0
    heard_at: float = 0.0
    next_number: int = 0

    def start(self, dsn: str, data: Path, seed: int) -> None:
        self.starts += 1
        self.heard_at = time.monotonic()
        arguments = [self.role, dsn, str(data), str(self.number), str(seed + self.starts), str(self.next_number)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.client", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT,
        )
        self.listener = threading.Thread(target=self._listen, args=(self.process,), daemon=True)
        self.listener.start()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.heard_at = time.monotonic()
            word, _, details = line.rstrip("\n").partition(" ")
            self.said[word] += 1
            match word:
                case "tried":
                    self.tried.add(int(details))
                    self.next_number = int(details) + 1
                case "acknowledged":
                    self.acknowledged.add(int(details))
                case "failed":
                    self.failures[_shortened(details)] += 1
                case "broken":
                    self.broken.append(details)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
        if self.listener is not None:
            self.listener.join()
            self.listener = None


def _shortened(error: str) -> str:
    """Its begin and its end; the middle of DuckDB's errors is a query."""
    return error if len(error) < 200 else f"{error[:70]} … {error[-120:]}"


class Fleet:
    """All clients of a run."""

    def __init__(self, roles: dict[str, int], dsn: str, data: Path, seed: int) -> None:
        self.clients = [Client(role, number) for role, count in roles.items() for number in range(count)]
        self.dsn = dsn
        self.data = data
        self._seed = seed

    def tend(self) -> None:
        """Start what is not running, end what hangs."""
        for client in self.clients:
            process = client.process
            if process is not None and process.poll() is None:
                if time.monotonic() - client.heard_at < SILENCE_SECONDS_MAX:
                    continue
                client.said["hung"] += 1
                client.kill()
            client.start(self.dsn, self.data, self._seed + 1000 * client.number)

    def kill(self) -> None:
        for client in self.clients:
            client.kill()

    def of(self, role: str) -> list[Client]:
        return [client for client in self.clients if client.role == role]

    @property
    def broken(self) -> list[str]:
        return [f"{client.role} {client.number}: {text}" for client in self.clients for text in client.broken]
