"""How the engine reads and writes the rows of one relation, derived once from its definition."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, cast

from rocklake_server.catalog.image import WHOLE, Partition
from rocklake_server.catalog.indexes import IndexEntries, index_entries
from rocklake_server.catalog.view import Bounds, Row
from rocklake_server.encoding.keys import key_codec, key_prefix, relation_prefix
from rocklake_server.encoding.ordered import decode_int
from rocklake_server.encoding.values import row_codec
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key, Prefix

PrimaryKey = tuple[Value, ...]


class Access:
    """Derived once per definition; see ``access_of``."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.prefix = relation_prefix(relation)
        self.codec = row_codec(relation)
        self._encode_key = key_codec(relation).encode
        self.index_entries: IndexEntries | None = index_entries(relation)
        self.leading = relation.key_columns[0] if relation.partition else None
        self._second = relation.key_columns[1] if relation.table and relation.table.sections else None
        self.key_is_primary = bool(relation.primary_key) and (
            tuple(relation.primary_key) == tuple(relation.key_columns)
        )
        self.keyed_by_ctid = not relation.key_columns
        declared = relation.table.counters if relation.table else ()
        self._counters = tuple(
            (relation.index[column], name) for column, name in declared if column in relation.index
        )
        self.identifying = {*(i for i in relation.key_columns if i is not None), *relation.primary_key}
        self._key_counters = tuple(pair for pair in self._counters if pair[0] in self.identifying)
        self._owner = relation.index.get("table_id")
        self.snapshot_time = relation.index.get("snapshot_time") if relation.name == "ducklake_snapshot" else None
        self.primary_of = _items(relation.primary_key)
        self.required = tuple(i for i, column in enumerate(relation.columns) if not column.nullable)
        self.durable = relation.kind is not RelationKind.TEMPORARY

    def key(self, row: Sequence[Value], ordinal: int = 0) -> Key:
        """The key of a row; ``ordinal`` tells apart rows with the same key fields."""
        return self._encode_key(row, ordinal)

    def keys(self, rows: Iterable[Sequence[Value]]) -> list[Key]:
        """The keys of rows that need no tie-breaker."""
        encode = self._encode_key
        return [encode(row, 0) for row in rows]

    def partition(self, row: Sequence[Any]) -> Partition:
        """The partition that a row belongs to."""
        return WHOLE if self.leading is None else row[self.leading]

    def by_partition(self, rows: Mapping[Key, Row]) -> Mapping[Partition, Mapping[Key, Row]]:
        """The rows of each partition; mostly they are of one."""
        if self.leading is None:
            return {WHOLE: rows}
        partitions = cast("set[Partition]", set(map(itemgetter(self.leading), rows.values())))
        if len(partitions) == 1:
            return {partitions.pop(): rows}
        parts: dict[Partition, dict[Key, Row]] = {partition: {} for partition in partitions}
        for key, row in rows.items():
            parts[self.partition(row)][key] = row
        return parts

    def partition_of_key(self, key: bytes) -> Partition:
        """The partition of a key, of which only the leading field has to be there."""
        return decode_int(key, len(self.prefix))[0]

    def section(self, partition: Partition, bounds: Bounds) -> Prefix | None:
        """The section of a partition that holds every row within ``bounds``; ``None`` when there is no such one."""
        named = bounds.values.get(self._second) if self._second is not None else None
        if named is None or len(named) != 1:
            return None
        (value,) = named
        return key_prefix(self.relation, cast("int | None", partition), value) if type(value) is int else None

    def primary_key(self, row: Sequence[Value]) -> PrimaryKey | None:
        return self.primary_of(row) or None

    def greatest_ids(self, rows: Sequence[Row]) -> dict[str, int]:
        """The greatest id among ``rows`` for each counter that must stay above it."""
        greatest: dict[str, int] = {}
        for index, name in self._counters:
            if "{" in name:
                for row in rows:
                    if isinstance(value := row[index], int):
                        counter = self._counter_of(name, row)
                        greatest[counter] = max(value, greatest.get(counter, value))
            else:
                ids = [value for row in rows if isinstance(value := row[index], int)]
                if ids:
                    greatest[name] = max(max(ids), greatest.get(name, ids[0]))
        return greatest

    def freshness(self, counters: Mapping[str, int]) -> Callable[[Row], bool]:
        """Whether ``counters`` prove that no committed row has a row's key: the key or the primary key holds an id
        that is not below its counter, and counters stay above every id that was ever inserted."""
        if len(self._key_counters) == 1 and "{" not in self._key_counters[0][1]:
            index, name = self._key_counters[0]
            bound = counters.get(name, 0)
            return lambda row: isinstance(value := row[index], int) and value >= bound
        return lambda row: any(
            isinstance(value := row[index], int) and value >= counters.get(self._counter_of(name, row), 0)
            for index, name in self._key_counters
        )

    def all_fresh(self, counters: Mapping[str, int], rows: Collection[Row]) -> bool:
        """Whether ``freshness`` says so of every row."""
        if len(self._key_counters) == 1 and "{" not in self._key_counters[0][1]:
            index, name = self._key_counters[0]
            ids = list(map(itemgetter(index), rows))
            return None not in ids and min(ids, default=0) >= counters.get(name, 0)
        return all(map(self.freshness(counters), rows))

    def _counter_of(self, name: str, row: Row) -> str:
        owner = row[self._owner] if self._owner is not None else None
        return name.format(table_id=owner)


def _items(indexes: Sequence[int]) -> Callable[[Sequence[Value]], tuple[Value, ...]]:
    """What takes the items at ``indexes`` out of a row."""
    if len(indexes) > 1:
        return itemgetter(*indexes)
    if not indexes:
        return lambda _row: ()
    (only,) = indexes
    return lambda row: (row[only],)


def access_of(relation: Relation) -> Access:
    """The access of a definition, kept on the definition itself."""
    known: Access | None = relation.__dict__.get("access")
    if known is None:
        known = relation.__dict__["access"] = Access(relation)
    return known
