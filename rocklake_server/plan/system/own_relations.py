"""The system relations as relations: what pg_class and pg_attribute have of them where they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from rocklake_server.plan.system import oids
from rocklake_server.plan.system.relation import DECLARED
from rocklake_server.schema.model import RelationColumn

_FIRST_VIEW_OID = 12_000
"""PostgreSQL numbers the views of pg_catalog from here on, and its tables below."""

_FIRST_OID = 14_000
"""Relations for which PostgreSQL fixes no OID are numbered from here on, in the order of their names."""

_INFORMATION_SCHEMA = "information_schema"
_SHARED = frozenset({
    "pg_auth_members", "pg_authid", "pg_database", "pg_db_role_setting", "pg_parameter_acl", "pg_replication_origin",
    "pg_shdepend", "pg_shdescription", "pg_shseclabel", "pg_subscription", "pg_tablespace",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class OwnRelation:
    """``kind`` is pg_class's relkind."""

    oid: int
    schema: str
    name: str
    namespace: int
    kind: str
    columns: tuple[RelationColumn, ...]

    @property
    def shared(self) -> bool:
        return self.name in _SHARED


@cache
def own_relations() -> Sequence[OwnRelation]:
    """Those of PostgreSQL's two schemas, by schema and name."""
    namespaces = {"pg_catalog": oids.PG_CATALOG, _INFORMATION_SCHEMA: oids.INFORMATION_SCHEMA}
    found: list[OwnRelation] = []
    for number, ((schema, name), columns) in enumerate(sorted(DECLARED.items())):
        if schema in namespaces:
            oid = oids.CATALOGS.get(name, _FIRST_OID + number)
            kind = "r" if oid < _FIRST_VIEW_OID else "v"
            found.append(OwnRelation(oid, schema, name, namespaces[schema], kind, columns))
    return tuple(found)


@cache
def _by_oid() -> dict[int, OwnRelation]:
    return {relation.oid: relation for relation in own_relations()}


def own_relation(oid: int) -> OwnRelation | None:
    return _by_oid().get(oid)
