"""What each store must do alike: the model, and SlateDB in memory, in a folder and in a bucket."""

from __future__ import annotations

import asyncio

import pytest

from rocklake_server.errors import CannotConnectNow, InternalProblem
from rocklake_server.store.base import Key, Prefix, Store, WriteBatch
from tests.store.places import Place, batch_of, keys, read, rows


async def test_a_new_store_is_empty(store: Store) -> None:
    assert await keys(store) == []
    assert await (await store.snapshot()).get(Key(b"k")) is None
    assert await (await store.snapshot()).get(Key(b"")) is None


async def test_keys_come_in_the_order_of_their_bytes(store: Store) -> None:
    unordered = [b"b", b"\xff", b"a\x00", b"a", b"\x00", b"ab", b"\xff\xff", b"\x7f", b"\x80"]
    await store.write(rows(unordered))
    assert await keys(store) == sorted(unordered)


async def test_a_value_comes_back_as_it_was_put(store: Store) -> None:
    await store.write(batch_of((b"empty", b""), (b"zeros", bytes(100)), (b"all", bytes(range(256)))))
    snapshot = await store.snapshot()
    assert await snapshot.get(Key(b"empty")) == b""
    assert await snapshot.get(Key(b"all")) == bytes(range(256))
    assert await read(snapshot, b"z") == [(b"zeros", bytes(100))]


@pytest.mark.parametrize(("prefix", "start", "stop", "found"), [
    (b"", b"", None, [b"a", b"a\x00", b"a\x01", b"a\xff", b"a\xff\xff", b"b", b"\xff", b"\xff\xff"]),
    (b"a", b"", None, [b"a", b"a\x00", b"a\x01", b"a\xff", b"a\xff\xff"]),
    (b"a\xff", b"", None, [b"a\xff", b"a\xff\xff"]),
    (b"\xff", b"", None, [b"\xff", b"\xff\xff"]),
    (b"\xff", b"\x00", None, [b"\xff\xff"]),
    (b"a", b"\x01", None, [b"a\x01", b"a\xff", b"a\xff\xff"]),
    (b"a", b"", b"\x01", [b"a", b"a\x00"]),
    (b"a", b"\x00", b"\xff", [b"a\x00", b"a\x01"]),
    (b"", b"a\x02", b"b", [b"a\xff", b"a\xff\xff"]),
    (b"a", b"\x02", b"\x01", []),
    (b"a", b"\x01", b"\x01", []),
    (b"a", b"", b"", []),
    (b"c", b"", None, []),
])
async def test_a_scan_gives_the_keys_of_its_range(store: Store, prefix: bytes, start: bytes, stop: bytes | None,
                                                  found: list[bytes]) -> None:
    await store.write(rows([b"a", b"a\x00", b"a\x01", b"a\xff", b"a\xff\xff", b"b", b"\xff", b"\xff\xff"]))
    assert await keys(store, prefix, start=start, stop=stop) == found


async def test_a_long_scan_is_complete_and_comes_in_batches(store: Store) -> None:
    expected = [b"row%06d" % number for number in range(5000)]
    await store.write(rows(expected))
    await store.write(rows([b"other"]))
    snapshot = await store.snapshot()
    batches = [entries async for entries in snapshot.scan(Prefix(b"row"))]
    assert [key for entries in batches for key, _ in entries] == expected
    assert len(batches) > 1
    assert all(batches)


async def test_a_snapshot_does_not_see_later_writes(store: Store) -> None:
    await store.write(batch_of((b"changed", b"before"), (b"deleted", b"before")))
    snapshot = await store.snapshot()
    await store.write(batch_of((b"changed", b"after"), (b"deleted", None), (b"new", b"after")))
    assert await read(snapshot) == [(b"changed", b"before"), (b"deleted", b"before")]
    assert await snapshot.get(Key(b"new")) is None
    assert await snapshot.get(Key(b"deleted")) == b"before"
    assert await read(await store.snapshot()) == [(b"changed", b"after"), (b"new", b"after")]


async def test_a_scan_in_progress_does_not_see_later_writes(store: Store) -> None:
    await store.write(rows([b"%06d" % number for number in range(3000)]))
    scan = (await store.snapshot()).scan(Prefix(b""))
    seen = len(await anext(scan))
    await store.write(batch_of(*((b"%06d" % number, None) for number in range(3000))))
    async for entries in scan:
        seen += len(entries)
    assert seen == 3000
    assert await keys(store) == []


async def test_the_last_operation_on_a_key_counts(store: Store) -> None:
    batch = batch_of((b"a", b"1"), (b"a", None), (b"b", b"1"), (b"b", b"2"), (b"c", None), (b"c", b"3"))
    await store.write(batch)
    assert await read(await store.snapshot()) == [(b"b", b"2"), (b"c", b"3")]


async def test_deleting_an_absent_key_is_no_error(store: Store) -> None:
    await store.write(batch_of((b"absent", None), (b"present", b"1")))
    assert await keys(store) == [b"present"]


async def test_an_empty_batch_changes_nothing(store: Store) -> None:
    await store.write(WriteBatch())
    assert await keys(store) == []


@pytest.mark.parametrize("key", [b"", b"k" * 65_536])
async def test_a_batch_with_a_key_that_cannot_be_stored_is_refused_whole(store: Store, key: bytes) -> None:
    with pytest.raises(InternalProblem):
        await store.write(batch_of((b"a", b"1"), (key, b"2")))
    assert await keys(store) == []
    await store.write(batch_of((b"a", b"1")))
    assert await keys(store) == [b"a"]


async def test_large_values_and_long_keys_survive(store: Store) -> None:
    value = bytes(range(256)) * 4096
    key = Key(b"k" * 65_535)
    await store.write(batch_of((key, value), (b"other", value[::-1])))
    snapshot = await store.snapshot()
    assert await snapshot.get(key) == value
    assert await read(snapshot) == [(key, value), (b"other", value[::-1])]


async def test_written_batches_are_there_after_closing_and_opening(place: Place) -> None:
    first = await place.open()
    await first.write(rows([b"%06d" % number for number in range(2500)], b"first"))
    await first.write(batch_of((b"000001", None), (b"000002", b"second")))
    await first.close()
    second = await place.open()
    snapshot = await second.snapshot()
    assert len(await read(snapshot)) == 2499
    assert await snapshot.get(Key(b"000001")) is None
    assert await snapshot.get(Key(b"000002")) == b"second"
    await second.write(batch_of((b"third", b"")))
    await second.close()
    third = await place.open()
    assert len(await keys(third)) == 2500
    await third.close()


async def test_a_snapshot_taken_beside_a_write_shows_the_batch_whole_or_not_at_all(store: Store) -> None:
    async def look() -> int:
        return len(await keys(store))

    writes = store.write(rows([b"%06d" % number for number in range(5000)]))
    counts = await asyncio.gather(look(), writes, look())
    assert {counts[0], counts[2]} <= {0, 5000}
    assert await look() == 5000


async def test_a_closed_store_refuses_and_may_be_closed_again(place: Place) -> None:
    store = await place.open()
    await store.close()
    await store.close()
    with pytest.raises(CannotConnectNow, match="closed"):
        await store.write(rows([b"a"]))
    with pytest.raises(CannotConnectNow, match="closed"):
        await store.snapshot()


async def test_durable_values_are_those_of_every_write_that_returned(store: Store) -> None:
    wanted = [Key(b"a"), Key(b"gone"), Key(b"never")]
    assert await store.durable_values(wanted) == [None, None, None]
    await store.write(batch_of((b"a", b"1"), (b"gone", b"1")))
    await store.write(batch_of((b"a", b"2"), (b"gone", None)))
    assert await store.durable_values(wanted) == [b"2", None, None]
    await store.write(batch_of((b"a", b"3")))
    assert await store.durable_values(wanted) == [b"3", None, None], "nobody is fenced by it"
