"""The definitions a transaction sees and changes: schemas and relations of its database."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rocklake_server.auth.access import Access
from rocklake_server.auth.audit import audit
from rocklake_server.auth.roles import Privilege
from rocklake_server.catalog.annotations import Annotations
from rocklake_server.catalog.databases import PUBLIC, Databases, OpenLake
from rocklake_server.catalog.indexes import index_entries
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
    SerializationFailure,
    UndefinedSchema,
    UndefinedTable,
    Unsupported,
)
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.schema.registry import BY_NAME
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


@dataclass(frozen=True, slots=True)
class SchemaState:
    """The schemas of a transaction, and what it has dropped, at a savepoint."""

    parts: Mapping[str, LakeTransaction]
    opened: Mapping[str, OpenLake]
    created: tuple[str, ...]
    dropped: tuple[str, ...]
    dropped_relations: tuple[Relation, ...]


class Definitions(Annotations):
    """The half of ``DatabaseTransaction`` that deals with DDL."""

    databases: Databases
    parts: dict[str, LakeTransaction]
    opened: dict[str, OpenLake]
    temporary: TemporaryTables
    access: Access

    def __init__(self) -> None:
        self.dropped_on_commit: set[int] = set()
        self._created_schemas: list[str] = []
        self.dropped_schemas: list[str] = []
        self._dropped_relations: list[Relation] = []
        self.departed: list[LakeTransaction] = []
        self.savepoints: list[tuple[str, SchemaState]] = []

    @property
    @abstractmethod
    def database(self) -> str: ...

    @abstractmethod
    def enter(self, schema: str, opened: OpenLake) -> LakeTransaction: ...

    @abstractmethod
    def writer(self, schema: str, command: str) -> LakeTransaction: ...

    @abstractmethod
    def written_schema(self) -> str | None: ...

    @abstractmethod
    def check_writable(self, command: str, needed: Privilege = Privilege.WRITER) -> None: ...

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
        part = await (self._temporary_part(schema) if temporary else self.part_for_create(schema, "CREATE TABLE"))
        if name in part.relations.by_name or name in part.relations.by_index_name:
            if if_not_exists:
                return False
            raise DuplicateTable(f'relation "{name}" already exists')
        relation_id = part.lake.allocate_relation_id()
        if temporary:
            relation = replace(user_relation(relation_id, name, columns, primary_key), kind=RelationKind.TEMPORARY)
        else:
            taken = {found.key_prefix for found in part.relations.by_id.values()} if name in BY_NAME else frozenset()
            relation = new_relation(relation_id, name, columns, primary_key, taken=taken)
        relation = placed(relation, part.lake.schema, part.lake.slot)
        part.create(relation, if_not_exists=if_not_exists)
        if on_commit_drop:
            self.dropped_on_commit.add(relation_id)
        return True

    async def _temporary_part(self, schema: str | None) -> LakeTransaction:
        if schema not in (None, TEMPORARY_SCHEMA):
            raise InvalidTableDefinition("cannot create temporary relation in non-temporary schema")
        opened = await self.temporary.open()
        return self.parts.get(TEMPORARY_SCHEMA) or self.enter(TEMPORARY_SCHEMA, opened)

    async def part_for_create(self, schema: str | None, command: str) -> LakeTransaction:
        """A schema's part, for something new in it; ``public`` is there as soon as somebody needs it."""
        name = PUBLIC if schema is None else schema
        self.check_writable(command)
        if name in SYSTEM_SCHEMAS:
            raise Unsupported(f'creating relations in schema "{name}" is not supported')
        if name not in self.parts:
            if name != PUBLIC:
                raise UndefinedSchema(f'schema "{name}" does not exist')
            self.enter(name, await self.databases.create_lake(self.database, name))
        return self.writer(name, command)

    async def drop_relation(self, relation: Relation) -> None:
        await self.writer(relation.schema, "DROP TABLE").drop(relation)
        if relation.kind is not RelationKind.TEMPORARY:
            self._dropped_relations.append(relation)

    async def add_column(self, relation: Relation, column: ColumnDefinition) -> None:
        self._alter(relation, lambda found: add_column(found, column))

    async def drop_column(self, relation: Relation, name: str) -> None:
        self._alter(relation, lambda found: drop_column(found, name))

    async def rename_column(self, relation: Relation, name: str, new_name: str) -> None:
        self._alter(relation, lambda found: rename_column(found, name, new_name))

    async def rename_relation(self, relation: Relation, new_name: str) -> None:
        part = self.writer(relation.schema, "ALTER TABLE")
        if new_name in part.relations.by_name or new_name in part.relations.by_index_name:
            raise DuplicateTable(f'relation "{new_name}" already exists')
        _alter(part, relation, replace(relation, name=new_name))

    def _alter(self, relation: Relation, change: Callable[[Relation], Relation]) -> None:
        _alter(self.writer(relation.schema, "ALTER TABLE"), relation, change(relation))

    # -- schemas ----------------------------------------------------------------------------------------------------

    async def create_schema(self, name: str, *, if_not_exists: bool = False) -> bool:
        self.check_writable("CREATE SCHEMA")
        if name == PUBLIC or name in SYSTEM_SCHEMAS or name in self.parts:
            if if_not_exists:
                return False
            raise DuplicateSchema(f'schema "{name}" already exists')
        if name.startswith("pg_"):
            raise Unsupported(f'schema name "{name}" is not supported: the prefix "pg_" is reserved for system schemas')
        self._require_unwritten("CREATE SCHEMA", name)
        self.enter(name, await self.databases.reserve_lake(self.database, name, replacing=name in self.dropped_schemas))
        self._created_schemas.append(name)
        return True

    async def drop_schema(self, name: str, *, if_exists: bool = False, cascade: bool = False) -> bool:
        self.check_writable("DROP SCHEMA", Privilege.ADMIN)
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
        if any(name in state.created for _, state in self.savepoints):
            raise Unsupported(f'dropping schema "{name}" is not supported: a savepoint may bring it back')
        if name not in self._created_schemas:
            self._require_unwritten("DROP SCHEMA", name)
        self.departed.append(self.parts.pop(name))
        if name in self._created_schemas:
            self._forget_schema(name)
        else:
            self.dropped_schemas.append(name)
        return True

    def _require_unwritten(self, command: str, name: str) -> None:
        """The list of schemas is in another store than a schema's rows, so one batch holds changes to either. A schema
        that is created here is free: nobody sees its rows before it is listed. Raises Unsupported."""
        written = self.written_schema()
        if written is not None and written != name and written not in self._created_schemas:
            raise Unsupported(f'{command} is not supported in a transaction that wrote schema "{written}"')

    def require_unchanged_list(self, schema: str, command: str) -> None:
        """As ``_require_unwritten``, for a write after the list of schemas was changed. Raises Unsupported."""
        if self.changes_schemas and schema not in self._created_schemas:
            raise Unsupported(
                f'{command} in schema "{schema}" is not supported in a transaction that creates or drops schemas'
            )

    def require_listed(self, schema: str) -> None:
        """Raises SerializationFailure when another transaction dropped the schema that this one wrote."""
        if schema not in self._created_schemas and not self.databases.lists(self.database, schema, self.opened[schema]):
            raise SerializationFailure.delete()

    @property
    def changes_schemas(self) -> bool:
        """Whether COMMIT enters or retires schemas."""
        return bool(self._created_schemas or self.dropped_schemas)

    async def publish_schemas(self) -> None:
        """At COMMIT: schemas created here become visible to all, dropped ones leave the directory."""
        if self.changes_schemas:
            await self.databases.directory.publish(self.database, self._created_schemas, self.dropped_schemas)
            for name in self.dropped_schemas:
                self._audit_drop("schema", name)
            self._created_schemas.clear()
            self.dropped_schemas.clear()

    def audit_dropped_relations(self) -> None:
        """Once the COMMIT is durable."""
        for relation in self._dropped_relations:
            self._audit_drop("table", f"{relation.schema}.{relation.name}")

    def _audit_drop(self, kind: str, name: str) -> None:
        audit("drop", user=self.access.user, address=self.access.address, object=kind, name=name,
              database=self.database)  # fmt: skip

    def forget_schemas(self) -> None:
        """At ROLLBACK: the names of schemas created here are free again."""
        for name in list(self._created_schemas):
            self._forget_schema(name)
        self.dropped_schemas.clear()

    def _forget_schema(self, name: str) -> None:
        self._created_schemas.remove(name)
        self.databases.directory.give_up(self.database, name)

    def schema_state(self) -> SchemaState:
        """What ``restore_schemas`` goes back to."""
        created, dropped = tuple(self._created_schemas), tuple(self.dropped_schemas)
        return SchemaState(dict(self.parts), dict(self.opened), created, dropped, tuple(self._dropped_relations))

    def restore_schemas(self, state: SchemaState) -> None:
        """ROLLBACK TO a savepoint: schemas created since are gone, dropped ones are back. Lakes that were only
        entered since stay: their roots belong to the transaction."""
        for name in [name for name in self._created_schemas if name not in state.created]:
            self._forget_schema(name)
            if name in self.parts:
                self.departed.append(self.parts.pop(name))
        for name, part in state.parts.items():
            self.parts[name], self.opened[name] = part, state.opened[name]
            if part in self.departed:
                self.departed.remove(part)
        self.dropped_schemas[:] = state.dropped
        self._dropped_relations[:] = state.dropped_relations


def _alter(part: LakeTransaction, old: Relation, new: Relation) -> None:
    if (index_entries(old) is None) != (index_entries(new) is None):
        raise Unsupported(f'this change of relation "{old.name}" is not supported: its secondary indexes would not fit')
    part.alter(old, new)
