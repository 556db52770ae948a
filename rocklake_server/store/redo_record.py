"""The bytes of a redo journal: write batches, each with its number and a checksum.

A segment is ``MAGIC`` and records. A record is a header and a body; numbers are big-endian. Header: the tag ``redo``,
the body's size in bytes (uint32), the CRC-32 of number and body, the number of the batch (uint64). Body: for each
operation the key's length (uint32) and the key, then the value's length and the value, or the length 2**32 - 1 for a
deletion.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rocklake_server.errors import CorruptValue
from rocklake_server.store.base import Key, WriteBatch

MAGIC = b"RLREDO1\n"
_TAG = b"redo"
_HEADER = struct.Struct(">4sIIQ")
_LENGTH = struct.Struct(">I")
_DELETED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Record:
    """One write batch, encoded. Numbers are SlateDB's: they rise by one from batch to batch."""

    number: int
    body: bytes

    @property
    def size_bytes(self) -> int:
        return _HEADER.size + len(self.body)

    def batch(self) -> WriteBatch:
        """Raises CorruptValue for a body that no encoder made."""
        batch, body, at = WriteBatch(), self.body, 0
        try:
            while at < len(body):
                value_at = at + 4 + _LENGTH.unpack_from(body, at)[0]
                key = Key(body[at + 4:value_at])
                (size,) = _LENGTH.unpack_from(body, value_at)
                at = value_at + 4
                if size == _DELETED:
                    batch.delete(key)
                    continue
                batch.put(key, body[at:at + size])
                at += size
        except struct.error:
            at = -1
        if at != len(body):
            raise CorruptValue(f"record {self.number} of the redo journal has lengths that do not fit")
        return batch


def encoded_operations(operations: Iterable[tuple[Key, bytes | None]]) -> list[bytes]:
    """Pieces of a body."""
    length = _LENGTH.pack
    pieces: list[bytes] = []
    for key, value in operations:
        pieces += (length(len(key)), key)
        pieces += (length(_DELETED),) if value is None else (length(len(value)), value)
    return pieces


def encoded_record(number: int, body: bytes) -> bytes:
    return _HEADER.pack(_TAG, len(body), _checksum(number, body), number) + body


def _checksum(number: int, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(number.to_bytes(8, "big")))


def whole_records(segment: bytes) -> Iterator[Record]:
    """The records from the segment's beginning to the first that is not whole; none without ``MAGIC``."""
    at = len(MAGIC) if segment.startswith(MAGIC) else len(segment)
    while (record := _record_at(segment, at)) is not None:
        yield record
        at += record.size_bytes


def holds_record_from(segment: bytes, number: int) -> bool:
    """Whether a whole record with at least this number is anywhere in the segment, also behind damage."""
    at = segment.find(_TAG)
    while at >= 0:
        record = _record_at(segment, at)
        if record is not None and record.number >= number:
            return True
        at = segment.find(_TAG, at + 1)
    return False


def _record_at(segment: bytes, at: int) -> Record | None:
    if at + _HEADER.size > len(segment):
        return None
    tag, size, checksum, number = _HEADER.unpack_from(segment, at)
    body = segment[at + _HEADER.size:at + _HEADER.size + size]
    if tag != _TAG or len(body) != size or checksum != _checksum(number, body):
        return None
    return Record(number, body)
