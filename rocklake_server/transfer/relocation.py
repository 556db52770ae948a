"""Gives a lake another data path: the metadata that names it, and every absolute path below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.rollback.records import Changes
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.transfer.relations import Row

METADATA = "ducklake_metadata"
_DATA_PATH = "data_path"
_SEPARATOR = "/"


class Indexed(Protocol):
    """A relation, as far as its paths are concerned."""

    @property
    def name(self) -> str: ...
    @property
    def index(self) -> dict[str, int]: ...


class Relocation:
    """A change of rows on their way. Relative paths stay: they follow the data path by themselves.

    Paths in any relation that has ``path`` and ``path_is_relative`` count. ducklake_metadata has to come first.
    """

    def __init__(self, data_path: str) -> None:
        """Raises InvalidParameterValue for a path that is empty."""
        if not data_path.strip():
            raise InvalidParameterValue("the new data path is empty")
        self.new = data_path if data_path.endswith(_SEPARATOR) else data_path + _SEPARATOR
        self.old: str | None = None
        self.changed_rows = 0

    def __call__(self, relation: Indexed, rows: Sequence[Row]) -> Sequence[Row]:
        """Raises InvalidParameterValue when paths come and no data path was seen."""
        if relation.name == METADATA:
            return [self._metadata(relation, row) for row in rows]
        if {"path", "path_is_relative"} <= relation.index.keys():
            return [self._path(relation, row) for row in rows]
        return rows

    def _metadata(self, relation: Indexed, row: Row) -> Row:
        at = relation.index
        scope = row[at["scope"]] if "scope" in at else None
        if row[at["key"]] != _DATA_PATH or scope is not None:
            return row
        self.old = str(row[at["value"]])
        return self._with(row, at["value"], self.new)

    def _path(self, relation: Indexed, row: Row) -> Row:
        at = relation.index
        path = row[at["path"]]
        if row[at["path_is_relative"]] is not False or not isinstance(path, str):
            return row
        if self.old is None:
            raise InvalidParameterValue("the catalog names no data path, so that none can be replaced")
        old = self.old if self.old.endswith(_SEPARATOR) else self.old + _SEPARATOR
        if not path.startswith(old):
            return row
        return self._with(row, at["path"], self.new + path.removeprefix(old))

    def _with(self, row: Row, position: int, value: str) -> Row:
        self.changed_rows += row[position] != value
        return (*row[:position], value, *row[position + 1 :])


async def plan_relocation(lake: LakeReader, data_path: str) -> tuple[Relocation, Changes]:
    """What a lake that stays where it is would change. Raises InvalidParameterValue for an empty path, and for a lake
    that names none."""
    change, changes = Relocation(data_path), Changes()
    relations = sorted(lake.relations.by_id.values(), key=lambda relation: relation.name != METADATA)
    for relation in relations:
        if relation.name != METADATA and not {"path", "path_is_relative"} <= relation.index.keys():
            continue
        async for matches in lake.rows(relation):
            for match in matches:
                (row,) = change(relation, [match.row[:-1]])
                if row != match.row[:-1]:
                    new = {column.name: value for column, value in zip(relation.columns, row, strict=True)}
                    changes.replaced[relation.name].append((match, new))
    if change.old is None:
        raise InvalidParameterValue(f'lake "{lake.listed}" names no data path')
    return change, changes
