"""Images that load late show the root they belong to, whatever was committed meanwhile."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.catalog.view import Bounds
from rocklake_server.errors import StoreUnavailable
from rocklake_server.store.base import Store
from rocklake_server.store.faults import FaultyStore, Gate, Mode, Step
from rocklake_server.store.memory import MemoryStore
from tests.catalog.engine import Engine, delete, insert, lake_of, matches, select, update

FILES = "ducklake_data_file"


class SlowEngine(Engine):
    def __init__(self) -> None:
        super().__init__()
        self.store = FaultyStore(MemoryStore())

    async def open_store(self, directory: str) -> Store:
        return self.store if directory.startswith("lakes/") else await super().open_store(directory)

    async def cold(self) -> SlowEngine:
        again = SlowEngine()
        again.stores, again.store, again.clock = self.stores, FaultyStore(self.store.inner), self.clock
        await again.open()
        return again


def file(number: int, table: int = 1, end: int | None = None) -> dict[str, int | str | None]:
    return {"data_file_id": number, "table_id": table, "begin_snapshot": 1, "path": str(number), "end_snapshot": end}


@pytest.fixture
async def engine() -> SlowEngine:
    engine = SlowEngine()
    await engine.open()
    await engine.create_catalog()
    transaction = await engine.begin()
    await insert(transaction, FILES, *(file(n) for n in range(5)), *(file(n, table=2) for n in range(5, 8)))
    await insert(transaction, "ducklake_tag", {"object_id": 1, "begin_snapshot": 1, "key": "k", "value": "old"})
    await transaction.commit()
    return await engine.cold()


async def change(engine: Engine) -> None:
    transaction = await engine.begin()
    await delete(transaction, FILES, data_file_id=0)
    await update(transaction, FILES, {"data_file_id": 1}, end_snapshot=9)
    await insert(transaction, FILES, file(20), file(21, table=3))
    await update(transaction, "ducklake_tag", {"object_id": 1}, value="new")
    await transaction.commit()


async def files(transaction: object) -> list[tuple[object, ...]]:
    return await select(transaction, FILES, "data_file_id", "end_snapshot")


OLD = [(n, None) for n in range(8)]
NEW = [(1, 9), (2, None), (3, None), (4, None), (20, None), (5, None), (6, None), (7, None), (21, None)]


async def test_an_old_root_that_loads_late_shows_its_own_rows(engine: SlowEngine) -> None:
    early = await engine.begin()
    await change(engine)
    await change_back_and_forth(engine)
    assert await files(early) == OLD
    assert await select(early, "ducklake_tag", "value") == [("old",)]
    assert await files(await engine.begin()) == NEW


async def change_back_and_forth(engine: Engine) -> None:
    for end in (None, 9):
        transaction = await engine.begin()
        await update(transaction, FILES, {"data_file_id": 1}, end_snapshot=end)
        await transaction.commit()


async def test_what_an_old_root_loads_serves_the_newest_one_too(engine: SlowEngine) -> None:
    early = await engine.begin()
    writer = await engine.begin()
    await insert(writer, FILES, file(20), file(21, table=3))
    await writer.commit()
    assert await files(early) == OLD
    reads = engine.store.reads.calls
    late = await engine.begin()
    assert await files(late) == [*OLD[:5], (20, None), *OLD[5:], (21, None)]
    assert engine.store.reads.calls == reads


@pytest.mark.parametrize("whole", [True, False])
async def test_a_load_that_commits_overtake_installs_the_newest_rows(engine: SlowEngine, whole: bool) -> None:
    early = await engine.begin()
    at = early.resolve(None, FILES).index
    bounds = Bounds() if whole else Bounds(values={at["table_id"]: frozenset({1})})
    gate = Gate()
    engine.store.reads.add(Step(gate=gate))
    loading = asyncio.create_task(matches(early, FILES, bounds))
    await gate.arrived.wait()
    for number in (20, 21, 22):
        writer = await engine.begin()
        await insert(writer, FILES, file(number))
        await writer.commit()
    gate.open()
    found = sorted(match.row[0] for match in await loading)
    assert found == list(range(8) if whole else range(5))
    newest = (await lake_of(engine)).newest
    relation = early.resolve(None, FILES)
    part = newest.image(relation.relation_id).part(1)
    assert part is not None
    assert [row[0] for _, row in part.image.entries()] == [0, 1, 2, 3, 4, 20, 21, 22]


async def test_a_load_that_fails_leaves_nothing_and_can_be_tried_again(engine: SlowEngine) -> None:
    transaction = await engine.begin()
    engine.store.reads.add(Step(Mode.FAIL_BEFORE))
    with pytest.raises(StoreUnavailable):
        await files(transaction)
    assert await files(transaction) == OLD


async def test_a_reader_that_goes_away_does_not_stop_a_load_for_others(engine: SlowEngine) -> None:
    first, second = await engine.begin(), await engine.begin()
    gate = Gate()
    engine.store.reads.add(Step(gate=gate))
    leaving, staying = asyncio.create_task(files(first)), asyncio.create_task(files(second))
    await gate.arrived.wait()
    leaving.cancel()
    await asyncio.wait([leaving])
    gate.open()
    assert await staying == OLD


steps = st.lists(st.tuples(st.sampled_from(("begin", "insert", "delete", "end", "read all", "read one", "read live",
                                            "forget")),
                           st.integers(0, 7)), max_size=14)


@given(steps)
@settings(max_examples=80, deadline=None)
def test_every_mix_of_loads_and_commits_shows_each_root_its_rows(plan: list[tuple[str, int]]) -> None:
    """Old and new transactions read in any order: all, one table, or live files, through one lake's cold images."""

    async def play() -> None:
        engine = await Engine().open()
        await engine.create_catalog()
        setup = await engine.begin()
        rows: dict[int, int | None] = {n: (5 if n % 2 else None) for n in range(8)}
        await insert(setup, FILES, *(file(n, n % 2, end) for n, end in rows.items()))
        await setup.commit()
        engine = await engine.reopen()
        engine.databases.residency.bytes_max = 1
        open_ones = [(await engine.begin(), dict(rows))]
        fresh = 8
        for action, number in plan:
            transaction, view = open_ones[number % len(open_ones)]
            at = transaction.resolve(None, FILES).index
            if action == "begin":
                open_ones.append((await engine.begin(), dict(rows)))
            elif action == "insert":
                writer = await engine.begin()
                await insert(writer, FILES, file(fresh, fresh % 2))
                await writer.commit()
                rows[fresh], fresh = None, fresh + 1
            elif action in ("delete", "end") and number in rows:
                writer = await engine.begin()
                if action == "delete":
                    await delete(writer, FILES, data_file_id=number)
                    del rows[number]
                else:
                    await update(writer, FILES, {"data_file_id": number}, end_snapshot=7)
                    rows[number] = 7
                await writer.commit()
            elif action == "forget":
                await engine.databases.residency.reduce()
            elif action.startswith("read"):
                table = number % 2
                live = action == "read live"
                one = {at["table_id"]: frozenset({table})}
                bounds = Bounds() if action == "read all" else Bounds(one, live_after=number if live else None)
                found = {m.row[at["data_file_id"]]: m.row[at["end_snapshot"]] for m in
                         await matches(transaction, FILES, bounds)}
                expected = {n: e for n, e in view.items() if action == "read all" or n % 2 == table}
                if live:
                    expected = {n: e for n, e in expected.items() if e is None or e > number}
                    found = {n: e for n, e in found.items() if e is None or e > number}
                assert found == expected
        open_ones.append((await engine.begin(), dict(rows)))
        for transaction, view in open_ones:
            assert dict(await select(transaction, FILES, "data_file_id", "end_snapshot")) == view
            await transaction.rollback()

    asyncio.run(play())
