"""What a transaction notes about its schemas and relations: comments and indexes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from rocklake_server.catalog.relations import index_oid
from rocklake_server.catalog.transaction import LakeTransaction
from rocklake_server.errors import DuplicateTable, UndefinedSchema
from rocklake_server.schema.annotations import with_index
from rocklake_server.schema.model import IndexDefinition, IndexKey, Relation
from rocklake_server.schema.system_subspaces import SYSTEM_DATABASE_COMMENT, SYSTEM_SCHEMA_COMMENT

PUBLIC = "public"
DEFAULT_COMMENTS: Mapping[str, str] = {PUBLIC: "standard public schema"}
"""What PostgreSQL says of a schema that nobody commented on."""


class Annotations:
    """The part of ``DatabaseTransaction`` that deals with COMMENT and CREATE INDEX."""

    parts: dict[str, LakeTransaction]

    @abstractmethod
    def writer(self, schema: str, command: str) -> LakeTransaction: ...

    @abstractmethod
    async def part_for_create(self, schema: str | None, command: str) -> LakeTransaction: ...

    @abstractmethod
    def comments_of(self, schema: str) -> Mapping[str, str]:
        """Of the lake of a schema, by the names of their system keys; none without a lake. Raises Absent."""

    @abstractmethod
    def _is_there(self, schema: str) -> bool: ...

    @abstractmethod
    def resolve(self, schema: str | None, name: str) -> Relation: ...

    async def annotate(self, relation: Relation, noted: Relation) -> None:
        """Put ``noted`` in place of ``relation``: it has the same rows and another comment, or an index less."""
        self.writer(relation.schema, "COMMENT").alter(relation, noted)

    async def create_index(self, relation: Relation, name: str, keys: Sequence[IndexKey]) -> None:
        """Record an index. Raises DuplicateTable when a relation or an index has its name."""
        part = self.writer(relation.schema, "CREATE INDEX")
        if name in part.relations.by_name or name in part.relations.by_index_name:
            raise DuplicateTable(f'relation "{name}" already exists')
        index_id = part.lake.allocate_relation_id()
        index = IndexDefinition(index_id, name, tuple(keys), oid=index_oid(index_id, relation))
        part.alter(relation, with_index(relation, index))

    async def comment_on_schema(self, name: str, text: str | None) -> None:
        """Raises UndefinedSchema."""
        if name != PUBLIC and not self._is_there(name):
            raise UndefinedSchema(f'schema "{name}" does not exist')
        (await self.part_for_create(name, "COMMENT")).comment(SYSTEM_SCHEMA_COMMENT, text or "")

    async def comment_on_database(self, text: str | None) -> None:
        (await self.part_for_create(PUBLIC, "COMMENT")).comment(SYSTEM_DATABASE_COMMENT, text or "")

    def schema_comment(self, name: str) -> str | None:
        return self._comment(name, SYSTEM_SCHEMA_COMMENT, DEFAULT_COMMENTS.get(name))

    def database_comment(self) -> str | None:
        return self._comment(PUBLIC, SYSTEM_DATABASE_COMMENT, None)

    def _comment(self, schema: str, name: str, default: str | None) -> str | None:
        return self.comments_of(schema).get(name, default) or None
