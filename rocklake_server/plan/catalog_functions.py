"""Functions that ask the system catalogs: definitions as SQL, comments, privileges, visibility and sizes.

Source: PostgreSQL manual, System Information Functions and Database Object Size Functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from rocklake_server.errors import InvalidParameterValue, UndefinedObject, UndefinedTable, Unsupported
from rocklake_server.pgformat.durations import with_unit
from rocklake_server.plan.applications import Contextual
from rocklake_server.plan.model import Context
from rocklake_server.plan.overloads import Overload
from rocklake_server.plan.relation_names import PG_CATALOG
from rocklake_server.plan.system import oids
from rocklake_server.plan.system.identifiers import quote_identifier
from rocklake_server.plan.system.indexes import find_index, qualified_name
from rocklake_server.plan.system.own_relations import own_relation
from rocklake_server.plan.system.setting_facts import SETTING_FACTS
from rocklake_server.plan.system_relations import SYSTEM_RELATIONS
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    BY_NAME,
    BY_OID,
    INTEGER,
    NAME,
    NUMERIC,
    OID,
    OIDVECTOR,
    REGCLASS,
    TEXT,
    ColumnType,
    Value,
)

Implementation = Callable[..., Value]


def context_call(
    function: Implementation, *arguments: ColumnType, result: ColumnType = TEXT, optional: int = 0
) -> tuple[Overload, ...]:
    """A function whose first argument is the execution's context."""
    return (Overload(arguments, result, function, Contextual, optional),)


def relation_by_oid(context: Context, oid: int) -> Relation | None:
    return context.view.relation_of_oid(oid)


# -- definitions ------------------------------------------------------------------------------------------------------


def _index_definition(
    context: Context, oid: int | None, column: int | None = 0, pretty: bool | None = False
) -> str | None:
    found = None if oid is None else find_index(context.view, oid)
    if found is None or column is None:
        return None
    relation, index = found
    if column:
        names = [quote_identifier(each.name) for each in index.columns(relation)]
        return names[column - 1] if 0 < column <= len(names) else ""
    bare = pretty and is_visible(context, relation)
    return index.definition(relation, quote_identifier(relation.name) if bare else qualified_name(relation))


def _constraint_definition(context: Context, oid: int | None, _pretty: bool | None = None) -> str | None:
    """PRIMARY KEY is the only constraint there is."""
    relation = None if oid is None else relation_by_oid(context, oids.own_oid_of(oid))
    if relation is None or not relation.primary_key or oids.constraint_oid(relation) != oid:
        return None
    names = ", ".join(quote_identifier(relation.columns[index].name) for index in relation.primary_key)
    return f"PRIMARY KEY ({names})"


def _nothing(_context: Context, *_arguments: Value) -> None:
    """The definition of what no lake has."""
    return None


# -- comments ---------------------------------------------------------------------------------------------------------


def _rows(context: Context, name: str) -> Iterator[tuple[Value, ...]]:
    """The rows of a system relation, hidden columns left out."""
    relation = SYSTEM_RELATIONS[PG_CATALOG, name]
    return (row[:len(relation.columns)] for row in relation.rows(context.view))


def _rows_about(context: Context, name: str, oid: int | None) -> Iterator[tuple[Value, ...]]:
    """As ``_rows``; rows that do not begin with ``oid`` may be left out."""
    relation = SYSTEM_RELATIONS[PG_CATALOG, name]
    narrowed = relation.narrowed.get(0)
    if narrowed is None:
        return _rows(context, name)
    return (row[:len(relation.columns)] for row in narrowed(context.view, {oid}))


def _catalog_of(name: str | None) -> int | None:
    return None if name is None else oids.CATALOGS.get(name)


def _described(context: Context, relation: str, *key: int | None) -> str | None:
    """The description whose leading columns are ``key``."""
    for *found, text in _rows_about(context, relation, key[0]):
        if tuple(found) == key:
            return str(text)
    return None


def _object_description(context: Context, oid: int | None, catalog: str | None = None) -> str | None:
    if catalog is not None:
        return _described(context, "pg_description", oid, _catalog_of(catalog), 0)
    rows = _rows_about(context, "pg_description", oid)
    found = [text for about, _, part, text in rows if about == oid and part == 0]
    return str(found[0]) if found else None


def _column_description(context: Context, oid: int | None, column: int | None) -> str | None:
    return _described(context, "pg_description", oid, oids.CATALOGS["pg_class"], column)


def _shared_description(context: Context, oid: int | None, catalog: str | None) -> str | None:
    return _described(context, "pg_shdescription", oid, _catalog_of(catalog))


# -- visibility and privileges ----------------------------------------------------------------------------------------


def is_visible(context: Context, relation: Relation) -> bool:
    """Whether the relation's bare name means it."""
    try:
        return context.view.resolve(None, relation.name).oid == relation.oid
    except UndefinedTable:
        return False


def _table_visible(context: Context, oid: int | None) -> bool | None:
    if oid is None:
        return None
    relation = relation_by_oid(context, oid)
    own = own_relation(oid) if relation is None else None
    if own is not None:
        return own.schema == PG_CATALOG
    if relation is None:
        index = find_index(context.view, oid)
        return True if index is None else index[0].schema in ("public", "pg_temp")
    return is_visible(context, relation)


def _visible(_context: Context, oid: int | None) -> bool | None:
    """Types, functions, operators and the like are all in pg_catalog, which every search path holds."""
    return None if oid is None else True


def _privilege(_context: Context, *arguments: Value) -> bool | None:
    """Nobody is kept from what there is of these kinds. Those of databases are in ``privilege_functions``."""
    return None if None in arguments else True


_PRIVILEGES = tuple(
    Overload((*who, what, TEXT), BOOLEAN, _privilege, Contextual)
    for who in ((), (NAME,), (OID,)) for what in (TEXT, OID)
)
"""Of a role or the current one, on an object named by text or OID."""


def _role_name(context: Context, oid: int | None) -> str | None:
    if oid is None:
        return None
    for row in _rows(context, "pg_roles"):
        if row[-1] == oid:
            return str(row[0])
    return f"unknown (OID={oid})"


# -- types and functions ----------------------------------------------------------------------------------------------


def _format_type(_context: Context, oid: int | None, typmod: int | None) -> str | None:
    if oid is None:
        return None
    kind = BY_OID.get(oid)
    if kind is None:
        return "-" if oid == 0 else "???"
    return kind.sql if typmod is None or typmod == -1 else kind.with_typmod(typmod).sql


def _function_row(context: Context, oid: int | None) -> dict[str, Value] | None:
    names = [column.name for column in SYSTEM_RELATIONS[PG_CATALOG, "pg_proc"].columns]
    for row in _rows(context, "pg_proc"):
        if row[0] == oid:
            return dict(zip(names, row, strict=True))
    return None


def type_name(oid: Value) -> str:
    """A type by its OID, as format_type() names it; the pseudo-types of functions included."""
    assert isinstance(oid, int)
    kind = BY_OID.get(oid)
    return oids.PSEUDO_TYPES.get(oid, "???") if kind is None else kind.name


def _function_arguments(context: Context, oid: int | None) -> str | None:
    found = _function_row(context, oid)
    if found is None or not isinstance(types := found["proargtypes"], tuple):
        return None
    return ", ".join(map(type_name, types))


def _function_result(context: Context, oid: int | None) -> str | None:
    found = _function_row(context, oid)
    return None if found is None else type_name(found["prorettype"])


def _vector_types(_context: Context, types: tuple[Value, ...] | None) -> str | None:
    return None if types is None else ", ".join(map(type_name, types))


def _type_by_name(_context: Context, name: str | None) -> int | None:
    found = None if name is None else BY_NAME.get(name.lower())
    return None if found is None else found.oid


# -- sizes ------------------------------------------------------------------------------------------------------------


def _database_size(context: Context, name: str | None) -> int | None:
    if context.callbacks.database_size is None:
        raise Unsupported("pg_database_size() is not supported here")
    return None if name is None else context.callbacks.database_size(name)


def _database_size_by_oid(context: Context, oid: int | None) -> int | None:
    for row in _rows(context, "pg_database"):
        if row[0] == oid:
            return _database_size(context, str(row[1]))
    return None


_TABLESPACES = {"pg_default": oids.DEFAULT_TABLESPACE, "pg_global": oids.GLOBAL_TABLESPACE}


def _tablespace_size(context: Context, oid: int | None) -> int | None:
    """Everything of the database is in pg_default, and nothing in pg_global."""
    if oid == oids.DEFAULT_TABLESPACE:
        return _database_size(context, context.database)
    return 0 if oid == oids.GLOBAL_TABLESPACE else None


_UNITS = (("bytes", 10 * 1024), ("kB", 20 * 1024 - 1), ("MB", 20 * 1024 - 1), ("GB", 20 * 1024 - 1),
          ("TB", 20 * 1024 - 1), ("PB", 20 * 1024 - 1))
"""A unit is used below its limit, and the last one always. Units past bytes are counted in halves, so that the last
step rounds (PostgreSQL source, dbsize.c)."""


def _size_pretty(size: int) -> str:
    for position, (unit, limit) in enumerate(_UNITS):
        if abs(size) < limit or position == len(_UNITS) - 1:
            return f"{_half_rounded(size) if position else size} {unit}"
        shift = 9 if position == 0 else 10
        size = -(-size >> shift) if size < 0 else size >> shift
    raise AssertionError("the last unit takes any size")


def _half_rounded(size: int) -> int:
    return -((1 - size) // 2) if size < 0 else (size + 1) // 2


def _numeric_size_pretty(size: Decimal) -> str:
    whole = int(size)
    return f"{size} bytes" if abs(whole) < _UNITS[0][1] else _size_pretty(whole)


# -- facts of the server ----------------------------------------------------------------------------------------------

_UTF8 = 6
_TIMES = frozenset(facts[0] for facts in SETTING_FACTS if facts[1] == "ms")


def _encoding_name(_context: Context, code: int | None) -> str | None:
    return None if code is None else "UTF8" if code == _UTF8 else ""


def _encoding_code(_context: Context, name: str | None) -> int | None:
    if name is None:
        return None
    return _UTF8 if "".join(filter(str.isalnum, name.lower())) in ("utf8", "unicode") else -1


def _current_setting(context: Context, name: str | None, missing_ok: bool | None = False) -> str | None:
    if name is None:
        return None
    value = context.settings.get(name.lower())
    if value is None and not missing_ok:
        raise UndefinedObject(f'unrecognized configuration parameter "{name}"')
    return with_unit(int(value)) if value is not None and name.lower() in _TIMES else value


def _set_config(context: Context, name: str | None, value: str | None, local: bool | None) -> str:
    if context.callbacks.set_config is None:
        raise Unsupported("set_config() is not supported here")
    if name is None:
        raise InvalidParameterValue("SET requires parameter name")
    return context.callbacks.set_config(name, value or "", bool(local))


_VISIBLE = context_call(_visible, OID, result=BOOLEAN)
_TWO_OIDS = context_call(_nothing, OID, BOOLEAN, optional=1)

FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "current_setting": context_call(_current_setting, TEXT, BOOLEAN, optional=1),
    "set_config": context_call(_set_config, TEXT, TEXT, BOOLEAN),
    "format_type": context_call(_format_type, OID, INTEGER),
    "oidvectortypes": context_call(_vector_types, OIDVECTOR),
    "to_regtype": context_call(_type_by_name, TEXT, result=OID),
    "pg_get_userbyid": context_call(_role_name, OID, result=NAME),
    "pg_get_indexdef": (
        *context_call(_index_definition, OID), *context_call(_index_definition, OID, INTEGER, BOOLEAN),
    ),
    "pg_get_constraintdef": context_call(_constraint_definition, OID, BOOLEAN, optional=1),
    "pg_get_expr": context_call(lambda _context, text, *_arguments: text, TEXT, OID, BOOLEAN, optional=1),
    "pg_get_viewdef": _TWO_OIDS,
    "pg_get_ruledef": _TWO_OIDS,
    "pg_get_triggerdef": _TWO_OIDS,
    "pg_get_functiondef": context_call(_nothing, OID),
    "pg_get_partkeydef": context_call(_nothing, OID),
    "pg_get_partition_constraintdef": context_call(_nothing, OID),
    "pg_get_statisticsobjdef": context_call(_nothing, OID),
    "pg_get_statisticsobjdef_columns": context_call(_nothing, OID),
    "pg_get_serial_sequence": context_call(_nothing, TEXT, TEXT),
    "pg_get_function_sqlbody": context_call(_nothing, OID),
    "pg_get_function_arguments": context_call(_function_arguments, OID),
    "pg_get_function_identity_arguments": context_call(_function_arguments, OID),
    "pg_get_function_result": context_call(_function_result, OID),
    "obj_description": context_call(_object_description, OID, NAME, optional=1),
    "col_description": context_call(_column_description, OID, INTEGER),
    "shobj_description": context_call(_shared_description, OID, NAME),
    "pg_table_is_visible": context_call(_table_visible, OID, result=BOOLEAN),
    **dict.fromkeys((
        "pg_type_is_visible", "pg_function_is_visible", "pg_operator_is_visible", "pg_opclass_is_visible",
        "pg_opfamily_is_visible", "pg_collation_is_visible", "pg_conversion_is_visible", "pg_statistics_obj_is_visible",
        "pg_ts_parser_is_visible", "pg_ts_dict_is_visible", "pg_ts_template_is_visible", "pg_ts_config_is_visible",
    ), _VISIBLE),
    "pg_relation_is_publishable": context_call(
        lambda context, oid: None if oid is None else relation_by_oid(context, oid) is not None, REGCLASS,
        result=BOOLEAN),
    **dict.fromkeys((
        "has_sequence_privilege", "has_function_privilege", "has_type_privilege", "has_language_privilege",
        "has_tablespace_privilege", "has_foreign_data_wrapper_privilege", "has_server_privilege",
        "has_any_column_privilege",
    ), _PRIVILEGES),
    "pg_database_size": (
        *context_call(_database_size, NAME, result=BIGINT),
        *context_call(_database_size_by_oid, OID, result=BIGINT),
    ),
    "pg_size_pretty": (
        Overload((BIGINT,), TEXT, _size_pretty), Overload((NUMERIC,), TEXT, _numeric_size_pretty),
    ),
    "pg_tablespace_size": (
        *context_call(_tablespace_size, OID, result=BIGINT),
        *context_call(lambda context, name: _tablespace_size(context, _TABLESPACES.get(name)), NAME, result=BIGINT),
    ),
    "pg_tablespace_location": context_call(lambda _context, oid: None if oid is None else "", OID),
    "pg_encoding_to_char": context_call(_encoding_name, INTEGER, result=NAME),
    "pg_char_to_encoding": context_call(_encoding_code, NAME, result=INTEGER),
    "pg_client_encoding": context_call(lambda _context: "UTF8", result=NAME),
    "getdatabaseencoding": context_call(lambda _context: "UTF8", result=NAME),
    "pg_my_temp_schema": context_call(lambda context: _temporary_schema(context), result=OID),
    "pg_is_other_temp_schema": context_call(
        lambda _context, oid: None if oid is None else False, OID, result=BOOLEAN),
}


def _temporary_schema(context: Context) -> int:
    """0 until the session has a temporary table."""
    return oids.TEMPORARY_SCHEMA if context.view.relations_of({oids.TEMPORARY_SCHEMA_NAME}) else 0
