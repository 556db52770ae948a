"""Text form of one-dimensional arrays (PostgreSQL manual, Array Input and Output Syntax), and that of vectors: their
elements with a space between them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rocklake_server.errors import InvalidTextRepresentation, Unsupported
from rocklake_server.pgformat.integers import SPACES

_NEEDS_QUOTES = re.compile(r'[{}",\\ \t\n\v\f\r]').search
_ESCAPED = re.compile(r'(["\\])')
_QUOTED_ELEMENT = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL).match
_BARE_ELEMENT = re.compile(r'(?:[^{}",\\]|\\.)+', re.DOTALL).match
_BACKSLASH = re.compile(r"\\(.)", re.DOTALL)


def array_encoder(encode: Callable[[Any], str]) -> Callable[[Any], str]:
    """Encoder of tuples whose elements ``encode`` renders."""

    def element(value: object) -> str:
        if value is None:
            return "NULL"
        text = encode(value)
        if not text or _NEEDS_QUOTES(text) or text.lower() == "null":
            return '"' + _ESCAPED.sub(r"\\\1", text) + '"'
        return text

    return lambda values: "{" + ",".join([element(value) for value in values]) + "}"


def array_decoder(decode: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """Decoder to tuples. Raises 22P02 for malformed text, 0A000 for more dimensions or other bounds."""

    def decode_array(text: str) -> tuple[Any, ...]:
        return tuple([None if element is None else decode(element) for element in _split(text)])

    return decode_array


def vector_encoder(encode: Callable[[Any], str]) -> Callable[[Any], str]:
    """Encoder of tuples without NULLs."""
    return lambda values: " ".join([encode(value) for value in values])


def vector_decoder(decode: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """Decoder to tuples. Raises what ``decode`` raises."""
    return lambda text: tuple([decode(element) for element in text.split()])


def _malformed(text: str, detail: str) -> InvalidTextRepresentation:
    return InvalidTextRepresentation(f'malformed array literal: "{text}"', detail=detail)


def _split(text: str) -> list[str | None]:
    """The elements' own texts; None for an unquoted NULL."""
    text = text.lstrip(SPACES)
    body = text.rstrip(SPACES)
    if body.startswith("["):
        raise Unsupported("array bounds in an array literal are not supported")
    if not body.startswith("{"):
        raise _malformed(text, 'Array value must start with "{" or dimension information.')
    position = _skip_spaces(body, 1)
    elements: list[str | None] = []
    if body.startswith("}", position):
        return _finish(text, body, position, elements)
    while True:
        position = _skip_spaces(body, position)
        if body.startswith("{", position):
            raise Unsupported("arrays of more than one dimension are not supported")
        position = _element(text, body, position, elements)
        if body.startswith("}", position):
            return _finish(text, body, position, elements)
        if not body.startswith(",", position):
            raise _malformed(text, "Unexpected array element." if position < len(body) else "Unexpected end of input.")
        position += 1


def _element(text: str, body: str, position: int, elements: list[str | None]) -> int:
    """Append the element that starts at ``position``; the position after it and the spaces that follow."""
    match = _QUOTED_ELEMENT(body, position)
    if match is not None:
        elements.append(_BACKSLASH.sub(r"\1", match[1]) if "\\" in match[1] else match[1])
        return _skip_spaces(body, match.end())
    match = _BARE_ELEMENT(body, position)
    if match is None:
        found = body[position : position + 1]
        raise _malformed(text, f'Unexpected "{found}" character.' if found else "Unexpected end of input.")
    bare = match[0]
    if "\\" not in bare:
        bare = bare.rstrip(SPACES)
        elements.append(None if bare.lower() == "null" else bare)
    else:
        # An escaped space at the end belongs to the element.
        kept = max(escape.end() for escape in _BACKSLASH.finditer(bare))
        bare = bare[:kept] + bare[kept:].rstrip(SPACES)
        elements.append(_BACKSLASH.sub(r"\1", bare))
    return match.end()


def _skip_spaces(body: str, position: int) -> int:
    while position < len(body) and body[position] in SPACES:
        position += 1
    return position


def _finish(text: str, body: str, position: int, elements: list[str | None]) -> list[str | None]:
    if position + 1 != len(body):
        raise _malformed(text, "Junk after closing right brace.")
    return elements
