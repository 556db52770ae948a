"""Many DuckDB clients that write one lake at once."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import duckdb

from benchmarks.targets import Target

COMMITS_IN_ALL = 128
COMMITS_EACH_MIN = 4


@dataclass
class Outcome:
    """What the clients of one run got. ``errors`` are the ends of the messages of commits that failed for good."""

    seconds: float = 0.0
    latencies_s: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def tried(self) -> int:
        return len(self.latencies_s)

    @property
    def commits_per_s(self) -> float:
        return (self.tried - len(self.errors)) / self.seconds


def write_at_once(target: Target, writers: int) -> Outcome:
    """``writers`` clients insert single rows, each into a table of its own, with DuckLake's default retries."""
    with target.client() as connection:
        for writer in range(writers):
            connection.execute(f"CREATE TABLE IF NOT EXISTS own{writer}(id BIGINT)")
    commits_each = max(COMMITS_EACH_MIN, COMMITS_IN_ALL // writers)
    clients = [target.client() for _ in range(writers)]
    outcome = Outcome()

    def work(writer: int, connection: duckdb.DuckDBPyConnection) -> None:
        for number in range(commits_each):
            start = time.perf_counter()
            try:
                connection.execute(f"INSERT INTO own{writer} VALUES ({number})")
            except duckdb.Error as error:
                outcome.errors.append(str(error)[-200:])
            outcome.latencies_s.append(time.perf_counter() - start)

    threads = [threading.Thread(target=work, args=each) for each in enumerate(clients)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    outcome.seconds = time.perf_counter() - start
    for connection in clients:
        connection.close()
    return outcome
