"""The types whose values are OIDs and whose texts are names: regclass, regproc, regtype, regnamespace, regrole and the
others that no object of a lake is of.

Source: PostgreSQL manual, Object Identifier Types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from rocklake_server.errors import CatalogError, UndefinedFunction, UndefinedObject, UndefinedSchema
from rocklake_server.pgformat.text import text_encoder
from rocklake_server.plan.applications import Contextual
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.model import Context
from rocklake_server.plan.relation_names import PG_CATALOG, relation_oid, relation_text, split_name
from rocklake_server.plan.system.identifiers import quote_identifier
from rocklake_server.plan.system.oids import PSEUDO_TYPES
from rocklake_server.plan.system_relations import SYSTEM_RELATIONS
from rocklake_server.schema.types import (
    BY_NAME,
    BY_OID,
    REGCLASS,
    REGISTERED,
    REGNAMESPACE,
    REGPROC,
    REGROLE,
    REGTYPE,
    TEXT,
    ColumnType,
    NamedOid,
    Value,
)

_PSEUDO_OIDS = {name: oid for oid, name in PSEUDO_TYPES.items()}


@dataclass(frozen=True, slots=True)
class _Listed:
    """Names in a system relation: where its names and OIDs are, and what to raise for one that is not there."""

    relation: str
    name: str
    what: str
    error: type[CatalogError]

    def _rows(self, context: Context) -> list[tuple[Value, Value]]:
        relation = SYSTEM_RELATIONS[PG_CATALOG, self.relation]
        places = [next(n for n, column in enumerate(relation.columns) if column.name == wanted)
                  for wanted in (self.name, "oid")]
        return [(row[places[0]], row[places[1]]) for row in relation.rows(context.view)]

    def oid(self, context: Context, text: str) -> int:
        _, bare = split_name(text)
        for name, oid in self._rows(context):
            if name == bare and isinstance(oid, int):
                return oid
        raise self.error(f'{self.what} "{bare}" does not exist')

    def text(self, context: Context, oid: int) -> str | None:
        for name, listed in self._rows(context):
            if listed == oid:
                return quote_identifier(str(name))
        return None


_LISTED: Mapping[int, _Listed] = {
    REGPROC.oid: _Listed("pg_proc", "proname", "function", UndefinedFunction),
    REGNAMESPACE.oid: _Listed("pg_namespace", "nspname", "schema", UndefinedSchema),
    REGROLE.oid: _Listed("pg_roles", "rolname", "role", UndefinedObject),
}


def _type_oid(text: str) -> int:
    name = text.strip().lower().removeprefix(f"{PG_CATALOG}.")
    found = BY_NAME.get(name)
    if found is not None:
        return found.oid
    if name in _PSEUDO_OIDS:
        return _PSEUDO_OIDS[name]
    raise UndefinedObject(f'type "{name}" does not exist')


def _no_such(kind: ColumnType, text: str) -> NoReturn:
    raise UndefinedObject(f'"{text}" is no name of a {kind.typname} here')


def _to_oid(kind: ColumnType) -> Callable[[Context, Value], Value]:
    def to_oid(context: Context, text: Value) -> Value:
        if text is None:
            return None
        name = str(text)
        if name == "-":
            return 0
        if name.isascii() and name.isdigit():
            return int(name)
        if kind.oid in _LISTED:
            return _LISTED[kind.oid].oid(context, name)
        return _type_oid(name) if kind.oid == REGTYPE.oid else _no_such(kind, name)

    return relation_oid if kind.oid == REGCLASS.oid else to_oid


def _to_text(kind: ColumnType) -> Callable[[Context, Value], Value]:
    def to_text(context: Context, oid: Value) -> Value:
        if oid is None or oid == 0:
            return None if oid is None else "-"
        assert isinstance(oid, int)
        found: str | None = None
        if kind.oid in _LISTED:
            found = _LISTED[kind.oid].text(context, oid)
        elif kind.oid == REGTYPE.oid:
            known = BY_OID.get(oid)
            found = PSEUDO_TYPES.get(oid) if known is None else known.name
        return text_encoder(kind)(oid) if found is None else found

    return relation_text if kind.oid == REGCLASS.oid else to_text


_READERS = {kind.oid: _to_oid(kind) for kind in REGISTERED}
_WRITERS = {kind.oid: _to_text(kind) for kind in REGISTERED}


def is_registered(kind: ColumnType) -> bool:
    return kind.oid in _READERS


def oid_of_name(context: Context, kind: ColumnType, text: str) -> Value:
    """The OID that ``text`` means as a value of a registered type. Raises what its cast raises."""
    return _READERS[kind.oid](context, text)


def read_name(node: Expr, target: ColumnType) -> Expr:
    """A text as an object's OID. Raises, when it runs, the error of a name that is not there."""
    return Contextual(target, _READERS[target.oid], (node,))


def write_name(node: Expr) -> Expr:
    """An OID as the name of its object, or as a number when there is none."""
    return Contextual(TEXT, _WRITERS[node.type.oid], (node,))


def named(node: Expr) -> Expr:
    """The same OIDs, which know their names: as text they are what PostgreSQL shows."""
    write = _WRITERS[node.type.oid]

    def name(context: Context, oid: Value) -> Value:
        if not isinstance(oid, int):
            return oid
        return NamedOid(oid, str(write(context, oid)))

    return Contextual(node.type, name, (node,))
