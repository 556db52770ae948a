"""Layers over a store: calls reach it through all of them, and so does what only one kind of store can do."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocklake_server.activity import StoreTimes
from rocklake_server.errors import CannotConnectNow, OutcomeUnknown
from rocklake_server.store.base import Key, Prefix, Store, WriteBatch
from rocklake_server.store.faults import FaultyStore, Mode, Step
from rocklake_server.store.keyring import KEYS_VARIABLE
from rocklake_server.store.layer import StoreLayer, layer_of
from rocklake_server.store.measured import MeasuredStore
from rocklake_server.store.memory import MemoryStore
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.opening import open_store
from rocklake_server.store.sealed import SealedStore
from rocklake_server.store.slate import SlateStore
from tests.store.test_sealed import sealer

KEY = "old:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
BATCH = WriteBatch({Key(b"a"): b"1"})


def layered(store: Store) -> Store:
    return MeasuredStore(StoreLayer(SealedStore(store, sealer("old"))), StoreTimes())


def test_a_kind_of_store_is_found_beneath_others() -> None:
    inner = MemoryStore()
    store = layered(inner)
    assert layer_of(store, MemoryStore) is inner
    assert isinstance(layer_of(store, SealedStore), SealedStore)
    assert layer_of(store, MeasuredStore) is store
    assert layer_of(inner, MemoryStore) is inner
    assert layer_of(store, SlateStore) is None
    assert layer_of(inner, SealedStore) is None


async def test_what_is_in_doubt_or_fenced_shows_through_all_layers() -> None:
    inner = FaultyStore(MemoryStore(), writes=[Step(Mode.FAIL_AFTER_LANDING), Step(Mode.FENCE)])
    store = layered(inner)
    assert not store.needs_reopen
    with pytest.raises(OutcomeUnknown):
        await store.write(BATCH)
    assert store.needs_reopen
    await store.reopen()
    assert not store.needs_reopen
    assert not store.is_fenced
    assert await store.durable_values([Key(b"a"), Key(b"b")]) == [b"1", None]
    with pytest.raises(CannotConnectNow):
        await store.write(BATCH)
    assert store.is_fenced


async def test_a_sealed_and_measured_store_is_flushed(tmp_path: Path) -> None:
    location, times = parse_store_url(f"file://{tmp_path}/store", {KEYS_VARIABLE: KEY}), StoreTimes()
    store = MeasuredStore(await open_store(location, times=times), times)
    await store.write(BATCH)
    slate = layer_of(store, SlateStore)
    assert slate is not None
    assert slate.location == location
    before = len(list((tmp_path / "store/compacted").glob("*"))) if (tmp_path / "store/compacted").exists() else 0
    await slate.flush()
    assert len(list((tmp_path / "store/compacted").glob("*"))) == before + 1
    assert times.by_operation["flush"].count == 1
    assert [entries async for entries in (await store.snapshot()).scan(Prefix(b""))] == [[(b"a", b"1")]]
    await store.close()
