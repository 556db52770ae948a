"""Schemas, tables, columns, views, macros and what describes them, back as they were."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.rollback.records import (
    BEGIN,
    END,
    Changes,
    Fate,
    Moments,
    Record,
    number,
    number_or_none,
    records,
)
from rocklake_server.errors import ObjectNotInPrerequisiteState
from rocklake_server.schema.registry import TABLES

DATA_FILE, DELETE_FILE = "ducklake_data_file", "ducklake_delete_file"
SCHEMA, TABLE, VIEW, MACRO = "ducklake_schema", "ducklake_table", "ducklake_view", "ducklake_macro"
TAG = "ducklake_tag"

VERSIONED = tuple(
    table.name for table in TABLES
    if {BEGIN, END} <= {column.name for column in table.columns}
    and table.name not in (SCHEMA, DATA_FILE, DELETE_FILE)
)  # fmt: skip
"""Relations of definitions but schemas, whose rows are versions."""


@dataclass(slots=True)
class DefinitionChanges:
    """``returning`` and ``ending`` hold row versions by relation; ``altered`` the tables of which any part changes."""

    returning: dict[str, list[Record]] = field(default_factory=dict)
    ending: dict[str, list[Record]] = field(default_factory=dict)
    altered: set[int] = field(default_factory=set)
    schema_names: dict[int, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not (any(self.returning.values()) or any(self.ending.values()))

    def ids(self, relation: str, column: str, *, ending: bool) -> set[int]:
        found = (self.ending if ending else self.returning).get(relation, [])
        return {number(row, column) for row in found}


async def roll_definitions_back(lake: LakeReader, moments: Moments, changes: Changes) -> DefinitionChanges:
    """Adds to ``changes``; returns what changes. Raises ObjectNotInPrerequisiteState for a schema that cannot return.

    DuckLake's DDL gives a schema's id to one row only, so that a schema that returns was never gone: it shows, empty,
    in the snapshots between. Everything else gets a row that begins with the new snapshot.
    """
    found = DefinitionChanges()
    await _schemas(lake, moments, changes, found)
    for name in VERSIONED:
        returning = found.returning.setdefault(name, [])
        ending = found.ending.setdefault(name, [])
        async for relation, match, row in records(lake, name):
            fate = moments.fate(number(row, BEGIN), number_or_none(row, END))
            if fate is Fate.ENDS:
                ending.append(row)
                changes.end(relation, match, moments)
            elif fate is Fate.RETURNS:
                returning.append({**row, BEGIN: moments.made, END: None})
                changes.put(name, returning[-1])
            if fate is not Fate.STAYS and name not in (VIEW, MACRO, TAG) and "table_id" in row:
                found.altered.add(number(row, "table_id"))
    return found


async def _schemas(lake: LakeReader, moments: Moments, changes: Changes, found: DefinitionChanges) -> None:
    rows = [entry async for entry in records(lake, SCHEMA)]
    found.schema_names = {number(row, "schema_id"): str(row["schema_name"]) for _, _, row in rows}
    found.returning[SCHEMA], found.ending[SCHEMA] = [], []
    for relation, match, row in rows:
        fate = moments.fate(number(row, BEGIN), number_or_none(row, END))
        if fate is Fate.ENDS:
            found.ending[SCHEMA].append(row)
            changes.end(relation, match, moments)
        elif fate is Fate.RETURNS:
            _require_name_unused(row, [other for _, _, other in rows])
            found.returning[SCHEMA].append(row)
            changes.replaced[SCHEMA].append((match, {**row, END: None}))


def _require_name_unused(schema: Record, schemas: Sequence[Record]) -> None:
    """Raises ObjectNotInPrerequisiteState when another schema had the name since this one ended."""
    ended = number(schema, END)
    for other in schemas:
        last = number_or_none(other, END)
        if (other["schema_id"] != schema["schema_id"] and (last is None or last > ended)
                and str(other["schema_name"]).lower() == str(schema["schema_name"]).lower()):  # fmt: skip
            raise ObjectNotInPrerequisiteState(
                f'schema "{schema["schema_name"]!s}" was dropped at snapshot {ended} and another of its name was made: '
                "it cannot return"
            )


def definition_tokens(found: DefinitionChanges, macro_kinds: dict[int, str]) -> Iterator[str]:
    """As DuckLake itself lists changes, in the order in which it applies them."""
    for schema_id in sorted(found.ids(SCHEMA, "schema_id", ending=True)):
        yield f"dropped_schema:{schema_id}"
    gone = found.ids(TABLE, "table_id", ending=True) - found.ids(TABLE, "table_id", ending=False)
    yield from (f"dropped_table:{table_id}" for table_id in sorted(gone))
    gone_views = found.ids(VIEW, "view_id", ending=True) - found.ids(VIEW, "view_id", ending=False)
    yield from (f"dropped_view:{view_id}" for view_id in sorted(gone_views))
    for macro_id in sorted(found.ids(MACRO, "macro_id", ending=True)):
        yield f"dropped_{macro_kinds.get(macro_id, 'scalar')}_macro:{macro_id}"
    for row in found.returning.get(SCHEMA, []):
        yield f"created_schema:{_quoted(str(row['schema_name']))}"
    returned = found.ids(TABLE, "table_id", ending=False) - found.ids(TABLE, "table_id", ending=True)
    for row in found.returning.get(TABLE, []):
        if number(row, "table_id") in returned:
            yield f"created_table:{_name(found, row, 'table_name')}"
    yield from (f"altered_table:{table_id}" for table_id in sorted(found.altered - gone - returned))
    changed_views = found.ids(VIEW, "view_id", ending=True) & found.ids(VIEW, "view_id", ending=False)
    for row in found.returning.get(VIEW, []):
        if number(row, "view_id") not in changed_views:
            yield f"created_view:{_name(found, row, 'view_name')}"
    yield from (f"altered_view:{view_id}" for view_id in sorted(changed_views))
    for row in found.returning.get(MACRO, []):
        kind = macro_kinds.get(number(row, "macro_id"), "scalar")
        yield f"created_{kind}_macro:{_name(found, row, 'macro_name')}"


def _name(found: DefinitionChanges, row: Record, column: str) -> str:
    return f"{_quoted(found.schema_names[number(row, 'schema_id')])}.{_quoted(str(row[column]))}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
