"""A plain-Python ``TransactionView``: lists of rows, nothing durable. The reference that plan tests run against."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rocklake_server.auth.access import UNRESTRICTED
from rocklake_server.catalog.database_names import DatabaseFacts, known_databases
from rocklake_server.catalog.view import EVERYTHING, Absent, Bounds, ColumnDefinition, Match, RelationBytes, Row, Zone
from rocklake_server.errors import (
    CatalogError,
    DependentObjects,
    DuplicateSchema,
    DuplicateTable,
    NotNullViolation,
    UndefinedSchema,
    UndefinedTable,
    UniqueViolation,
)
from rocklake_server.pgformat.compare import sort_key
from rocklake_server.schema.annotations import with_index
from rocklake_server.schema.model import Behaviour, IndexDefinition, IndexKey, Relation, RelationColumn, RelationKind
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key

ROWS_PER_CHUNK = 3


@dataclass(slots=True)
class MemoryChunk:
    relation: Relation
    keys: Sequence[Key]
    rows: Sequence[Row]

    def values(self, column: int) -> list[Value]:
        return [row[column] for row in self.rows]

    def zone(self, column: int) -> Zone | None:
        values = [row[column] for row in self.rows if row[column] is not None]
        if any(value != value for value in values):
            return None
        has_null = len(values) < len(self.rows)
        if not values:
            return Zone(None, None, has_null)
        if column == self.relation.ctid:
            return Zone(min(values), max(values), has_null)
        order = sort_key(self.relation.columns[column].type)
        return Zone(min(values, key=order), max(values, key=order), has_null)


class MemoryView:
    """One transaction over everything: reads see its own writes."""

    def __init__(self, *, now_us: int = 800_000_000_000_000) -> None:
        self.now_us = now_us
        self.database = "postgres"
        self.access = UNRESTRICTED
        self.schema_names = {"public": 2200}
        self.known: list[Relation] = []
        self.comments: dict[str | None, str | None] = {"public": "standard public schema"}
        self.content: dict[int, list[tuple[Key, Row]]] = {}
        self.asked: list[Bounds] = []
        self._next = 16_384
        self._version = 0

    @property
    def lists_system_relations(self) -> bool:
        return False

    @property
    def definitions_version(self) -> object:
        return self._version

    def check_writable(self, command: str) -> None:
        """Everything may be written."""

    def schemas(self) -> Sequence[tuple[int, str]]:
        return [(oid, name) for name, oid in self.schema_names.items()]

    def relations(self) -> Sequence[Relation]:
        return self.known

    def known_databases(self) -> Sequence[DatabaseFacts]:
        return known_databases({}, self.database)

    def relations_of(self, schemas: Collection[str]) -> Sequence[Relation]:
        return [relation for relation in self.known if relation.schema in schemas]

    def relation_of_oid(self, oid: int) -> Relation | None:
        return next((relation for relation in self.known if relation.oid == oid), None)

    def owner_of_index(self, oid: int) -> Relation | None:
        return next((found for found in self.known if any(index.oid == oid for index in found.indexes)), None)

    async def provide(self, absent: Absent) -> None:
        raise AssertionError("everything is here")

    def resolve(self, schema: str | None, name: str) -> Relation:
        for wanted in ("pg_temp", "public") if schema is None else (schema,):
            for relation in self.known:
                if relation.name == name and relation.schema == wanted:
                    return relation
        shown = name if schema is None else f"{schema}.{name}"
        raise UndefinedTable(f'relation "{shown}" does not exist')

    async def chunks(self, relation: Relation, bounds: Bounds = EVERYTHING) -> Sequence[MemoryChunk]:
        """Everything the bounds do not rule out, row by row: a wrong bound loses rows and fails tests."""
        self.asked.append(bounds)
        entries = [entry for entry in self.content[relation.relation_id] if _within(relation, entry[1], bounds)]
        return [
            MemoryChunk(relation, [key for key, _row in part], [row for _key, row in part])
            for part in (entries[start:start + ROWS_PER_CHUNK] for start in range(0, len(entries), ROWS_PER_CHUNK))
        ]

    async def relation_bytes(self, relation: Relation) -> RelationBytes:
        return RelationBytes(sum(len(key) + len(repr(row)) for key, row in self.content[relation.relation_id]), 0)

    async def insert(
        self, relation: Relation, rows: Sequence[Sequence[Value]], written: list[Row] | None = None
    ) -> int:
        with self._atomic(relation):
            for row in rows:
                self._check(relation, row)
                self._append(relation, tuple(row), written)
        return len(rows)

    @contextmanager
    def _atomic(self, relation: Relation) -> Iterator[None]:
        """A statement that fails leaves nothing behind."""
        before = list(self.content[relation.relation_id])
        try:
            yield
        except CatalogError:
            self.content[relation.relation_id] = before
            raise

    def _check(self, relation: Relation, row: Sequence[Value]) -> None:
        assert len(row) == len(relation.columns)
        for column, value in zip(relation.columns, row, strict=True):
            if value is None and not column.nullable:
                raise NotNullViolation(
                    f'null value in column "{column.name}" of relation "{relation.name}" violates not-null constraint'
                )
        key = [row[index] for index in relation.primary_key]
        if key and any([old[index] for index in relation.primary_key] == key
                       for _key, old in self.content[relation.relation_id]):
            raise UniqueViolation.of(relation.name)

    def _append(self, relation: Relation, values: Row, written: list[Row] | None) -> None:
        self._next += 1
        ctid = (len(self.content[relation.relation_id]) // 1000 << 16) | (self._next % 30_000 + 1)
        self.content[relation.relation_id].append((Key(self._next.to_bytes(8)), (*values, ctid)))
        if written is not None:
            written.append((*values, ctid))

    async def update(
        self,
        relation: Relation,
        changes: Sequence[tuple[Match, Sequence[Value]]],
        written: list[Row] | None = None,
    ) -> int:
        with self._atomic(relation):
            for match, values in changes:
                self._remove(relation, match)
                self._check(relation, values)
                self._append(relation, tuple(values), written)
        return len(changes)

    def _remove(self, relation: Relation, match: Match) -> None:
        self.content[relation.relation_id].remove((match.key, match.row))

    async def delete(self, relation: Relation, matches: Sequence[Match]) -> int:
        for match in matches:
            self._remove(relation, match)
        return len(matches)

    async def create_relation(self, schema: str | None, name: str, columns: Sequence[ColumnDefinition],
                              primary_key: Sequence[str] = (), *, if_not_exists: bool = False,
                              temporary: bool = False, on_commit_drop: bool = False) -> bool:
        schema = "pg_temp" if temporary else schema or "public"
        if schema != "pg_temp" and schema not in self.schema_names:
            raise UndefinedSchema(f'schema "{schema}" does not exist')
        if any(relation.name == name and relation.schema == schema for relation in self.known):
            if if_not_exists:
                return False
            raise DuplicateTable(f'relation "{name}" already exists')
        self._next += 1
        self._version += 1
        names = [column.name for column in columns]
        relation = Relation(
            self._next, name, RelationKind.TEMPORARY if temporary else RelationKind.USER, Behaviour.APPEND_ONLY,
            b"", (),
            tuple(RelationColumn(column.name, column.type, number, column.nullable and column.name not in primary_key,
                                 column.default) for number, column in enumerate(columns, 1)),
            tuple(names.index(column) for column in primary_key), schema=schema, oid=self._next,
            next_column_number=len(columns) + 1,
        )
        self.known.append(relation)
        self.content[relation.relation_id] = []
        return True

    async def drop_relation(self, relation: Relation) -> None:
        self._version += 1
        self.known.remove(relation)
        del self.content[relation.relation_id]

    def _redefine(self, old: Relation, new: Relation) -> None:
        self._version += 1
        self.known[self.known.index(old)] = new

    async def add_column(self, relation: Relation, column: ColumnDefinition) -> None:
        added = RelationColumn(column.name, column.type, relation.next_column_number, column.nullable, column.default)
        self._redefine(relation, replace(relation, columns=(*relation.columns, added),
                                         next_column_number=relation.next_column_number + 1))
        self.content[relation.relation_id] = [
            (key, (*row[:-1], column.default, row[-1])) for key, row in self.content[relation.relation_id]
        ]

    async def drop_column(self, relation: Relation, name: str) -> None:
        index = relation.index[name]
        kept = tuple(column for column in relation.columns if column.name != name)
        self._redefine(relation, replace(relation, columns=kept))
        self.content[relation.relation_id] = [
            (key, row[:index] + row[index + 1:]) for key, row in self.content[relation.relation_id]
        ]

    async def rename_column(self, relation: Relation, name: str, new_name: str) -> None:
        renamed = tuple(
            replace(column, name=new_name) if column.name == name else column for column in relation.columns
        )
        self._redefine(relation, replace(relation, columns=renamed))

    async def rename_relation(self, relation: Relation, new_name: str) -> None:
        self._redefine(relation, replace(relation, name=new_name))

    async def annotate(self, relation: Relation, noted: Relation) -> None:
        self._redefine(relation, noted)

    async def create_index(self, relation: Relation, name: str, keys: Sequence[IndexKey]) -> None:
        if any(other.schema == relation.schema and name in (other.name, *(index.name for index in other.indexes))
               for other in self.known):
            raise DuplicateTable(f'relation "{name}" already exists')
        self._next += 1
        self._redefine(relation, with_index(relation, IndexDefinition(self._next, name, tuple(keys), oid=self._next)))

    async def comment_on_schema(self, name: str, text: str | None) -> None:
        if name not in self.schema_names:
            raise UndefinedSchema(f'schema "{name}" does not exist')
        self._version += 1
        self.comments[name] = text

    async def comment_on_database(self, text: str | None) -> None:
        self._version += 1
        self.comments[None] = text

    def schema_comment(self, name: str) -> str | None:
        return self.comments.get(name)

    def database_comment(self) -> str | None:
        return self.comments.get(None)

    async def create_schema(self, name: str, *, if_not_exists: bool = False) -> bool:
        if name in self.schema_names:
            if if_not_exists:
                return False
            raise DuplicateSchema(f'schema "{name}" already exists')
        self._next += 1
        self._version += 1
        self.schema_names[name] = self._next
        return True

    async def drop_schema(self, name: str, *, if_exists: bool = False, cascade: bool = False) -> bool:
        if name not in self.schema_names:
            if if_exists:
                return False
            raise UndefinedSchema(f'schema "{name}" does not exist')
        inside = [relation for relation in self.known if relation.schema == name]
        if inside and not cascade:
            raise DependentObjects(f"cannot drop schema {name} because other objects depend on it")
        for relation in inside:
            await self.drop_relation(relation)
        self._version += 1
        del self.schema_names[name]
        return True


def _within(relation: Relation, row: Row, bounds: Bounds) -> bool:
    for index, members in bounds.values.items():
        if row[index] not in members:
            return False
    for index, (least, greatest) in bounds.ranges.items():
        value = row[index]
        if value is None or (least is not None and value < least) or (greatest is not None and value > greatest):
            return False
    if any(row[index] is not None for index in bounds.nulls):
        return False
    end = relation.index.get("end_snapshot")
    if bounds.live_after is not None and end is not None:
        return row[end] is None or row[end] > bounds.live_after
    return True
