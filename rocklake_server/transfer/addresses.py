"""Addresses of catalog databases, as ``--to`` and ``--from`` take them: a kind, a colon, and a file or a DSN."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.transfer.catalogs import Source, Target
from rocklake_server.transfer.duckdb_catalog import MAIN, DuckDBSource, DuckDBTarget
from rocklake_server.transfer.mysql_catalog import MySQLSource, MySQLTarget
from rocklake_server.transfer.postgres_catalog import PUBLIC, PostgresSource, PostgresTarget
from rocklake_server.transfer.sqlite_catalog import SQLiteSource, SQLiteTarget


@dataclass(frozen=True, slots=True)
class CatalogKind:
    """A kind of catalog database: what its address is called in help, and how it is opened with a schema or without."""

    address: str
    source: Callable[[str, str | None], Source]
    target: Callable[[str, str | None], Target]
    has_schemas: bool = True


def _sqlite_source(place: str, _: str | None) -> Source:
    return SQLiteSource(Path(place))


def _sqlite_target(place: str, _: str | None) -> Target:
    return SQLiteTarget(Path(place))


KINDS: dict[str, CatalogKind] = {
    "duckdb": CatalogKind(
        "duckdb:FILE",
        lambda place, schema: DuckDBSource(Path(place), schema or MAIN),
        lambda place, schema: DuckDBTarget(Path(place), schema or MAIN),
    ),
    "sqlite": CatalogKind("sqlite:FILE", _sqlite_source, _sqlite_target, has_schemas=False),
    "postgres": CatalogKind(
        "postgres:DSN",
        lambda place, schema: PostgresSource(place, schema or PUBLIC),
        lambda place, schema: PostgresTarget(place, schema or PUBLIC),
    ),
    "mysql": CatalogKind(
        "mysql:DSN", lambda place, _: MySQLSource(place), lambda place, _: MySQLTarget(place), has_schemas=False
    ),
}

_WITH_PASSWORDS = ("postgres", "mysql")
"""Kinds whose place may hold a password."""

ADDRESSES = ", ".join(kind.address for kind in KINDS.values())


@dataclass(frozen=True, slots=True)
class Address:
    """One catalog database. ``schema`` is DuckLake's METADATA_SCHEMA, ``None`` its default. Prints without the DSN,
    which may hold a password."""

    kind: str
    place: str
    schema: str | None = None

    def source(self) -> Source:
        """Raises InvalidParameterValue for a file that is not there, Unsupported for a package that is not."""
        return KINDS[self.kind].source(self.place, self.schema)

    def target(self, *, frozen: bool = False) -> Target:
        """Raises as ``source``, and InvalidParameterValue for a file that is there. ``frozen`` is for DuckDB files."""
        if not frozen:
            return KINDS[self.kind].target(self.place, self.schema)
        if self.kind != "duckdb":
            raise InvalidParameterValue("a frozen catalog is a DuckDB file: write --to duckdb:FILE")
        return DuckDBTarget(Path(self.place), self.schema or MAIN, frozen=True)

    def __str__(self) -> str:
        return self.kind if self.kind in _WITH_PASSWORDS else f"{self.kind}:{self.place}"


def parse_address(text: str, schema: str | None = None) -> Address:
    """Raises InvalidParameterValue for another kind, no place, or a schema where there are none."""
    kind, colon, place = text.partition(":")
    if kind in ("postgresql", "postgres") and place.startswith("//"):
        kind, place = "postgres", f"postgresql:{place}"
    if not colon or kind not in KINDS:
        raise InvalidParameterValue(f'"{kind}" is no kind of catalog; write one of {ADDRESSES}')
    if not place:
        raise InvalidParameterValue(f'"{text}" names no catalog; write {KINDS[kind].address}')
    if schema is not None and not KINDS[kind].has_schemas:
        raise InvalidParameterValue(f"a {kind} catalog has no schemas; leave the schema out")
    return Address(kind, place, schema)
