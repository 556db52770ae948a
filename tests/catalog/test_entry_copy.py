"""A database's entries arrive all and unchanged, or the copy is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.catalog.directory import Directory
from rocklake_server.catalog.entry_copy import copy_entries, sum_of
from rocklake_server.catalog.listing import (
    UNFINISHED_COPY,
    DroppedLake,
    Listing,
    Place,
    UnfinishedLake,
    listing_batch,
    read_listing,
    unfinished_batch,
)
from rocklake_server.catalog.store_copy import CopiedLake, Origin
from rocklake_server.errors import CorruptValue, ObjectNotInPrerequisiteState
from rocklake_server.store.base import Key, Prefix, WriteBatch
from rocklake_server.store.memory import MemoryStore

ENTRIES = st.dictionaries(st.binary(min_size=1, max_size=6).map(Key), st.binary(max_size=9), max_size=30)


async def filled(entries: dict[Key, bytes]) -> MemoryStore:
    store = MemoryStore()
    await store.write(WriteBatch(dict(entries)))
    return store


async def entries_of(store: MemoryStore) -> dict[Key, bytes]:
    snapshot = await store.snapshot()
    return {key: value async for batch in snapshot.scan(Prefix(b"")) for key, value in batch}


@given(entries=ENTRIES, left_behind=ENTRIES)
async def test_the_copy_is_the_same_whatever_was_there(
    entries: dict[Key, bytes], left_behind: dict[Key, bytes]
) -> None:
    source, target = await filled(entries), await filled(left_behind)
    told: list[int] = []
    copied = await copy_entries(await source.snapshot(), target, told.append)
    assert await entries_of(target) == entries
    assert copied == await sum_of(await source.snapshot(), told.append)
    assert copied.entries == len(entries)
    assert sum(told) == 3 * len(entries)


@given(entries=ENTRIES, others=ENTRIES)
async def test_other_entries_have_another_sum(entries: dict[Key, bytes], others: dict[Key, bytes]) -> None:
    sums = [await sum_of(await (await filled(found)).snapshot(), lambda _: None) for found in (entries, others)]
    assert (sums[0] == sums[1]) is (entries == others)


class Forgetful(MemoryStore):
    """Loses one key of each batch."""

    async def write(self, batch: WriteBatch) -> None:
        kept = dict(batch.operations)
        kept.pop(next(iter(kept)))
        await super().write(WriteBatch(kept))


async def test_a_store_that_loses_a_key_is_found_out() -> None:
    source = await filled({Key(b"a"): b"1", Key(b"b"): b"2"})
    with pytest.raises(CorruptValue, match="the copy is not the same: 2 entries"):
        await copy_entries(await source.snapshot(), Forgetful(), lambda _: None)


NAMES = st.tuples(st.text(min_size=1, max_size=4), st.text(min_size=1, max_size=4))
DROPPED = st.builds(lambda names: DroppedLake(*names), NAMES) | st.builds(
    lambda names, at_us, is_going: DroppedLake(*names, at_us, is_going), NAMES, st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
)


@given(names=st.lists(NAMES, unique=True, max_size=5), retired=st.dictionaries(st.integers(1, 99), DROPPED, max_size=3),
       empty=st.sets(st.text(min_size=1, max_size=4)), begun=st.dictionaries(st.integers(1, 99), NAMES, max_size=3))
async def test_a_listing_is_written_as_it_was_read(
    names: list[tuple[str, str]], retired: dict[int, DroppedLake], empty: set[str], begun: dict[int, tuple[str, str]]
) -> None:
    lakes = {found: Place(100 + i, i) for i, found in enumerate(names)}
    databases = {name: number for number, name in enumerate(empty.union(name for name, _ in lakes), 1)}
    unfinished = tuple(UnfinishedLake(number, *found, "import") for number, found in sorted(begun.items()))
    listing = Listing(lakes, retired, 200, databases, unfinished=unfinished)
    store = MemoryStore()
    await store.write(listing_batch(listing))
    assert await read_listing(await store.snapshot()) == listing


async def test_a_marked_store_is_opened_by_nobody_until_the_mark_goes() -> None:
    store = MemoryStore()
    await store.write(unfinished_batch("file:///backup"))
    with pytest.raises(ObjectNotInPrerequisiteState, match='unfinished copy of "file:///backup"'):
        await Directory.open(store)
    await store.write(WriteBatch({UNFINISHED_COPY: None}))
    assert (await Directory.open(store)).databases() == {}


def test_the_record_of_a_copy_is_read_as_it_was_written() -> None:
    origin = Origin("s3://a/b", "2026-01-01 00:00:00+00", (CopiedLake("lakeß/x", 3, 17, 5, 900, "00ff"),))
    assert Origin.decode(origin.encode()) == origin
    for damaged in (b"", b"{}", b"[1]", b'{"source": 1, "when": 2, "lakes": [{"lake": "x"}]}'):
        with pytest.raises(CorruptValue, match="no record of a copy"):
            Origin.decode(damaged)
