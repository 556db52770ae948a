"""Each metric that is declared is shown, moves when what it counts happens, and follows Prometheus' conventions."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import pytest

from rocklake_server.catalog import commit
from rocklake_server.server.admin.exposition import exposition
from rocklake_server.server.admin.metrics import METRICS, MetricKind
from rocklake_server.server.admin.observed import Observed
from rocklake_server.server.admin.reference import PAGE, metrics_page
from rocklake_server.server.admin.surveyor import Surveyor
from rocklake_server.store.faults import Gate, Mode, Step
from tests.catalog.engine import Engine
from tests.catalog.owning import Holds
from tests.server.admin.watched_engine import SESSIONS_MAX, WatchedEngine
from tests.server.admin.watched_server import Scrape

LIMITS = {metric.full_name for metric in METRICS if "_limit" in metric.name}
ELSEWHERE = {"rocklake_lake_checkpoint_age_seconds"}
"""Needs a store with checkpoints: ``tests/server/admin/test_surveyor.py``."""

COPY = 'COPY (SELECT a FROM big) TO STDOUT (FORMAT "binary")'
FILES = (
    "INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, end_snapshot, file_size_bytes) "
    f"VALUES (1, 7, 1, NULL, 5), (2, 7, 1, NULL, 7), (3, 8, 1, NULL, {1 << 30}), (4, 8, 1, 2, 9)"
)
DELETE_FILE = "INSERT INTO ducklake_delete_file (delete_file_id, table_id, begin_snapshot) VALUES (5, 7, 1)"
INLINED = "CREATE TABLE ducklake_inlined_data_7_1 (row_id bigint, begin_snapshot bigint, end_snapshot bigint, a bigint)"
SNAPSHOT = "INSERT INTO ducklake_snapshot VALUES ({}, NOW(), 0, 1, 0)"


@pytest.fixture
async def engine(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WatchedEngine]:
    monkeypatch.setattr(commit, "READ_BACK_PAUSE_S", 0.0)
    engine = WatchedEngine()
    await engine.start()
    yield engine
    await engine.stop()


async def workload(engine: WatchedEngine) -> None:
    """Something of everything."""
    await engine.create_catalog()
    client, other = await engine.client(), await engine.client()
    await client.run(SNAPSHOT.format(0), SNAPSHOT.format(1), "CREATE TABLE big (a bigint)")
    await client.run(f"INSERT INTO big VALUES {', '.join(f'({number})' for number in range(1000))}")
    await client.run(FILES, DELETE_FILE, INLINED)
    await client.run("INSERT INTO ducklake_inlined_data_7_1 VALUES (0, 1, NULL, 1), (1, 1, NULL, 2)")
    await client.run(COPY, COPY, "SELECT max(a) FROM big")
    assert "ERROR 23505" in await client.query(SNAPSHOT.format(1))
    await other.run("BEGIN", "SELECT 1")
    await engine.databases.residency.reduce()


def moved(before: Scrape, after: Scrape) -> set[str]:
    return {series for (series, labels), value in after.items() if before.get((series, labels), 0.0) != value}


async def moved_by_maintenance(engine: WatchedEngine) -> set[str]:
    """While a procedure waits for another one to end."""
    before = await engine.scrape()
    (opened,) = engine.databases.open_lakes()
    async with opened.maintained:
        calling = asyncio.create_task(engine.clients[0].run("CALL rocklake.pin_add()"))
        while not engine.databases.runs.now:
            await asyncio.sleep(0)
        changed = moved(before, await engine.scrape())
    await calling
    return changed


async def test_every_metric_is_shown_and_moves(engine: WatchedEngine) -> None:
    before = await engine.scrape()
    await workload(engine)
    await engine.clients[0].run("CALL rocklake.pin_add()")
    changed = moved(before, await engine.scrape()) | await moved_by_maintenance(engine)
    engine.store.writes.add(Step(Mode.FAIL_AFTER_LANDING))
    await engine.clients[0].run(SNAPSHOT.format(2))
    gate = Gate()
    engine.store.writes.add(Step(gate=gate))
    committing = asyncio.create_task(engine.clients[0].run(SNAPSHOT.format(3)))
    await gate.arrived.wait()
    engine.store.lost = True
    engine.lease.holds = Holds.LOST
    after = await engine.scrape()
    changed |= moved(before, after)
    engine.store.lost = False
    engine.lease.holds = Holds.YES
    gate.open()
    await committing
    assert (await engine.scrape())["rocklake_commits_waiting", ()] == 0
    declared = {series for metric in METRICS for series in metric.series}
    shown = {series for series, _ in after if series.startswith("rocklake_")}
    assert declared - shown == ELSEWHERE
    assert declared - changed == LIMITS | ELSEWHERE


async def test_metrics_say_what_happened(engine: WatchedEngine) -> None:
    await workload(engine)
    told = await engine.scrape()
    lake = (("database", "lake"), ("schema", "public"))
    assert told["rocklake_statement_duration_seconds_count", (("kind", "insert"),)] == 6
    assert told["rocklake_statement_duration_seconds_count", (("kind", "copy_out"),)] == 2
    assert told["rocklake_errors_total", (("retryable", "true"), ("sqlstate", "23505"))] == 1
    assert told["rocklake_sessions", (("state", "idle"),)] == 1
    assert told["rocklake_sessions", (("state", "idle in transaction"),)] == 1
    assert told["rocklake_sessions_limit", ()] == SESSIONS_MAX
    assert told["rocklake_commit_duration_seconds_count", ()] == 9
    assert told["rocklake_commit_group_transactions_sum", ()] == 9
    assert told["rocklake_store_write_duration_seconds_count", ()] == 9
    assert told["rocklake_lake_commit_sequence", lake] == 9
    assert told["rocklake_lake_snapshot", lake] == 1
    assert told["rocklake_lake_stored_bytes", lake] > 1000
    assert (told["rocklake_lake_snapshots", lake], told["rocklake_lake_files", lake]) == (2, 3)
    assert (told["rocklake_lake_small_files", lake], told["rocklake_lake_file_bytes", lake]) == (2, 12 + (1 << 30))
    assert (told["rocklake_lake_history_files", lake], told["rocklake_lake_delete_files", lake]) == (1, 1)
    assert told["rocklake_lake_inlined_rows", lake] == 2
    assert told["rocklake_image_memory_bytes", ()] > 1000
    assert told["rocklake_cache_bytes", (("cache", "encodings"),)] >= 1000 * 14
    assert (told["rocklake_lakes", ()], told["rocklake_lakes_open", ()]) == (1, 1)
    assert (told["rocklake_lakes_unavailable", ()], told["rocklake_store_owned", ()]) == (0, 1)


async def test_histograms_are_cumulative(engine: WatchedEngine) -> None:
    await workload(engine)
    told = await engine.scrape()
    for name in ("rocklake_commit_duration_seconds", "rocklake_commit_group_transactions"):
        buckets = [value for (series, _), value in told.items() if series == f"{name}_bucket"]
        assert buckets == sorted(buckets)
        assert buckets[-1] == told[f"{name}_count", ()] == told[f"{name}_bucket", (("le", "+Inf"),)]


async def test_a_lake_that_closed_is_no_longer_shown(engine: WatchedEngine) -> None:
    await engine.create_catalog()
    lake = (("database", "lake"), ("schema", "public"))
    assert ("rocklake_lake_commit_sequence", lake) in await engine.scrape()
    engine.databases.close_idle_lakes(idle_s=0.0)
    told = await engine.scrape()
    assert ("rocklake_lake_commit_sequence", lake) not in told
    assert (told["rocklake_lakes", ()], told["rocklake_lakes_open", ()]) == (1, 0)


async def test_a_lake_whose_schema_was_dropped_is_no_longer_shown(engine: WatchedEngine) -> None:
    client = await engine.client()
    await client.run("CREATE SCHEMA gone", "CREATE TABLE gone.t (a bigint)")
    lake = (("database", "lake"), ("schema", "gone"))
    assert (await engine.scrape())["rocklake_lake_commit_sequence", lake] == 1
    await client.run("DROP SCHEMA gone CASCADE")
    told = await engine.scrape()
    assert ("rocklake_lake_commit_sequence", lake) not in told
    assert told["rocklake_lakes", ()] == 0


async def test_a_temporary_table_is_no_lake(engine: WatchedEngine) -> None:
    client = await engine.client()
    await client.run("CREATE TEMPORARY TABLE t (a bigint)", "INSERT INTO t VALUES (1)")
    told = await engine.scrape()
    assert (told["rocklake_lakes_open", ()], told["rocklake_commit_duration_seconds_count", ()]) == (0, 0)


async def test_names_are_data(engine: WatchedEngine) -> None:
    """Clients choose the names of databases."""
    name = 'a"b\\c\n{}'
    await engine.databases.create_lake(name, "public")
    labels = (("database", name), ("schema", "public"))
    assert (await engine.scrape())["rocklake_lake_commit_sequence", labels] == 0


# -- declarations -----------------------------------------------------------------------------------------------------


def test_names_follow_the_conventions() -> None:
    names = [metric.full_name for metric in METRICS]
    assert len(set(names)) == len(names)
    for metric in METRICS:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", metric.name)
        assert metric.name.endswith("_total") == (metric.kind is MetricKind.COUNTER), metric.name
        assert not re.search(r"_(ms|us|mib|kb)(_|$)", metric.name), "base units only"
        assert metric.help.endswith("."), metric.name


def test_the_page_is_what_the_declarations_generate() -> None:
    assert PAGE.read_text(encoding="utf-8") == metrics_page(), "run python -m rocklake_server.server.admin.reference"
    assert all(f"| `{metric.full_name}` |" in metrics_page() for metric in METRICS)


async def test_a_scrape_of_many_lakes_gives_others_their_turn() -> None:
    engine = Engine()
    engine.open_lakes_max = 1000
    await engine.open()
    for number in range(1000):
        await engine.databases.create_lake(f"database {number}", "public")
    observed = Observed(engine.databases, "memory:///", list, 1, Surveyor(engine.databases, None))
    scraping = asyncio.create_task(exposition(observed, ""))
    turns = 0
    while not scraping.done():
        await asyncio.sleep(0)
        turns += 1
    assert (await scraping)[0].count(b"\nrocklake_lake_commit_sequence{") == 1000
    assert turns > 4
    await engine.databases.close()
