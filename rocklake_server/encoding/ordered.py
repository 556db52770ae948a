"""Order-preserving primitives of keys.

Integers are 8 bytes, big endian, two's complement: byte order is numeric order for 0 to 2^63-1, and negative
numbers follow. NULL is the one pattern that no integer of a key may have, 80 00 00 00 00 00 00 00. It stands
for NULL in text fields too, where it cannot be mistaken: UTF-8 never begins with 80. Text is UTF-8 with 00
written as 00 FF, and ends with 00 00, so that a text sorts before every longer text that it begins.
"""

from __future__ import annotations

from rocklake_server.errors import CharacterNotInRepertoire, CorruptValue, NumericOutOfRange

ID_BYTES = 8
ID_MAX = (1 << 63) - 1
NOT_A_KEY_INTEGER = -(1 << 63)
"""The integer whose pattern is NULL's."""

NULL = bytes.fromhex("8000000000000000")
MAX = bytes.fromhex("7fffffffffffffff")
TEXT_END = b"\x00\x00"


def encode_int(value: int | None) -> bytes:
    """8 bytes. Raises NumericOutOfRange for -2^63 and for what int64 does not hold."""
    if value is None:
        return NULL
    if not NOT_A_KEY_INTEGER < value <= ID_MAX:
        raise NumericOutOfRange(f"value {value} is out of range for a key")
    return value.to_bytes(ID_BYTES, "big", signed=True)


def decode_int(key: bytes, offset: int) -> tuple[int | None, int]:
    """The integer (or NULL) at ``offset``, and the offset after it. Raises CorruptValue."""
    end = offset + ID_BYTES
    if end > len(key):
        raise CorruptValue(f"key {key.hex()} ends within an integer at byte {offset}")
    field = key[offset:end]
    return (None if field == NULL else int.from_bytes(field, "big", signed=True)), end


def encode_text(value: str | None) -> bytes:
    """Escaped UTF-8 with its end mark. Raises CharacterNotInRepertoire for text that is not Unicode."""
    if value is None:
        return NULL
    try:
        encoded = value.encode()
    except UnicodeEncodeError as error:
        raise CharacterNotInRepertoire('text has no equivalent in encoding "UTF8"') from error
    return encoded.replace(b"\x00", b"\x00\xff") + TEXT_END


def decode_text(key: bytes, offset: int) -> tuple[str | None, int]:
    """The text (or NULL) at ``offset``, and the offset after it. Raises CorruptValue."""
    if key[offset:offset + 1] == NULL[:1]:
        if key[offset:offset + ID_BYTES] != NULL:
            raise CorruptValue(f"key {key.hex()} has no text and no NULL at byte {offset}")
        return None, offset + ID_BYTES
    position = offset
    while True:
        position = key.find(b"\x00", position)
        following = key[position + 1:position + 2]
        if position < 0 or following not in (b"\x00", b"\xff"):
            raise CorruptValue(f"key {key.hex()} has a text without an end at byte {offset}")
        if following == b"\x00":
            break
        position += 2
    try:
        return key[offset:position].replace(b"\x00\xff", b"\x00").decode(), position + 2
    except UnicodeDecodeError as error:
        raise CorruptValue(f"key {key.hex()} has a text that is not UTF-8 at byte {offset}") from error
