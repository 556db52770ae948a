"""Encryption at rest: nothing of any value is left in a byte of the store, and only its keys open it."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from rocklake_server.activity import StoreTimes
from rocklake_server.catalog.lake_reader import CatalogReader
from rocklake_server.catalog.rekeying import count_by_key, rekey_offline, rekey_running
from rocklake_server.catalog.view import ColumnDefinition
from rocklake_server.errors import CannotConnectNow, CorruptValue, FormatVersionUnsupported, InvalidParameterValue
from rocklake_server.schema.model import Column, Table
from rocklake_server.schema.registry import TABLES
from rocklake_server.schema.types import BIGINT, BYTEA, VARCHAR, Form, Value
from rocklake_server.store.compaction import compact_fully
from rocklake_server.store.folder_lock import FolderLock
from rocklake_server.store.keyring import KEYS_VARIABLE
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from tests.catalog.engine import DATABASE, delete, insert, select
from tests.catalog.slate_engine import SlateEngine, running_engine

KEYS = {name: b64encode(bytes([number]) * 32).decode() for number, name in enumerate(("old", "new", "other"))}
MARKER = "MARKED-"


def keyed(tmp_path: Path, *names: str, **others: str) -> StoreLocation:
    keys = [f"{name}:{KEYS[name]}" for name in names] + [f"{name}:{KEYS[key]}" for name, key in others.items()]
    return parse_store_url(f"file://{tmp_path}/store", {KEYS_VARIABLE: ",".join(keys)})


def value_of(table: Table, column: Column) -> Value:
    """Texts of keys stay clear: see docs/encryption.md."""
    if column.type.form is Form.TEXT:
        return "clear" if column.name in table.key else f"{MARKER}{table.name}.{column.name}"
    return 1 if column.type.form is Form.INT else None


async def fill(engine: SlateEngine) -> None:
    """A row of every declared relation, of an inlined one and of another, each with a marker in every text and blob; a
    retired one too."""
    await engine.create_catalog()
    for table in TABLES:
        row = {column.name: value_of(table, column) for column in table.columns if column.until is None}
        transaction = await engine.begin()
        await insert(transaction, table.name, row)
        await transaction.commit()
    transaction = await engine.begin()
    numbers = [ColumnDefinition(name, BIGINT) for name in ("row_id", "begin_snapshot", "end_snapshot")]
    texts = [ColumnDefinition(f"{MARKER}column", VARCHAR), ColumnDefinition("raw", BYTEA)]
    await transaction.create_relation(None, "ducklake_inlined_data_1_1", [*numbers, *texts])
    await transaction.create_relation(None, f"{MARKER}relation", [ColumnDefinition("a", VARCHAR)])
    inlined = {"row_id": 1, "begin_snapshot": 1, f"{MARKER}column": f"{MARKER}inlined", "raw": f"{MARKER}raw".encode()}
    await insert(transaction, "ducklake_inlined_data_1_1", inlined)
    await insert(transaction, f"{MARKER}relation", {"a": f"{MARKER}other"})
    await transaction.commit()
    transaction = await engine.begin()
    await delete(transaction, "ducklake_view", view_id=1)
    await transaction.commit()


def markers_in(folder: Path) -> set[str]:
    """The files in which a marker can be read."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and MARKER.encode() in
             path.read_bytes()}  # fmt: skip
    assert any(path.is_file() for path in folder.rglob("*.sst"))
    return found


async def contents(location: StoreLocation) -> list[tuple[Value, ...]]:
    async with running_engine(location) as engine:
        return await select(await engine.begin(read_only=True), f"{MARKER}relation", "a")


async def counted(location: StoreLocation) -> dict[tuple[str, str | None], int]:
    async with await CatalogReader.open(location) as catalog:
        found = [counted async for counted in count_by_key(catalog, lambda _: None)]
    return {(counted.directory, counted.key): counted.values for counted in found}


async def compact(location: StoreLocation) -> None:
    for directory in ("system", "lakes/1"):
        await compact_fully(location.child(directory))


async def test_a_lake_that_was_always_encrypted_shows_nothing(tmp_path: Path) -> None:
    location = keyed(tmp_path, "new")
    async with running_engine(location) as engine:
        await fill(engine)
        assert markers_in(tmp_path) == set(), "the redo journal has sealed values"
    assert markers_in(tmp_path) == set()
    assert await contents(location) == [(f"{MARKER}other",)]
    assert {key for _, key in await counted(location)} == {"new"}


async def test_a_clear_lake_shows_nothing_any_more_once_it_is_sealed_and_compacted(tmp_path: Path) -> None:
    clear = parse_store_url(f"file://{tmp_path}/store", {})
    async with running_engine(clear) as engine:
        await fill(engine)
    await compact(clear)
    assert markers_in(tmp_path), "markers can be read where nothing is encrypted"
    location = keyed(tmp_path, "new")
    assert await contents(location) == [(f"{MARKER}other",)], "clear values are read until they are sealed"
    async with await CatalogReader.open(location) as catalog:
        assert await rekey_offline(catalog, lambda _: None) > 30
    assert {key for _, key in await counted(location)} == {"new"}
    await compact(location)
    assert markers_in(tmp_path) == set()
    assert await contents(location) == [(f"{MARKER}other",)]


@pytest.mark.parametrize("is_watched", [False, True])
async def test_a_key_is_replaced_and_taken_away(tmp_path: Path, is_watched: bool) -> None:
    async with running_engine(keyed(tmp_path, "old")) as engine:
        await fill(engine)
    both = keyed(tmp_path, "new", "old")
    assert ("lakes/1", "old") in await counted(both)
    async with running_engine(both, StoreTimes() if is_watched else None) as engine:
        await engine.databases.lake_of(DATABASE, "public")
        await rekey_running(engine.databases)
    assert {key for _, key in await counted(keyed(tmp_path, "new"))} == {"new"}
    assert await contents(keyed(tmp_path, "new")) == [(f"{MARKER}other",)]
    with pytest.raises(FormatVersionUnsupported, match='encrypted with key "new"'):
        await contents(keyed(tmp_path, "old"))


async def test_an_encrypted_store_is_refused_without_its_key(tmp_path: Path) -> None:
    location = keyed(tmp_path, "old")
    async with running_engine(location) as engine:
        await fill(engine)
    before = markers_in(tmp_path)
    for wrong in (replace(location, keyring=None), keyed(tmp_path, "new")):
        with pytest.raises(FormatVersionUnsupported, match='00 is encrypted with key "old"') as caught:
            await contents(wrong)
        assert "ROCKLAKE_ENCRYPTION_KEYS" in str(caught.value.hint)
    with pytest.raises(CorruptValue, match='does not open with encryption key "old"'):
        await contents(keyed(tmp_path, old="other"))
    assert markers_in(tmp_path) == before
    assert await contents(location) == [(f"{MARKER}other",)]


async def test_sealing_again_needs_a_key_and_the_store(tmp_path: Path) -> None:
    clear = parse_store_url(f"file://{tmp_path}/store", {})
    async with running_engine(clear) as engine:
        await engine.create_catalog()
    async with await CatalogReader.open(clear) as catalog:
        with pytest.raises(InvalidParameterValue, match="no encryption key to write with"):
            await rekey_offline(catalog, lambda _: None)
    with FolderLock(clear):
        async with await CatalogReader.open(keyed(tmp_path, "new")) as catalog:
            with pytest.raises(CannotConnectNow):
                await rekey_offline(catalog, lambda _: None)
    assert {key for _, key in await counted(keyed(tmp_path, "new"))} == {None}
