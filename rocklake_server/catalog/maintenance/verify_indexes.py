"""Verifies the secondary indexes of files: they hold what the rows call for, no less and no more."""

from __future__ import annotations

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.entry_sums import EntrySums, bucket_of
from rocklake_server.catalog.maintenance.lake_under_test import LakeUnderTest
from rocklake_server.encoding.definitions import decode_reference
from rocklake_server.encoding.indexes import decode_index_key
from rocklake_server.errors import CorruptValue, FormatVersionUnsupported
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import INDEX_FIELDS, INDEXES
from rocklake_server.store.base import Key, Prefix

_SPACE = Prefix(bytes([INDEXES]))


async def verify_indexes(lake: LakeUnderTest) -> None:
    """After every row was read. With doubtful rows of files nothing is proven, and the entries are not judged."""
    stored = EntrySums()
    async for entries in lake.snapshot.scan(_SPACE):
        lake.tell(len(entries))
        for key, value in entries:
            lake.stored_bytes += len(key) + len(value)
            if not _is_index_key(key):
                lake.report.add(checks.KEY_ENCODING, f"key {key.hex()} is not that of an index entry", key)
                continue
            try:
                decode_reference(key, value)
            except (CorruptValue, FormatVersionUnsupported) as error:
                lake.value_problem(key, value, error)
                continue
            stored.add(key, value)
    differing = stored.differing(lake.expected_entries)
    if differing and not lake.doubtful.intersection(relation.name for relation in indexed_relations(lake)):
        lake.differing_buckets = differing
        await _report_difference(lake, differing)


async def index_changes(lake: LakeUnderTest, buckets: frozenset[int] | None = None) -> dict[Key, bytes | None]:
    """What has to be written to make the indexes fit the rows; ``None`` removes an entry. Holds the entries of the
    given buckets of ``EntrySums`` in memory, all by default."""
    changes: dict[Key, bytes | None] = {}
    async for entries in lake.snapshot.scan(_SPACE):
        for key, value in entries:
            if (buckets is None or bucket_of(key, value)[0] in buckets) and _is_index_key(key):
                changes[key] = None
    for relation in indexed_relations(lake):
        entries_of = access_of(relation).index_entries
        async for batch in lake.readable_rows(relation):
            for _, row in batch:
                for key, value in entries_of(row) if entries_of is not None else ():
                    if buckets is None or bucket_of(key, value)[0] in buckets:
                        changes[key] = value
    return {key: value for key, value in changes.items() if await lake.snapshot.get(key) != value}


def _is_index_key(key: Key) -> bool:
    try:
        decode_index_key(key)
    except CorruptValue:
        return False
    return True


def indexed_relations(lake: LakeUnderTest) -> list[Relation]:
    """The relations whose rows have index entries."""
    return [relation for relation in lake.definitions.relations if access_of(relation).index_entries is not None]


async def _report_difference(lake: LakeUnderTest, buckets: frozenset[int]) -> None:
    for key, value in sorted((await index_changes(lake, buckets)).items()):
        name = INDEX_FIELDS[key[1]][0] if len(key) > 1 and key[1] in INDEX_FIELDS else "index"
        is_there = await lake.snapshot.get(key) is not None
        what = "an entry has no row" if value is None else "an entry differs" if is_there else "an entry is missing"
        lake.report.add(checks.INDEXES, f"{name}: {what}", key)
