"""A write batch in the library's form and in the journal's, in slices: a long one does not hold the loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from itertools import islice
from typing import Any

from slatedb.uniffi import WriteBatch as NativeBatch

from rocklake_server.store import marshalling
from rocklake_server.store.base import WriteBatch
from rocklake_server.store.keys import require_storable
from rocklake_server.store.redo_record import encoded_operations

_SLICE = 500
"""Operations between two turns of the loop."""


async def native_batch(batch: WriteBatch) -> Any:
    """SlateDB's object. Raises InternalProblem for keys that cannot be stored."""
    require_storable(batch)
    native = NativeBatch()
    async for operations in _slices(batch):
        marshalling.fill(native, operations)
    return native


async def record_body(batch: WriteBatch) -> bytes:
    """For the redo journal."""
    pieces: list[bytes] = []
    async for operations in _slices(batch):
        pieces += encoded_operations(operations)
    return b"".join(pieces)


async def _slices(batch: WriteBatch) -> AsyncIterator[Iterable[marshalling.Operation]]:
    operations = iter(batch.operations.items())
    yield islice(operations, _SLICE)
    for _ in range(_SLICE, len(batch.operations), _SLICE):
        await asyncio.sleep(0)
        yield islice(operations, _SLICE)
