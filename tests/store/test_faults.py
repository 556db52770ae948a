"""The scripted store does what its script says, once for each call."""

from __future__ import annotations

import asyncio
from time import perf_counter

import pytest

from rocklake_server.errors import CannotConnectNow, OutcomeUnknown, StoreUnavailable
from rocklake_server.store.base import Key
from rocklake_server.store.faults import FaultyStore, Gate, Mode, Step
from rocklake_server.store.memory import MemoryStore
from tests.store.places import keys, read, rows


async def test_without_a_script_it_is_the_store_it_wraps() -> None:
    store = FaultyStore(MemoryStore())
    await store.write(rows([b"a"]))
    assert await keys(store) == [b"a"]
    assert (store.writes.calls, store.snapshots.calls, store.reads.calls) == (1, 1, 1)


async def test_a_write_that_fails_before_leaves_nothing() -> None:
    store = FaultyStore(MemoryStore(), writes=[Step(Mode.FAIL_BEFORE)])
    with pytest.raises(StoreUnavailable):
        await store.write(rows([b"a"]))
    assert await keys(store) == []
    await store.write(rows([b"b"]))
    assert await keys(store) == [b"b"]


@pytest.mark.parametrize(("mode", "found"), [
    (Mode.FAIL_AFTER_LANDING, [b"a"]), (Mode.FAIL_UNKNOWN_NOT_LANDED, []),
])
async def test_an_unknown_outcome_is_seen_after_reopening(mode: Mode, found: list[bytes]) -> None:
    store = FaultyStore(MemoryStore(), writes=[Step(mode)])
    with pytest.raises(OutcomeUnknown):
        await store.write(rows([b"a"]))
    assert store.needs_reopen
    with pytest.raises(CannotConnectNow):
        await store.snapshot()
    await store.reopen()
    assert await keys(store) == found


async def test_a_fenced_store_stays_so() -> None:
    store = FaultyStore(MemoryStore(), writes=[Step(), Step(Mode.FENCE)])
    await store.write(rows([b"a"]))
    snapshot = await store.snapshot()
    with pytest.raises(CannotConnectNow):
        await store.write(rows([b"b"]))
    with pytest.raises(CannotConnectNow):
        await store.write(rows([b"c"]))
    with pytest.raises(CannotConnectNow):
        await snapshot.get(Key(b"a"))


async def test_reads_follow_their_own_script() -> None:
    store = FaultyStore(MemoryStore(), reads=[Step(Mode.FAIL_BEFORE), Step(Mode.FAIL_BEFORE)])
    await store.write(rows([b"a"]))
    snapshot = await store.snapshot()
    with pytest.raises(StoreUnavailable):
        await snapshot.get(Key(b"a"))
    with pytest.raises(StoreUnavailable):
        await read(snapshot)
    assert await snapshot.get(Key(b"a")) == b"value"


async def test_a_gate_holds_a_write_until_it_opens() -> None:
    gate = Gate()
    store = FaultyStore(MemoryStore(), writes=[Step(gate=gate)])
    write = asyncio.ensure_future(store.write(rows([b"a"])))
    await gate.arrived.wait()
    assert await keys(store) == []
    gate.open()
    await write
    assert await keys(store) == [b"a"]


async def test_a_delay_takes_its_time_and_later_calls_meet_what_is_set_for_them() -> None:
    store = FaultyStore(MemoryStore(), writes=[Step(delay_s=0.03)])
    begin = perf_counter()
    await store.write(rows([b"a"]))
    assert perf_counter() - begin >= 0.03
    store.writes.afterwards = Step(Mode.FAIL_BEFORE)
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await store.write(rows([b"b"]))
    await store.close()
