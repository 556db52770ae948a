"""The definitions a transaction sees and changes: schemas and relations of its database."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from rocklake_server.auth.access import Access
from rocklake_server.auth.audit import audit
from rocklake_server.auth.roles import Privilege
from rocklake_server.catalog.annotations import Annotations
from rocklake_server.catalog.database_names import DatabaseFacts, known_databases, require_fillable
from rocklake_server.catalog.databases import PUBLIC, Databases, OpenLake
from rocklake_server.catalog.indexes import index_entries
from rocklake_server.catalog.listing import Place
from rocklake_server.catalog.relations import relation_of, relation_oid
from rocklake_server.catalog.system_keys import placed
from rocklake_server.catalog.temporary import TEMPORARY_SCHEMA, TemporaryTables
from rocklake_server.catalog.transaction import LakeTransaction
from rocklake_server.catalog.view import Absent, ColumnDefinition
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
    places: Mapping[str, Place]
    """The schemas that were on the list at the first statement, or at the newest one."""
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
    async def need(self, schema: str) -> None:
        """Take the root of a listed schema, unless that was done."""

    @abstractmethod
    def writer(self, schema: str, command: str) -> LakeTransaction: ...

    @abstractmethod
    def written_schema(self) -> str | None: ...

    @abstractmethod
    def check_writable(self, command: str, needed: Privilege = Privilege.WRITER) -> None: ...

    @property
    def definitions_version(self) -> object:
        """Equal as long as no definition that this transaction sees has changed: the newest ones of the database, but
        for those of its own roots and changes."""
        databases, own = self.databases, []
        for schema, part in self.parts.items():
            place = self.places.get(schema)
            newest = None if place is None else databases.outline(schema, place)
            if newest is None or newest.relations is not part.relations:
                own.append((schema, part.relations.version))
        listed = databases.directory.databases_version
        return (self.database, listed, databases.definitions_version(self.database), *own)

    def known_databases(self) -> Sequence[DatabaseFacts]:
        return known_databases(self.databases.directory.databases(), self.database)

    def schemas(self) -> Sequence[tuple[int, str]]:
        found = self.databases.schema_oids(self.database, self.places)
        if not self.changes_schemas:
            return found
        created = ((relation_oid(0, self.opened[name].lake.slot), name) for name in self._created_schemas)
        return [*(pair for pair in found if pair[1] not in self.dropped_schemas), *created]

    def _is_there(self, schema: str) -> bool:
        """Whether this transaction sees the schema, and it has a lake."""
        return schema in self.parts or (schema in self.places and schema not in self.dropped_schemas)

    def relations(self) -> Sequence[Relation]:
        return self.relations_of({*filter(self._is_there, self.places), *self.parts})

    def relations_of(self, schemas: Collection[str]) -> Sequence[Relation]:
        found: list[Relation] = []
        unknown: list[str] = []
        for schema in sorted(schemas, key=self._order):
            part = self.parts.get(schema)
            if part is not None:
                found += part.relations.by_id.values()
            elif self._is_there(schema):
                outline = self.databases.outline(schema, self.places[schema])
                if outline is None:
                    unknown.append(schema)
                else:
                    found += outline.relations.by_id.values()
        if unknown:
            raise Absent(unknown, entered=False)
        return found

    def comments_of(self, schema: str) -> Mapping[str, str]:
        part = self.parts.get(schema)
        if part is not None:
            return part.relations.comments
        if not self._is_there(schema):
            return {}
        outline = self.databases.outline(schema, self.places[schema])
        if outline is None:
            raise Absent((schema,), entered=False)
        return outline.relations.comments

    def _order(self, schema: str) -> int:
        """Oldest first, temporary tables last."""
        place = self.places.get(schema)
        return place.number if place is not None else self.databases.newest_number

    def relation_of_oid(self, oid: int) -> Relation | None:
        relation_id, slot = relation_of(oid)
        for schema, opened in self.opened.items():
            if opened.lake.slot == slot and schema in self.parts:
                found = self.parts[schema].relations.by_id.get(relation_id)
                if found is not None and found.oid == oid:
                    return found
        return next((relation for relation in self._relations_in(slot) if relation.oid == oid), None)

    def owner_of_index(self, oid: int) -> Relation | None:
        _, slot = relation_of(oid)
        own = {schema for schema, opened in self.opened.items() if opened.lake.slot == slot and schema in self.parts}
        relations = self.relations_of(own) if own else self._relations_in(slot)
        return next((found for found in relations if any(index.oid == oid for index in found.indexes)), None)

    def _relations_in(self, slot: int) -> Sequence[Relation]:
        listed = self.databases.schema_of_slot(self.database, self.places, slot)
        return () if listed is None else self.relations_of({listed})

    def resolve(self, schema: str | None, name: str) -> Relation:
        for candidate in (TEMPORARY_SCHEMA, PUBLIC) if schema is None else (schema,):
            part = self.parts.get(candidate)
            if part is None and self._is_there(candidate):
                raise Absent((candidate,), entered=True)
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
        if self._is_there(name):
            await self.need(name)
        if name not in self.parts:
            if name != PUBLIC:
                raise UndefinedSchema(f'schema "{name}" does not exist')
            require_fillable(self.database)
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
        if name == PUBLIC or name in SYSTEM_SCHEMAS or self._is_there(name):
            if if_not_exists:
                return False
            raise DuplicateSchema(f'schema "{name}" already exists')
        if name.startswith("pg_"):
            raise Unsupported(f'schema name "{name}" is not supported: the prefix "pg_" is reserved for system schemas')
        require_fillable(self.database)
        self._require_unwritten("CREATE SCHEMA", name)
        self.enter(name, await self.databases.reserve_lake(self.database, name, replacing=name in self.dropped_schemas))
        self._created_schemas.append(name)
        return True

    async def drop_schema(self, name: str, *, if_exists: bool = False, cascade: bool = False) -> bool:
        self.check_writable("DROP SCHEMA", Privilege.ADMIN)
        if self._is_there(name):
            await self.need(name)
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
            directory, now_us = self.databases.directory, self.databases.clock.now_us()
            await directory.publish(self.database, self._created_schemas, self.dropped_schemas, now_us)
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
