"""pg_constraint, pg_index and the view pg_indexes: the primary keys, the only constraints with an entry of their own,
and the indexes that CREATE INDEX recorded."""

from __future__ import annotations

from rocklake_server.plan.system import oids
from rocklake_server.plan.system.identifiers import quote_identifier
from rocklake_server.plan.system.indexes import IndexFacts, indexes_of
from rocklake_server.plan.system.relation import (
    Scope,
    SystemRow,
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
        oids.constraint_oid(relation), relation.key_name, scope.namespace, "p",
        False, False, True, relation.oid, 0, oids.index_oid(relation), 0, 0, " ", " ", " ", True,
        0, True, key, None, None, None, None, None, None, None,
    ),)


def _indexes(relation: Relation, _: Scope) -> SystemRows:
    return tuple(_index_row(relation, index) for index in indexes_of(relation))


def _index_row(relation: Relation, index: IndexFacts) -> SystemRow:
    facts = [facts_of(column.type) for column in index.columns(relation)]
    count = len(index.positions)
    return (
        index.oid, relation.oid, count, count,
        index.primary, False, index.primary, False, True, False, True, False, True, True, False,
        tuple(position + 1 for position in index.positions),
        tuple(each.collation for each in facts), tuple(each.operator_class for each in facts), index.options,
        None, None,
    )


def _index_listing(relation: Relation, scope: Scope) -> SystemRows:
    table = f"{quote_identifier(scope.schema)}.{quote_identifier(relation.name)}"
    return tuple(
        (scope.schema, relation.name, index.name, None, index.definition(relation, table))
        for index in indexes_of(relation)
    )


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
