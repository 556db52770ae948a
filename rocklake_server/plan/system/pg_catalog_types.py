"""pg_type, pg_proc and pg_collation: the types of schema.types, the functions that read and print them,
and the two collations. Drivers tell array types and binary formats by joining pg_type with pg_proc."""

from __future__ import annotations

from collections.abc import Iterator

from rocklake_server.plan.system import oids
from rocklake_server.plan.system.relation import SystemRow, SystemRows, constant
from rocklake_server.plan.system.type_facts import facts_of, io_function_names
from rocklake_server.schema.types import ALL_TYPES, BYTEA, INTEGER, OID, SCALARS, ColumnType, Form

_CSTRING = 2275
_CSTRING_ARRAY = 1263
_INTERNAL = 2281
_ANYARRAY = 2277

_TEXT_DEPENDS_ON_SETTINGS = frozenset(
    (Form.DATE, Form.TIME, Form.TIMETZ, Form.TIMESTAMP, Form.INTERVAL, Form.ARRAY)
)
_BYTES_DEPEND_ON_ENCODING = frozenset(("text", "name", "bpchar", "varchar"))


def _type_row(column_type: ColumnType) -> SystemRow:
    facts = facts_of(column_type)
    element = column_type.element.oid if column_type.element else 18 if column_type.typname == "name" else 0
    pseudo = facts.category in ("P", "X")
    return (
        column_type.oid, column_type.typname, oids.PG_CATALOG, oids.OWNER, column_type.size, facts.by_value,
        "p" if pseudo else "b", facts.category, facts.preferred, True, ",", 0, facts.subscript, element,
        column_type.array_oid, *facts.io, *facts.typmod_io, facts.analyze, facts.align, facts.storage,
        False, 0, -1, 0, facts.collation, None, None, None,
    )


def _function_row(oid: int, name: str, result: int, arguments: tuple[int, ...], volatility: str) -> SystemRow:
    return (
        oid, name, oids.PG_CATALOG, oids.OWNER, oids.INTERNAL_LANGUAGE, 1.0, 0.0, 0, 0, "f",
        False, False, True, False, volatility, "s", len(arguments), 0, result, arguments,
        None, None, None, None, None, name, None, None, None, None,
    )


def _functions_of(column_type: ColumnType) -> Iterator[SystemRow]:
    facts = facts_of(column_type)
    name_in, name_out, name_recv, name_send = io_function_names(column_type)
    own = _ANYARRAY if column_type.form is Form.ARRAY else column_type.oid
    extra = (OID.oid, INTEGER.oid) if facts.typmod_io[0] or own == _ANYARRAY else ()
    stable_in = column_type.form in _TEXT_DEPENDS_ON_SETTINGS or column_type.typname.startswith("reg")
    stable_out = stable_in and column_type.form not in (Form.TIME, Form.TIMETZ)
    stable_bytes = own == _ANYARRAY or column_type.typname in _BYTES_DEPEND_ON_ENCODING
    oid_in, oid_out, oid_recv, oid_send = facts.io
    yield _function_row(oid_in, name_in, own, (_CSTRING, *extra), "s" if stable_in else "i")
    yield _function_row(oid_out, name_out, _CSTRING, (own,), "s" if stable_out else "i")
    yield _function_row(oid_recv, name_recv, own, (_INTERNAL, *extra), "s" if stable_bytes else "i")
    yield _function_row(oid_send, name_send, BYTEA.oid, (own,), "s" if stable_bytes else "i")
    if facts.typmod_io[0] and own != _ANYARRAY:
        stem = f"{column_type.typname}typmod"
        yield _function_row(facts.typmod_io[0], f"{stem}in", INTEGER.oid, (_CSTRING_ARRAY,), "i")
        yield _function_row(facts.typmod_io[1], f"{stem}out", _CSTRING, (INTEGER.oid,), "i")


def _functions() -> SystemRows:
    array_type = next(column_type for column_type in ALL_TYPES if column_type.element)
    return tuple(row for column_type in (*SCALARS, array_type) for row in _functions_of(column_type))


def _collation_row(oid: int, name: str, provider: str, encoding: int, locale: str | None) -> SystemRow:
    return oid, name, oids.PG_CATALOG, oids.OWNER, provider, True, encoding, locale, locale, None, None


RELATIONS = (
    constant(
        "pg_catalog", "pg_type",
        "oid oid, typname name, typnamespace oid, typowner oid, typlen int2, typbyval bool, typtype char,"
        "typcategory char, typispreferred bool, typisdefined bool, typdelim char, typrelid oid,"
        "typsubscript regproc, typelem oid, typarray oid, typinput regproc, typoutput regproc,"
        "typreceive regproc, typsend regproc, typmodin regproc, typmodout regproc, typanalyze regproc,"
        "typalign char, typstorage char, typnotnull bool, typbasetype oid, typtypmod int4, typndims int4,"
        "typcollation oid, typdefaultbin pg_node_tree, typdefault text, typacl _aclitem",
        tuple(_type_row(column_type) for column_type in ALL_TYPES),
    ),
    constant(
        "pg_catalog", "pg_proc",
        "oid oid, proname name, pronamespace oid, proowner oid, prolang oid, procost float4,"
        "prorows float4, provariadic oid, prosupport regproc, prokind char, prosecdef bool,"
        "proleakproof bool, proisstrict bool, proretset bool, provolatile char, proparallel char,"
        "pronargs int2, pronargdefaults int2, prorettype oid, proargtypes oidvector, proallargtypes _oid,"
        "proargmodes _char, proargnames _text, proargdefaults pg_node_tree, protrftypes _oid, prosrc text,"
        "probin text, prosqlbody pg_node_tree, proconfig _text, proacl _aclitem",
        _functions(),
    ),
    constant(
        "pg_catalog", "pg_collation",
        "oid oid, collname name, collnamespace oid, collowner oid, collprovider char,"
        "collisdeterministic bool, collencoding int4, collcollate text, collctype text,"
        "colliculocale text, collversion text",
        (_collation_row(oids.DEFAULT_COLLATION, "default", "d", -1, None),
         _collation_row(oids.C_COLLATION, "C", "c", -1, "C")),
    ),
)
