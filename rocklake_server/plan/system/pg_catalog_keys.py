"""pg_constraint, pg_index and the view pg_indexes: the primary keys, the only constraints with an entry of
their own.

A vector (int2vector, oidvector) is an array here; as text it prints with braces.
"""

from __future__ import annotations

from rocklake_server.plan.system import oids
from rocklake_server.plan.system.identifiers import quote_identifier
from rocklake_server.plan.system.relation import (
    Scope,
    SystemRows,
    by_namespace,
    by_oid,
    by_schema,
    from_each_relation,
)
from rocklake_server.plan.system.type_facts import facts_of
from rocklake_server.schema.model import Relation


def _constraints(relation: Relation, scope: Scope) -> SystemRows:
    if not relation.primary_key:
        return ()
    key = tuple(position + 1 for position in relation.primary_key)
    return ((
        oids.constraint_oid(relation), oids.primary_key_name(relation), scope.namespace, "p",
        False, False, True, relation.oid, 0, oids.index_oid(relation), 0, 0, " ", " ", " ", True,
        0, True, key, None, None, None, None, None, None, None,
    ),)


def _indexes(relation: Relation, _: Scope) -> SystemRows:
    if not relation.primary_key:
        return ()
    types = [relation.columns[position].type for position in relation.primary_key]
    key = tuple(position + 1 for position in relation.primary_key)
    return ((
        oids.index_oid(relation), relation.oid, len(key), len(key),
        True, False, True, False, True, False, True, False, True, True, False, key,
        tuple(facts_of(column_type).collation for column_type in types),
        tuple(facts_of(column_type).operator_class for column_type in types), (0,) * len(key), None, None,
    ),)


def _index_listing(relation: Relation, scope: Scope) -> SystemRows:
    if not relation.primary_key:
        return ()
    name = oids.primary_key_name(relation)
    table = f"{quote_identifier(scope.schema)}.{quote_identifier(relation.name)}"
    key = ", ".join(quote_identifier(relation.columns[position].name) for position in relation.primary_key)
    definition = f"CREATE UNIQUE INDEX {quote_identifier(name)} ON {table} USING btree ({key})"
    return ((scope.schema, relation.name, name, None, definition),)


RELATIONS = (
    from_each_relation(
        "pg_catalog", "pg_constraint",
        "oid oid, conname name, connamespace oid, contype char, condeferrable bool, condeferred bool,"
        "convalidated bool, conrelid oid, contypid oid, conindid oid, conparentid oid, confrelid oid,"
        "confupdtype char, confdeltype char, confmatchtype char, conislocal bool, coninhcount int4,"
        "connoinherit bool, conkey _int2, confkey _int2, conpfeqop _oid, conppeqop _oid, conffeqop _oid,"
        "confdelsetcols _int2, conexclop _oid, conbin pg_node_tree",
        _constraints, oid=by_oid, conrelid=by_oid, connamespace=by_namespace,
    ),
    from_each_relation(
        "pg_catalog", "pg_index",
        "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool,"
        "indnullsnotdistinct bool, indisprimary bool, indisexclusion bool, indimmediate bool,"
        "indisclustered bool, indisvalid bool, indcheckxmin bool, indisready bool, indislive bool,"
        "indisreplident bool, indkey int2vector, indcollation oidvector, indclass oidvector,"
        "indoption int2vector, indexprs pg_node_tree, indpred pg_node_tree",
        _indexes, indrelid=by_oid, indexrelid=by_oid,
    ),
    from_each_relation(
        "pg_catalog", "pg_indexes",
        "schemaname name, tablename name, indexname name, tablespace name, indexdef text",
        _index_listing, schemaname=by_schema,
    ),
)
