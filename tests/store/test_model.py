"""SlateDB against the in-memory model, with batches, scans and restarts at random."""

from __future__ import annotations

import asyncio
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.store.base import Key, Prefix, Store
from rocklake_server.store.keys import key_range, successor
from rocklake_server.store.memory import MemoryStore
from rocklake_server.store.object_stores import forget_memory_store, parse_store_url
from rocklake_server.store.slate import open_slate_store
from tests.store.places import batch_of, read

_byte = st.sampled_from([b"\x00", b"\x01", b"a", b"\xfe", b"\xff"])
_suffixes = st.lists(_byte, max_size=3).map(b"".join)
_keys = st.lists(_byte, min_size=1, max_size=4).map(b"".join)
_values = st.one_of(st.none(), st.binary(max_size=20))
_batches = st.lists(st.tuples(_keys, _values), max_size=12)
_scans = st.tuples(_suffixes, _suffixes, st.none() | _suffixes)
_histories = st.lists(st.tuples(_batches, st.booleans()), min_size=1, max_size=5)
_numbers = count()


async def _same(model: Store, slate: Store, scan: tuple[bytes, bytes, bytes | None], key: bytes) -> None:
    prefix, start, stop = scan
    expected, found = await model.snapshot(), await slate.snapshot()
    assert await read(found, prefix, start=start, stop=stop) == await read(expected, prefix, start=start, stop=stop)
    assert await read(found) == await read(expected)
    assert await found.get(Key(key)) == await expected.get(Key(key))


@settings(max_examples=40, deadline=None)
@given(history=_histories, scan=_scans, key=_keys)
def test_slatedb_holds_what_the_model_holds(history: list[tuple[list[tuple[bytes, bytes | None]], bool]],
                                            scan: tuple[bytes, bytes, bytes | None], key: bytes) -> None:
    name = f"model-{next(_numbers)}"

    async def run() -> None:
        location = parse_store_url(f"memory:///{name}", {}).child("lake")
        model: Store = MemoryStore()
        slate = await open_slate_store(location)
        for operations, restart in history:
            for store in (model, slate):
                await store.write(batch_of(*operations))
            if restart:
                await slate.close()
                slate = await open_slate_store(location)
            await _same(model, slate, scan, key)
        await slate.close()

    asyncio.run(run())
    forget_memory_store(name)


@given(prefix=_suffixes, start=_suffixes, stop=st.none() | _suffixes, key=_keys)
def test_a_range_holds_exactly_the_keys_between_its_suffixes(prefix: bytes, start: bytes, stop: bytes | None,
                                                             key: bytes) -> None:
    rest = key[len(prefix):]
    wanted = key.startswith(prefix) and rest >= start and (stop is None or rest < stop)
    bounds = key_range(Prefix(prefix), start, stop)
    assert wanted == (bounds is not None and key >= bounds.start and (bounds.stop is None or key < bounds.stop))


@given(prefix=_suffixes, key=_keys)
def test_a_successor_is_above_all_keys_of_its_prefix_and_none_other(prefix: bytes, key: bytes) -> None:
    above = successor(prefix)
    if key >= prefix:
        assert key.startswith(prefix) == (above is None or key < above)
