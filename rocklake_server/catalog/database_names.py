"""The databases that always exist, and the list of all of them as clients see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rocklake_server.errors import InvalidParameterValue, Unsupported

PUBLIC = "public"

MAINTENANCE = "postgres"
"""Where clients connect to administer a server, as ``createdb`` does."""

TEMPLATE = "template1"
CLOSED_TEMPLATE = "template0"

PERMANENT_OIDS = {MAINTENANCE: 5, TEMPLATE: 1, CLOSED_TEMPLATE: 4}
"""PostgreSQL's own."""

_UNLISTED_OID = 16_383
_FIRST_OID = 16_384


class DatabaseFacts(NamedTuple):
    """A row of pg_database."""

    oid: int
    name: str
    is_template: bool
    allows_connections: bool


def known_databases(numbers: Mapping[str, int], own: str) -> list[DatabaseFacts]:
    """Every database that exists, from their ``numbers``, and the session's ``own``, which its first table makes."""
    found = {name: _FIRST_OID + number for name, number in numbers.items()}
    found = {own: _UNLISTED_OID} | found | PERMANENT_OIDS
    templates = (TEMPLATE, CLOSED_TEMPLATE)
    facts = (DatabaseFacts(oid, name, name in templates, name != CLOSED_TEMPLATE) for name, oid in found.items())
    return sorted(facts)


def require_fillable(database: str) -> None:
    """Raises Unsupported for a template: new databases are empty, whatever it holds."""
    if database in (TEMPLATE, CLOSED_TEMPLATE):
        raise Unsupported(f'creating relations in database "{database}" is not supported: new databases are empty')


def named_lake(name: str) -> tuple[str, str]:
    """Database and schema that ``DATABASE`` or ``DATABASE/SCHEMA`` names, of a lake that need not exist yet. Raises
    InvalidParameterValue."""
    database, _, schema = name.partition("/")
    if not database or name.endswith("/"):
        raise InvalidParameterValue(f'"{name}" names no lake; write DATABASE or DATABASE/SCHEMA')
    return database, schema or PUBLIC
