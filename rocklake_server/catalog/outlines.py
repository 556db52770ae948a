"""What is known of a lake that is closed: its relations, and how much it stores, so that listing a database's relations
opens none of its lakes.

An outline is kept in the system store, where one is written when a lake closes and removed before the first commit that
changes the lake's definitions afterwards: one that is there is true. After a crash it may be missing; then the lake
has to be opened to know. Key ``08`` + lake number, value: bytes stored, the lake's own comments as JSON, then each
definition, these with their length before them, deflated.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from rocklake_server.catalog.relations import Relations
from rocklake_server.catalog.system_keys import placed
from rocklake_server.encoding.definitions import decode_definition, encode_definition
from rocklake_server.encoding.ordered import decode_int, encode_int
from rocklake_server.errors import CorruptValue
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Key, Prefix, StoreSnapshot

_OUTLINES = Prefix(b"\x08")
_STORED = struct.Struct(">Q")
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class Outline:
    """``stored_bytes`` is what the lake's rows and indexes take; ``published`` is its last root's number here."""

    relations: Relations
    stored_bytes: int
    published: int = 0


def outline_key(number: int) -> Key:
    return Key(_OUTLINES + encode_int(number))


async def read_outlines(snapshot: StoreSnapshot) -> dict[int, bytes]:
    """Those of all lakes by number, encoded: a kilobyte or two each. Raises CorruptValue, StoreUnavailable."""
    found: dict[int, bytes] = {}
    async for entries in snapshot.scan(_OUTLINES):
        for key, value in entries:
            number, _ = decode_int(key, len(_OUTLINES))
            if number is None:
                raise CorruptValue(f"system store key {key.hex()} names no lake")
            found[number] = value
    return found


def encode_outline(outline: Outline) -> bytes:
    definitions = (encode_definition(relation) for relation in outline.relations.by_id.values())
    comments = json.dumps(dict(outline.relations.comments), ensure_ascii=False).encode()
    body = b"".join(_LENGTH.pack(len(part)) + part for part in (comments, *definitions))
    return zlib.compress(_STORED.pack(outline.stored_bytes) + body)


def decode_outline(number: int, data: bytes, schema: str, slot: int) -> Outline:
    """Raises CorruptValue, FormatVersionUnsupported."""
    key = outline_key(number)
    try:
        text = zlib.decompress(data)
        (stored_bytes,) = _STORED.unpack_from(text)
        (length,) = _LENGTH.unpack_from(text, _STORED.size)
        start = _STORED.size + _LENGTH.size
        comments: dict[str, str] = json.loads(text[start : start + length])
        definitions = _definitions(text[start + length :])
    except (zlib.error, struct.error, ValueError):
        raise CorruptValue(f"system store key {key.hex()} is no outline of a lake") from None
    return Outline(Relations.of((placed(relation, schema, slot) for relation in definitions), comments), stored_bytes)


@lru_cache(maxsize=64)
def _definitions(body: bytes) -> tuple[Relation, ...]:
    """Most lakes of a server have the same."""
    return tuple(_decoded(body))


def _decoded(body: bytes) -> Iterable[Relation]:
    key, at = outline_key(0), 0
    while at < len(body):
        (length,) = _LENGTH.unpack_from(body, at)
        at += _LENGTH.size
        yield decode_definition(key, body[at : at + length])
        at += length
