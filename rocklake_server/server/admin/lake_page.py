"""What the console shows of one lake: its tables with their files, and its snapshots with what each changed.

Tables and snapshots are of one root: tables from the relations that clients load too, snapshots from a range of the
store. Counts are the survey's, all of one commit, which may be a moment older. What an answer costs grows with the
number of tables alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import cast

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.maintenance.snapshots import CHANGES, SNAPSHOT, Token, tokens_of
from rocklake_server.catalog.reading import ReadView
from rocklake_server.catalog.root import Root
from rocklake_server.catalog.survey import FILE_BANDS_BYTES, FileCount, Survey
from rocklake_server.catalog.view import Row
from rocklake_server.clock import POSTGRES_EPOCH_UNIX_S, age_s
from rocklake_server.encoding.keys import key_prefix
from rocklake_server.pacing import checked, in_slices
from rocklake_server.schema.model import Relation
from rocklake_server.server.admin.observed import newest_snapshot, survey_of

TABLES_MAX = 500
"""Tables that are shown, those with the most bytes first; more are counted only."""

SNAPSHOTS_PER_PAGE = 20
CHANGES_SHOWN_MAX = 12
"""Of one snapshot."""

MIB = 1 << 20
BANDS = (
    "under 1 MiB",
    *(f"{low // MIB} to {high // MIB} MiB" for low, high in pairwise(FILE_BANDS_BYTES)),
    f"{FILE_BANDS_BYTES[-1] // MIB} MiB and more",
)

_EPOCH = datetime.fromtimestamp(POSTGRES_EPOCH_UNIX_S, UTC)


def iso(time_us: int) -> str:
    """A Clock's time as ISO 8601, in UTC."""
    return (_EPOCH + timedelta(microseconds=time_us)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Names:
    """Tables by id, those that ended included, as ``schema.table``; ``live`` are those of the newest snapshot, with
    the name of their schema and their own."""

    known: dict[int, str] = field(default_factory=dict)
    live: dict[int, tuple[str, str]] = field(default_factory=dict)


async def _rows(lake: Lake, root: Root, name: str) -> tuple[Relation | None, list[Row]]:
    relation = root.relations.by_name.get(name)
    if relation is None:
        return None, []
    chunks = await ReadView(lake, root).chunks(relation)
    return relation, await in_slices(lambda: [row for chunk in chunks for row in checked(chunk.rows)])


async def names_of(lake: Lake, root: Root) -> Names:
    """Raises StoreUnavailable, CorruptValue."""
    names = Names()
    schema_relation, schema_rows = await _rows(lake, root, "ducklake_schema")
    relation, rows = await _rows(lake, root, "ducklake_table")
    if relation is None or schema_relation is None:
        return names
    schemas = {row[schema_relation.index["schema_id"]]: str(row[schema_relation.index["schema_name"]])
               for row in schema_rows}  # fmt: skip
    owner, schema, name, ended = (
        relation.index[column] for column in ("table_id", "schema_id", "table_name", "end_snapshot"))

    def read() -> Names:
        for row in checked(rows):
            table_id, pair = cast("int", row[owner]), (schemas.get(row[schema], "?"), str(row[name]))
            if row[ended] is None:
                names.live[table_id] = pair
            if row[ended] is None or table_id not in names.known:
                names.known[table_id] = ".".join(pair)
        return names

    return await in_slices(read)


async def lake_page(database: str, lake: Lake, now_us: int) -> dict[str, object]:
    """Everything is JSON's. Raises CannotConnectNow once another server owns the lake, StoreUnavailable,
    CorruptValue."""
    root = lake.hold()
    newest = newest_snapshot(lake)
    try:
        names = await names_of(lake, root)
        counts = await _counts(names, survey_of(lake), root, now_us)
        timeline, is_last = await _timeline(root, names, newest)
    finally:
        lake.release(root)
    return {
        "database": database,
        "schema": lake.schema,
        "commit_sequence": root.sequence,
        "newest_snapshot": newest,
        "stored_bytes": root.stored_bytes,
        **counts,
        "bands": BANDS,
        "timeline": timeline,
        "is_last": is_last,
    }


async def _counts(names: Names, survey: Survey | None, root: Root, now_us: int) -> dict[str, object]:
    """The survey's, all after the same commit."""
    async with survey.turn if survey is not None else nullcontext():
        tables = await in_slices(lambda: _tables(names, survey, root))
        total = survey.total if survey is not None else None
        return {
            "snapshots": survey.snapshots if survey is not None else None,
            "is_counted": survey is not None,
            "files": total.files_count if total is not None else None,
            "small_files": total.small_files if total is not None else None,
            "file_bytes": total.bytes if total is not None else None,
            "kept_bytes": total.kept_bytes if total is not None else None,
            "checkpoint_age_s": age_s(survey.checkpoint_s if survey is not None else None, now_us),
            "tables_count": len(tables),
            "tables": tables[:TABLES_MAX],
        }


def _tables(names: Names, survey: Survey | None, root: Root) -> list[dict[str, object]]:
    """The largest first. Without a survey their sizes are not known yet."""
    if survey is None:
        return [{"table_id": table_id, "schema": schema, "name": name}
                for table_id, (schema, name) in names.live.items()]  # fmt: skip
    inlined, found = survey.inlined(root.relations), []
    for table_id, (schema, name) in checked(list(names.live.items())):
        count = survey.tables.get(table_id) or FileCount()
        rows, deletions = inlined.get(table_id, (0, 0))
        found.append((count.bytes, {
            "table_id": table_id, "schema": schema, "name": name,
            "rows": count.rows - count.deleted_rows - deletions + rows,
            "files": count.files_count, "small": count.small_files, "bytes": count.bytes, "bands": count.files,
            "deleted_rows": count.deleted_rows + deletions, "delete_files": count.delete_files,
            "inlined_rows": rows, "kept_files": count.kept_files, "kept_bytes": count.kept_bytes,
        }))  # fmt: skip
    found.sort(key=lambda sized: -sized[0])
    return [table for _, table in found]


# -- snapshots --------------------------------------------------------------------------------------------------------


async def snapshots_page(lake: Lake, before: int) -> dict[str, object]:
    """The snapshots below ``before``, as the page of the lake has the newest. Raises as ``lake_page``."""
    root = lake.hold()
    try:
        timeline, is_last = await _timeline(root, await names_of(lake, root), before - 1)
    finally:
        lake.release(root)
    return {"timeline": timeline, "is_last": is_last}


async def _timeline(root: Root, names: Names, newest: int | None) -> tuple[list[dict[str, object]], bool]:
    """At most SNAPSHOTS_PER_PAGE snapshots up to ``newest``, the newest first, and whether they are the last."""
    relation = root.relations.by_name.get(SNAPSHOT)
    if relation is None or newest is None or newest < 0:
        return [], True
    rows, least = await _newest_rows(root, relation, newest)
    changes = root.relations.by_name.get(CHANGES)
    told = {} if changes is None else {
        row[changes.index["snapshot_id"]]: row for row in await _range(root, changes, least, newest)
    }  # fmt: skip
    shown = rows[-SNAPSHOTS_PER_PAGE:]
    number = relation.index["snapshot_id"]
    found = [_snapshot(relation, row, changes, told.get(row[number]), names) for row in reversed(shown)]
    return found, least == 0 and len(rows) == len(shown)


async def _newest_rows(root: Root, relation: Relation, newest: int) -> tuple[list[Row], int]:
    """At least a page of rows, if there are so many, and the least id that was looked at: expired snapshots leave
    gaps, which are passed in growing steps."""
    step = 2 * SNAPSHOTS_PER_PAGE
    least = newest + 1
    rows: list[Row] = []
    while len(rows) <= SNAPSHOTS_PER_PAGE and least > 0:
        upper, least = least - 1, max(least - step, 0)
        rows = [*await _range(root, relation, least, upper), *rows]
        step *= 2
    return rows, least


async def _range(root: Root, relation: Relation, least: int, greatest: int) -> list[Row]:
    """The rows of a relation that is keyed by snapshot."""
    access = access_of(relation)
    start, stop = (key_prefix(relation, number)[len(access.prefix) :] for number in (least, greatest + 1))
    return [
        access.codec.decode(key, value)
        async for entries in root.snapshot.scan(access.prefix, start=start, stop=stop)
        for key, value in entries
    ]


def _snapshot(
    relation: Relation, row: Row, changes: Relation | None, changed: Row | None, names: Names
) -> dict[str, object]:
    def told(column: str) -> object:
        position = changes.index.get(column) if changes is not None else None
        return changed[position] if changed is not None and position is not None else None

    tokens = tokens_of(cast("str | None", told("changes_made")))
    time_us = row[relation.index["snapshot_time"]]
    return {
        "id": row[relation.index["snapshot_id"]],
        "time": iso(time_us) if isinstance(time_us, int) else None,
        "author": told("author"),
        "message": told("commit_message"),
        "changes": [change_of(token, names.known) for token in tokens[:CHANGES_SHOWN_MAX]],
        "more_changes": max(len(tokens) - CHANGES_SHOWN_MAX, 0),
    }


_WORDS = {
    "inserted_into_table": "inserted into", "deleted_from_table": "deleted from", "altered_table": "altered",
    "inlined_insert": "inlined rows into", "inlined_delete": "inlined deletions from",
    "flushed_inlined": "flushed inlined rows of", "merge_adjacent": "merged files of",
    "rewrite_delete": "rewrote files of", "compacted_table": "compacted",
}  # fmt: skip
"""What DuckLake calls it, where that alone does not say it."""

_SORTS = {"created": "add", "inserted": "add", "inlined_insert": "add", "dropped": "remove", "deleted": "remove",
          "inlined_delete": "remove"}  # fmt: skip
_NO_TABLES = ("schema", "view", "macro")
_PART = re.compile(r'"((?:[^"]|"")*)"')


def change_of(token: Token, tables: Mapping[int, str]) -> dict[str, str]:
    """A change in words, with whether it adds, removes or does something else."""
    words = _WORDS.get(token.kind, token.kind.replace("_", " "))
    if token.id is None:
        subject = ".".join(part.replace('""', '"') for part in _PART.findall(token.subject))
    elif any(other in token.kind for other in _NO_TABLES):
        subject = str(token.id)
    else:
        subject = tables.get(token.id, f"table {token.id}")
    sort = next((sort for begin, sort in _SORTS.items() if token.kind.startswith(begin)), "other")
    return {"text": f"{words} {subject}", "sort": sort}


Listed = tuple[str, str, Lake | None]
"""Database, schema and, while it is open, the lake."""


def lake_lines(lakes: Iterable[Listed], name: Callable[[str, str], str]) -> list[dict[str, object]]:
    """A line for each."""
    found: list[dict[str, object]] = []
    for database, schema, lake in lakes:
        survey = survey_of(lake) if lake is not None else None
        state = "closed" if lake is None else "waits for its store" if lake.store.needs_reopen else "open"
        found.append({
            "database": database, "schema": schema, "name": name(database, schema), "state": state,
            "snapshots": survey.snapshots if survey is not None else None,
            "files": survey.total.files_count if survey is not None else None,
            "file_bytes": survey.total.bytes if survey is not None else None,
            "stored_bytes": lake.newest.stored_bytes if lake is not None else None,
        })  # fmt: skip
    return found
