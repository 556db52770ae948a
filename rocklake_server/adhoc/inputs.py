"""The relations of a statement as Arrow tables, made from the transaction's own view."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from rocklake_server.adhoc.statement import Input
from rocklake_server.adhoc.values import to_arrow
from rocklake_server.catalog.view import Row
from rocklake_server.errors import OutOfMemory
from rocklake_server.limits import ENGINE_INPUT_BYTES_MAX
from rocklake_server.pacing import Turns
from rocklake_server.plan.bounds import bounds_of
from rocklake_server.plan.expressions import Env
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import TID, ColumnType

ROWS_PER_PART = 1024


def columns_read(wanted: Input) -> list[tuple[int, ColumnType]]:
    """The columns that are given to the engine: those that are read, or one where only rows are counted."""
    relation = wanted.relation
    kinds = [column.type for column in relation.columns]
    kinds += [TID] if isinstance(relation, Relation) else [column.type for column in relation.hidden]
    used = sorted(wanted.used) or [len(kinds) - 1 if isinstance(relation, Relation) else 0]
    return [(index, kinds[index]) for index in used]


class Loading:
    """Loads one statement's inputs; ``env`` has its parameters."""

    def __init__(self, env: Env) -> None:
        self._env = env
        self._turns = Turns()
        self._room_bytes = ENGINE_INPUT_BYTES_MAX

    async def table(self, wanted: Input) -> Any:
        """An Arrow table with a column c<index> for each that is read. Raises OutOfMemory."""
        import pyarrow as pa

        read = columns_read(wanted)
        names = [f"c{index}" for index, _kind in read]
        parts: list[list[Any]] = [[] for _ in read]
        async for rows in self._rows(wanted):
            for start in range(0, len(rows), ROWS_PER_PART):
                await self._add(parts, rows[start : start + ROWS_PER_PART], read)
        if not parts[0]:
            parts = [[to_arrow((), kind)] for _index, kind in read]
        return pa.table([pa.chunked_array(part) for part in parts], names=names)

    async def _rows(self, wanted: Input) -> AsyncIterator[Sequence[Row]]:
        """Run by run: a packed chunk is unpacked when its turn comes."""
        view = self._env.need().view
        relation = wanted.relation
        if not isinstance(relation, Relation):
            yield relation.rows(view)
            return
        for chunk in await view.chunks(relation, bounds_of(wanted.conditions, relation, self._env)):
            yield chunk.rows

    async def _add(self, parts: list[list[Any]], rows: Sequence[Row], read: list[tuple[int, ColumnType]]) -> None:
        for part, (index, kind) in zip(parts, read, strict=True):
            array = to_arrow([row[index] for row in rows], kind)
            self._room_bytes -= array.nbytes
            part.append(array)
            await self._turns.take()
        if self._room_bytes < 0:
            raise OutOfMemory(
                f"out of memory: the statement reads more than {ENGINE_INPUT_BYTES_MAX // 2**20} MiB of the catalog",
                hint="Select fewer columns, or narrow the rows with conditions on key columns.")
