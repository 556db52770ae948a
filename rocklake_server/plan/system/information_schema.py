"""information_schema: the lake's schemas, tables and primary keys in the words of the SQL standard.

The system schemas are listed in ``schemata``; their relations are left out, as they are of pg_class.
Columns of the standard's domains have the domains' base types, which is what a row description shows of
them. The columns are in ``information_schema_columns``.
"""

from __future__ import annotations

from rocklake_server.auth.roles import OWNER_NAME
from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system import oids
from rocklake_server.plan.system.pg_catalog_relations import not_null
from rocklake_server.plan.system.relation import (
    Scope,
    SystemRow,
    SystemRows,
    by_schema,
    constant,
    from_each_relation,
    from_view,
)
from rocklake_server.schema.model import Relation, RelationKind


def _schemata(view: TransactionView) -> SystemRows:
    names = ["information_schema", "pg_catalog", *(name for _, name in view.schemas())]
    if view.relations_of({oids.TEMPORARY_SCHEMA_NAME}):
        names.append(oids.TEMPORARY_SCHEMA_NAME)
    return tuple((view.database, name, OWNER_NAME, None, None, None, None) for name in names)


def _tables(relation: Relation, scope: Scope) -> SystemRows:
    table_type = "LOCAL TEMPORARY" if relation.kind is RelationKind.TEMPORARY else "BASE TABLE"
    return ((
        scope.database, scope.schema, relation.name, table_type, None, None, None, None, None,
        "YES", "NO", None,
    ),)


def _table_constraints(relation: Relation, scope: Scope) -> SystemRows:
    """The primary key, and a CHECK for each NOT NULL column as the standard sees it."""

    def row(name: str, kind: str) -> SystemRow:
        return (
            scope.database, scope.schema, name, scope.database, scope.schema, relation.name, kind,
            "NO", "NO", "YES", None,
        )

    checks = tuple(
        row(f"{scope.namespace}_{relation.oid}_{attnum}_not_null", "CHECK")
        for attnum in range(1, len(relation.columns) + 1)
        if not_null(relation, attnum)
    )
    return (row(relation.key_name, "PRIMARY KEY"), *checks) if relation.primary_key else checks


def _key_columns(relation: Relation, scope: Scope) -> SystemRows:
    name = relation.key_name
    return tuple(
        (scope.database, scope.schema, name, scope.database, scope.schema, relation.name,
         relation.columns[position].name, ordinal, None)
        for ordinal, position in enumerate(relation.primary_key, 1)
    )


def _constrained_columns(relation: Relation, scope: Scope) -> SystemRows:
    name = relation.key_name
    return tuple(
        (scope.database, scope.schema, relation.name, relation.columns[position].name,
         scope.database, scope.schema, name)
        for position in relation.primary_key
    )


RELATIONS = (
    from_view(
        "information_schema", "schemata",
        "catalog_name name, schema_name name, schema_owner name, default_character_set_catalog name,"
        "default_character_set_schema name, default_character_set_name name, sql_path varchar",
        _schemata,
    ),
    from_each_relation(
        "information_schema", "tables",
        "table_catalog name, table_schema name, table_name name, table_type varchar,"
        "self_referencing_column_name name, reference_generation varchar, user_defined_type_catalog name,"
        "user_defined_type_schema name, user_defined_type_name name, is_insertable_into varchar,"
        "is_typed varchar, commit_action varchar",
        _tables, table_schema=by_schema,
    ),
    from_each_relation(
        "information_schema", "table_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name,"
        "table_schema name, table_name name, constraint_type varchar, is_deferrable varchar,"
        "initially_deferred varchar, enforced varchar, nulls_distinct varchar",
        _table_constraints, table_schema=by_schema,
    ),
    from_each_relation(
        "information_schema", "key_column_usage",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name,"
        "table_schema name, table_name name, column_name name, ordinal_position int4,"
        "position_in_unique_constraint int4",
        _key_columns, table_schema=by_schema,
    ),
    from_each_relation(
        "information_schema", "constraint_column_usage",
        "table_catalog name, table_schema name, table_name name, column_name name,"
        "constraint_catalog name, constraint_schema name, constraint_name name",
        _constrained_columns, table_schema=by_schema,
    ),
    constant(
        "information_schema", "referential_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name,"
        "unique_constraint_catalog name, unique_constraint_schema name, unique_constraint_name name,"
        "match_option varchar, update_rule varchar, delete_rule varchar",
    ),
    constant(
        "information_schema", "sequences",
        "sequence_catalog name, sequence_schema name, sequence_name name, data_type varchar,"
        "numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, start_value varchar,"
        "minimum_value varchar, maximum_value varchar, increment varchar, cycle_option varchar",
    ),
    constant(
        "information_schema", "views",
        "table_catalog name, table_schema name, table_name name, view_definition varchar,"
        "check_option varchar, is_updatable varchar, is_insertable_into varchar,"
        "is_trigger_updatable varchar, is_trigger_deletable varchar, is_trigger_insertable_into varchar",
    ),
)
