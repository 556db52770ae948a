"""Which rows of a data file a snapshot does not have, read from files that hold rows of several snapshots.

DuckLake merges data files, and the delete files of one data file, into one Parquet file with the column
``_ducklake_internal_snapshot_id``. A data file's rows are part of snapshots from theirs on; a delete file's positions
are deleted from theirs on.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rocklake_server.catalog.rollback.files import MergedFile
from rocklake_server.errors import CorruptValue
from rocklake_server.store.data_files import DataFiles
from rocklake_server.transfer.drivers import duckdb_driver

_LATER_ROWS = """
SELECT file_row_number FROM read_parquet($1, file_row_number => true) WHERE _ducklake_internal_snapshot_id > $2
"""
_DELETED = "SELECT pos FROM read_parquet($1) WHERE _ducklake_internal_snapshot_id <= $2"


class HiddenPositions:
    """A ``PositionsOf``. Needs DuckDB's package, since nothing else here reads Parquet."""

    def __init__(self, files: DataFiles) -> None:
        self._files = files

    async def __call__(self, file: MergedFile, path: str, snapshot: int) -> Sequence[int]:
        """Raises Unsupported without the package, UndefinedFile, StoreUnavailable, CorruptValue."""
        driver = duckdb_driver()
        data = await self._files.read(path)

        def read() -> list[int]:
            with tempfile.TemporaryDirectory() as folder, driver.connect() as connection:
                copy = Path(folder) / "file.parquet"
                copy.write_bytes(data)
                query = _DELETED if file.deletes else _LATER_ROWS
                return [int(row[0]) for row in connection.execute(query, [str(copy), snapshot]).fetchall()]

        try:
            return await asyncio.to_thread(read)
        except driver.Error:
            raise CorruptValue(f'file "{path}" does not tell its rows\' snapshots') from None
