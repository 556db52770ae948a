"""Brings rows back that commits have deleted, unless the lake would not be whole with them.

What must hold is what verify checks: the lake is verified as it is, and as it would be. So rows without their owners,
versions that overlap, ids that are given again and snapshots below retain-from are refused. Those below it come back
with everything else that the last gc retired, and retain-from with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.checks import Severity
from rocklake_server.catalog.maintenance.definitions import read_definitions
from rocklake_server.catalog.maintenance.key_space import KeySpace
from rocklake_server.catalog.maintenance.lake_under_test import Tell
from rocklake_server.catalog.maintenance.readable import every_column
from rocklake_server.catalog.maintenance.references import DATA_FILE, DELETE_FILE, SNAPSHOT, TABLE
from rocklake_server.catalog.maintenance.snapshots import require_not_below, retain_from
from rocklake_server.catalog.maintenance.verify import verify_lake
from rocklake_server.catalog.retention.audited_commits import AuditedCommits
from rocklake_server.catalog.retention.cascade import INLINED_TABLES
from rocklake_server.catalog.retention.file_paths import FilePaths
from rocklake_server.catalog.retention.gc import SCHEDULED
from rocklake_server.catalog.retention.gc_runs import UNDONE, GcRun, newest_gc
from rocklake_server.catalog.rollback.files import inlined_delete_name
from rocklake_server.encoding.definitions import encode_number
from rocklake_server.encoding.keys import decode_retired_key, key_prefix, retired_prefix, system_key
from rocklake_server.errors import InvalidParameterValue, ObjectNotInPrerequisiteState, UndefinedObject
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import RETIRED_ROWS, SYSTEM_RETAIN_FROM
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key, Prefix
from rocklake_server.store.data_files import DataFiles
from rocklake_server.store.overlay import OverlaySnapshot

ROWS_MAX = 1_000_000
"""Rows that are brought back at once: they are held in memory, and are one commit."""

_FILES = {DATA_FILE: "data_file_id", DELETE_FILE: "delete_file_id"}


@dataclass(frozen=True, slots=True)
class RetiredRow:
    """``key`` is that which it had, and has again when it is back."""

    relation: Relation
    retired: Key
    key: Key
    value: bytes

    @property
    def columns(self) -> dict[str, Value]:
        return {column.name: value for column, value in zip(
            self.relation.columns, access_of(self.relation).codec.decode(self.key, self.value), strict=False)}


@dataclass(slots=True)
class BroughtBack:
    """``undone`` is the last gc, when all of it comes back; ``unscheduled`` files are not to be cleaned up any more;
    ``defined_again`` are relations of inlined rows."""

    rows: Counter[str] = field(default_factory=Counter)
    undone: GcRun | None = None
    unscheduled: int = 0
    defined_again: list[str] = field(default_factory=list)


async def retired_counts(lake: LakeReader) -> AsyncIterator[dict[str, object]]:
    """How many rows of which relation each commit has deleted, in the order of commits."""
    space = await _space(lake)
    counts: Counter[tuple[int, str]] = Counter()
    async for entries in lake.snapshot.scan(Prefix(bytes([RETIRED_ROWS]))):
        newest = decode_retired_key(entries[-1][0])[0]
        for key, _ in entries:
            sequence, own = decode_retired_key(key)
            owner = space.owner(own)
            counts[sequence, owner[0].name if owner is not None else "?"] += 1
        for sequence, name in sorted(counts):
            if sequence < newest:
                yield {"commit": sequence, "relation": name, "rows": counts.pop((sequence, name))}
    for (sequence, name), rows in sorted(counts.items()):
        yield {"commit": sequence, "relation": name, "rows": rows}


async def retired_rows(lake: LakeReader, commit: int, relation: str | None) -> AsyncIterator[dict[str, object]]:
    """What one commit deleted, of one relation or of all."""
    async for row in _rows(lake, commit, relation):
        columns = every_column(row.relation, access_of(row.relation).codec.decode(row.key, row.value))
        yield {"relation": row.relation.name, "row": columns}


async def _space(lake: LakeReader) -> KeySpace:
    definitions = await read_definitions(lake.snapshot)
    return KeySpace(definitions.relations, definitions.dropped)


async def _rows(lake: LakeReader, commit: int, name: str | None) -> AsyncIterator[RetiredRow]:
    space = await _space(lake)
    async for entries in lake.snapshot.scan(retired_prefix(commit)):
        for retired, value in entries:
            key = decode_retired_key(retired)[1]
            owner = space.owner(key)
            if owner is not None and name in (None, owner[0].name):
                yield RetiredRow(owner[0], retired, key, value)


class Undeletion:
    """Of what ``sequences``, commits of the lake, deleted: of one relation or of all. Gathers one commit in
    ``commits``, which is written by its ``finish``."""

    def __init__(
        self, lake: LakeReader, commits: AuditedCommits, sequences: Sequence[int], relation: str | None = None
    ) -> None:
        self._lake = lake
        self._commits = commits
        self._sequences = sequences
        self._relation = relation
        self._found = BroughtBack()

    async def gather(self, files: DataFiles, tell: Tell) -> BroughtBack:
        """Raises UndefinedObject when a commit deleted nothing of the kind, InvalidParameterValue for a snapshot below
        retain-from and for too many rows, ObjectNotInPrerequisiteState when a key is taken again, a file was cleaned up
        or the lake would not be whole, and what reading raises."""
        rows = await self._chosen()
        self._found.undone = await self._undone_gc()
        await self._require_free(rows)
        for row in rows:
            self._commits.bring_back(row.relation, row.retired, row.key, row.value)
            self._found.rows[row.relation.name] += 1
        await self._define_again(rows)
        await self._require_whole(tell)
        await self._bring_files_back(rows, files)
        return self._found

    async def _chosen(self) -> list[RetiredRow]:
        rows: list[RetiredRow] = []
        for sequence in self._sequences:
            before = len(rows)
            async for row in _rows(self._lake, sequence, self._relation):
                rows.append(row)
                if len(rows) > ROWS_MAX:
                    raise InvalidParameterValue(f"more than {ROWS_MAX} rows cannot be brought back at once")
            if len(rows) == before:
                what = "row" if self._relation is None else f'row of "{self._relation}"'
                raise UndefinedObject(f'lake "{self._lake.listed}" keeps no {what} that commit {sequence} deleted')
        return rows

    async def _undone_gc(self) -> GcRun | None:
        """The last gc when all that it retired comes back; retain-from goes back with it."""
        run = await newest_gc(self._lake) if self._relation is None else None
        if run is None or not run.sequences <= set(self._sequences):
            return None
        value = None if run.before is None else encode_number(run.before)
        self._commits.put_system(system_key(SYSTEM_RETAIN_FROM), value)
        self._commits.note({UNDONE: run.retain_from, "retain_from": run.before})
        return run

    async def _require_free(self, rows: Sequence[RetiredRow]) -> None:
        taken: set[Key] = set()
        undone = self._found.undone
        least = undone.before if undone is not None else await retain_from(self._lake)
        for row in rows:
            name = row.relation.name
            if name not in self._lake.relations.by_name:
                raise ObjectNotInPrerequisiteState(f'relation "{name}", whose row it was, is dropped')
            if row.key in taken or await self._lake.snapshot.get(row.key) is not None:
                raise ObjectNotInPrerequisiteState(f'the key of a row of "{name}" is taken again: {row.key.hex()}')
            taken.add(row.key)
            if name == SNAPSHOT and least is not None and isinstance(number := row.columns["snapshot_id"], int):
                require_not_below(number, least)

    async def _define_again(self, rows: Sequence[RetiredRow]) -> None:
        """Relations of inlined rows that were dropped with their tables."""
        names: set[str] = set()
        for row in rows:
            if row.relation.name == INLINED_TABLES:
                names.add(str(row.columns["table_name"]))
            elif row.relation.name == TABLE and isinstance(table_id := row.columns["table_id"], int):
                names.add(inlined_delete_name(table_id))
        dropped = {relation.name: relation for relation in (await read_definitions(self._lake.snapshot)).dropped}
        for name in sorted(names & dropped.keys() - self._lake.relations.by_name.keys()):
            self._commits.define_again(dropped[name])
            self._found.defined_again.append(name)

    async def _bring_files_back(self, rows: Sequence[RetiredRow], files: DataFiles) -> None:
        """They must be there still, and must not be cleaned up later."""
        returning = [row for row in rows if row.relation.name in _FILES]
        if not returning:
            return
        paths, complete, ids = await FilePaths.of(await self._after()), [], set()
        for row in returning:
            decoded = access_of(row.relation).codec.decode(row.key, row.value)
            file = paths.scheduled(row.relation, _FILES[row.relation.name], decoded)
            complete.append(paths.complete(file))
            ids.add(file.file_id)
        for path, size in zip(complete, await files.sizes(complete), strict=True):
            if size is None:
                raise ObjectNotInPrerequisiteState(f'file "{path}" was cleaned up')
        scheduled = self._lake.relation(SCHEDULED)
        decode, file_at = access_of(scheduled).codec.decode, scheduled.index["data_file_id"]
        async for entries in self._lake.snapshot.scan(key_prefix(scheduled)):
            for key, value in entries:
                if decode(key, value)[file_at] in ids:
                    self._commits.retire(scheduled, key, value)
                    self._found.unscheduled += 1

    async def _after(self) -> LakeReader:
        """The lake as it would be."""
        overlay = OverlaySnapshot(self._lake.snapshot, (await self._commits.gathered()).operations)
        return await LakeReader.over(self._lake.listed, overlay)

    async def _require_whole(self, tell: Tell) -> None:
        listed = self._lake.listed
        before = (await verify_lake(listed, self._lake.snapshot, tell)).report
        after = (await verify_lake(listed, (await self._after()).snapshot, tell)).report
        for finding in after.findings():
            check = finding.check
            if check.severity is Severity.DAMAGE and after.counts[check] > before.counts.get(check, 0):
                raise ObjectNotInPrerequisiteState(
                    f"the lake would not be whole ({check.name}): {finding.what}",
                    hint="Bring back everything that belongs together.",
                )
