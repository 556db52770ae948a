"""The statements that DuckDB's ducklake extension was seen to send, and rewritings of them that mean the same.

A corpus file holds entries that begin with the line ``-- statement``; an entry is one query string, which may hold
several statements.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

CORPUS = Path(__file__).parent / "corpus"
_ENTRY = re.compile(r"^-- statement\n", re.MULTILINE)
_PROTECTED = re.compile(r"""('[^']*(?:''[^']*)*'|"[^"]*(?:""[^"]*)*")""")


class Entry(NamedTuple):
    """One query string: where it is from, and its text."""

    name: str
    text: str


def load() -> list[Entry]:
    """Every entry of every client line, in the files' order."""
    entries: list[Entry] = []
    for path in sorted(CORPUS.glob("*/*.sql")):
        texts = [text.strip("\n ") for text in _ENTRY.split(path.read_text(encoding="utf-8")) if text.strip()]
        label = f"{path.parent.name}/{path.stem}"
        entries += [Entry(f"{label}[{index}]", text) for index, text in enumerate(texts)]
    return entries


def _outside(text: str, change: object) -> str:
    """``text`` with everything outside of strings and quoted identifiers changed."""
    assert callable(change)
    pieces = _PROTECTED.split(text)
    return "".join(piece if index % 2 else change(piece) for index, piece in enumerate(pieces))


def upper_cased(text: str) -> str:
    return _outside(text, str.upper)


def lower_cased(text: str) -> str:
    return _outside(text, str.lower)


def widely_spaced(text: str) -> str:
    return _outside(text, lambda piece: re.sub(r"\s+", " \n\t ", re.sub(r"([(),])", r" \1 ", piece)))


def commented(text: str) -> str:
    return _outside(text, lambda piece: re.sub(r"\s+", " /* it's ; /* nested */ \" */ -- and ' this;\n ", piece))


VARIANTS = {"upper": upper_cased, "lower": lower_cased, "spaces": widely_spaced, "comments": commented}
