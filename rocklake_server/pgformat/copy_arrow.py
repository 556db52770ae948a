"""Framing of many rows at once: Python values -> Arrow arrays -> pgpq -> numpy.

pgpq writes all tuples of a batch back to back; their sizes follow from Arrow's offsets and validity, and numpy
copies each tuple behind its own message head. Types whose payload equals that of an Arrow type pgpq knows take
part: a timestamp is its int64, a uuid its 16 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pgpq
import pyarrow as pa

from rocklake_server.schema.types import ColumnType

_COPY_HEADER_BYTES = 19
_HEAD_BYTES = 5
_ARROW_TYPES: dict[str, pa.DataType] = {
    "bool": pa.bool_(),
    "int2": pa.int16(), "int4": pa.int32(), "int8": pa.int64(),
    "float4": pa.float32(), "float8": pa.float64(),
    "date": pa.int32(), "time": pa.int64(), "timestamp": pa.int64(), "timestamptz": pa.int64(),
    "text": pa.string(), "varchar": pa.string(), "bpchar": pa.string(), "name": pa.string(),
    "bytea": pa.binary(), "uuid": pa.binary(16),
}
_PAYLOAD_BYTES = {
    "bool": 1, "int2": 2, "int4": 4, "int8": 8, "float4": 4, "float8": 8, "date": 4, "time": 8, "timestamp": 8,
    "timestamptz": 8, "uuid": 16,
}
GROUPS_PER_ROW_MAX = 1 / 40
"""Copying by groups of equal size pays only while groups are large."""

_Array = np.ndarray[Any, np.dtype[Any]]


class ArrowFramer:
    """Frames rows of one list of types that pgpq encodes."""

    __slots__ = ("_sizes", "_types")

    def __init__(self, types: tuple[ColumnType, ...]) -> None:
        self._types = [_ARROW_TYPES[column_type.typname] for column_type in types]
        self._sizes = [_PAYLOAD_BYTES.get(column_type.typname) for column_type in types]

    def frame(self, rows: Sequence[Sequence[Any]]) -> bytes | None:
        """Concatenated messages, or None when Arrow does not take the values: the caller's encoder then decides."""
        columns = list(zip(*rows, strict=True))
        try:
            arrays = [pa.array(column, kind) for column, kind in zip(columns, self._types, strict=True)]
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return None
        return self.frame_arrays(arrays, len(rows))

    def frame_arrays(self, arrays: list[pa.Array], count: int) -> bytes:
        """Concatenated messages of ``count`` rows held as Arrow arrays of the types' Arrow forms."""
        batch = pa.RecordBatch.from_arrays(arrays, names=[f"c{number}" for number in range(len(arrays))])
        encoder = pgpq.ArrowToPostgresBinaryEncoder(batch.schema)
        header: bytes = encoder.write_header()
        body: bytes = encoder.write_batch(batch)
        if len(header) != _COPY_HEADER_BYTES:
            raise AssertionError("pgpq wrote an unknown header")
        return _spread(body, self._tuple_sizes(arrays, count))

    def _tuple_sizes(self, arrays: list[pa.Array], count: int) -> _Array:
        """Bytes of each tuple: the count word, a length word per column, the payloads."""
        sizes = np.full(count, 2 + 4 * len(arrays), np.int64)
        for array, payload in zip(arrays, self._sizes, strict=True):
            if payload is None:
                offsets = np.frombuffer(array.buffers()[1], np.int32, count + 1, array.offset * 4)
                sizes += np.diff(offsets)
            elif array.null_count == 0:
                sizes += payload
            elif array.null_count < count:
                sizes += array.is_valid().to_numpy(zero_copy_only=False) * payload
        return sizes


def arrow_framer(types: tuple[ColumnType, ...]) -> ArrowFramer | None:
    """The framer of these types, or None when one of them has no Arrow form."""
    if types and all(column_type.typname in _ARROW_TYPES for column_type in types):
        return ArrowFramer(types)
    return None


def _spread(body: bytes, sizes: _Array) -> bytes:
    """Put a message head before each tuple of ``body``."""
    count = len(sizes)
    starts = np.cumsum(sizes) - sizes
    if int(starts[-1] + sizes[-1]) != len(body):
        raise AssertionError("tuple sizes do not add up to what pgpq wrote")
    targets = starts + _HEAD_BYTES * np.arange(count)
    heads = np.empty((count, _HEAD_BYTES), np.uint8)
    heads[:, 0] = ord("d")
    heads[:, 1:] = (sizes + 4).astype(">u4").view(np.uint8).reshape(count, 4)
    out = np.empty(len(body) + _HEAD_BYTES * count, np.uint8)
    source = np.frombuffer(body, np.uint8)
    distinct = np.unique(sizes)
    if len(distinct) > max(1, count * GROUPS_PER_ROW_MAX):
        _scatter(out, source, targets, heads)
    else:
        _copy_groups(out, source, sizes, distinct, starts, targets, heads)
    return out.tobytes()


def _scatter(out: _Array, source: _Array, targets: _Array, heads: _Array) -> None:
    """Heads to their places, everything else in order between them."""
    places = targets[:, None] + np.arange(_HEAD_BYTES)
    is_body = np.ones(len(out), np.bool_)
    is_body[places] = False
    out[is_body] = source
    out[places] = heads


def _copy_groups(
    out: _Array, source: _Array, sizes: _Array, distinct: _Array, starts: _Array, targets: _Array, heads: _Array
) -> None:
    """Tuples of one size move together, as items of an opaque type seen at every byte position."""
    for size in distinct.tolist():
        rows = np.flatnonzero(sizes == size)
        framed = size + _HEAD_BYTES
        block = np.empty((len(rows), framed), np.uint8)
        block[:, :_HEAD_BYTES] = heads[rows]
        positions: _Array = np.ndarray((len(source) - size + 1,), f"V{size}", source, strides=(1,))
        block[:, _HEAD_BYTES:] = positions[starts[rows]].view(np.uint8).reshape(len(rows), size)
        windows: _Array = np.ndarray((len(out) - framed + 1,), f"V{framed}", out, strides=(1,))
        windows[targets[rows]] = block.view(f"V{framed}").ravel()
