"""Every system relation by schema and name: what a plan reads for pg_catalog and information_schema.

Rows are computed from the transaction's own view. Relations that the lake cannot have are empty; a name
that is not here does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rocklake_server.plan.system import (
    information_schema,
    information_schema_columns,
    pg_catalog_absent,
    pg_catalog_keys,
    pg_catalog_relations,
    pg_catalog_roles,
    pg_catalog_server,
    pg_catalog_types,
)
from rocklake_server.plan.system.relation import SystemRelation

__all__ = ["SYSTEM_RELATIONS", "SystemRelation"]

SYSTEM_RELATIONS: Mapping[tuple[str, str], SystemRelation] = MappingProxyType({
    (relation.schema, relation.name): relation
    for relations in (
        pg_catalog_relations.RELATIONS,
        pg_catalog_keys.RELATIONS,
        pg_catalog_types.RELATIONS,
        pg_catalog_server.RELATIONS,
        pg_catalog_roles.RELATIONS,
        pg_catalog_absent.RELATIONS,
        information_schema.RELATIONS,
        information_schema_columns.RELATIONS,
    )
    for relation in relations
})
