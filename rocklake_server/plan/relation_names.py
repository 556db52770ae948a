"""Names of relations as functions and regclass read them, and search-path resolution for plans."""

from __future__ import annotations

from collections.abc import Mapping

from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import SyntaxProblem, UndefinedTable
from rocklake_server.plan.model import Context
from rocklake_server.plan.system.identifiers import quote_identifier
from rocklake_server.plan.system.indexes import find_index, named_index, qualified_name
from rocklake_server.plan.system.oids import CATALOGS
from rocklake_server.plan.system_relations import SYSTEM_RELATIONS, SystemRelation
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value
from rocklake_server.sql.names import fold

PG_CATALOG = "pg_catalog"
_CATALOG_NAMES: Mapping[Value, str] = {oid: name for name, oid in CATALOGS.items()}


def find_relation(view: TransactionView, schema: str | None, name: str) -> Relation | SystemRelation:
    """The relation that a name in FROM means; pg_catalog comes first, as PostgreSQL's search path does."""
    system = SYSTEM_RELATIONS.get((PG_CATALOG if schema is None else schema, name))
    return view.resolve(schema, name) if system is None else system


def split_name(text: str) -> tuple[str | None, str]:
    """``schema.name`` with quoting and folding. Raises SyntaxProblem."""
    parts: list[str] = []
    position = 0
    while position <= len(text):
        if text[position:position + 1] == '"':
            end = position + 1
            while (end := text.find('"', end)) != -1 and text[end + 1:end + 2] == '"':
                end += 2
            if end == -1:
                raise SyntaxProblem("invalid name syntax")
            parts.append(fold(text[position + 1:end].replace('""', '"'), quoted=True))
            position = end + 1
        else:
            end = text.find(".", position)
            end = len(text) if end == -1 else end
            parts.append(fold(text[position:end].strip(), quoted=False))
            position = end
        if position < len(text) and text[position] != ".":
            raise SyntaxProblem("invalid name syntax")
        position += 1
    if not all(parts):
        raise SyntaxProblem("invalid name syntax")
    return (None, parts[0]) if len(parts) == 1 else (parts[-2], parts[-1])


def _oid_of(view: TransactionView, schema: str | None, name: str) -> int | None:
    if schema in (None, PG_CATALOG) and name in CATALOGS:
        return CATALOGS[name]
    try:
        return view.resolve(schema, name).oid
    except UndefinedTable:
        found = named_index(view, schema, name)
        return None if found is None else found[1].oid


def relation_oid(context: Context, text: Value) -> Value:
    """``text::regclass``. Raises UndefinedTable."""
    if text is None:
        return None
    name = str(text)
    if name.isdigit():
        return int(name)
    schema, bare = split_name(name)
    found = _oid_of(context.view, schema, bare)
    if found is None:
        raise UndefinedTable(f'relation "{bare if schema is None else f"{schema}.{bare}"}" does not exist')
    return found


def to_regclass(context: Context, text: Value) -> Value:
    """to_regclass(text): NULL when there is no such relation."""
    return None if text is None else _oid_of(context.view, *split_name(str(text)))


def relation_text(context: Context, oid: Value) -> Value:
    """``regclass::text``: the name, qualified when the search path does not find it; the number when there is none."""
    if oid is None:
        return None
    relation = context.view.relation_of_oid(oid) if isinstance(oid, int) else None
    if relation is not None:
        found = _oid_of(context.view, None, relation.name) == oid
        return quote_identifier(relation.name) if found else qualified_name(relation)
    if isinstance(oid, int) and (index := find_index(context.view, oid)) is not None:
        name = quote_identifier(index[1].name)
        return name if index[0].schema == "public" else f"{quote_identifier(index[0].schema)}.{name}"
    return "-" if oid == 0 else _CATALOG_NAMES.get(oid, str(oid))
