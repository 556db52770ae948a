"""Row counts and checksums of relations, which do not depend on the order of rows.

A row's hash is BLAKE2b (RFC 7693) of its tuple in PostgreSQL's binary COPY format, 16 bytes long; a relation's checksum
is the sum of its rows' hashes modulo 2^128, so that a row more, less or twice shows as well as a changed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from rocklake_server.pgformat.copy_binary import tuple_encoder
from rocklake_server.transfer.relations import CatalogRelation, Row

_BYTES = 16
_MODULUS = 1 << (8 * _BYTES)


@dataclass(frozen=True, slots=True)
class Checksum:
    """Of no rows; ``with_rows`` gives that of more."""

    rows: int = 0
    total: int = 0

    def with_rows(self, relation: CatalogRelation, rows: Sequence[Row]) -> Checksum:
        encode = tuple_encoder(relation.types).encode
        total = sum(int.from_bytes(blake2b(encode(row), digest_size=_BYTES).digest(), "big") for row in rows)
        return Checksum(self.rows + len(rows), (self.total + total) % _MODULUS)

    def __str__(self) -> str:
        return f"{self.total:0{2 * _BYTES}x}"
