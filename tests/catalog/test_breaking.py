"""Breaking one part of the engine is noticed by checks that are about another part of it."""

from __future__ import annotations

import pytest

from rocklake_server.catalog import batches, mvcc
from rocklake_server.catalog.view import Bounds
from rocklake_server.encoding import envelope, values
from rocklake_server.encoding.values import row_codec
from rocklake_server.errors import CatalogError, CorruptValue
from rocklake_server.store.base import WriteBatch
from tests.catalog import audit
from tests.catalog.engine import Engine, insert, matches
from tests.catalog.test_mvcc import Version

FILES = "ducklake_data_file"


async def filled() -> Engine:
    engine = await Engine().open()
    await engine.create_catalog()
    transaction = await engine.begin()
    await insert(transaction, FILES, *({"data_file_id": n, "table_id": 1, "begin_snapshot": 1} for n in range(3)))
    await transaction.commit()
    return await engine.reopen()


async def check_file_list() -> None:
    """A cold list of live files."""
    transaction = await (await filled()).begin()
    at = transaction.resolve(None, FILES).index
    bounds = Bounds({at["table_id"]: frozenset({1})}, nulls=frozenset({at["end_snapshot"]}))
    assert len(await matches(transaction, FILES, bounds)) == 3


async def check_stale_index() -> None:
    """An index entry that says a file is live when its row says that it ended."""
    engine = await filled()
    store = engine.stores["lakes/1"]
    stored = await audit.read_all(store)
    key = next(key for key in stored if key[0] == 0x0B)
    batch = WriteBatch()
    transaction = await engine.begin()
    relation = transaction.resolve(None, FILES)
    row = list(row_codec(relation).decode(key, stored[key]))
    row[relation.index["end_snapshot"]] = 2
    batch.put(key, row_codec(relation).encode(row))
    await store.write(batch)
    transaction = await (await engine.reopen()).begin()
    bounds = Bounds({relation.index["table_id"]: frozenset({1})}, nulls=frozenset({relation.index["end_snapshot"]}))
    with pytest.raises(CorruptValue, match="index lists"):
        await matches(transaction, FILES, bounds)


async def check_files_by_snapshot() -> None:
    """Which files a snapshot registered."""
    transaction = await (await filled()).begin()
    at = transaction.resolve(None, FILES).index
    assert len(await matches(transaction, FILES, Bounds({at["begin_snapshot"]: frozenset({1, 7})}))) == 3


async def check_files_by_id() -> None:
    """Statements by data_file_id, and the primary key across tables."""
    transaction = await (await filled()).begin()
    at = transaction.resolve(None, FILES).index
    assert len(await matches(transaction, FILES, Bounds({at["data_file_id"]: frozenset({0, 2})}))) == 2


async def check_store_holds_the_indexes() -> None:
    audit.check(await audit.audit((await filled()).stores["lakes/1"]))


async def check_foreign_values_are_refused() -> None:
    engine = await filled()
    batch = WriteBatch()
    key = next(key for key in await audit.read_all(engine.stores["lakes/1"]) if key[0] == 0x0B)
    batch.put(key, b"\x01XDKV" + (await audit.read_all(engine.stores["lakes/1"]))[key][5:])
    await engine.stores["lakes/1"].write(batch)
    transaction = await (await engine.reopen()).begin()
    with pytest.raises(CorruptValue):
        await matches(transaction, FILES)


async def check_versions() -> None:
    """The newest version of an entity."""
    chain = [Version(1, 3), Version(3, None)]
    assert mvcc.latest_visible_version(chain, 2) == chain[0]
    assert mvcc.latest_visible_version(chain, 3) == chain[1]
    assert mvcc.latest_visible_version(chain, 0) is None
    assert mvcc.latest_visible_version(chain[:1], 3) is None


CHECKS = (
    check_file_list, check_stale_index, check_files_by_id, check_files_by_snapshot,
    check_store_holds_the_indexes, check_foreign_values_are_refused, check_versions
)


async def broken_checks() -> set[str]:
    broken = set()
    for check in CHECKS:
        try:
            await check()
        except (AssertionError, CatalogError, pytest.fail.Exception):
            broken.add(check.__name__)
    return broken


async def test_nothing_is_broken() -> None:
    assert await broken_checks() == set()


@pytest.mark.parametrize(("index", "noticed_by"), [
    (1, {"check_files_by_snapshot"}), (2, {"check_file_list", "check_stale_index"}), (3, {"check_files_by_id"}),
])
async def test_a_missing_index_is_noticed_by_reads(
    monkeypatch: pytest.MonkeyPatch, index: int, noticed_by: set[str]
) -> None:
    real = batches._write_rows

    async def without(working, access, entries, draft, sequence) -> None:
        await real(working, access, entries, draft, sequence)
        for key in [key for key in draft.batch.operations if key[:2] == bytes([0xFC, index])]:
            del draft.batch.operations[key]

    monkeypatch.setattr(batches, "_write_rows", without)
    assert await broken_checks() == {"check_store_holds_the_indexes", *noticed_by}


async def test_a_stale_index_entry_is_noticed_by_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WriteBatch, "delete", lambda self, key: None)
    engine = await filled()
    transaction = await engine.begin()
    at = transaction.resolve(None, FILES).index
    found = await matches(transaction, FILES)
    ended = list(found[0].row[:-1])
    ended[at["end_snapshot"]] = 2
    await transaction.update(transaction.resolve(None, FILES), [(found[0], ended)])
    await transaction.commit()
    with pytest.raises(AssertionError):
        audit.check(await audit.audit(engine.stores["lakes/1"]))


async def test_a_missing_envelope_check_is_noticed_by_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    class AnyHeader(bytes):
        def __ne__(self, other: object) -> bool:
            return False

        __hash__ = bytes.__hash__

    monkeypatch.setattr(values, "HEADER", AnyHeader(envelope.HEADER))
    assert "check_foreign_values_are_refused" in await broken_checks()


@pytest.mark.parametrize(("broken", "noticed_by"), [
    (lambda begin, end, snapshot: True, {"check_versions", "check_stale_index"}),
    (lambda begin, end, snapshot: begin <= snapshot, {"check_versions", "check_stale_index"}),
    (lambda begin, end, snapshot: begin <= snapshot and (end is None or snapshot <= end), {"check_versions"}),
    (lambda begin, end, snapshot: begin < snapshot and (end is None or snapshot < end), {"check_versions"}),
    (lambda begin, end, snapshot: end is not None, {"check_versions", "check_file_list"}),
], ids=["always", "never ends", "ends too late", "begins too late", "only what ended"])
async def test_a_wrong_visibility_is_noticed_by_reads(
    monkeypatch: pytest.MonkeyPatch, broken: object, noticed_by: set[str]
) -> None:
    monkeypatch.setattr(mvcc, "is_visible", broken)
    assert await broken_checks() == noticed_by

