"""The parts of a JSON text, each as its own text: what was written stays as it was written. A jsonb's parts are jsonbs.

Every text that is given here is JSON already (``json_text.check_json`` or ``jsonb_text``).
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from rocklake_server.errors import InvalidTextRepresentation, ProgramLimitExceeded, UntranslatableCharacter
from rocklake_server.limits import JSON_CHARACTERS_MAX, JSON_COMPARISONS_MAX
from rocklake_server.pacing import ROWS_PER_CHECK, checked, checkpoint, with_checkpoints

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_SPACE = " \t\n\r"
_KINDS = {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}
_ARRAY, _OBJECT = 0x10, 0x11


def bare(text: str) -> str:
    """Without the space around it. Raises ProgramLimitExceeded for one that is too long to be taken apart."""
    if len(text) > JSON_CHARACTERS_MAX:
        raise ProgramLimitExceeded(f"a json of more than {JSON_CHARACTERS_MAX} characters is not supported")
    return text.strip(_SPACE)


def checked_escapes(text: str) -> str:
    """``text``, whose strings can be text. Raises UntranslatableCharacter for a zero, InvalidTextRepresentation for
    half of a surrogate pair."""
    if "\\u" not in text:
        return text
    high_ends_at = -1
    for found in _ESCAPE.finditer(text):
        code = int(found[1], 16) if found[1] else -1
        if code == 0:
            raise UntranslatableCharacter("unsupported Unicode escape sequence")
        follows = high_ends_at == found.start()
        if (high_ends_at >= 0 and not follows) or follows != (0xDC00 <= code <= 0xDFFF):
            raise InvalidTextRepresentation("invalid input syntax for type json")
        high_ends_at = found.end() if 0xD800 <= code <= 0xDBFF else -1
    if high_ends_at >= 0:
        raise InvalidTextRepresentation("invalid input syntax for type json")
    return text


def kind_of(text: str) -> str:
    """object, array, string, number, boolean or null."""
    return _KINDS.get(text.lstrip(_SPACE)[0], "number")


def _after_space(text: str, position: int) -> int:
    while text[position] in _SPACE:
        position += 1
    return position


def members(text: str) -> list[tuple[str, str]] | None:
    """(key, text of the value) in the order of the text, repeated keys included; ``None`` for what is no object."""
    if not text.startswith("{"):
        return None
    found: list[tuple[str, str]] = []
    position = _after_space(text, 1)
    while text[position] != "}":
        if not len(found) % ROWS_PER_CHECK:
            checkpoint()
        if found:
            position = _after_space(text, position + 1)
        key, position = _DECODER.raw_decode(text, position)
        start = _after_space(text, _after_space(text, position) + 1)
        _value, end = _DECODER.raw_decode(text, start)
        found.append((key, text[start:end]))
        position = _after_space(text, end)
    return found


def elements(text: str) -> list[str] | None:
    """The texts of an array's elements; ``None`` for what is no array."""
    if not text.startswith("["):
        return None
    found: list[str] = []
    position = _after_space(text, 1)
    while text[position] != "]":
        if not len(found) % ROWS_PER_CHECK:
            checkpoint()
        start = _after_space(text, position + 1) if found else position
        _value, end = _DECODER.raw_decode(text, start)
        found.append(text[start:end])
        position = _after_space(text, end)
    return found


def as_text(text: str) -> str | None:
    """A value as ``->>`` shows it: strings without quotes, null as NULL."""
    if text == "null":
        return None
    return str(json.loads(text)) if text.startswith('"') else text


def value_of(text: str) -> Any:
    """A jsonb's value in Python's types, numbers as Decimal."""
    number = with_checkpoints(Decimal)
    return json.loads(bare(text), parse_int=number, parse_float=number)


def contains(outer: Any, inner: Any) -> bool:
    """``outer @> inner`` over values (PostgreSQL manual, jsonb Containment and Existence). Raises ProgramLimitExceeded
    where that takes more comparisons than JSON_COMPARISONS_MAX."""
    comparing = _Comparing()
    if isinstance(outer, list) and not isinstance(inner, list | dict):
        return comparing.holds(outer, [inner])
    return comparing.contains(outer, inner)


class _Comparing:
    """Containment; elements that are objects or arrays are compared each with each."""

    def __init__(self) -> None:
        self._left = JSON_COMPARISONS_MAX

    def contains(self, outer: Any, inner: Any) -> bool:
        self._left -= 1
        if not self._left % ROWS_PER_CHECK:
            checkpoint()
        if self._left < 0:
            raise ProgramLimitExceeded(f"@> with more than {JSON_COMPARISONS_MAX} comparisons is not supported")
        if isinstance(inner, dict):
            return isinstance(outer, dict) and all(
                key in outer and self.contains(outer[key], each) for key, each in inner.items())
        if isinstance(inner, list):
            return isinstance(outer, list) and self.holds(outer, inner)
        return not isinstance(outer, dict | list) and _key(outer) == _key(inner)

    def holds(self, outer: list[Any], inner: list[Any]) -> bool:
        """Whether each element of ``inner`` is in one of ``outer``."""
        scalars = {_key(each) for each in checked(outer) if not isinstance(each, dict | list)}
        others = [each for each in checked(outer) if isinstance(each, dict | list)]
        return all(
            any(self.contains(other, each) for other in others) if isinstance(each, dict | list)
            else _key(each) in scalars
            for each in inner
        )


def order_key(text: str) -> tuple[Any, ...]:
    """What orders jsonbs as PostgreSQL's btree does, and is equal for equal ones: containers by their size first."""
    value = value_of(text)
    return _key(value) if isinstance(value, list | dict) else (_ARRAY, 1, 0, _key(value))


def _key(value: Any) -> tuple[Any, ...]:
    match value:
        case None:
            return (0,)
        case str():
            return 1, value
        case bool():
            return 3, value
        case Decimal():
            return 2, value
        case list():
            return _ARRAY, len(value), 1, *map(_key, value)
        case _:
            pairs = [part for key, each in value.items() for part in (key, _key(each))]
            return _OBJECT, len(value), *pairs
