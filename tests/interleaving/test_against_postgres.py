"""Random interleaved transactions end on our server as they do on PostgreSQL."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, example, given, note, settings

from tests.interleaving.clients import Client
from tests.interleaving.postgres_side import DEADLOCK_TIMEOUT_MS, Event, PostgresRun
from tests.interleaving.rocklake_side import RocklakeRun
from tests.interleaving.schedules import (
    CYCLE_OF_INSERTS,
    DEFINITIONS,
    FILLING,
    RESULTS,
    TABLES,
    Kind,
    Schedule,
    Statement,
    schedules,
)
from tests.servers import RockLakeServer

pytestmark = pytest.mark.postgres

SESSIONS_MAX = 8
EXPECTED = (
    "insert waits", "change waits", "insert after a wait: goes on", "insert after a wait: 23505", "insert: 23505",
    "insert: 40P01", "serialization failure", "rollback to: done", "commit: done",
)  # fmt: skip
EXAMPLES = int(os.environ.get("ROCKLAKE_INTERLEAVINGS", "80"))


class Servers:
    """Both, with the same tables, and a connection for each session that a schedule may have."""

    def __init__(self, postgres_dsn: str, rocklake_dsn: str) -> None:
        self.seen: Counter[str] = Counter()
        self._rocklake_dsn = rocklake_dsn
        self.monitor = Client(postgres_dsn)
        self._postgres_dsn = postgres_dsn
        self.postgres = self._open_postgres()
        self.owner = Client(rocklake_dsn)
        for admin in (self.monitor, self.owner):
            for definition in DEFINITIONS:
                assert admin.ask(definition).sqlstate is None

    def refill(self) -> None:
        for admin in (self.monitor, self.owner):
            for statement in ("BEGIN", *(f"DELETE FROM {table}" for table in TABLES), *FILLING, "COMMIT"):
                answer = admin.ask(statement)
                assert answer.sqlstate is None, answer

    def compare(self, schedule: Schedule) -> None:
        self.refill()
        run = PostgresRun(schedule, self.postgres, self.monitor)
        try:
            events = run.run()
        except BaseException:
            for client in self.postgres:
                client.close()
            self.postgres = self._open_postgres()
            raise
        for event in events:
            note(f"{event.said.session} {'' if event.returned else 'WAITS '}{event.said.statement!r}"
                 f" -> {event.said.answer.outcome if event.returned and event.said.answer else ''}")
        if run.chose_a_victim_late:
            self.seen["victim chosen late"] += 1
            return
        clients = [Client(self._rocklake_dsn) for _ in schedule.sessions]
        try:
            RocklakeRun(events, clients, self.owner, self.seen).run()
        finally:
            for client in clients:
                client.close()
        for query in RESULTS:
            assert self.owner.ask(query).rows == self.monitor.ask(query).rows, query
        self._require_times_in_commit_order(events)

    def _require_times_in_commit_order(self, events: list[Event]) -> None:
        """Each snapshot row that a session committed is later than those committed before it."""
        times = dict(self.owner.ask("SELECT snapshot_id, snapshot_time FROM ducklake_snapshot").rows)
        inserted: dict[int, list[str]] = {}
        committed = ["0"]
        for event in events:
            said = event.said
            if not event.returned or said.answer is None:
                continue
            if said.statement.kind in (Kind.BEGIN, Kind.ROLLBACK, Kind.ROLLBACK_TO):
                inserted[said.session] = []  # rows from before the savepoint stay, but are not looked at
            elif said.statement.kind is Kind.COMMIT:
                committed += inserted.pop(said.session, [])
            elif said.answer.sqlstate is None and (key := _key(said.statement)) is not None:
                inserted.setdefault(said.session, []).append(key)
        order = [times[key] for key in committed if key in times]
        assert order == sorted(order)
        assert len(set(order)) == len(order)

    def _open_postgres(self) -> list[Client]:
        clients = [Client(self._postgres_dsn) for _ in range(SESSIONS_MAX)]
        for client in clients:
            assert client.ask(f"SET deadlock_timeout = {DEADLOCK_TIMEOUT_MS}").sqlstate is None
        return clients

    def close(self) -> None:
        for client in (*self.postgres, self.monitor, self.owner):
            client.close()


def _key(statement: Statement) -> str | None:
    prefix = "INSERT INTO ducklake_snapshot VALUES ("
    return statement.sql.removeprefix(prefix).split(",")[0] if statement.sql.startswith(prefix) else None


@pytest.fixture(scope="module")
def servers(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    logs = tmp_path_factory.mktemp("interleaving")
    server = RockLakeServer("memory:///interleaving", logs=logs)
    server.start()
    opened = Servers(postgres_dsn, server.dsn("lake"))
    yield opened
    opened.close()
    server.stop()
    assert "Traceback" not in (logs / "server.log").read_text()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_interleaved_transactions_end_as_on_postgres(servers: Servers) -> None:
    @settings(max_examples=EXAMPLES, deadline=None, derandomize="ROCKLAKE_INTERLEAVINGS" not in os.environ,
              phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck))
    @given(schedules())
    @example(CYCLE_OF_INSERTS)
    def compare(schedule: Schedule) -> None:
        servers.compare(schedule)

    compare()
    print(dict(sorted(servers.seen.items())))
    for met in EXPECTED:
        assert servers.seen[met] > 0, f"no schedule led to: {met}"
