"""Where a lake's files are, as DuckLake writes it into ducklake_files_scheduled_for_deletion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.references import SCHEMA, TABLE
from rocklake_server.catalog.rollback.plan import joined_path
from rocklake_server.catalog.rollback.records import records
from rocklake_server.catalog.view import Row
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value

_SEPARATOR = "/"


@dataclass(frozen=True, slots=True)
class ScheduledFile:
    """``path`` is below the lake's data path when it is relative."""

    file_id: int
    path: str
    path_is_relative: bool


class FilePaths:
    """Paths of files are relative to their table's, those of tables to their schema's, and so on; scheduled ones to the
    lake's data path."""

    def __init__(self, root: str, folders: Mapping[Value, str]) -> None:
        self._root = root
        self._folders = folders

    @classmethod
    async def of(cls, lake: LakeReader) -> FilePaths:
        root = ""
        async for _, _, row in records(lake, "ducklake_metadata"):
            if row["key"] == "data_path" and row.get("scope") is None:
                root = str(row["value"])
        if root and not root.endswith(_SEPARATOR):
            root += _SEPARATOR
        schemas = {row["schema_id"]: _folder(root, row) async for _, _, row in records(lake, SCHEMA)}
        tables = {row["table_id"]: _folder(schemas.get(row["schema_id"], root), row)
                  async for _, _, row in records(lake, TABLE)}  # fmt: skip
        return cls(root, tables)

    def scheduled(self, relation: Relation, id_column: str, row: Row) -> ScheduledFile:
        at = relation.index
        folder = self._folders.get(row[at["table_id"]], self._root)
        path = joined_path(folder, row[at["path"]], row[at["path_is_relative"]])
        is_relative = path.startswith(self._root)
        file_id = row[at[id_column]]
        return ScheduledFile(int(str(file_id)), path.removeprefix(self._root) if is_relative else path, is_relative)

    def complete(self, file: ScheduledFile) -> str:
        """The path or URL by which it can be opened."""
        return self._root + file.path if file.path_is_relative else file.path


def _folder(parent: str, row: Mapping[str, Value]) -> str:
    """Catalogs of version 0.1 have no paths of schemas and tables."""
    path = row.get("path")
    return parent if path is None else joined_path(parent, path, row.get("path_is_relative"))
