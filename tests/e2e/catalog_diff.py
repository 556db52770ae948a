"""Reads every DuckLake relation of a catalog through psycopg, and tells two catalogs' differences in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import psycopg
from psycopg.types.string import TextLoader

SHOWN_ROWS_MAX = 5
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_RELATIONS = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
# A delete file holds the random name of its data file, so its compressed size differs from run to run.
_RANDOM_SIZES = {"ducklake_delete_file": {"file_size_bytes", "footer_size"}}
_TIMES = {"ducklake_snapshot": {"snapshot_time"}, "ducklake_files_scheduled_for_deletion": {"schedule_start"}}
# DuckDB lists the changes of a transaction in an order of memory addresses: it differs from run to run.
_LISTS = {"ducklake_snapshot_changes": {"changes_made"}}
_AS_TEXT = ("date", "time", "timetz", "timestamp", "timestamptz", "interval")
"""Types with values that Python's own cannot hold: infinity, 24:00:00, years before Christ."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation's columns as (name, type oid, precision, scale), and its rows in a comparable form."""

    columns: tuple[tuple[str, int, int | None, int | None], ...]
    rows: Counter[tuple[object, ...]] = field(repr=False)


Catalog = dict[str, Relation]


class CatalogReader:
    """A psycopg connection that reads the whole catalog; random and local values are made equal."""

    def __init__(self, dsn: str, data_path: str, hidden: Mapping[str, set[str]] | None = None) -> None:
        """``hidden`` names further columns, by relation, that are not to be compared."""
        self._connection = psycopg.connect(dsn, autocommit=True)
        self._data_path = data_path
        self._hidden = hidden or {}
        for name in _AS_TEXT:
            self._connection.adapters.register_loader(name, TextLoader)

    def read(self) -> Catalog:
        names = sorted(name for (name,) in self._connection.execute(_RELATIONS) if name.startswith("ducklake_"))
        return {name: self._relation(name) for name in names}

    def close(self) -> None:
        self._connection.close()

    def comparable(self, value: object) -> object:
        """The value without what differs between two runs: uuids, times, and the data folder."""
        match value:
            case UUID():
                return "<uuid>"
            case datetime():
                return "<time>"
            case float():
                return repr(value)  # NaN equals nothing, not even itself
            case str():
                return _UUID.sub("<uuid>", value.replace(self._data_path, "<data>"))
            case list() | tuple():
                return tuple(self.comparable(part) for part in value)
            case _:
                return value

    def _relation(self, name: str) -> Relation:
        cursor = self._connection.execute(f'SELECT * FROM "{name}"')
        description = cursor.description or []
        columns = tuple((c.name, c.type_code, c.precision, c.scale) for c in description)
        hidden = _RANDOM_SIZES.get(name, set()) | _TIMES.get(name, set()) | self._hidden.get(name, set())
        lists = _LISTS.get(name, set())
        forms = [_hide if c.name in hidden else self._in_order if c.name in lists else self.comparable
                 for c in description]  # fmt: skip
        rows: Counter[tuple[object, ...]] = Counter()
        for row in cursor:
            rows[tuple(form(value) for form, value in zip(forms, row, strict=True))] += 1
        return Relation(columns, rows)

    def _in_order(self, value: object) -> object:
        """The parts of a list written with commas, sorted; a comma inside a name splits it alike on both sides."""
        return tuple(sorted(str(self.comparable(value)).split(",")))


def _hide(value: object) -> object:
    return "<hidden>"


def differences(here: Catalog, there: Catalog) -> list[str]:
    """One line per difference of ``here`` (the server under test) from ``there`` (PostgreSQL)."""
    found = [f"relation {name}: only here" for name in sorted(here.keys() - there.keys())]
    found += [f"relation {name}: only in PostgreSQL" for name in sorted(there.keys() - here.keys())]
    for name in sorted(here.keys() & there.keys()):
        if here[name].columns != there[name].columns:
            found.append(f"relation {name}: columns {here[name].columns}, in PostgreSQL {there[name].columns}")
        found += _row_lines(name, "only here", here[name].rows - there[name].rows)
        found += _row_lines(name, "only in PostgreSQL", there[name].rows - here[name].rows)
    return found


def _row_lines(name: str, where: str, rows: Counter[tuple[object, ...]]) -> list[str]:
    listed = sorted(rows.elements(), key=repr)
    lines = [f"relation {name}: {where}: {row}" for row in listed[:SHOWN_ROWS_MAX]]
    if len(listed) > SHOWN_ROWS_MAX:
        lines.append(f"relation {name}: {where}: {len(listed) - SHOWN_ROWS_MAX} more rows")
    return lines
