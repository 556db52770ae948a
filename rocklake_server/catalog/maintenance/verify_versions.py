"""Verifies the versions of one relation, as they come in the order of their keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.lake_under_test import LakeUnderTest
from rocklake_server.catalog.maintenance.references import CHANGES, MACRO, SCHEMA, TABLE, VIEW
from rocklake_server.catalog.maintenance.snapshots import tokens_of
from rocklake_server.catalog.view import Match, Row
from rocklake_server.schema.model import Behaviour, Relation, RelationKind
from rocklake_server.schema.types import Value

_SNAPSHOTS_KEPT = 4096
"""Snapshots whose changes are remembered, since many versions end together."""

_OWNERS = ("table_id", "view_id", "object_id", "schema_id", "macro_id")
_DROPPED = re.compile(r"dropped_[a-z_]+")
_CHANGED = re.compile(r"(?:dropped|altered)_[a-z_]+")

_THINGS = {SCHEMA: "schema_id", TABLE: "table_id", VIEW: "view_id", MACRO: "macro_id"}
"""Only a drop of the thing itself ends its last version; parts of a thing also end when it is altered."""


def beyond_key(relation: Relation) -> tuple[int, ...]:
    """Columns that tell things apart and are not in the row's key: the tags of a view's column share their key
    fields."""
    position = relation.index.get("key")
    return () if position is None or position in relation.key_columns else (position,)


class VersionCheck:
    """For relations whose rows begin and end at snapshots. The versions of one thing follow each other: they share
    their key fields but for the begin."""

    def __init__(self, lake: LakeUnderTest, relation: Relation) -> None:
        self._lake = lake
        self._relation = relation
        index = relation.index
        inlined = relation.kind is RelationKind.INLINED_DATA
        self.begin = 1 if inlined else index.get("begin_snapshot")
        self.end = 2 if inlined else index.get("end_snapshot")
        self._is_grouped = relation.behaviour is Behaviour.VERSIONED or inlined
        own = [column for column in relation.key_columns if column is not None and column != self.begin]
        self._neighbours = tuple(own)
        self._identity = (*own, *beyond_key(relation))
        self._needs_reason = relation.behaviour is Behaviour.VERSIONED
        self._group_key: tuple[Value, ...] | None = None
        self._group: list[Match] = []
        self._tokens: dict[int, set[tuple[str, int | None]] | None] = {}

    async def add(self, rows: Sequence[Match]) -> None:
        """In the order of their keys."""
        if self.begin is None:
            return
        for match in rows:
            self._verify_order(match)
            if not self._is_grouped:
                continue
            group = tuple(match.row[column] for column in self._neighbours)
            if group != self._group_key:
                await self.finish()
                self._group_key = group
            self._group.append(match)

    async def finish(self) -> None:
        """The thing whose versions came last is complete."""
        group, self._group = self._group, []
        if len(group) == 1:
            await self._verify_thing(group)
            return
        things: dict[tuple[Value, ...], list[Match]] = {}
        for match in group:
            things.setdefault(tuple(match.row[column] for column in self._identity), []).append(match)
        for versions in things.values():
            await self._verify_thing(versions)

    def _range(self, row: Row) -> tuple[int | None, int | None]:
        began = row[self.begin] if self.begin is not None else None
        ended = row[self.end] if self.end is not None else None
        return cast("int | None", began), cast("int | None", ended)

    def _verify_order(self, match: Match) -> None:
        began, ended = self._range(match.row)
        report, newest = self._lake.report, self._lake.newest_snapshot
        if began is None:
            report.add(checks.VERSION_ORDER, f"{self._relation.name}: a version says no begin", match.key)
        elif ended is not None and ended < began:
            what = f"{self._relation.name}: a version begins at {began} and ends at {ended}"
            report.add(checks.VERSION_ORDER, what, match.key)
        for number in (began, ended):
            if number is not None and newest is not None and number > newest:
                what = f"{self._relation.name}: snapshot {number} is newer than {newest}, the newest"
                report.add(checks.BEYOND_NEWEST, what, match.key)

    async def _verify_thing(self, versions: list[Match]) -> None:
        ranges = [self._range(match.row) for match in versions]
        for at, match in enumerate(versions):
            ended = ranges[at][1]
            following = ranges[at + 1] if at + 1 < len(versions) else None
            if following is not None and following[0] is not None and (ended is None or ended > following[0]):
                self._overlap(versions[at + 1], ended, following)
                continue
            has_successor = any(begin == ended for begin, _ in ranges)
            if ended is None or has_successor or not self._needs_reason or await self._is_explained(match.row, ended):
                continue
            what = f"{self._relation.name}: a version ends at snapshot {ended} without a reason"
            self._lake.report.add(checks.ORPHANED_VERSIONS, what, match.key)

    def _overlap(self, later: Match, ended: int | None, following: tuple[int | None, int | None]) -> None:
        if ended is None and following[1] is None:
            what = f"{self._relation.name}: two versions have not ended"
            self._lake.report.add(checks.DUPLICATE_LIVE_ROWS, what, later.key)
        else:
            until = "is not ended" if ended is None else f"ends at {ended}"
            what = f"{self._relation.name}: a version begins at {following[0]}, and the one before it {until}"
            self._lake.report.add(checks.OVERLAPPING_VERSIONS, what, later.key)

    async def _is_explained(self, row: Row, ended: int) -> bool:
        """Whether that snapshot's changes drop what the row describes, or alter what it is a part of. A snapshot whose
        changes are gone explains everything."""
        found = await self._changes_at(ended)
        if found is None:
            return True
        own = _THINGS.get(self._relation.name)
        pattern = _DROPPED if own is not None else _CHANGED
        index = self._relation.index
        ids = {row[index[name]] for name in ((own,) if own is not None else _OWNERS) if name in index}
        return any(pattern.fullmatch(kind) and number in ids for kind, number in found)

    async def _changes_at(self, snapshot_id: int) -> set[tuple[str, int | None]] | None:
        if snapshot_id in self._tokens:
            return self._tokens[snapshot_id]
        if len(self._tokens) >= _SNAPSHOTS_KEPT:
            self._tokens.clear()
        changes, found = self._lake.relation(CHANGES), None
        if changes is not None and "changes_made" in changes.index:
            async for entries in self._lake.readable_rows(changes, snapshot_id):
                for match in entries:
                    tokens = tokens_of(match.row[changes.index["changes_made"]])
                    found = {(token.kind, token.id) for token in tokens} | (found or set())
        self._tokens[snapshot_id] = found
        return found

