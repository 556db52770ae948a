"""pg_type, pg_proc, pg_opclass and pg_collation: the types of schema.types, the functions that read and print them and
those that can be called, the operator classes of indexes, and the two collations.

Drivers tell array types and binary formats by joining pg_type with pg_proc."""

from __future__ import annotations

from collections.abc import Iterator

from rocklake_server.plan.system import oids
from rocklake_server.plan.system.function_facts import FunctionFacts, function_facts
from rocklake_server.plan.system.relation import SystemRow, SystemRows, constant
from rocklake_server.plan.system.type_facts import facts_of, io_function_names
from rocklake_server.schema.types import ALL_TYPES, ARRAYS, BYTEA, INTEGER, OID, SCALARS, VECTORS, ColumnType, Form

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
    own = _ANYARRAY if column_type in ARRAYS else column_type.oid
    extra = (OID.oid, INTEGER.oid) if facts.typmod_io[0] or own == _ANYARRAY else ()
    depends = column_type.form in _TEXT_DEPENDS_ON_SETTINGS and column_type not in VECTORS
    stable_in = depends or column_type.typname.startswith("reg")
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


def _listed_row(facts: FunctionFacts) -> SystemRow:
    volatility, strict, is_set, kind, parallel, leakproof = tuple(facts.flags)
    further = facts.further
    return (
        facts.oid, facts.name, oids.PG_CATALOG, oids.OWNER, oids.INTERNAL_LANGUAGE, float(further.get("cost", 1)),
        float(further.get("rows", 0)), int(further.get("variadic", 0)), int(further.get("support", 0)), kind, False,
        leakproof == "l", strict == "s", is_set == "r", volatility, parallel, len(facts.arguments), 0, facts.result,
        facts.arguments, facts.numbers("all"), facts.words("modes"), facts.words("names"), None, None, facts.source,
        None, None, None, None,
    )


def _functions() -> SystemRows:
    array_type = ARRAYS[0]
    io = (row for column_type in (*SCALARS, *VECTORS, array_type) for row in _functions_of(column_type))
    return (*io, *map(_listed_row, function_facts()))


def _collation_row(oid: int, name: str, provider: str, encoding: int, locale: str | None) -> SystemRow:
    return oid, name, oids.PG_CATALOG, oids.OWNER, provider, True, encoding, locale, locale, None, None


_OPERATOR_CLASSES = (
    (10000, "array_ops", 397, 2277), (10003, "bool_ops", 424, 16), (10004, "bpchar_ops", 426, 1042),
    (10006, "bytea_ops", 428, 17), (10007, "char_ops", 429, 18), (3122, "date_ops", 434, 1082),
    (10012, "float4_ops", 1970, 700), (3123, "float8_ops", 1970, 701), (1979, "int2_ops", 1976, 21),
    (1978, "int4_ops", 1976, 23), (3124, "int8_ops", 1976, 20), (10022, "interval_ops", 1982, 1186),
    (10028, "name_ops", 1994, 19), (3125, "numeric_ops", 1988, 1700), (1981, "oid_ops", 1989, 26),
    (10032, "oidvector_ops", 1991, 30), (3126, "text_ops", 1994, 25), (10038, "time_ops", 1996, 1083),
    (3127, "timestamptz_ops", 434, 1184), (10041, "timetz_ops", 2000, 1266), (3128, "timestamp_ops", 434, 1114),
    (10050, "tid_ops", 2789, 27), (10065, "uuid_ops", 2968, 2950),
)
"""OID, name, family and type of the default operator classes of B-trees."""


def _operator_class_row(oid: int, name: str, family: int, of_type: int) -> SystemRow:
    key_type = _CSTRING if name == "name_ops" else 0
    return oid, oids.BTREE, name, oids.PG_CATALOG, oids.OWNER, family, of_type, True, key_type


RELATIONS = (
    constant(
        "pg_catalog", "pg_opclass",
        "oid oid, opcmethod oid, opcname name, opcnamespace oid, opcowner oid, opcfamily oid, opcintype oid,"
        "opcdefault bool, opckeytype oid",
        tuple(_operator_class_row(*facts) for facts in _OPERATOR_CLASSES),
    ),
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
