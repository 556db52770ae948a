"""Verifies that every Parquet file that a lake names is there with its size."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import cast

from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.lake_under_test import LakeUnderTest
from rocklake_server.catalog.maintenance.references import DATA_FILE, DELETE_FILE, SCHEMA, TABLE
from rocklake_server.catalog.view import Match
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key

SizesOf = Callable[[Sequence[str]], Awaitable[list[int | None]]]
"""The size of the file at each path, ``None`` where there is none."""

FILES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a row names. ``path`` is complete."""

    key: Key
    path: str
    size_bytes: int | None


async def verify_data_files(lake: LakeUnderTest, sizes_of: SizesOf) -> None:
    """Asks ``sizes_of`` for a bounded number of files at a time. Raises what it raises."""
    files: list[NamedFile] = []
    async for file in named_files(lake):
        files.append(file)
        if len(files) == FILES_AT_ONCE:
            await _compare(lake, files, sizes_of)
            files = []
    await _compare(lake, files, sizes_of)


async def named_files(lake: LakeUnderTest) -> AsyncIterator[NamedFile]:
    """Data and delete files of all snapshots. A relative path is below that of its table, that below its schema's, and
    that below the lake's ``data_path``."""
    folders = await _table_folders(lake)
    for name in (DATA_FILE, DELETE_FILE):
        relation = lake.relation(name)
        if relation is None or not {"path", "table_id"} <= relation.index.keys():
            continue
        at = relation.index
        async for batch in lake.readable_rows(relation):
            for key, row in batch:
                folder = folders.get(row[at["table_id"]], "")
                size = row[at["file_size_bytes"]] if "file_size_bytes" in at else None
                is_relative = row[at["path_is_relative"]] if "path_is_relative" in at else False
                yield NamedFile(key, _joined(folder, row[at["path"]], is_relative), cast("int | None", size))


async def _table_folders(lake: LakeUnderTest) -> dict[Value, str]:
    root = await _data_path(lake)
    schemas = await _folders(lake, SCHEMA, "schema_id", lambda _: root)
    return await _folders(lake, TABLE, "table_id", lambda row: schemas.get(row.get("schema_id"), root))


async def _folders(
    lake: LakeUnderTest, name: str, id_column: str, parent_of: Callable[[dict[str, Value]], str]
) -> dict[Value, str]:
    relation, found = lake.relation(name), dict[Value, str]()
    if relation is None:
        return found
    async for batch in lake.readable_rows(relation):
        for match in batch:
            row = _by_name(relation.index, match)
            is_relative = row.get("path_is_relative", True)
            found[row.get(id_column)] = _joined(parent_of(row), row.get("path") or "", is_relative)
    return found


def _by_name(index: dict[str, int], match: Match) -> dict[str, Value]:
    return {name: match.row[position] for name, position in index.items()}


async def _data_path(lake: LakeUnderTest) -> str:
    relation = lake.relation("ducklake_metadata")
    if relation is not None:
        async for batch in lake.readable_rows(relation):
            for match in batch:
                row = _by_name(relation.index, match)
                if row.get("key") == "data_path" and row.get("scope") is None:
                    return str(row.get("value"))
    return ""


def _joined(folder: str, path: Value, is_relative: Value) -> str:
    if not is_relative or not folder:
        return str(path)
    return folder + ("" if folder.endswith("/") else "/") + str(path)


async def _compare(lake: LakeUnderTest, files: Sequence[NamedFile], sizes_of: SizesOf) -> None:
    sizes = await sizes_of([file.path for file in files]) if files else []
    for file, size in zip(files, sizes, strict=True):
        if size is None:
            lake.report.add(checks.DATA_FILES, f"{file.path} is not there", file.key)
        elif file.size_bytes is not None and size != file.size_bytes:
            what = f"{file.path} has {size} bytes, not {file.size_bytes}"
            lake.report.add(checks.DATA_FILES, what, file.key)
    lake.tell(len(files))
