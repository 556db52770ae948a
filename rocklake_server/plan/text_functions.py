"""Further functions of strings and byte strings, one row each.

Source: PostgreSQL manual, String Functions and Operators. The C collation knows the case of ASCII letters only.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping

from rocklake_server.errors import (
    InvalidParameterValue,
    ProgramLimitExceeded,
    SubstringProblem,
    Unsupported,
)
from rocklake_server.pgformat.strings import decode_utf8
from rocklake_server.plan.applications import Lenient
from rocklake_server.plan.overloads import Overload
from rocklake_server.plan.patterns import regular_expression
from rocklake_server.plan.system.identifiers import quote_identifier
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    BYTEA,
    INTEGER,
    TEXT,
    ColumnType,
    Value,
    array_of,
)

TEXT_CHARACTERS_MAX = 32 * 1024 * 1024
"""The longest text that a function makes of short ones."""

_BASE64_LINE = 76
_TEXTS = array_of(TEXT)


def bounded(characters: int) -> None:
    """Raises ProgramLimitExceeded for a text that would be longer than the server makes."""
    if characters > TEXT_CHARACTERS_MAX:
        raise ProgramLimitExceeded("requested length too large")


def _repeat(text: str, count: int) -> str:
    bounded(len(text) * max(count, 0))
    return text * max(count, 0)


def _lpad(text: str, length: int, fill: str = " ") -> str:
    bounded(length)
    length = max(length, 0)
    missing = length - len(text)
    if missing <= 0 or not fill:
        return text[:length]
    return (fill * (missing // len(fill) + 1))[:missing] + text


def _rpad(text: str, length: int, fill: str = " ") -> str:
    bounded(length)
    length = max(length, 0)
    missing = length - len(text)
    if missing <= 0 or not fill:
        return text[:length]
    return text + (fill * (missing // len(fill) + 1))[:missing]


def _initcap(text: str) -> str:
    letters = []
    inside = False
    for letter in text:
        is_word = letter.isascii() and letter.isalnum()
        if letter.isascii():
            letters.append(letter.lower() if inside else letter.upper())
        else:
            letters.append(letter)
        inside = is_word
    return "".join(letters)


def _translate(text: str, source: str, target: str) -> str:
    table: dict[int, str | None] = {}
    for position, letter in enumerate(source):
        table.setdefault(ord(letter), target[position] if position < len(target) else None)
    return text.translate(table)


def _overlay(text: str, new: str, start: int, length: int | None = None) -> str:
    if start <= 0:
        raise SubstringProblem("negative substring length not allowed")
    replaced = len(new) if length is None else length
    return text[: start - 1] + new + text[max(start - 1 + replaced, 0):]


def _chr(code: int) -> str:
    if code == 0:
        raise ProgramLimitExceeded("null character not permitted")
    if code < 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise ProgramLimitExceeded(f"requested character too large for encoding: {code}")
    return chr(code)


def _to_hex(bits: int) -> Overload:
    kind = INTEGER if bits == 32 else BIGINT
    return Overload((kind,), TEXT, lambda value: f"{value % (1 << bits):x}")


def _encode(data: bytes, form: str) -> str:
    match form.lower():
        case "hex":
            return data.hex()
        case "base64":
            text = b64encode(data).decode()
            return "\n".join(text[start : start + _BASE64_LINE] for start in range(0, len(text), _BASE64_LINE))
        case "escape":
            return "".join(
                f"\\{byte:03o}" if byte == 0 or byte > 127 else "\\\\" if byte == 92 else chr(byte) for byte in data)
    raise InvalidParameterValue(f'unrecognized encoding: "{form}"')


def _decode(text: str, form: str) -> bytes:
    match form.lower():
        case "hex":
            try:
                return bytes.fromhex("".join(text.split()))
            except ValueError:
                raise InvalidParameterValue("invalid hexadecimal data") from None
        case "base64":
            try:
                return b64decode("".join(text.split()), validate=True)
            except (binascii.Error, ValueError):
                raise InvalidParameterValue("invalid base64 end sequence") from None
        case "escape":
            raise Unsupported("decode of the format escape is not supported")
    raise InvalidParameterValue(f'unrecognized encoding: "{form}"')


def _string_to_array(text: str | None, delimiter: str | None, null: str | None = None) -> Value:
    if text is None:
        return None
    if not text:
        return ()
    parts: list[str] = list(text) if delimiter is None else (text.split(delimiter) if delimiter else [text])
    return tuple(None if null is not None and part == null else part for part in parts)


def _quote_nullable(text: str | None) -> str:
    return "NULL" if text is None else _quote_literal(text)


def _quote_literal(text: str) -> str:
    quoted = text.replace("'", "''")
    return "E'" + quoted.replace("\\", "\\\\") + "'" if "\\" in text else f"'{quoted}'"


_SPECIFIER = re.compile(r"%(?:(\d+)\$)?(-?)(\d*)([sIL%])|%")


def _format(pattern: str | None, *arguments: Value) -> str | None:
    if pattern is None:
        return None
    following = 0
    parts: list[str] = []
    end = 0
    for found in _SPECIFIER.finditer(pattern):
        parts.append(pattern[end : found.start()])
        end = found.end()
        kind = found[4]
        if kind is None:
            raise InvalidParameterValue("unrecognized format() type specifier")
        if kind == "%":
            parts.append("%")
            continue
        following = int(found[1]) if found[1] else following + 1
        if following < 1 or following > len(arguments):
            raise InvalidParameterValue("too few arguments for format()")
        value = arguments[following - 1]
        text = _formatted(kind, None if value is None else str(value))
        width = int(found[3]) if found[3] else 0
        bounded(width)
        parts.append(text.ljust(width) if found[2] else text.rjust(width))
    parts.append(pattern[end:])
    return "".join(parts)


def _formatted(kind: str, value: str | None) -> str:
    if kind == "s":
        return value or ""
    if kind == "L":
        return _quote_nullable(value)
    if value is None:
        raise InvalidParameterValue("null values cannot be formatted as an SQL identifier")
    return quote_identifier(value)


# -- regular expressions: those that the plan's own matching reads, and that match the same text leftmost --------------


_GREEDY_ONLY = re.compile(r"\|")


def _expression(pattern: str, flags: str) -> re.Pattern[str]:
    """Raises Unsupported where the leftmost longest match may not be the first one that Python finds."""
    unknown = set(flags) - set("gi")
    if unknown:
        raise Unsupported("regular expression options other than g and i are not supported")
    if _GREEDY_ONLY.search(pattern):
        raise Unsupported("a regular expression with | is supported in tests for a match only")
    return regular_expression(pattern, ignore_case="i" in flags)


def _replacement(text: str) -> str:
    r"""PostgreSQL's \1 and \& as Python's."""
    parts = []
    letters = iter(text)
    for letter in letters:
        if letter != "\\":
            parts.append(letter)
            continue
        following = next(letters, "")
        if following.isdecimal() and following != "0":
            parts.append(f"\\g<{following}>")
        elif following == "&":
            parts.append("\\g<0>")
        else:
            parts.append("\\\\" + following.replace("\\", ""))
    return "".join(parts)


def _regexp_replace(text: str, pattern: str, new: str, flags: str = "") -> str:
    expression = _expression(pattern, flags)
    bounded(len(text) * max(len(new), 1) if len(text) * len(new) > TEXT_CHARACTERS_MAX else 0)
    try:
        return expression.sub(_replacement(new), text, count=0 if "g" in flags else 1)
    except (re.error, IndexError):
        raise InvalidParameterValue("invalid reference in a replacement") from None


def _regexp_match(text: str, pattern: str, flags: str = "") -> Value:
    if "g" in flags:
        raise InvalidParameterValue('regexp_match() does not support the "global" option')
    found = _expression(pattern, flags).search(text)
    if found is None:
        return None
    return found.groups() if found.re.groups else (found[0],)


def _regexp_split(text: str, pattern: str, flags: str = "") -> Value:
    if re.match(_expression(pattern, flags), ""):
        raise Unsupported("splitting at matches that may be empty is not supported")
    return tuple(_without_groups(pattern, flags).split(text))


def _without_groups(pattern: str, flags: str) -> re.Pattern[str]:
    expression = _expression(pattern, flags)
    if expression.groups:
        raise Unsupported("splitting at a regular expression with groups is not supported")
    return expression


def _regexp_count(text: str, pattern: str) -> int:
    return sum(1 for _found in _expression(pattern, "").finditer(text))


def _substring_match(text: str, pattern: str) -> str | None:
    found = _expression(pattern, "").search(text)
    if found is None:
        return None
    matched: str | None = found[1] if found.re.groups else found[0]
    return matched


def _text(function: object, *arguments: ColumnType, result: ColumnType = TEXT, optional: int = 0
          ) -> tuple[Overload, ...]:
    assert callable(function)
    return (Overload(arguments, result, function, optional=optional),)


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "repeat": _text(_repeat, TEXT, INTEGER),
    "reverse": _text(lambda text: text[::-1], TEXT),
    "lpad": _text(_lpad, TEXT, INTEGER, TEXT, optional=1),
    "rpad": _text(_rpad, TEXT, INTEGER, TEXT, optional=1),
    "initcap": _text(_initcap, TEXT),
    "translate": _text(_translate, TEXT, TEXT, TEXT),
    "overlay": _text(_overlay, TEXT, TEXT, INTEGER, INTEGER, optional=1),
    "ascii": _text(lambda text: ord(text[0]) if text else 0, TEXT, result=INTEGER),
    "chr": _text(_chr, INTEGER),
    "to_hex": (_to_hex(32), _to_hex(64)),
    "bit_length": (
        Overload((TEXT,), INTEGER, lambda text: len(text.encode()) * 8),
        Overload((BYTEA,), INTEGER, lambda data: len(data) * 8),
    ),
    "encode": _text(_encode, BYTEA, TEXT),
    "decode": _text(_decode, TEXT, TEXT, result=BYTEA),
    "sha224": _text(lambda data: hashlib.sha224(data).digest(), BYTEA, result=BYTEA),
    "sha256": _text(lambda data: hashlib.sha256(data).digest(), BYTEA, result=BYTEA),
    "sha384": _text(lambda data: hashlib.sha384(data).digest(), BYTEA, result=BYTEA),
    "sha512": _text(lambda data: hashlib.sha512(data).digest(), BYTEA, result=BYTEA),
    "convert_from": _text(lambda data, _encoding: decode_utf8(data), BYTEA, TEXT),
    "convert_to": _text(lambda text, _encoding: text.encode(), TEXT, TEXT, result=BYTEA),
    "string_to_array": (Overload((TEXT, TEXT, TEXT), _TEXTS, _string_to_array, Lenient, optional=1),),
    "quote_literal": _text(_quote_literal, TEXT),
    "quote_nullable": (Overload((TEXT,), TEXT, _quote_nullable, Lenient),),
    "format": (Overload((TEXT,), TEXT, _format, Lenient, variadic=True),),
    "regexp_replace": _text(_regexp_replace, TEXT, TEXT, TEXT, TEXT, optional=1),
    "regexp_match": _text(_regexp_match, TEXT, TEXT, TEXT, result=_TEXTS, optional=1),
    "regexp_split_to_array": _text(_regexp_split, TEXT, TEXT, TEXT, result=_TEXTS, optional=1),
    "regexp_count": _text(_regexp_count, TEXT, TEXT, result=INTEGER),
    "regexp_like": _text(lambda text, pattern, flags="": regular_expression(
        pattern, ignore_case="i" in flags).search(text) is not None, TEXT, TEXT, TEXT, result=BOOLEAN, optional=1),
    "substring_match": _text(_substring_match, TEXT, TEXT),
}

