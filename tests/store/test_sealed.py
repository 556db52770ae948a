"""Sealed values: only their key opens them, only where they were written, and nothing of them is left in the clear."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.errors import CorruptValue, FormatVersionUnsupported
from rocklake_server.store.base import Key, Prefix, WriteBatch
from rocklake_server.store.keyring import Keyring
from rocklake_server.store.memory import MemoryStore
from rocklake_server.store.sealed import INLINE_MAX, REKEY_KEYS, SealedStore, values_by_key
from rocklake_server.store.sealing import NONCE_BYTES, SEALED_HEADER, TAG_BYTES, Sealer, key_id_of

CIPHERS = {name: AESGCM(name[0].encode() * 32) for name in ("new", "old", "unused")}
EVERYTHING = Prefix(b"")
LAKE = "lakes/1"


def keyring(*names: str) -> Keyring:
    return Keyring(names[0], {name: CIPHERS[name] for name in names})


def sealer(*names: str, directory: str = LAKE) -> Sealer:
    return Sealer(keyring(*names), directory)


@given(key=st.binary(min_size=1), value=st.binary())
def test_what_was_sealed_opens_again(key: bytes, value: bytes) -> None:
    sealed = sealer("new", "old").seal(key, value)
    assert sealer("old", "new").open(key, sealed) == value
    assert key_id_of(sealed) == "new"
    assert len(sealed) == len(SEALED_HEADER) + 1 + len("new") + NONCE_BYTES + len(value) + TAG_BYTES


@given(value=st.binary(), where=st.integers(0, 200), bit=st.integers(0, 7))
def test_a_value_of_which_one_bit_changed_does_not_open(value: bytes, where: int, bit: int) -> None:
    sealed = bytearray(sealer("new").seal(b"key", value))
    where = len(SEALED_HEADER) + where % (len(sealed) - len(SEALED_HEADER))
    sealed[where] ^= 1 << bit
    with pytest.raises((CorruptValue, FormatVersionUnsupported)) as caught:
        sealer("new").open(b"key", bytes(sealed))
    assert b"key".hex() in str(caught.value)


def test_a_value_opens_only_where_it_was_written() -> None:
    sealed = sealer("new").seal(b"key", b"value")
    for elsewhere, key in ((LAKE, b"other"), ("lakes/2", b"key"), ("lakes", b"1key")):
        with pytest.raises(CorruptValue, match='encryption key "new"'):
            sealer("new", directory=elsewhere).open(key, sealed)


def test_another_key_of_the_same_name_opens_nothing() -> None:
    sealed = sealer("new").seal(b"key", b"value")
    other = Keyring("new", {"new": CIPHERS["old"]})
    with pytest.raises(CorruptValue, match='6b6579 does not open with encryption key "new"'):
        Sealer(other, LAKE).open(b"key", sealed)
    assert Sealer(other.patient(), LAKE).open(b"key", sealed) == sealed


def test_a_key_that_is_not_given_is_named() -> None:
    sealed = sealer("old").seal(b"key", b"value")
    with pytest.raises(FormatVersionUnsupported, match='encrypted with key "old"'):
        sealer("new").open(b"key", sealed)


def test_no_two_seals_of_a_value_are_the_same() -> None:
    one = sealer("new")
    assert len({one.seal(b"key", b"value") for _ in range(100)}) == 100


@given(cut=st.integers(0, 60))
def test_a_value_that_was_cut_is_told_and_never_half_read(cut: int) -> None:
    sealed = sealer("new").seal(b"key", b"some value")[:cut]
    if sealed[: len(SEALED_HEADER)] != SEALED_HEADER:
        assert sealer("new").open(b"key", sealed) == sealed  # the envelope refuses it
        return
    if cut < len(SEALED_HEADER) + 1 + 3 + NONCE_BYTES + len(b"some value") + TAG_BYTES:
        with pytest.raises((CorruptValue, FormatVersionUnsupported)):
            sealer("new").open(b"key", sealed)


# -- a store -----------------------------------------------------------------------------------------------------------


def batch(numbers: Sequence[int], word: str = "marker") -> WriteBatch:
    return WriteBatch({Key(b"k%05d" % number): f"{word} {number}".encode() for number in numbers})


async def contents(store: SealedStore | MemoryStore) -> dict[Key, bytes]:
    found: dict[Key, bytes] = {}
    async for entries in (await store.snapshot()).scan(EVERYTHING):
        found.update(entries)
    return found


@pytest.mark.parametrize("count", [1, INLINE_MAX + 1, 3000])
async def test_a_store_answers_what_was_written_and_holds_nothing_of_it(count: int) -> None:
    inner = MemoryStore()
    store = SealedStore(inner, sealer("new"))
    written = batch(range(count))
    await store.write(written)
    assert await contents(store) == written.operations
    assert not [value for value in (await contents(inner)).values() if b"marker" in value]
    first, missing = Key(b"k00000"), Key(b"none")
    assert await (await store.snapshot()).get(first) == b"marker 0"
    assert await store.durable_values([first, missing]) == [b"marker 0", None]
    await store.write(WriteBatch({first: None}))
    assert await (await store.snapshot()).get(first) is None


async def test_clear_values_and_those_of_an_earlier_key_are_read_until_they_are_sealed_again() -> None:
    inner, count = MemoryStore(), REKEY_KEYS + 10
    await inner.write(batch(range(count)))
    await SealedStore(inner, sealer("old")).write(batch(range(0, count, 3)))
    store = SealedStore(inner, sealer("new", "old"))
    before = await contents(store)
    assert before == batch(range(count)).operations
    looked_at: list[int] = []
    assert await store.rekey(looked_at.append) == count
    assert sum(looked_at) == count
    assert await values_by_key(await inner.snapshot(), looked_at.append) == {"new": count}
    assert await contents(SealedStore(inner, sealer("new"))) == before
    assert await store.rekey() == 0


async def test_what_is_written_while_values_are_sealed_again_is_not_taken_back() -> None:
    inner, count = MemoryStore(), 4 * REKEY_KEYS
    await inner.write(batch(range(count), "before"))
    store = SealedStore(inner, sealer("new"))
    newer: dict[Key, bytes | None] = {}

    async def write() -> None:
        for number in range(0, count, 7):
            change = batch([number], "after") if number % 2 else WriteBatch({Key(b"k%05d" % number): None})
            newer.update(change.operations)
            await store.write(change)
            await asyncio.sleep(0)

    await asyncio.gather(store.rekey(), write())
    expected = {**batch(range(count), "before").operations, **newer}
    assert await contents(store) == {key: value for key, value in expected.items() if value is not None}
    assert set(await values_by_key(await inner.snapshot(), lambda _: None)) == {"new"}
