"""An engine over in-memory stores, and short words for what the tests of this folder do with it."""

from __future__ import annotations

from collections.abc import Sequence

from rocklake_server.catalog.database_transaction import DatabaseTransaction, Modes
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.residency import Residency
from rocklake_server.catalog.temporary import TemporaryTables
from rocklake_server.catalog.view import EVERYTHING, Bounds, ColumnDefinition, IsolationLevel, Match
from rocklake_server.clock import ManualClock
from rocklake_server.limits import OPEN_LAKES_DEFAULT
from rocklake_server.schema.registry import TABLES
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Store
from rocklake_server.store.memory import MemoryStore
from rocklake_server.store.ownership import UNDISPUTED, Ownership

DATABASE = "lake"


class Engine:
    """Stores survive ``reopen``, as a bucket survives a server."""

    def __init__(self) -> None:
        self.stores: dict[str, Store] = {}
        self.clock = ManualClock(1_000_000)
        self.ownership: Ownership = UNDISPUTED
        self.residency = Residency()
        self.open_lakes_max = OPEN_LAKES_DEFAULT
        self.databases: Databases

    async def open_store(self, directory: str) -> Store:
        return self.stores.setdefault(directory, MemoryStore())

    async def open(self) -> Engine:
        self.databases = await Databases.open(
            self.open_store, self.clock, self.ownership, self.residency, open_lakes_max=self.open_lakes_max)
        return self

    async def reopen(self) -> Engine:
        return await Engine._over(self.stores, self.clock).open()

    @staticmethod
    def _over(stores: dict[str, Store], clock: ManualClock) -> Engine:
        engine = Engine()
        engine.stores, engine.clock = stores, clock
        return engine

    async def begin(
        self,
        isolation: IsolationLevel = IsolationLevel.REPEATABLE_READ,
        *,
        read_only: bool = False,
        temporary: TemporaryTables | None = None,
        lock_timeout_s: float | None = None,
    ) -> DatabaseTransaction:
        modes = Modes(isolation, read_only, block=True, lock_timeout_s=lock_timeout_s)
        tables = temporary or TemporaryTables(self.clock)
        transaction = DatabaseTransaction(self.databases, DATABASE, modes, tables)
        await transaction.begin_statement()
        return transaction

    async def create_catalog(self) -> None:
        """Every declared relation with the columns of the newest catalog version, and one snapshot."""
        transaction = await self.begin()
        for table in TABLES:
            columns = [ColumnDefinition(c.name, c.type, c.nullable) for c in table.columns if c.until is None]
            await transaction.create_relation(None, table.name, columns, table.primary_key)
        await transaction.commit()


async def lake_of(engine: Engine) -> Lake:
    """The open lake of schema public."""
    return (await engine.databases.lakes_of(DATABASE))["public"].lake


async def insert(transaction: DatabaseTransaction, name: str, *rows: dict[str, Value]) -> None:
    """Rows given by column name; what is not given is NULL."""
    relation = transaction.resolve(None, name)
    await transaction.insert(relation, [[row.get(c.name) for c in relation.columns] for row in rows])


async def matches(transaction: DatabaseTransaction, name: str, bounds: Bounds = EVERYTHING) -> list[Match]:
    relation = transaction.resolve(None, name)
    found = [
        Match(key, row)
        for chunk in await transaction.chunks(relation, bounds)
        for key, row in zip(chunk.keys, chunk.rows, strict=True)
    ]
    return sorted(found, key=lambda match: match.key)


async def select(transaction: DatabaseTransaction, name: str, *columns: str) -> list[tuple[Value, ...]]:
    """The given columns of every row, in key order."""
    relation = transaction.resolve(None, name)
    wanted = [relation.index[column] for column in columns]
    return [tuple(match.row[i] for i in wanted) for match in await matches(transaction, name)]


async def update(transaction: DatabaseTransaction, name: str, where: dict[str, Value], **values: Value) -> int:
    relation = transaction.resolve(None, name)
    changes: list[tuple[Match, Sequence[Value]]] = []
    for match in await matches(transaction, name):
        if all(match.row[relation.index[column]] == value for column, value in where.items()):
            row = list(match.row[:-1])
            for column, value in values.items():
                row[relation.index[column]] = value
            changes.append((match, row))
    return await transaction.update(relation, changes)


async def delete(transaction: DatabaseTransaction, name: str, **where: Value) -> int:
    relation = transaction.resolve(None, name)
    found = [
        m for m in await matches(transaction, name) if all(m.row[relation.index[c]] == v for c, v in where.items())
    ]
    return await transaction.delete(relation, found)
