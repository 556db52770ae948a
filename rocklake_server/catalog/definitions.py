"""The definitions a transaction sees and changes: schemas and relations of its database."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from rocklake_server.catalog.databases import PUBLIC, Databases, OpenLake
from rocklake_server.catalog.relations import relation_oid
from rocklake_server.catalog.system_keys import placed
from rocklake_server.catalog.temporary import TEMPORARY_SCHEMA, TemporaryTables
from rocklake_server.catalog.transaction import LakeTransaction
from rocklake_server.catalog.view import ColumnDefinition
from rocklake_server.errors import (
    DependentObjects,
    DuplicateSchema,
    DuplicateTable,
    InvalidTableDefinition,
    UndefinedSchema,
    UndefinedTable,
    Unsupported,
)
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.schema.relations import (
    add_column,
    check_columns,
    drop_column,
    new_relation,
    rename_column,
    user_relation,
)

PUBLIC_OID = 2200
SYSTEM_SCHEMAS = ("pg_catalog", "information_schema")


class Definitions:
    """The half of ``DatabaseTransaction`` that deals with DDL."""

    databases: Databases
    parts: dict[str, LakeTransaction]
    opened: dict[str, OpenLake]
    temporary: TemporaryTables

    def __init__(self) -> None:
        self.dropped_on_commit: set[int] = set()
        self._created_schemas: list[str] = []
        self._dropped_schemas: list[str] = []
        self.departed: list[LakeTransaction] = []

    @property
    @abstractmethod
    def database(self) -> str: ...

    @abstractmethod
    def enter(self, schema: str, opened: OpenLake) -> LakeTransaction: ...

    @abstractmethod
    def writer(self, schema: str, command: str) -> LakeTransaction: ...

    @abstractmethod
    def check_writable(self, command: str) -> None: ...

    @property
    def definitions_version(self) -> object:
        """Equal as long as no definition that this transaction sees has changed."""
        return (self.database, *((schema, part.relations.version) for schema, part in self.parts.items()))

    def schemas(self) -> Sequence[tuple[int, str]]:
        found = [(PUBLIC_OID, PUBLIC)]
        for schema, opened in self.opened.items():
            if schema not in (PUBLIC, TEMPORARY_SCHEMA) and schema in self.parts:
                found.append((relation_oid(0, opened.lake.slot), schema))
        return found

    def relations(self) -> Sequence[Relation]:
        return [relation for part in self.parts.values() for relation in part.relations.by_id.values()]

    def resolve(self, schema: str | None, name: str) -> Relation:
        for candidate in (TEMPORARY_SCHEMA, PUBLIC) if schema is None else (schema,):
            part = self.parts.get(candidate)
            relation = part.relations.by_name.get(name) if part is not None else None
            if relation is not None:
                return relation
        qualified = name if schema is None else f"{schema}.{name}"
        raise UndefinedTable(f'relation "{qualified}" does not exist')

    # -- relations --------------------------------------------------------------------------------------------------

    async def create_relation(
        self,
        schema: str | None,
        name: str,
        columns: Sequence[ColumnDefinition],
        primary_key: Sequence[str] = (),
        *,
        if_not_exists: bool = False,
        temporary: bool = False,
        on_commit_drop: bool = False,
    ) -> bool:
        check_columns(columns, primary_key)
        part = await self._part_for_create(schema, temporary=temporary)
        if name in part.relations.by_name:
            if if_not_exists:
                return False
            raise DuplicateTable(f'relation "{name}" already exists')
        relation_id = part.lake.allocate_relation_id()
        if temporary:
            relation = replace(user_relation(relation_id, name, columns, primary_key), kind=RelationKind.TEMPORARY)
        else:
            relation = new_relation(relation_id, name, columns, primary_key)
        relation = placed(relation, part.lake.schema, part.lake.slot)
        part.create(relation, if_not_exists=if_not_exists)
        if on_commit_drop:
            self.dropped_on_commit.add(relation_id)
        return True

    async def _part_for_create(self, schema: str | None, *, temporary: bool) -> LakeTransaction:
        if temporary:
            if schema not in (None, TEMPORARY_SCHEMA):
                raise InvalidTableDefinition("cannot create temporary relation in non-temporary schema")
            opened = await self.temporary.open()
            return self.parts.get(TEMPORARY_SCHEMA) or self.enter(TEMPORARY_SCHEMA, opened)
        name = PUBLIC if schema is None else schema
        self.check_writable("CREATE TABLE")
        if name in SYSTEM_SCHEMAS:
            raise Unsupported(f'creating relations in schema "{name}" is not supported')
        if name not in self.parts:
            if name != PUBLIC:
                raise UndefinedSchema(f'schema "{name}" does not exist')
            self.enter(name, await self.databases.create_lake(self.database, name, None))
        return self.writer(name, "CREATE TABLE")

    async def drop_relation(self, relation: Relation) -> None:
        await self.writer(relation.schema, "DROP TABLE").drop(relation)

    async def add_column(self, relation: Relation, column: ColumnDefinition) -> None:
        self._alter(relation, lambda found: add_column(found, column))

    async def drop_column(self, relation: Relation, name: str) -> None:
        self._alter(relation, lambda found: drop_column(found, name))

    async def rename_column(self, relation: Relation, name: str, new_name: str) -> None:
        self._alter(relation, lambda found: rename_column(found, name, new_name))

    async def rename_relation(self, relation: Relation, new_name: str) -> None:
        part = self.writer(relation.schema, "ALTER TABLE")
        if new_name in part.relations.by_name:
            raise DuplicateTable(f'relation "{new_name}" already exists')
        part.alter(relation, replace(relation, name=new_name))

    def _alter(self, relation: Relation, change: Callable[[Relation], Relation]) -> None:
        part = self.writer(relation.schema, "ALTER TABLE")
        part.alter(relation, change(relation))

    # -- schemas ----------------------------------------------------------------------------------------------------

    async def create_schema(self, name: str, *, if_not_exists: bool = False) -> bool:
        self.check_writable("CREATE SCHEMA")
        if name == PUBLIC or name in SYSTEM_SCHEMAS or name in self.parts:
            if if_not_exists:
                return False
            raise DuplicateSchema(f'schema "{name}" already exists')
        if name.startswith("pg_"):
            raise Unsupported(f'schema name "{name}" is not supported: the prefix "pg_" is reserved for system schemas')
        self.enter(name, await self.databases.create_lake(self.database, name, self))
        self._created_schemas.append(name)
        return True

    async def drop_schema(self, name: str, *, if_exists: bool = False, cascade: bool = False) -> bool:
        self.check_writable("DROP SCHEMA")
        part = self.parts.get(name)
        if part is None or name == TEMPORARY_SCHEMA:
            if if_exists:
                return False
            raise UndefinedSchema(f'schema "{name}" does not exist')
        if part.relations.by_id and not cascade:
            raise DependentObjects(
                f"cannot drop schema {name} because other objects depend on it",
                hint="Use DROP ... CASCADE to drop the dependent objects too.",
            )
        self.departed.append(self.parts.pop(name))
        self._dropped_schemas.append(name)
        return True

    async def publish_schemas(self) -> None:
        """At COMMIT: schemas created here become visible to all, dropped ones leave the directory."""
        for name in self._created_schemas:
            self.databases.uncommitted.pop((self.database, name), None)
        self._created_schemas.clear()
        for name in self._dropped_schemas:
            await self.databases.directory.retire(self.database, name)
        self._dropped_schemas.clear()

    async def forget_schemas(self) -> None:
        """At ROLLBACK: schemas created here are gone again."""
        for name in self._created_schemas:
            await self.databases.directory.retire(self.database, name)
            self.databases.uncommitted.pop((self.database, name), None)
        self._created_schemas.clear()
        self._dropped_schemas.clear()
