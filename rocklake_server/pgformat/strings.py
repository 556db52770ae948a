"""Text forms of booleans, strings, bytea, uuid and tid (PostgreSQL manual, Data Types)."""

from __future__ import annotations

import re
from collections.abc import Callable

from rocklake_server.errors import (
    CharacterNotInRepertoire,
    InvalidParameterValue,
    InvalidTextRepresentation,
    StringTooLong,
)
from rocklake_server.limits import IDENTIFIER_BYTES_MAX
from rocklake_server.pgformat.integers import SPACES, invalid_syntax

_BOOLEANS = {
    **{word[:length]: True for word in ("true", "yes") for length in range(1, len(word) + 1)},
    **{word[:length]: False for word in ("false", "no") for length in range(1, len(word) + 1)},
    "on": True, "of": False, "off": False, "1": True, "0": False,
}
_UUID = re.compile(r"(\{?)((?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4})(\}?)").fullmatch
_PLAIN_TID = re.compile(r"'?\(([0-9]{1,9}),([0-9]{1,5})\)'?").fullmatch
_TID = re.compile(r"[^(,)]*[(,](?:[ \t\n\v\f\r]*([+-]?[0-9]+))?,(?:[ \t\n\v\f\r]*([+-]?[0-9]+))?\)").match
_ESCAPE = re.compile(rb"\\(\\|[0-3][0-7][0-7])?")


def encode_bool(value: bool) -> str:
    return "t" if value else "f"


def decode_bool(text: str) -> bool:
    """Any case and any prefix of true, false, yes, no; on, off, 1, 0. Raises 22P02."""
    value = _BOOLEANS.get(text.strip(SPACES).lower())
    if value is None:
        raise invalid_syntax("boolean", text)
    return value


def check_text(text: str) -> str:
    """``text`` itself. Raises 22021 if it holds a zero character."""
    if "\0" in text:
        raise CharacterNotInRepertoire('invalid byte sequence for encoding "UTF8": 0x00')
    return text


def decode_utf8(data: bytes | memoryview) -> str:
    """UTF-8 without zero bytes. Raises 22021 with the offending bytes."""
    try:
        text = str(data, "utf-8")
    except UnicodeDecodeError as error:
        lead = data[error.start]
        length = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4 if lead < 0xF8 else 1
        shown = " ".join(f"0x{byte:02x}" for byte in data[error.start : error.start + length])
        raise CharacterNotInRepertoire(f'invalid byte sequence for encoding "UTF8": {shown}') from None
    return check_text(text)


def truncate_name(text: str) -> str:
    """At most IDENTIFIER_BYTES_MAX of UTF-8, cut at a character, as the type name stores identifiers."""
    check_text(text)
    data = text.encode()
    return text if len(data) <= IDENTIFIER_BYTES_MAX else data[:IDENTIFIER_BYTES_MAX].decode(errors="ignore")


def decode_char(text: str) -> str:
    """The first character, which must be ASCII, or the empty string. Raises 22P02."""
    first = check_text(text)[:1]
    if not first.isascii():
        raise invalid_syntax('"char"', text)
    return first


def length_coercer(type_name: str, length: int, *, pad: bool) -> Callable[[str], str]:
    """Limit to ``length`` characters; only spaces may be cut off (22001). ``pad`` fills up with spaces."""

    def coerce(text: str) -> str:
        if len(text) <= length:
            return text.ljust(length) if pad else text
        if text[length:].strip(" "):
            raise StringTooLong(f"value too long for type {type_name}({length})")
        return text[:length]

    return coerce


def encode_bytea(value: bytes) -> str:
    return "\\x" + value.hex()


def decode_bytea(text: str) -> bytes:
    """The hex form (``\\x`` first) or the escape form. Raises 22023 for bad hex, 22P02 for bad escapes."""
    if text.startswith("\\x"):
        digits = text[2:]
        try:
            return bytes.fromhex(digits) if digits.isalnum() else _decode_spaced_hex(digits)
        except ValueError:
            return _decode_spaced_hex(digits)
    data = check_text(text).encode()
    if b"\\" not in data:
        return data
    return _ESCAPE.sub(_unescape, data)


def _unescape(match: re.Match[bytes]) -> bytes:
    escaped = match[1]
    if escaped is None:
        raise InvalidTextRepresentation("invalid input syntax for type bytea")
    return b"\\" if escaped == b"\\" else bytes((int(escaped, 8),))


def _decode_spaced_hex(digits: str) -> bytes:
    out = bytearray()
    position = 0
    while position < len(digits):
        if digits[position] in " \t\n\r":
            position += 1
            continue
        pair = digits[position : position + 2]
        for digit in pair:
            if digit not in "0123456789abcdefABCDEF":
                raise InvalidParameterValue(f'invalid hexadecimal digit: "{digit}"')
        if len(pair) == 1:
            raise InvalidParameterValue("invalid hexadecimal data: odd number of digits")
        out.append(int(pair, 16))
        position += 2
    return bytes(out)


def encode_uuid(value: bytes) -> str:
    digits = value.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def decode_uuid(text: str) -> bytes:
    """32 hexadecimal digits, a hyphen allowed after each four, braces allowed around. Raises 22P02."""
    match = _UUID(text)
    if match is None or bool(match[1]) != bool(match[3]):
        raise invalid_syntax("uuid", text)
    return bytes.fromhex(match[2].replace("-", ""))


def encode_tid(value: int) -> str:
    return f"({value >> 16},{value & 0xFFFF})"


def decode_tid(text: str) -> int:
    """``(block,offset)``; what stands around it is ignored, since DuckDB sends quotes there. Raises 22P02."""
    match = _PLAIN_TID(text) or _TID(text)
    if match is not None and len(text) < 200:
        block, offset = int(match[1] or 0), int(match[2] or 0)
        if -(1 << 31) <= block < 1 << 32 and 0 <= offset <= 0xFFFF:
            return (block & 0xFFFF_FFFF) << 16 | offset
    raise invalid_syntax("tid", text)
