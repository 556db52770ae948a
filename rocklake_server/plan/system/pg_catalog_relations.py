"""pg_namespace, pg_class, pg_attribute, pg_attrdef and the view pg_tables: the lake's relations.

The system relations themselves are in pg_class and pg_attribute only where a session asks for it: DuckDB
loads every row of both when it attaches, and needs none of them. ``relpages`` is always 0: with pages,
DuckDB reads each relation in ctid ranges over several connections. There are no composite types, so
``reltype`` is 0. Columns are numbered by their position, also after a column was dropped.
"""

from __future__ import annotations

from functools import cache

from rocklake_server.auth.roles import OWNER_NAME
from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system import oids
from rocklake_server.plan.system.default_text import default_text
from rocklake_server.plan.system.indexes import indexes_of
from rocklake_server.plan.system.own_relations import own_relations
from rocklake_server.plan.system.relation import (
    Scope,
    SystemRow,
    SystemRows,
    by_namespace,
    by_oid,
    by_schema,
    from_each_relation,
    from_view,
)
from rocklake_server.plan.system.type_facts import facts_of
from rocklake_server.schema.model import Relation, RelationColumn, RelationKind

_BOOTSTRAP_XID = 1


def _namespaces(view: TransactionView) -> SystemRows:
    rows = [
        (oids.PG_CATALOG, "pg_catalog", oids.OWNER, None),
        (oids.INFORMATION_SCHEMA, "information_schema", oids.OWNER, None),
    ]
    rows += [(oid, name, oids.OWNER, None) for oid, name in view.schemas()]
    if view.relations_of({oids.TEMPORARY_SCHEMA_NAME}):
        rows.append((oids.TEMPORARY_SCHEMA, oids.TEMPORARY_SCHEMA_NAME, oids.OWNER, None))
    return tuple(sorted(rows))


def _class_row(oid: int, name: str, kind: str, relation: Relation, namespace: int,
               column_count: int) -> SystemRow:
    table = kind == "r"
    return (
        oid, name, namespace, 0, 0, oids.OWNER, oids.HEAP if table else oids.BTREE, oid, 0,
        0, -1.0 if table else 0.0, 0, 0, table and bool(relation.primary_key or relation.indexes), False,
        "t" if relation.kind is RelationKind.TEMPORARY else "p", kind, column_count, 0,
        False, False, False, False, False, True, "d" if table else "n", False, 0, 0, 0, None, None, None,
        oids.definition_xid(relation),
    )


def _classes(relation: Relation, scope: Scope) -> SystemRows:
    table = _class_row(relation.oid, relation.name, "r", relation, scope.namespace, len(relation.columns))
    indexes = [
        _class_row(index.oid, index.name, "i", relation, scope.namespace, len(index.positions))
        for index in indexes_of(relation)
    ]
    return (table, *indexes)


@cache
def _own_classes() -> SystemRows:
    return tuple(
        (
            own.oid, own.name, own.namespace, 0, 0, oids.OWNER, oids.HEAP if own.kind == "r" else 0, 0,
            oids.GLOBAL_TABLESPACE if own.shared else 0, 0, -1.0, 0, 0, False, own.shared, "p", own.kind,
            len(own.columns), 0, own.kind == "v", False, False, False, False, True, "n", False, 0, 0, 0, None, None,
            None, _BOOTSTRAP_XID,
        )
        for own in own_relations()
    )  # fmt: skip


@cache
def _own_attributes() -> SystemRows:
    return tuple(
        _attribute_row(own.oid, column, attnum, not_null=False, has_default=False)
        for own in own_relations()
        for attnum, column in enumerate(own.columns, 1)
    )


def _attribute_row(oid: int, column: RelationColumn, attnum: int, *, not_null: bool,
                   has_default: bool) -> SystemRow:
    facts = facts_of(column.type)
    return (
        oid, column.name, column.type.oid, -1, column.type.size, attnum,
        int(column.type.element is not None), -1, column.type.typmod, facts.by_value, facts.align,
        facts.storage, "",
        not_null, has_default, False, "", "", False, True, 0, facts.collation, None, None, None, None,
    )


def _attributes(relation: Relation, _: Scope) -> SystemRows:
    rows = [
        _attribute_row(relation.oid, column, attnum, not_null=not_null(relation, attnum),
                       has_default=column.default is not None)
        for attnum, column in enumerate(relation.columns, 1)
    ]
    rows += [
        _attribute_row(index.oid, column, attnum, not_null=False, has_default=False)
        for index in indexes_of(relation)
        for attnum, column in enumerate(index.columns(relation), 1)
    ]
    return tuple(rows)


def not_null(relation: Relation, attnum: int) -> bool:
    """Whether the column was declared NOT NULL or belongs to the primary key."""
    return not relation.columns[attnum - 1].nullable or attnum - 1 in relation.primary_key


def _defaults(relation: Relation, _: Scope) -> SystemRows:
    return tuple(
        (oids.default_oid(relation, attnum), relation.oid, attnum, default_text(column))
        for attnum, column in enumerate(relation.columns, 1)
        if column.default is not None
    )


def _tables(relation: Relation, scope: Scope) -> SystemRows:
    has_index = bool(relation.primary_key or relation.indexes)
    return ((scope.schema, relation.name, OWNER_NAME, None, has_index, False, False, False),)


RELATIONS = (
    from_view(
        "pg_catalog", "pg_namespace", "oid oid, nspname name, nspowner oid, nspacl _aclitem",
        _namespaces,
    ),
    from_each_relation(
        "pg_catalog", "pg_class",
        "oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid, relam oid,"
        "relfilenode oid, reltablespace oid, relpages int4, reltuples float4, relallvisible int4,"
        "reltoastrelid oid, relhasindex bool, relisshared bool, relpersistence char, relkind char,"
        "relnatts int2, relchecks int2, relhasrules bool, relhastriggers bool, relhassubclass bool,"
        "relrowsecurity bool, relforcerowsecurity bool, relispopulated bool, relreplident char,"
        "relispartition bool, relrewrite oid, relfrozenxid xid, relminmxid xid, relacl _aclitem,"
        "reloptions _text, relpartbound pg_node_tree",
        _classes, hidden="xmin xid", system=_own_classes, oid=by_oid, relnamespace=by_namespace,
    ),
    from_each_relation(
        "pg_catalog", "pg_attribute",
        "attrelid oid, attname name, atttypid oid, attstattarget int4, attlen int2, attnum int2,"
        "attndims int4, attcacheoff int4, atttypmod int4, attbyval bool, attalign char, attstorage char,"
        "attcompression char, attnotnull bool, atthasdef bool, atthasmissing bool, attidentity char,"
        "attgenerated char, attisdropped bool, attislocal bool, attinhcount int4, attcollation oid,"
        "attacl _aclitem, attoptions _text, attfdwoptions _text, attmissingval anyarray",
        _attributes, system=_own_attributes, attrelid=by_oid,
    ),
    from_each_relation(
        "pg_catalog", "pg_attrdef", "oid oid, adrelid oid, adnum int2, adbin pg_node_tree",
        _defaults, adrelid=by_oid,
    ),
    from_each_relation(
        "pg_catalog", "pg_tables",
        "schemaname name, tablename name, tableowner name, tablespace name, hasindexes bool,"
        "hasrules bool, hastriggers bool, rowsecurity bool",
        _tables, schemaname=by_schema,
    ),
)
