"""The object identifiers of catalog rows: PostgreSQL's own where it fixes one, else derived from the
relation's OID.

A relation's OID lies below 2^30. Its primary key's index, the constraint and the column defaults have
their own ranges above, so that equal definitions have equal OIDs in every session and after every
restart.
"""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

from rocklake_server.auth.roles import OWNER_OID
from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import InternalProblem
from rocklake_server.plan.system.fixed_oids import CATALOGS, PSEUDO_TYPES
from rocklake_server.schema.model import Relation, RelationKind

__all__ = ["CATALOGS", "PSEUDO_TYPES"]

PG_CATALOG = 11
INFORMATION_SCHEMA = 13_207
TEMPORARY_SCHEMA = 13_208
TEMPORARY_SCHEMA_NAME = "pg_temp"

OWNER = OWNER_OID

HEAP = 2
BTREE = 403
DEFAULT_COLLATION = 100
C_COLLATION = 950
DEFAULT_TABLESPACE = 1663
GLOBAL_TABLESPACE = 1664
INTERNAL_LANGUAGE = 12

_DERIVED_RANGE = 1 << 30
_FIRST_NORMAL_XID = 3


def index_oid(relation: Relation) -> int:
    """The OID of the index of the relation's primary key."""
    return _DERIVED_RANGE + _own_oid(relation)


def constraint_oid(relation: Relation) -> int:
    """The OID of the relation's primary key constraint."""
    return 2 * _DERIVED_RANGE + _own_oid(relation)


def default_oid(relation: Relation, attnum: int) -> int:
    """The OID of a column's default."""
    return 3 * _DERIVED_RANGE + crc32(b"%d.%d" % (_own_oid(relation), attnum)) % _DERIVED_RANGE


def own_oid_of(oid: int) -> int:
    """The relation's OID behind that of its index or constraint."""
    return oid % _DERIVED_RANGE


def _own_oid(relation: Relation) -> int:
    if not 0 < relation.oid < _DERIVED_RANGE:
        raise InternalProblem(
            f'relation "{relation.name}" has OID {relation.oid}, outside 1 to {_DERIVED_RANGE - 1}'
        )
    return relation.oid


def definition_xid(relation: Relation) -> int:
    """A stand-in for pg_class.xmin: an unsigned 32-bit number that changes with the relation's definition."""
    definition = (
        relation.schema, relation.name, relation.oid, relation.kind.value, relation.primary_key,
        [(column.name, column.type.oid, column.type.typmod, column.number, column.nullable, column.default)
         for column in relation.columns],
    )
    return crc32(repr(definition).encode()) % ((1 << 32) - _FIRST_NORMAL_XID) + _FIRST_NORMAL_XID


def namespaces(view: TransactionView) -> Mapping[str, int]:
    """Schema name -> OID of the database's own schemas."""
    return {name: oid for oid, name in view.schemas()}


def namespace_of(relation: Relation, oids: Mapping[str, int]) -> tuple[int, str]:
    """The OID and name of the schema that holds ``relation``. Raises InternalProblem when the view has
    no such schema."""
    if relation.kind is RelationKind.TEMPORARY:
        return TEMPORARY_SCHEMA, TEMPORARY_SCHEMA_NAME
    if relation.schema not in oids:
        raise InternalProblem(f'relation "{relation.name}" belongs to an unknown schema "{relation.schema}"')
    return oids[relation.schema], relation.schema


def database_oid(view: TransactionView, name: str) -> int | None:
    """As pg_database has it; ``None`` for a database that is not there."""
    return next((found.oid for found in view.known_databases() if found.name == name), None)
