"""pg_description and pg_shdescription: what COMMENT ON said, and what PostgreSQL says of its own objects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system import oids
from rocklake_server.plan.system.function_facts import function_facts
from rocklake_server.plan.system.indexes import indexes_of
from rocklake_server.plan.system.oids import CATALOGS
from rocklake_server.plan.system.relation import SystemRow, SystemRows, by_oid, from_view
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import SCALARS, VECTORS, Value

_CLASS, _NAMESPACE = CATALOGS["pg_class"], CATALOGS["pg_namespace"]
_BUILT_IN: SystemRows = (
    (oids.PG_CATALOG, _NAMESPACE, 0, "system catalog schema"),
    (oids.HEAP, CATALOGS["pg_am"], 0, "heap table access method"),
    (oids.BTREE, CATALOGS["pg_am"], 0, "b-tree index access method"),
    (oids.INTERNAL_LANGUAGE, CATALOGS["pg_language"], 0, "built-in functions"),
    (oids.DEFAULT_COLLATION, CATALOGS["pg_collation"], 0, "database's default collation"),
    (oids.C_COLLATION, CATALOGS["pg_collation"], 0, "standard C collation"),
)


_FUNCTIONS: SystemRows = tuple(
    (facts.oid, CATALOGS["pg_proc"], 0, facts.description) for facts in function_facts() if facts.description
)


_OF_TYPES = {
    "bool": "boolean, 'true'/'false'",
    "bytea": "variable-length string, binary values escaped",
    "char": "single character",
    "name": "63-byte type for storing system identifiers",
    "int8": "~18 digit integer, 8-byte storage",
    "int2": "-32 thousand to 32 thousand, 2-byte storage",
    "int4": "-2 billion to 2 billion integer, 4-byte storage",
    "regproc": "registered procedure",
    "text": "variable-length string, no limit specified",
    "oid": "object identifier(oid), maximum 4 billion",
    "tid": "(block, offset), physical location of tuple",
    "xid": "transaction id",
    "float4": "single-precision floating point number, 4-byte storage",
    "float8": "double-precision floating point number, 8-byte storage",
    "unknown": "pseudo-type representing an undetermined type",
    "bpchar": "char(length), blank-padded string, fixed storage length",
    "varchar": "varchar(length), non-blank-padded string, variable storage length",
    "date": "date",
    "time": "time of day",
    "timestamp": "date and time",
    "timestamptz": "date and time with time zone",
    "interval": "@ <number> <units>, time interval",
    "timetz": "time of day with time zone",
    "numeric": "numeric(precision, decimal), arbitrary precision number",
    "regclass": "registered class",
    "regtype": "registered type",
    "regprocedure": "registered procedure (with args)",
    "regoper": "registered operator",
    "regoperator": "registered operator (with args)",
    "regnamespace": "registered namespace",
    "regrole": "registered role",
    "void": "pseudo-type for the result of a function with no real result",
    "uuid": "UUID datatype",
    "int2vector": "array of int2, used in system tables",
    "oidvector": "array of oids, used in system tables",
}
_TYPES: SystemRows = tuple(
    (kind.oid, CATALOGS["pg_type"], 0, _OF_TYPES[kind.typname]) for kind in (*SCALARS, *VECTORS)
    if kind.typname in _OF_TYPES
)


_FIXED: SystemRows = (*_BUILT_IN, *_FUNCTIONS, *_TYPES)
_FIXED_OF: dict[Value, list[SystemRow]] = {}
for _row in _FIXED:
    _FIXED_OF.setdefault(_row[0], []).append(_row)


def _noted(relation: Relation) -> Iterator[SystemRow]:
    if relation.comment is not None:
        yield relation.oid, _CLASS, 0, relation.comment
    for attnum, column in enumerate(relation.columns, 1):
        if column.comment is not None:
            yield relation.oid, _CLASS, attnum, column.comment
    for index in indexes_of(relation):
        if index.comment is not None:
            yield index.oid, _CLASS, 0, index.comment


def _of_schemas(view: TransactionView, schemas: Iterable[tuple[int, str]]) -> Iterator[SystemRow]:
    for oid, name in schemas:
        text = view.schema_comment(name)
        if text is not None:
            yield oid, _NAMESPACE, 0, text


def _descriptions(view: TransactionView) -> SystemRows:
    noted = [row for relation in view.relations() for row in _noted(relation)]  # first: asks for all schemas at once
    return (*_FIXED, *_of_schemas(view, view.schemas()), *noted)


def _descriptions_of(view: TransactionView, values: Collection[Value]) -> SystemRows:
    fixed = [row for value in values for row in _FIXED_OF.get(value, ())]
    schemas = [(oid, name) for oid, name in view.schemas() if oid in values]
    noted = [row for relation in by_oid(view, values) for row in _noted(relation)]
    return (*fixed, *_of_schemas(view, schemas), *noted)


def _shared_descriptions(view: TransactionView) -> SystemRows:
    text = view.database_comment()
    return () if text is None else ((oids.database_oid(view, view.database), CATALOGS["pg_database"], text),)


RELATIONS = (
    from_view("pg_catalog", "pg_description", "objoid oid, classoid oid, objsubid int4, description text",
              _descriptions, objoid=_descriptions_of),
    from_view("pg_catalog", "pg_shdescription", "objoid oid, classoid oid, description text", _shared_descriptions),
)
