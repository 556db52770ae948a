"""A lake in a store as a catalog to be copied: read through a store snapshot, written through the engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from rocklake_server.catalog.databases import Databases, OpenLake
from rocklake_server.catalog.lake_reader import LakeReader, ListedLake
from rocklake_server.catalog.listing import Place
from rocklake_server.catalog.system_keys import placed
from rocklake_server.catalog.transaction import LakeTransaction
from rocklake_server.catalog.waits import Holder
from rocklake_server.errors import DuplicateSchema
from rocklake_server.schema.model import Relation
from rocklake_server.schema.relations import new_relation
from rocklake_server.transfer.column_types import (
    COLUMN_FIELDS,
    ColumnTypes,
    TypedColumn,
    schema_version_starts,
    with_duckdb_types,
)
from rocklake_server.transfer.lake_notes import note_in, notes_of
from rocklake_server.transfer.notes import CatalogNotes
from rocklake_server.transfer.relations import (
    BATCH_ROWS,
    PREFIX,
    CatalogColumn,
    CatalogContents,
    CatalogRelation,
    Row,
    in_order,
    inlined_name,
)


class LakeSource:
    """Reads one lake as it was when it was opened for reading."""

    def __init__(self, lake: LakeReader) -> None:
        self._lake = lake

    async def contents(self) -> CatalogContents:
        by_name = self._lake.relations.by_name
        names = [name for name in by_name if name.startswith(PREFIX)]
        types = await self._column_types(names)
        relations = [_catalog_relation(by_name[name], types) for name in names]
        return CatalogContents(in_order(relations), tuple(sorted(by_name.keys() - set(names))), notes_of(self._lake))

    def rows(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return _rows_of(self._lake, self._lake.relation(relation.name))

    async def aclose(self) -> None:
        """The lake is its opener's."""

    async def _column_types(self, names: Sequence[str]) -> ColumnTypes:
        inlined = [found for name in names if (found := inlined_name(name)) is not None]
        if not inlined:
            return ColumnTypes([], {})
        columns = await self._fields("ducklake_column", COLUMN_FIELDS)
        snapshots = await self._fields("ducklake_snapshot", ("snapshot_id", "schema_version"))
        versions = await self._fields("ducklake_schema_versions", ("begin_snapshot", "schema_version", "table_id"))
        starts = schema_version_starts(versions, snapshots, inlined)  # type: ignore[arg-type]
        return ColumnTypes((TypedColumn(*row) for row in columns), starts)  # type: ignore[arg-type]

    async def _fields(self, name: str, fields: Sequence[str]) -> list[Row]:
        """These columns of every row; NULL for a column, and no rows for a relation, that the lake does not have."""
        relation = self._lake.relations.by_name.get(name)
        if relation is None:
            return []
        places = [relation.index.get(field) for field in fields]
        return [
            tuple([None if place is None else row[place] for place in places])
            async for rows in _rows_of(self._lake, relation) for row in rows
        ]


async def _rows_of(lake: LakeReader, relation: Relation) -> AsyncIterator[list[Row]]:
    """Batches of a relation's rows, in key order, without ctids."""
    async for matches in lake.rows(relation):
        yield [match.row[:-1] for match in matches]


def _catalog_relation(relation: Relation, types: ColumnTypes) -> CatalogRelation:
    columns = [CatalogColumn(column.name, column.type, "", column.nullable) for column in relation.columns]
    key = tuple(relation.columns[position].name for position in relation.primary_key)
    return CatalogRelation(relation.name, with_duckdb_types(relation.name, columns, types), key)


class LakeTarget:
    """Fills a lake that is on no list yet, in as many commits as that takes; ``publish`` enters it into the list."""

    def __init__(self, databases: Databases, database: str, schema: str) -> None:
        """The store is owned by this process; see ``catalog.databases``."""
        self._databases = databases
        self._database = database
        self._schema = schema
        self._opened: OpenLake | None = None
        self._transaction: LakeTransaction | None = None
        self._staged_rows = 0
        self._replaces_empty = False
        self._published = False

    async def create(self, relation: CatalogRelation) -> None:
        """Raises DuplicateSchema when a lake of that name has relations."""
        transaction = await self._begun()
        lake = transaction.lake
        taken = frozenset(found.key_prefix for found in transaction.relations.by_id.values())
        relation_id = lake.allocate_relation_id()
        made = new_relation(relation_id, relation.name, relation.columns, relation.primary_key, taken=taken)
        transaction.create(placed(made, lake.schema, lake.slot), if_not_exists=False)

    async def write(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        transaction = await self._begun()
        await transaction.insert(transaction.relations.by_name[relation.name], rows)
        self._staged_rows += len(rows)
        if self._staged_rows >= BATCH_ROWS:
            await self._commit()

    async def as_kept(self, _: CatalogRelation, rows: Sequence[Row], /) -> Sequence[Row]:
        return rows

    async def rows_kept(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        await self._commit()
        lake = (await self._lake()).lake
        listed = ListedLake(self._database, self._schema, Place(0, lake.slot))
        written = await LakeReader.over(listed, await lake.store.snapshot())
        async for rows in _rows_of(written, written.relation(relation.name)):
            yield rows

    async def annotate(self, notes: CatalogNotes) -> Sequence[str]:
        return note_in(await self._begun(), notes)

    async def publish(self) -> None:
        await self._commit()
        dropped = [self._schema] if self._replaces_empty else []
        now_us = self._databases.clock.now_us()
        await self._databases.directory.publish(self._database, [self._schema], dropped, now_us)
        self._published = True

    async def abandon(self) -> None:
        """The lake's directory stays in the store, recorded as unfinished, until ``rocklake sweep`` removes it; its
        number is not given again."""
        if self._transaction is not None:
            self._transaction.end()
            self._transaction = None
        if self._opened is not None and not self._published:
            self._databases.directory.give_up(self._database, self._schema)

    async def _begun(self) -> LakeTransaction:
        if self._transaction is None:
            self._transaction = LakeTransaction((await self._lake()).lake, Holder())
        return self._transaction

    async def _commit(self) -> None:
        transaction, self._transaction, self._staged_rows = self._transaction, None, 0
        if transaction is not None:
            try:
                await (await self._lake()).committer.commit(transaction)
            finally:
                transaction.end()

    async def _lake(self) -> OpenLake:
        if self._opened is None:
            listed = (await self._databases.lakes_of(self._database)).get(self._schema)
            if listed is not None and not listed.lake.is_empty:
                raise DuplicateSchema(f'lake "{self._database}/{self._schema}" exists; nothing is written over it')
            self._replaces_empty = listed is not None
            self._opened = await self._databases.reserve_lake(
                self._database, self._schema, replacing=self._replaces_empty, made_by="import")
        return self._opened
