"""Texts of json and jsonb (PostgreSQL manual, JSON Types). A json is the text as it was written; a jsonb is the text
that PostgreSQL prints: keys once, short ones first, numbers as numeric."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NoReturn

from rocklake_server.errors import (
    InvalidBinaryRepresentation,
    InvalidTextRepresentation,
    ProgramLimitExceeded,
    StatementTooComplex,
    UntranslatableCharacter,
)
from rocklake_server.limits import JSON_CHARACTERS_MAX
from rocklake_server.pacing import checked, with_checkpoints
from rocklake_server.pgformat.numbers import decode_numeric, encode_numeric
from rocklake_server.pgformat.strings import check_text, decode_utf8

JSONB_VERSION = b"\x01"
"""The first byte of a jsonb's binary form."""

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TO_ESCAPE = re.compile(r'["\\\x00-\x1f]')
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _parsed(text: str, number: Callable[[str], object]) -> Any:
    """``number`` makes something of a number's text. Raises InvalidTextRepresentation, ProgramLimitExceeded and
    StatementTooComplex."""
    check_text(text)
    if len(text) > JSON_CHARACTERS_MAX:
        raise ProgramLimitExceeded(f"a json of more than {JSON_CHARACTERS_MAX} characters is not supported")
    try:
        number, members = with_checkpoints(number), with_checkpoints(list_of_pairs)
        return json.loads(
            text, parse_int=number, parse_float=number, parse_constant=_refuse_constant, object_pairs_hook=members
        )
    except RecursionError:
        raise StatementTooComplex.default() from None
    except ValueError:
        raise InvalidTextRepresentation("invalid input syntax for type json") from None


class Members(list[Any]):
    """An object's members, in their order."""


def list_of_pairs(pairs: list[tuple[str, Any]]) -> Members:
    return Members(pairs)


def check_json(text: str) -> str:
    """``text`` itself. Raises InvalidTextRepresentation when it is not JSON, ProgramLimitExceeded and
    StatementTooComplex for one that is too long or deep."""
    _parsed(text, str)
    return text


def jsonb_text(text: str) -> str:
    """The text of the jsonb that ``text`` means. Raises what ``check_json`` raises, and UntranslatableCharacter."""
    try:
        return _printed(_parsed(text, decode_numeric))
    except RecursionError:
        raise StatementTooComplex.default() from None


def _printed(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Decimal():
            return encode_numeric(abs(value) if value == 0 else value)
        case str():
            return _quoted(value)
        case Members():
            members = {key.encode("utf-8", "surrogatepass"): each for key, each in value}
            ordered = sorted(members.items(), key=lambda item: (len(item[0]), item[0]))
            return "{" + ", ".join(f"{_quoted(key.decode('utf-8', 'surrogatepass'))}: {_printed(each)}"
                                   for key, each in checked(ordered)) + "}"
        case _:
            return "[" + ", ".join(map(_printed, checked(value))) + "]"


def _quoted(text: str) -> str:
    if "\0" in text:
        raise UntranslatableCharacter("unsupported Unicode escape sequence")
    if _SURROGATE.search(text) is not None:
        raise InvalidTextRepresentation("invalid input syntax for type json")
    return '"' + _TO_ESCAPE.sub(lambda found: _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}", text) + '"'


def encode_jsonb(text: str) -> bytes:
    """The binary form."""
    return JSONB_VERSION + text.encode()


def decode_jsonb(data: bytes) -> str:
    """Raises InvalidBinaryRepresentation for another version, and what ``jsonb_text`` raises."""
    if data[:1] != JSONB_VERSION:
        raise InvalidBinaryRepresentation("unsupported jsonb version number")
    return jsonb_text(decode_utf8(data[1:]))


def decode_json(data: bytes) -> str:
    return check_json(decode_utf8(data))
