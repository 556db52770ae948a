"""Removes for good what nobody may ask for any more: retired rows, and rows that ended at or before retain-from."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from rocklake_server.auth.audit import audit
from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.definitions import LakeDefinitions, read_definitions
from rocklake_server.catalog.maintenance.key_space import KeySpace
from rocklake_server.catalog.maintenance.snapshots import retain_from
from rocklake_server.catalog.mvcc import is_gc_eligible
from rocklake_server.catalog.retention.offline_commits import OfflineCommits
from rocklake_server.encoding.keys import decode_retired_key, key_prefix, system_key
from rocklake_server.encoding.ordered import encode_int
from rocklake_server.errors import CorruptValue, InvalidParameterValue, ObjectNotInPrerequisiteState
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.schema.system_subspaces import RETIRED_ROWS, SYSTEM_DROPPED
from rocklake_server.store.base import Entry, Prefix

COLUMN_TAG = "ducklake_column_tag"
_INLINED_END = 2
"""Where an inlined row's end_snapshot is: after row_id and begin_snapshot."""

RETIRED, ENDED, LEFT_BEHIND = REASONS = ("retired", "ended", "left_behind")
"""Why a row leaves: a commit deleted it, its end is at or before the boundary, its relation was dropped."""

Tell = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Range:
    """Rows that ended at or before snapshot ``ended_by``, and rows that were retired by commit ``retired_by`` or an
    earlier one."""

    ended_by: int
    retired_by: int


async def choose_range(lake: LakeReader, ended_by: int | None = None, retired_by: int | None = None) -> Range:
    """Without ``ended_by`` everything that retain-from allows, without ``retired_by`` every retired row. Raises
    ObjectNotInPrerequisiteState while retain-from is unset, InvalidParameterValue when it is behind ``ended_by``, and
    when there is no such commit yet."""
    retained, newest = await retain_from(lake), lake.state.sequence
    if retained is None:
        raise ObjectNotInPrerequisiteState(
            f'lake "{lake.listed}" has no retain-from: all of its history may be asked for',
            hint="Say with rocklake gc what is to be kept.",
        )
    if ended_by is not None and ended_by > retained:
        raise InvalidParameterValue(
            f"snapshot {ended_by} is above {retained}, the oldest that is retained",
            hint="Advance that with rocklake gc first.",
        )
    if retired_by is not None and retired_by > newest:
        raise InvalidParameterValue(f"commit {retired_by} is above {newest}, the newest one")
    return Range(retained if ended_by is None else ended_by, newest if retired_by is None else retired_by)


@dataclass(slots=True)
class Excised:
    """``rows`` by reason and relation; ``definitions`` of dropped relations; ``size_bytes`` of the rows' keys and
    values."""

    rows: dict[str, Counter[str]] = field(default_factory=lambda: {why: Counter() for why in REASONS})
    definitions: int = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Leaving:
    """Rows of one relation as they are stored. ``why`` is a word for the audit record."""

    why: str
    relation: Relation
    entries: Sequence[Entry]


class Excision:
    """One reading of everything that leaves. ``found`` counts it while it is read."""

    def __init__(self, lake: LakeReader, chosen: Range) -> None:
        self._lake = lake
        self._chosen = chosen
        self.found = Excised()

    async def groups(self) -> AsyncIterator[Leaving]:
        """Raises CorruptValue for a retired row that belongs to nothing."""
        definitions = await read_definitions(self._lake.snapshot)
        async for leaving in self._retired(definitions):
            yield leaving
        for relation in definitions.relations:
            if (end_at := _end_of(relation)) is not None:
                async for leaving in self._ended(relation, end_at):
                    yield leaving
        for relation in definitions.left_behind():
            async for entries in self._lake.snapshot.scan(key_prefix(relation)):
                yield self._counted(LEFT_BEHIND, relation, entries)

    async def unused_definitions(self) -> list[Relation]:
        """Of dropped relations, once none of their rows is left."""
        if self._chosen.retired_by < self._lake.state.sequence:
            return []
        return (await read_definitions(self._lake.snapshot)).dropped

    async def _retired(self, definitions: LakeDefinitions) -> AsyncIterator[Leaving]:
        space = KeySpace(definitions.relations, definitions.dropped)
        scan = self._lake.snapshot.scan(Prefix(bytes([RETIRED_ROWS])), stop=encode_int(self._chosen.retired_by + 1))
        async for entries in scan:
            owned: dict[int, tuple[Relation, list[Entry]]] = {}
            for key, value in entries:
                owner = space.owner(decode_retired_key(key)[1])
                if owner is None:
                    raise CorruptValue(f"retired row {key.hex()} belongs to no relation that is or was in the lake",
                                       hint="See rocklake verify.")  # fmt: skip
                owned.setdefault(owner[0].relation_id, (owner[0], []))[1].append((key, value))
            for relation, its in owned.values():
                yield self._counted(RETIRED, relation, its)

    async def _ended(self, relation: Relation, end_at: int) -> AsyncIterator[Leaving]:
        decode, below = access_of(relation).codec.decode, self._chosen.ended_by
        async for entries in self._lake.snapshot.scan(key_prefix(relation)):
            ended = [
                (key, value) for key, value in entries
                if isinstance(end := decode(key, value)[end_at], int) and is_gc_eligible(end, below)
            ]  # fmt: skip
            if ended:
                yield self._counted(ENDED, relation, ended)

    def _counted(self, why: str, relation: Relation, entries: Sequence[Entry]) -> Leaving:
        self.found.rows[why][relation.name] += len(entries)
        self.found.size_bytes += sum(len(key) + len(value) for key, value in entries)
        return Leaving(why, relation, entries)


def _end_of(relation: Relation) -> int | None:
    """Where the end of a row is, in a relation whose ended rows nobody needs.

    Files are left to gc, which schedules them for deletion. Versions of a definition stay as long as what they define:
    DuckLake flushes inlined rows and merges files by the table of their time, and takes the next column id from
    ducklake_column.
    """
    if relation.kind is RelationKind.INLINED_DATA:
        return _INLINED_END
    return relation.index.get("end_snapshot") if relation.name == COLUMN_TAG else None


async def plan_excision(lake: LakeReader, chosen: Range, tell: Tell) -> Excised:
    """What ``apply_excision`` would remove. Raises CorruptValue, StoreUnavailable."""
    excision = Excision(lake, chosen)
    async for leaving in excision.groups():
        tell(len(leaving.entries))
    excision.found.definitions = len(await excision.unused_definitions())
    return excision.found


async def apply_excision(lake: LakeReader, chosen: Range, commits: OfflineCommits, tell: Tell) -> Excised:
    """In as many commits as it takes, each of which names the range in its audit record; what an interruption leaves,
    the next time takes. ``lake`` is what ``commits`` follow. Raises what reading and writing raise."""
    excision = Excision(lake, chosen)
    async for leaving in excision.groups():
        if not commits.has_gathered:
            commits.note({"ended_by": chosen.ended_by, "retired_by": chosen.retired_by})
        for key, value in leaving.entries:
            commits.remove(key, value)
            commits.count(f"excised_{leaving.why}", leaving.relation.name)
        tell(len(leaving.entries))
        await commits.commit_if_full()
    for relation in await excision.unused_definitions():
        commits.put_system(system_key(SYSTEM_DROPPED, relation.relation_id), None)
        excision.found.definitions += 1
    await commits.finish()
    found = excision.found
    audit(
        "excise", user=commits.who, lake=str(lake.listed), ended_by=chosen.ended_by, retired_by=chosen.retired_by,
        rows=sum(counts.total() for counts in found.rows.values()), bytes=found.size_bytes,
    )  # fmt: skip
    return found
