"""Verifies the list of snapshots, and what SQL deleted from it and from everything else."""

from __future__ import annotations

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake import row_number
from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.key_space import KeySpace
from rocklake_server.catalog.maintenance.lake_under_test import LakeUnderTest
from rocklake_server.catalog.maintenance.references import CHANGES, SNAPSHOT
from rocklake_server.encoding.keys import decode_retired_key, decode_row_key, system_key
from rocklake_server.errors import CorruptValue, FormatVersionUnsupported
from rocklake_server.schema.system_subspaces import (
    RETIRED_ROWS,
    SYSTEM_COMMIT_SEQUENCE,
    SYSTEM_NEXT_ROW,
    SYSTEM_PIN,
    SYSTEM_RETAIN_FROM,
)
from rocklake_server.store.base import Key, Prefix


async def verify_retired(lake: LakeUnderTest) -> None:
    """Everything under FB. Gathers the snapshots that SQL deleted."""
    space = KeySpace(lake.definitions.relations, lake.definitions.dropped)
    async for entries in lake.snapshot.scan(Prefix(bytes([RETIRED_ROWS]))):
        lake.tell(len(entries))
        for key, value in entries:
            lake.stored_bytes += len(key) + len(value)
            _verify_retired(lake, space, key, value)


def _verify_retired(lake: LakeUnderTest, space: KeySpace, key: Key, value: bytes) -> None:
    report = lake.report
    try:
        sequence, own = decode_retired_key(key)
        owner = space.owner(own)
        if owner is None:
            report.add(checks.RETIRED_ROWS, "a retired row belongs to no relation that is or was in the lake", key)
            return
        fields, _ = decode_row_key(owner[0], own)
    except CorruptValue as error:
        report.add(checks.KEY_ENCODING, str(error), key)
        return
    if sequence > lake.numbers.get(SYSTEM_COMMIT_SEQUENCE, 0):
        report.add(checks.COMMIT_SEQUENCE, f"a row was deleted by commit {sequence}, which was not made yet", key)
    try:
        row = access_of(owner[0]).codec.decode(key, value)
    except (CorruptValue, FormatVersionUnsupported) as error:
        lake.value_problem(key, value, error)
        return
    if isinstance(ctid := row[-1], int):
        lake.need(SYSTEM_NEXT_ROW, row_number(ctid))
    if owner[0].name == SNAPSHOT and isinstance(fields[0], int):
        lake.retired_snapshots.add(fields[0])


async def verify_snapshots(lake: LakeUnderTest) -> None:
    """Gaps, missing changes, and the retention boundary."""
    retain_from = lake.numbers.get(SYSTEM_RETAIN_FROM)
    newest, report = lake.newest_snapshot, lake.report
    if retain_from is not None and newest is not None and retain_from > newest:
        report.add(checks.RETENTION, f"retain-from is {retain_from}, and the newest snapshot {newest}")
    for pin in lake.pins:
        if retain_from is not None and pin.snapshot_id < retain_from:
            text = f"pin {pin.number} keeps snapshot {pin.snapshot_id}, which is below retain-from, {retain_from}"
            report.add(checks.RETENTION, text, system_key(SYSTEM_PIN, pin.number))
    await _verify_list(lake, retain_from)
    changes, snapshots = lake.relation(CHANGES), lake.relation(SNAPSHOT)
    if changes is None or snapshots is None:
        return
    for relation, others, what in (
        (snapshots, lake.ids_of(CHANGES), "has no changes"), (changes, lake.ids_of(SNAPSHOT), "is not in the list"),
    ):
        position = relation.index["snapshot_id"]
        async for batch in lake.readable_rows(relation):
            for key, row in batch:
                if isinstance(number := row[position], int) and number not in others:
                    report.add(checks.SNAPSHOT_CHANGES, f"snapshot {number} {what}", key)


async def _verify_list(lake: LakeUnderTest, retain_from: int | None) -> None:
    relation = lake.relation(SNAPSHOT)
    if relation is None:
        return
    position, previous, report = relation.index["snapshot_id"], None, lake.report
    async for batch in lake.readable_rows(relation):
        for key, row in batch:
            number = row[position]
            if not isinstance(number, int):
                continue
            if retain_from is not None and number < retain_from:
                report.add(checks.RETENTION, f"snapshot {number} is below retain-from, {retain_from}", key)
            if previous is not None:
                _verify_gap(lake, previous + 1, number, key)
            previous = number


def _verify_gap(lake: LakeUnderTest, first: int, end: int, key: Key) -> None:
    """The snapshots from ``first`` to before ``end`` are missing. The search ends at the first that is lost."""
    lost = next((number for number in range(first, end) if number not in lake.retired_snapshots), None)
    if lost is not None:
        lake.report.add(checks.SNAPSHOT_GAPS, f"snapshot {lost} is missing before {end}", key)
