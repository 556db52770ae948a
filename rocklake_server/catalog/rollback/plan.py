"""What rolling a lake back would change, complete before any of it is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from rocklake_server.catalog.lake_reader import LakeReader, ListedLake
from rocklake_server.catalog.maintenance.snapshots import require_retained
from rocklake_server.catalog.rollback.definitions import (
    SCHEMA,
    TABLE,
    DefinitionChanges,
    definition_tokens,
    roll_definitions_back,
)
from rocklake_server.catalog.rollback.files import FileRollback, MergedFile, ReturningFile, inlined_delete_name
from rocklake_server.catalog.rollback.inlined import make_inlined_relations
from rocklake_server.catalog.rollback.records import BEGIN, Changes, Moments, Record, number, records
from rocklake_server.catalog.rollback.statistics import Statistics
from rocklake_server.catalog.view import ColumnDefinition, Now
from rocklake_server.errors import InvalidParameterValue, Unsupported
from rocklake_server.schema.types import BIGINT, Value

SNAPSHOT, SNAPSHOT_CHANGES = "ducklake_snapshot", "ducklake_snapshot_changes"
SCHEMA_VERSIONS = "ducklake_schema_versions"
VERSIONS = ("1.0", "1.1")
"""Catalog versions whose tables are known well enough to write a snapshot of our own."""

PositionsOf = Callable[[MergedFile, str, int], Awaitable[Sequence[int]]]
"""The rows of a data file, counted from 0, that the file itself, or a delete file at the complete path, says to be
hidden at a snapshot."""

@dataclass(frozen=True, slots=True)
class FileToCopy:
    """Complete paths. ``size_bytes`` is what the catalog says of the file."""

    path: str
    new_path: str
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class RollbackPlan:
    """``tokens`` are what the new snapshot says that it changed."""

    lake: ListedLake
    moments: Moments
    changes: Changes
    tokens: tuple[str, ...]
    copies: tuple[FileToCopy, ...]


async def plan_rollback(lake: LakeReader, target: int, now: Now, positions_of: PositionsOf) -> RollbackPlan:
    """``now`` is the time of the new snapshot, until it is committed. Raises InvalidParameterValue for a snapshot that
    is not there, is the newest or shows the same, Unsupported for an old catalog version,
    ObjectNotInPrerequisiteState for a schema that cannot return, and what ``positions_of`` raises."""
    newest = await _newest_snapshot(lake, target)
    await _require_version(lake)
    moments, changes = Moments(target, number(newest, "snapshot_id")), Changes()
    defined = await roll_definitions_back(lake, moments, changes)
    files = FileRollback(lake, moments, changes, number(newest, "next_file_id"))
    await files.run()
    if changes.is_empty:
        raise InvalidParameterValue(f"snapshot {target} shows the same as the newest one, {moments.newest}")
    await _hide_positions(lake, moments, changes, files.found.merged, positions_of)
    dropped = defined.ids(TABLE, "table_id", ending=True) - defined.ids(TABLE, "table_id", ending=False)
    await Statistics(lake, changes, (files.found.tables | defined.altered) - dropped).renew()
    tokens = [*definition_tokens(defined, await _macro_kinds(lake)), *files.found.tokens(dropped)]
    await make_inlined_relations(lake, changes, defined.altered - dropped, _schema_version(newest, defined))
    _put_snapshot(changes, moments, newest, defined, tokens, now, files.next_file_id)
    if SCHEMA_VERSIONS not in lake.relations.by_name:
        changes.inserted.pop(SCHEMA_VERSIONS, None)
    copies = await _complete_paths(lake, files.found.copies)
    return RollbackPlan(lake.listed, moments, changes, tuple(tokens), tuple(copies))


async def _hide_positions(
    lake: LakeReader, moments: Moments, changes: Changes, merged: Sequence[MergedFile], positions_of: PositionsOf
) -> None:
    """Rows that the target does not have, of files that hold rows of several snapshots, are deleted in the new row's
    name."""
    for file, complete in zip(merged, await _complete_paths(lake, [file.file for file in merged]), strict=True):
        positions = await positions_of(file, complete.path, moments.target)
        name = inlined_delete_name(file.file.table_id)
        changes.created[name] = [ColumnDefinition(column, BIGINT) for column in ("file_id", "row_id", BEGIN)]
        for position in positions:
            changes.put(name, {
                "file_id": file.new_file_id, "row_id": position, BEGIN: moments.made,
            })  # fmt: skip


async def _newest_snapshot(lake: LakeReader, target: int) -> Record:
    await require_retained(lake, target)
    newest: Record | None = None
    known = False
    async for _, _, row in records(lake, SNAPSHOT):
        known = known or row["snapshot_id"] == target
        if newest is None or number(row, "snapshot_id") > number(newest, "snapshot_id"):
            newest = row
    if newest is None or not known:
        last = "none" if newest is None else number(newest, "snapshot_id")
        raise InvalidParameterValue(
            f'lake "{lake.listed}" has no snapshot {target}, or it has expired; its newest one is {last}')
    if newest["snapshot_id"] == target:
        raise InvalidParameterValue(f'snapshot {target} is the newest one of lake "{lake.listed}"')
    return newest


async def _require_version(lake: LakeReader) -> None:
    async for _, _, row in records(lake, "ducklake_metadata"):
        if row["key"] == "version" and row.get("scope") is None and row["value"] not in VERSIONS:
            known = " and ".join(VERSIONS)
            raise Unsupported(
                f'lake "{lake.listed}" has a catalog of version {row["value"]!s}; those of {known} can be rolled back',
                hint="Attach it with AUTOMATIC_MIGRATION first.")


async def _macro_kinds(lake: LakeReader) -> dict[int, str]:
    return {number(row, "macro_id"): str(row["type"]) async for _, _, row in records(lake, "ducklake_macro_impl")}


async def _complete_paths(lake: LakeReader, files: Sequence[ReturningFile]) -> list[FileToCopy]:
    """A relative path is below that of its table, that below its schema's, and that below the lake's data path."""
    if not files:
        return []
    root = ""
    async for _, _, row in records(lake, "ducklake_metadata"):
        if row["key"] == "data_path" and row.get("scope") is None:
            root = str(row["value"])
    schemas = {row["schema_id"]: joined_path(root, row["path"], row["path_is_relative"])
               async for _, _, row in records(lake, SCHEMA)}  # fmt: skip
    tables = {row["table_id"]: joined_path(schemas.get(row["schema_id"], root), row["path"], row["path_is_relative"])
              async for _, _, row in records(lake, TABLE)}  # fmt: skip
    return [
        FileToCopy(
            joined_path(tables.get(file.table_id, root), file.path, file.is_relative),
            joined_path(tables.get(file.table_id, root), file.new_path, file.is_relative), file.size_bytes)
        for file in files
    ]  # fmt: skip


def joined_path(folder: str, path: Value, is_relative: Value) -> str:
    if not is_relative or not folder:
        return str(path)
    return folder + ("" if folder.endswith("/") else "/") + str(path)


def _schema_version(newest: Record, defined: DefinitionChanges) -> int:
    return number(newest, "schema_version") + (not defined.is_empty)


def _put_snapshot(
    changes: Changes, moments: Moments, newest: Record, defined: DefinitionChanges, tokens: list[str], now: Now,
    next_file_id: int,
) -> None:
    schema_version = _schema_version(newest, defined)
    changes.put(SNAPSHOT, {
        "snapshot_id": moments.made, "snapshot_time": now, "schema_version": schema_version,
        "next_catalog_id": newest["next_catalog_id"], "next_file_id": next_file_id,
    })  # fmt: skip
    changes.put(SNAPSHOT_CHANGES, {
        "snapshot_id": moments.made, "changes_made": ",".join(tokens), "author": "rocklake",
        "commit_message": f"rollback to snapshot {moments.target}",
    })  # fmt: skip
    gone = defined.ids(TABLE, "table_id", ending=True) - defined.ids(TABLE, "table_id", ending=False)
    for table_id in sorted(defined.altered - gone):
        changes.put(SCHEMA_VERSIONS, {
            "begin_snapshot": moments.made, "schema_version": schema_version, "table_id": table_id,
        })  # fmt: skip
