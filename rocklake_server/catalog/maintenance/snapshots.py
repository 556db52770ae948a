"""Snapshots of a lake as its rows say: which there are, which may be queried, and what each one changed."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import cast

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.readable import named
from rocklake_server.catalog.view import Match
from rocklake_server.encoding.definitions import decode_number
from rocklake_server.encoding.keys import row_key, system_key
from rocklake_server.errors import InvalidParameterValue, UndefinedObject
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import SYSTEM_RETAIN_FROM
from rocklake_server.schema.types import Value

SNAPSHOT = "ducklake_snapshot"
CHANGES = "ducklake_snapshot_changes"

_TOKEN = re.compile(r'(?P<kind>[a-z_]+):(?P<subject>"(?:[^"]|"")*"(?:\."(?:[^"]|"")*")?|[0-9]+)')


@dataclass(frozen=True, slots=True)
class Token:
    """One change of a snapshot, as DuckLake writes it: ``dropped_table:7``, ``created_table:"main"."t"``."""

    kind: str
    subject: str

    @property
    def id(self) -> int | None:
        """What was changed, when the token names it by number."""
        return int(self.subject) if self.subject.isdecimal() else None


def tokens_of(changes_made: Value) -> list[Token]:
    """The tokens of ``ducklake_snapshot_changes.changes_made``; what is between them is passed over."""
    text = changes_made if isinstance(changes_made, str) else ""
    return [Token(found["kind"], found["subject"]) for found in _TOKEN.finditer(text)]


async def retain_from(reader: LakeReader) -> int | None:
    """The least snapshot that may be queried; ``None`` while all may."""
    key = system_key(SYSTEM_RETAIN_FROM)
    value = await reader.snapshot.get(key)
    return None if value is None else decode_number(key, value)


async def snapshot_rows(reader: LakeReader, limit: int = 0) -> AsyncIterator[dict[str, Value]]:
    """Snapshots with what they changed, oldest first: the newest ``limit``, or all for 0."""
    snapshots = reader.relation(SNAPSHOT)
    newest: deque[Match] = deque(maxlen=limit or None)
    async for batch in reader.rows(snapshots):
        newest.extend(batch)
    changes = reader.relations.by_name.get(CHANGES)
    for match in newest:
        found = named(snapshots, match.row, "snapshot_id", "snapshot_time", "schema_version", "next_catalog_id",
                      "next_file_id")  # fmt: skip
        if changes is not None:
            found |= await changes_of(reader, changes, found["snapshot_id"])
        yield found


async def changes_of(reader: LakeReader, changes: Relation, snapshot_id: Value) -> dict[str, Value]:
    """The row of ``ducklake_snapshot_changes`` without its key; empty when there is none."""
    async for batch in reader.rows(changes, cast("int", snapshot_id)):
        for match in batch:
            return named(changes, match.row, "changes_made", "author", "commit_message", "commit_extra_info")
    return {}


async def chosen_snapshot(reader: LakeReader, snapshot_id: int | None) -> int:
    """The snapshot that is asked for, or the newest. Raises UndefinedObject when it does not exist,
    InvalidParameterValue when it is below retain-from."""
    newest = await newest_snapshot(reader)
    if newest is None:
        raise UndefinedObject(f'lake "{reader.listed}" has no snapshot yet')
    if snapshot_id is None:
        return newest
    await require_retained(reader, snapshot_id)
    if not await _exists(reader, snapshot_id):
        raise UndefinedObject(f'lake "{reader.listed}" has no snapshot {snapshot_id}; its newest is {newest}')
    return snapshot_id


async def require_retained(reader: LakeReader, snapshot_id: int) -> None:
    """Raises InvalidParameterValue for a snapshot below retain-from."""
    retained = await retain_from(reader)
    if retained is not None:
        require_not_below(snapshot_id, retained)


def require_not_below(snapshot_id: int, retained: int) -> None:
    """``retained`` is retain-from. Raises as ``require_retained``."""
    if snapshot_id < retained:
        raise InvalidParameterValue(f"snapshot {snapshot_id} is below {retained}, the oldest that is retained")


async def newest_snapshot(reader: LakeReader) -> int | None:
    """``None`` for a lake without snapshots."""
    snapshots = reader.relations.by_name.get(SNAPSHOT)
    if snapshots is None:
        return None
    newest: int | None = None
    async for batch in reader.rows(snapshots):
        newest = cast("int", batch[-1].row[snapshots.index["snapshot_id"]])
    return newest


async def _exists(reader: LakeReader, snapshot_id: int) -> bool:
    relation = reader.relation(SNAPSHOT)
    row: list[Value] = [None] * (len(relation.columns) + 1)
    row[relation.index["snapshot_id"]] = snapshot_id
    return await reader.snapshot.get(row_key(relation, row)) is not None
