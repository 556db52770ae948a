"""A stored value that cannot be read is one error that names its key, wherever it is met; never a row left out."""

from __future__ import annotations

import pytest

from rocklake_server.catalog.view import Bounds
from rocklake_server.encoding.definitions import encode_number
from rocklake_server.encoding.keys import counter_key, system_key
from rocklake_server.errors import CatalogError, CorruptValue, FormatVersionUnsupported
from rocklake_server.store.base import Key, WriteBatch
from tests.catalog.audit import read_all
from tests.catalog.engine import Engine, insert, matches, select

LAKE = "lakes/1"
FILES = "ducklake_data_file"


@pytest.fixture
async def engine() -> Engine:
    engine = await Engine().open()
    await engine.create_catalog()
    transaction = await engine.begin()
    await insert(transaction, FILES, *({"data_file_id": n, "table_id": 1, "begin_snapshot": 1} for n in range(3)))
    await insert(transaction, "ducklake_tag", {"object_id": 1, "begin_snapshot": 1, "key": "k", "value": "v"})
    await transaction.commit()
    return engine


async def spoil(engine: Engine, key: Key, value: bytes, store: str = LAKE) -> Engine:
    """The engine opened again over a store in which one value is replaced."""
    batch = WriteBatch()
    batch.put(key, value)
    await engine.stores[store].write(batch)
    return await engine.reopen()


async def key_with(engine: Engine, prefix: bytes) -> tuple[Key, bytes]:
    return next((key, value) for key, value in (await read_all(engine.stores[LAKE])).items() if key.startswith(prefix))


WAYS = {
    "empty": (lambda value: b"", CorruptValue),
    "another magic": (lambda value: value[:1] + b"XDKV" + value[5:], CorruptValue),
    "a newer version": (lambda value: b"\x02" + value[1:], FormatVersionUnsupported),
    "cut": (lambda value: value[:-1], CorruptValue),
    "only the envelope": (lambda value: value[:5], CorruptValue),
    "no message": (lambda value: value[:5] + b"\xff" * 9, CorruptValue),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("relation", [FILES, "ducklake_tag"])
async def test_a_row_that_cannot_be_read_fails_the_scan(engine: Engine, relation: str, way: str) -> None:
    change, error = WAYS[way]
    prefix = b"\x0b" if relation == FILES else b"\x1a"
    key, value = await key_with(engine, prefix)
    transaction = await (await spoil(engine, key, change(value))).begin()
    for _ in range(2):
        with pytest.raises(error, match=key.hex()):
            await select(transaction, relation, "data_file_id" if relation == FILES else "value")


@pytest.mark.parametrize("way", WAYS)
async def test_it_fails_reads_through_an_index_too(engine: Engine, way: str) -> None:
    change, error = WAYS[way]
    key, value = await key_with(engine, b"\x0b")
    transaction = await (await spoil(engine, key, change(value))).begin()
    at = transaction.resolve(None, FILES).index
    for bounds in (
        Bounds(values={at["data_file_id"]: frozenset({0})}),
        Bounds(values={at["table_id"]: frozenset({1})}, nulls=frozenset({at["end_snapshot"]})),
    ):
        with pytest.raises(error, match=key.hex()):
            await matches(transaction, FILES, bounds)


@pytest.mark.parametrize("way", ["empty", "another magic", "a newer version", "no message"])
async def test_an_index_entry_that_cannot_be_read_fails_the_lookup(engine: Engine, way: str) -> None:
    change, error = WAYS[way]
    key, value = await key_with(engine, b"\xfc\x03")
    transaction = await (await spoil(engine, key, change(value))).begin()
    at = transaction.resolve(None, FILES).index
    with pytest.raises(error, match=key.hex()):
        await matches(transaction, FILES, Bounds(values={at["data_file_id"]: frozenset({0})}))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", [
    system_key("commit-sequence"), system_key("next-row"), system_key("next-relation"), system_key("writer-epoch"),
    system_key("catalog-format-version"), counter_key("next_file_id"),
], ids=lambda key: key[1:].decode())
async def test_a_system_value_that_cannot_be_read_keeps_the_lake_closed(engine: Engine, key: Key, way: str) -> None:
    change, _ = WAYS[way]
    value = (await read_all(engine.stores[LAKE])).get(key) or encode_number(1)
    again = await spoil(engine, key, change(value))
    with pytest.raises((CorruptValue, FormatVersionUnsupported), match=key.hex()):
        await again.begin()


@pytest.mark.parametrize("way", ["empty", "another magic", "a newer version", "no message"])
async def test_a_definition_that_cannot_be_read_keeps_the_lake_closed(engine: Engine, way: str) -> None:
    change, error = WAYS[way]
    key, value = await key_with(engine, b"\xffrelation\0\0")
    with pytest.raises(error, match=key.hex()):
        await (await spoil(engine, key, change(value))).begin()


async def test_a_newer_catalog_format_keeps_the_lake_closed(engine: Engine) -> None:
    again = await spoil(engine, system_key("catalog-format-version"), encode_number(2))
    with pytest.raises(FormatVersionUnsupported, match="catalog format version 2"):
        await again.begin()


async def test_a_lake_with_commits_and_no_format_version_stays_closed(engine: Engine) -> None:
    batch = WriteBatch()
    batch.delete(system_key("catalog-format-version"))
    await engine.stores[LAKE].write(batch)
    with pytest.raises(CorruptValue, match="no catalog format version"):
        await (await engine.reopen()).begin()


@pytest.mark.parametrize(("key", "value"), [
    (Key(b"\x00"), bytes(7) + b"\x02"), (Key(b"\x00"), b""), (Key(b"\x02"), b"1"),
    (Key(b"\x01lake\0\0public\0\0"), b"x"), (Key(b"\x01lake"), bytes(16)),
])
async def test_a_system_store_that_cannot_be_read_keeps_the_server_closed(
    engine: Engine, key: Key, value: bytes
) -> None:
    with pytest.raises(CatalogError):
        await spoil(engine, key, value, store="system")
