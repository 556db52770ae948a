"""Identifiers: PostgreSQL's folding and quoting, and names qualified by a schema."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rocklake_server.errors import Unsupported
from rocklake_server.limits import IDENTIFIER_BYTES_MAX

_PLAIN = re.compile(r"[a-z_][a-z0-9_$]*")


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """A relation's name as written: ``schema`` is ``None`` when the search path decides."""

    schema: str | None
    name: str

    def __str__(self) -> str:
        return quote(self.name) if self.schema is None else f"{quote(self.schema)}.{quote(self.name)}"


def fold(identifier: str, *, quoted: bool) -> str:
    """The identifier as it is stored: lower-cased unless quoted (ASCII only), and cut to IDENTIFIER_BYTES_MAX on a
    character boundary."""
    if not quoted:
        identifier = identifier.lower() if identifier.isascii() else _fold_ascii(identifier)
    if len(identifier) * 4 <= IDENTIFIER_BYTES_MAX:
        return identifier
    encoded = identifier.encode()
    if len(encoded) <= IDENTIFIER_BYTES_MAX:
        return identifier
    return encoded[:IDENTIFIER_BYTES_MAX].decode(errors="ignore")


def _fold_ascii(identifier: str) -> str:
    return "".join(letter.lower() if letter.isascii() else letter for letter in identifier)


def quote(identifier: str) -> str:
    """The identifier as SQL text: quoted unless it is a plain lower-case word."""
    if _PLAIN.fullmatch(identifier):
        return identifier
    return '"' + identifier.replace('"', '""') + '"'


def qualified(parts: tuple[str, ...], database: str | None = None) -> QualifiedName:
    """A name of one, two or three folded parts; a third is accepted only when it is ``database``.

    Raises Unsupported (0A000) for a reference into another database, with PostgreSQL's wording.
    """
    if len(parts) == 1:
        return QualifiedName(None, parts[0])
    if len(parts) == 2:
        return QualifiedName(parts[0], parts[1])
    if len(parts) == 3 and database is not None and parts[0] == database:
        return QualifiedName(parts[1], parts[2])
    written = ".".join(parts)
    if len(parts) == 3:
        raise Unsupported(f'cross-database references are not implemented: "{written}"')
    raise Unsupported(f"improper qualified name (too many dotted names): {written}")
