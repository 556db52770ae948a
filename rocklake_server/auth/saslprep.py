"""SASLprep: how a password is normalised before it is hashed. Source: RFC 4013, with the tables of RFC 3454."""

from __future__ import annotations

import stringprep
import unicodedata
from collections.abc import Callable

_PROHIBITED: tuple[Callable[[str], bool], ...] = (
    stringprep.in_table_c12, stringprep.in_table_c21_c22, stringprep.in_table_c3, stringprep.in_table_c4,
    stringprep.in_table_c5, stringprep.in_table_c6, stringprep.in_table_c7, stringprep.in_table_c8,
    stringprep.in_table_c9, stringprep.in_table_a1,
)  # fmt: skip


def saslprep(text: str) -> str:
    """``text`` normalised. Raises ValueError for one that is empty then, holds a prohibited or unassigned character,
    or mixes directions of writing."""
    mapped = "".join(" " if stringprep.in_table_c12(c) else c for c in text if not stringprep.in_table_b1(c))
    prepared = unicodedata.normalize("NFKC", mapped)
    if not prepared:
        raise ValueError("nothing is left")
    for character in prepared:
        if any(prohibits(character) for prohibits in _PROHIBITED):
            raise ValueError(f"U+{ord(character):04X} is prohibited")
    _check_directions(prepared)
    return prepared


def prepared_password(password: str) -> bytes:
    """What is hashed. A password that SASLprep refuses is taken as it is, as PostgreSQL and its clients do."""
    if password.isascii() and password.isprintable():
        return password.encode()
    try:
        return saslprep(password).encode()
    except ValueError:
        return password.encode()


def _check_directions(text: str) -> None:
    """RFC 3454, section 6. Raises ValueError."""
    if not any(map(stringprep.in_table_d1, text)):
        return
    if any(map(stringprep.in_table_d2, text)):
        raise ValueError("characters of both directions")
    if not (stringprep.in_table_d1(text[0]) and stringprep.in_table_d1(text[-1])):
        raise ValueError("a right-to-left text begins and ends with such characters")
