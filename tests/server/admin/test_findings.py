"""Each health finding is there when what it is for happens, says what to do, and is about the right lake."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from rocklake_server.catalog.survey import Survey
from rocklake_server.clock import POSTGRES_EPOCH_UNIX_S
from rocklake_server.server.admin import findings as module
from rocklake_server.server.admin.findings import Finding, Level, findings_of
from tests.server.admin.watched_engine import SESSIONS_MAX, WatchedEngine


@pytest.fixture
async def engine() -> AsyncIterator[WatchedEngine]:
    engine = WatchedEngine()
    await engine.start()
    await engine.create_catalog()
    await engine.surveyor.settled()
    yield engine
    await engine.stop()


def found(engine: WatchedEngine, problem: str | None = None) -> list[Finding]:
    return findings_of(engine.observed, problem)


def survey(engine: WatchedEngine) -> Survey:
    (opened,) = engine.databases.open_lakes()
    assert opened.lake.survey is not None
    return opened.lake.survey


async def test_a_server_that_does_well_has_none(engine: WatchedEngine) -> None:
    assert found(engine) == []


async def test_a_server_that_is_not_ready_is_the_worst(engine: WatchedEngine) -> None:
    engine.activity.store_write_failures = 1
    first, second = found(engine, "the store is away")
    assert (first.level, first.what) == (Level.PROBLEM, "The server is not ready: the store is away.")
    assert (second.level, second.what) == (Level.WARNING, "Writes to the store failed since the start: 1.")


async def test_sessions_near_their_limit(engine: WatchedEngine) -> None:
    for _ in range(SESSIONS_MAX):
        await engine.client()
    assert [finding.what for finding in found(engine)] == [f"{SESSIONS_MAX} of {SESSIONS_MAX} sessions are open."]


async def test_rows_that_do_not_fit_into_memory(engine: WatchedEngine) -> None:
    engine.databases.residency.about_bytes = engine.databases.residency.bytes_max + 1
    assert [finding.what for finding in found(engine)] == ["Loaded rows do not fit into memory."]


async def test_slow_commits(engine: WatchedEngine) -> None:
    for _ in range(10):
        engine.activity.commits.observe(9.0)
    assert [finding.what.split(" takes ")[0] for finding in found(engine)] == ["One commit in a hundred"]


async def test_writers_that_lose_more_than_they_commit(engine: WatchedEngine) -> None:
    client = await engine.client()
    await client.run("INSERT INTO ducklake_snapshot VALUES (0, NOW(), 0, 1, 0)")
    for _ in range(module.LOST_MIN):
        await client.query("INSERT INTO ducklake_snapshot VALUES (0, NOW(), 0, 1, 0)")
    engine.surveyor.minutes.look()
    (finding,) = found(engine)
    assert finding.what == f"Writers lately lost {module.LOST_MIN} times and committed 2 times."


async def test_a_lake_that_waits_for_its_store(engine: WatchedEngine) -> None:
    engine.store.lost = True
    (finding,) = found(engine)
    assert (finding.level, finding.lake) == (Level.PROBLEM, ("lake", "public"))
    assert finding.what == 'Lake "lake" waits for its store.'
    engine.store.lost = False


async def test_a_lake_of_another_server(engine: WatchedEngine) -> None:
    (opened,) = engine.databases.open_lakes()
    opened.lake.given_up = True
    assert [finding.what for finding in found(engine)] == ['Another server owns lake "lake" now.']
    opened.lake.given_up = False


async def test_small_files(engine: WatchedEngine) -> None:
    client = await engine.client()

    async def add(first: int, count: int, size: int) -> None:
        rows = ", ".join(f"({number}, 1, 1, {size})" for number in range(first, first + count))
        await client.run(
            f"INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, file_size_bytes) VALUES {rows}")
        await engine.surveyor.settled()

    await add(0, module.SMALL_FILES_MIN - 1, 5)
    assert found(engine) == []
    await add(1000, 1, 5)
    assert [finding.what for finding in found(engine)] == ['Lake "lake" has 1 table of mostly small files.']
    await add(2000, module.SMALL_FILES_MIN + 1, 1 << 30)
    assert found(engine) == [], "most of its files are large"


async def test_what_a_survey_counts(engine: WatchedEngine) -> None:
    counted, now_s = survey(engine), engine.clock.now_us() / 1e6 + POSTGRES_EPOCH_UNIX_S
    counted.total.rows, counted.total.deleted_rows = 30_000, module.DELETED_ROWS_MIN
    counted.total.kept_bytes = module.KEPT_BYTES_MIN
    counted.snapshots = module.SNAPSHOTS_MAX + 1
    counted.checkpoint_s = int(now_s - 2 * module.CHECKPOINT_AGE_S_MAX)
    assert [finding.what for finding in found(engine)] == [
        '10,000 rows in the files of lake "lake" are deleted.',
        'Most bytes of lake "lake" belong to older snapshots alone.',
        'Lake "lake" keeps 100,001 snapshots.',
        'The newest checkpoint of lake "lake" is 14 days old.',
    ]
    assert {finding.level for finding in found(engine)} == {Level.ADVICE}


async def test_inlined_rows(engine: WatchedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INLINED_ROWS_MAX", 1)
    client = await engine.client()
    await client.run(
        "CREATE TABLE ducklake_inlined_data_7_1 (row_id bigint, begin_snapshot bigint, end_snapshot bigint, a bigint)",
        "INSERT INTO ducklake_inlined_data_7_1 VALUES (0, 1, NULL, 1), (1, 1, NULL, 2)")
    await engine.surveyor.settled()
    assert [finding.what for finding in found(engine)] == ['2 rows of lake "lake" are in the catalog and in no file.']


async def test_each_says_what_to_do_and_is_json(engine: WatchedEngine) -> None:
    engine.store.lost = True
    engine.activity.store_write_failures = 2
    told = [finding.as_json() for finding in found(engine, "it starts")]
    engine.store.lost = False
    assert json.loads(json.dumps(told)) == told
    assert [each["level"] for each in told] == ["problem", "problem", "warning"]
    assert all(str(each["todo"]).endswith(".") for each in told)
