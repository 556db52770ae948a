"""A session's transaction: one root of each schema of its database, writes to one of them, temporary tables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from types import MappingProxyType

from rocklake_server.auth.access import UNRESTRICTED, Access
from rocklake_server.auth.roles import Privilege
from rocklake_server.catalog.database_names import PERMANENT_OIDS
from rocklake_server.catalog.databases import PUBLIC, Databases, OpenLake
from rocklake_server.catalog.definitions import Definitions
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.listing import Place
from rocklake_server.catalog.maintenance.runs import Run
from rocklake_server.catalog.picture import Picture
from rocklake_server.catalog.root import Root
from rocklake_server.catalog.sizes import relation_bytes
from rocklake_server.catalog.snapshot_turn import Losses, SnapshotTurn
from rocklake_server.catalog.temporary import TEMPORARY_SCHEMA, TemporaryTables
from rocklake_server.catalog.transaction import LakeTransaction
from rocklake_server.catalog.turns import METADATA
from rocklake_server.catalog.view import (
    EVERYTHING,
    Absent,
    Bounds,
    Chunk,
    IsolationLevel,
    Match,
    RelationBytes,
    Row,
)
from rocklake_server.catalog.waits import Holder
from rocklake_server.errors import (
    ActiveTransaction,
    CatalogError,
    InvalidParameterValue,
    ReadOnlyTransaction,
    SerializationFailure,
    UndefinedDatabase,
    UndefinedSavepoint,
    Unsupported,
)
from rocklake_server.limits import SCHEMAS_ENTERED_MAX
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value

_NOWHERE: Mapping[str, Place] = MappingProxyType({})


@dataclass(slots=True)
class Modes:
    """What BEGIN, SET TRANSACTION and the session's settings decide. ``block`` tells an explicit block from a single
    statement."""

    isolation: IsolationLevel = IsolationLevel.READ_COMMITTED
    read_only: bool = False
    block: bool = False
    lock_timeout_s: float | None = None
    lists_system_relations: bool = False


class DatabaseTransaction(Definitions):
    """Implements ``catalog.view.TransactionView``. Takes its roots at its first statement. ``losses`` are those of
    the session's earlier blocks, ``holder`` is the session where locks are waited for. What ``access`` does not allow
    is refused here and nowhere else, statement by statement: rows in ``chunks``, changes in ``check_writable``."""

    def __init__(
        self,
        databases: Databases,
        database: str,
        modes: Modes,
        temporary: TemporaryTables,
        losses: Losses | None = None,
        access: Access = UNRESTRICTED,
        holder: Holder | None = None,
    ) -> None:
        super().__init__()
        self.databases = databases
        self.access = access
        self.modes = modes
        self._database = database
        self._now_us = databases.clock.now_us()
        self.holder = holder if holder is not None else Holder()
        self.parts: dict[str, LakeTransaction] = {}
        self.opened: dict[str, OpenLake] = {}
        self.temporary = temporary
        self.started = False
        self._has_turn = False
        self._losses = losses if losses is not None else Losses()
        self._lost = False
        self._snapshot_turn: SnapshotTurn | None = None
        self._won: SnapshotTurn | None = None
        self._began_s = 0.0
        self.places = _NOWHERE
        self._picture = Picture()
        self._written: LakeTransaction | None = None
        self._locks_at: list[int] = []

    @property
    def database(self) -> str:
        return self._database

    @property
    def lists_system_relations(self) -> bool:
        return self.modes.lists_system_relations

    @property
    def stored_bytes(self) -> int:
        """What the database's rows take in the store, retired rows and indexes included. Raises Absent."""
        own = sum(part.root.stored_bytes for schema, part in self.parts.items() if schema != TEMPORARY_SCHEMA)
        rest = {schema: place for schema, place in self.places.items() if schema not in self.parts}
        return own + self._outlined_bytes(self._database, rest)

    def stored_bytes_of(self, database: str) -> int:
        """Of another database, as its newest commits have it. Raises UndefinedDatabase, InsufficientPrivilege,
        Absent."""
        known = self.databases.directory.databases()
        if database not in known and database not in PERMANENT_OIDS:
            raise UndefinedDatabase(f'database "{database}" does not exist')
        Access(self.access.roles, self.access.user, database).require(Privilege.CONNECT, "pg_database_size")
        return self._outlined_bytes(database, self.databases.directory.schemas(database))

    def _outlined_bytes(self, database: str, places: Mapping[str, Place]) -> int:
        outlines = {schema: self.databases.outline(schema, place) for schema, place in places.items()}
        if unknown := [schema for schema, outline in outlines.items() if outline is None]:
            raise Absent(unknown, entered=False, database=database)
        return sum(outline.stored_bytes for outline in outlines.values() if outline is not None)

    def maintenance_runs(self) -> Sequence[Run]:
        return self.databases.runs.of(self._database)

    @property
    def now_us(self) -> int:
        return self._now_us

    # -- statements -------------------------------------------------------------------------------------------------

    def set_lock_timeout(self, timeout_s: float | None) -> None:
        """How long the next statement waits for another transaction; ``None`` is for ever."""
        self.modes.lock_timeout_s = timeout_s
        for part in self.parts.values():
            part.lock_timeout_s = timeout_s

    async def begin_statement(self) -> None:
        """Before each statement: the first one takes the roots, and READ COMMITTED moves them forward each time. Raises
        CannotConnectNow once another server owns the store, StoreUnavailable while nobody can tell."""
        await self.databases.ownership.wait()
        if not self.started:
            if self.modes.block and not self.modes.read_only and self.access.privilege >= Privilege.WRITER:
                await self._wait_for_turns()
            self.started = True
            self._began_s = perf_counter()
            await self._take_roots()
        elif self.modes.isolation is IsolationLevel.READ_COMMITTED:
            for part in self.parts.values():
                part.refresh()
            await self._take_roots()

    async def _take_roots(self) -> None:
        """In a database of many schemas only of ``public``: the others' when they are named."""
        self.places = self.databases.directory.schemas(self._database)
        for schema in self.places if self._has_few_schemas else (PUBLIC,):
            if schema in self.places and schema not in self.parts and schema not in self.dropped_schemas:
                self.enter(schema, await self.databases.lake_at(self._database, schema, self.places[schema]))
        if self.temporary.opened is not None and TEMPORARY_SCHEMA not in self.parts:
            self.enter(TEMPORARY_SCHEMA, self.temporary.opened)

    @property
    def _has_few_schemas(self) -> bool:
        return len(self.databases.directory.schemas(self._database)) <= SCHEMAS_ENTERED_MAX

    async def need(self, schema: str) -> None:
        if schema not in self.parts and schema in self.places:
            opened = await self.databases.lake_at(self._database, schema, self.places[schema])
            if self.modes.block and not self.modes.read_only and not self._has_turn:
                self._has_turn = await self.databases.turn(self._database).take(self, _these([opened.lake]))
            if schema not in self.parts:
                self.enter(schema, opened)

    async def provide(self, absent: Absent) -> None:
        if not absent.entered:
            await self.databases.learn(absent.database or self._database, absent.schemas)
        else:
            for schema in absent.schemas:
                await self.need(schema)

    def enter(self, schema: str, opened: OpenLake, root: Root | None = None) -> LakeTransaction:
        """Make a schema's lake part of this transaction, at its newest root or at one that another one holds."""
        self._picture.enter(schema)
        serializable = self.modes.isolation is IsolationLevel.SERIALIZABLE
        part = LakeTransaction(
            opened.lake, self.holder, self.modes.lock_timeout_s, serializable=serializable, root=root
        )
        for name, _ in self.savepoints:
            part.savepoint(name)
        self.parts[schema], self.opened[schema] = part, opened
        return part

    def export_snapshot(self) -> str:
        """An identifier under which other transactions can read what this one reads, while it is open."""
        identifier = f"{id(self):016X}-1"
        self.databases.exported[identifier] = self
        return identifier

    def import_snapshot(self, identifier: str) -> None:
        """Read at the roots of the transaction that exported ``identifier``. Raises UndefinedObject,
        ActiveTransaction."""
        if self.started:
            raise ActiveTransaction("SET TRANSACTION SNAPSHOT must be called before any query")
        source = self.databases.exported.get(identifier)
        if source is None:
            raise InvalidParameterValue(f'invalid snapshot identifier: "{identifier[:64]}"')
        if source.database != self._database:
            raise Unsupported("cannot import a snapshot from a different database")
        for schema, part in source.parts.items():
            if schema != TEMPORARY_SCHEMA:
                self.enter(schema, source.opened[schema], part.root)
        self._picture = source._picture.copy()

    async def _wait_for_turns(self) -> None:
        """A read-write block that finds an empty or an old catalog has its turn; the next one waits. One whose
        session lost before has a turn at the next snapshot row."""
        if self._has_few_schemas or not all(lake.is_empty for lake in await self._lakes()):
            self._has_turn = await self.databases.turn(self._database).take(self, self._lakes)
        self._snapshot_turn = self._losses.turn
        if self._snapshot_turn is not None:
            await self._snapshot_turn.take(self.holder, self.modes.lock_timeout_s)

    async def _lakes(self) -> list[Lake]:
        """Those that are entered at the first statement."""
        if self._has_few_schemas:
            return [opened.lake for opened in (await self.databases.lakes_of(self._database)).values()]
        public = await self.databases.lake_of(self._database, PUBLIC)
        return [] if public is None else [public.lake]

    def _touch(self, relation: Relation) -> None:
        """A block that reads rows before it changes anything neither fills nor migrates the catalog. Raises
        SerializationFailure when there is no moment at which all rows that it reads were the newest."""
        schema = relation.schema
        if schema not in self._picture.touched and schema != TEMPORARY_SCHEMA:
            self._picture.touch(schema, self.parts[schema].root.published)
            if self.modes.isolation is not IsolationLevel.READ_COMMITTED and self._picture.is_torn:
                raise SerializationFailure.update()
        if self._has_turn and relation.name != METADATA and relation.schema != TEMPORARY_SCHEMA and not self.writes:
            self._give_up_turn()

    def _give_up_turn(self) -> None:
        self._has_turn = False
        self.databases.turn(self._database).give_up(self)

    # -- rows -------------------------------------------------------------------------------------------------------

    def part_of(self, relation: Relation) -> LakeTransaction:
        return self.parts[relation.schema]

    async def chunks(self, relation: Relation, bounds: Bounds = EVERYTHING) -> Sequence[Chunk]:
        self._touch(relation)
        if relation.schema != TEMPORARY_SCHEMA and self.access.privilege < Privilege.READER:
            self.access.require(Privilege.READER, "SELECT")
        return await self.part_of(relation).chunks(relation, bounds)

    async def relation_bytes(self, relation: Relation) -> RelationBytes:
        if relation.schema not in self.parts:
            raise Absent((relation.schema,), entered=True)
        root = self.part_of(relation).root
        base = root.relations.by_id.get(relation.relation_id)
        return RelationBytes(0, 0) if base is None else await relation_bytes(root, base)

    async def insert(
        self, relation: Relation, rows: Sequence[Sequence[Value]], written: list[Row] | None = None
    ) -> int:
        self._touch(relation)
        return await self.writer(relation.schema, "INSERT").insert(relation, rows, written)

    async def update(
        self,
        relation: Relation,
        changes: Sequence[tuple[Match, Sequence[Value]]],
        written: list[Row] | None = None,
    ) -> int:
        self._touch(relation)
        return await self.writer(relation.schema, "UPDATE").update(relation, changes, written)

    async def delete(self, relation: Relation, matches: Sequence[Match]) -> int:
        self._touch(relation)
        return await self.writer(relation.schema, "DELETE").delete(relation, matches)

    def writer(self, schema: str, command: str) -> LakeTransaction:
        """The part of a schema, for writing. Raises ReadOnlyTransaction; Unsupported for a second schema."""
        part = self.parts[schema]
        if schema != TEMPORARY_SCHEMA:
            self.check_writable(command)
            written = schema if self._written is part else self.written_schema()
            if written not in (None, schema):
                raise Unsupported(
                    f'a transaction that wrote schema "{written}" cannot write schema "{schema}": '
                    "one transaction writes one schema"
                )
            self.require_unchanged_list(schema, command)
            self._written = part
        return part

    def check_writable(self, command: str, needed: Privilege = Privilege.WRITER) -> None:
        """Raises ReadOnlyTransaction, InsufficientPrivilege."""
        if self.modes.read_only:
            raise ReadOnlyTransaction(f"cannot execute {command} in a read-only transaction")
        self.access.require(needed, command)

    def written_schema(self) -> str | None:
        return next((s for s, part in self.parts.items() if s != TEMPORARY_SCHEMA and part.writes), None)

    # -- savepoints -------------------------------------------------------------------------------------------------

    def savepoint(self, name: str) -> None:
        self.savepoints.append((name, self.schema_state()))
        self._locks_at.append(self.databases.advisory_locks.count(self.holder))
        for part in self.parts.values():
            part.savepoint(name)

    def rollback_to(self, name: str) -> None:
        depth = self._savepoint(name)
        del self.savepoints[depth + 1 :]
        self.restore_schemas(self.savepoints[depth][1])
        del self._locks_at[depth + 1 :]
        self.databases.advisory_locks.release_since(self.holder, self._locks_at[depth])
        for part in self.parts.values():
            part.rollback_to(depth)

    def release_savepoint(self, name: str) -> None:
        depth = self._savepoint(name)
        del self.savepoints[depth:]
        del self._locks_at[depth:]
        for part in self.parts.values():
            part.release(depth)

    def _savepoint(self, name: str) -> int:
        for depth in range(len(self.savepoints) - 1, -1, -1):
            if self.savepoints[depth][0] == name:
                return depth
        raise UndefinedSavepoint(f'savepoint "{name}" does not exist')

    # -- ends -------------------------------------------------------------------------------------------------------

    @property
    def writes(self) -> bool:
        """Whether COMMIT has anything to wait for."""
        if self.changes_schemas:
            return True
        for part in self.parts.values():  # noqa: SIM110  every statement outside of a block asks
            if part.writes:
                return True
        return False

    def require_owned(self) -> None:
        """Before a statement that read the lake is answered. Raises as ``begin_statement``."""
        if self.started:
            self.databases.ownership.require()

    async def commit(self) -> None:
        """Durable and visible when it returns. On an error nothing of the transaction is kept."""
        try:
            if not self.writes:
                self.require_owned()
                await self._commit_temporary()
                self._lost = False
                return
            schema = self.written_schema()
            if schema is not None:
                self.require_listed(schema)
                await self.opened[schema].committer.commit(self.parts[schema])
                self._note_win(self.parts[schema].lake.snapshot_turn)
            await self.publish_schemas()
            self.audit_dropped_relations()
            await self._commit_temporary()
            self._lost = False
        except CatalogError as error:
            self._count_loss(error)
            raise
        finally:
            await self.rollback()

    def _note_win(self, turn: SnapshotTurn) -> None:
        if turn.is_inserting(self.holder):
            turn.took(perf_counter() - self._began_s)
            self._won = turn

    async def _commit_temporary(self) -> None:
        part = self.parts.get(TEMPORARY_SCHEMA)
        if part is None:
            return
        for relation_id in self.dropped_on_commit:
            relation = part.relations.by_id.get(relation_id)
            if relation is not None:
                await part.drop(relation)
        if part.writes:
            await self.opened[TEMPORARY_SCHEMA].committer.commit(part)

    async def fail(self, error: CatalogError) -> None:
        """After an error in a block: what it did since the innermost savepoint cannot be committed any more, and
        holds up nobody."""
        self._count_loss(error)
        if self.savepoints:
            self.rollback_to(self.savepoints[-1][0])
        else:
            await self.rollback()

    def _count_loss(self, error: CatalogError) -> None:
        """An error that another transaction's commit caused counts against the session's luck."""
        if error.retryable and self.modes.block and self._written is not None:
            self._lost = True
            self._written.lake.note_loss(self._losses, self._written.root)
            self._losses.add(self._written.lake.snapshot_turn)

    async def rollback(self) -> None:
        """Give back roots, keys, locks and turns. Harmless after ``commit``."""
        parts, self.parts = self.parts, {}
        for part in (*parts.values(), *self.departed):
            part.end()
        self.departed.clear()
        if self.databases.advisory_locks.of_transactions:
            self.databases.advisory_locks.release_since(self.holder)
        if self._snapshot_turn is not None:
            self._snapshot_turn.release(self.holder)
            self._snapshot_turn = None
        if self.started and self.modes.block and not self.modes.read_only and not self._lost:
            self._losses.forget(self._won)
            for part in parts.values():
                part.lake.forget_loss(self._losses)
        for identifier in [i for i, source in self.databases.exported.items() if source is self]:
            del self.databases.exported[identifier]
        if self._has_turn:
            self._give_up_turn()
        self.forget_schemas()


def _these(lakes: list[Lake]) -> Callable[[], Awaitable[list[Lake]]]:
    async def answer() -> list[Lake]:
        return lakes

    return answer
