"""How the engine reads and writes the rows of one relation, derived once from its definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from rocklake_server.catalog.image import WHOLE, Partition
from rocklake_server.catalog.indexes import IndexEntries, index_entries
from rocklake_server.catalog.view import Row
from rocklake_server.encoding.keys import key_codec, relation_prefix
from rocklake_server.encoding.values import row_codec
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key

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
        self.key_is_primary = bool(relation.primary_key) and (
            tuple(relation.primary_key) == tuple(relation.key_columns)
        )
        self.keyed_by_ctid = not relation.key_columns
        declared = relation.table.counters if relation.table else ()
        self._counters = tuple(
            (relation.index[column], name) for column, name in declared if column in relation.index
        )
        identifying = {*relation.key_columns, *relation.primary_key}
        self._key_counters = tuple(pair for pair in self._counters if pair[0] in identifying)
        self._owner = relation.index.get("table_id")
        self.snapshot_time = relation.index.get("snapshot_time") if relation.name == "ducklake_snapshot" else None
        self.required = tuple(i for i, column in enumerate(relation.columns) if not column.nullable)
        self.durable = relation.kind is not RelationKind.TEMPORARY

    def key(self, row: Sequence[Value], ordinal: int = 0) -> Key:
        """The key of a row; ``ordinal`` tells apart rows with the same key fields."""
        return self._encode_key(row, ordinal)

    def partition(self, row: Row) -> Partition:
        """The partition that a row belongs to."""
        return WHOLE if self.leading is None else cast("Partition", row[self.leading])

    def primary_key(self, row: Sequence[Value]) -> PrimaryKey | None:
        if not self.relation.primary_key:
            return None
        return tuple(row[index] for index in self.relation.primary_key)

    def counters(self, row: Row) -> list[tuple[str, int]]:
        """(counter, id) for each id of this row that a counter must stay above."""
        return self._resolved(self._counters, row)

    def key_counters(self, row: Row) -> list[tuple[str, int]]:
        """``counters`` of the ids that are part of the row's key or primary key."""
        return self._resolved(self._key_counters, row)

    def _resolved(self, counters: tuple[tuple[int, str], ...], row: Row) -> list[tuple[str, int]]:
        found = []
        for index, name in counters:
            value = row[index]
            if isinstance(value, int):
                owner = row[self._owner] if self._owner is not None else None
                found.append((name.format(table_id=owner) if "{" in name else name, value))
        return found


def access_of(relation: Relation) -> Access:
    """The access of a definition, kept on the definition itself."""
    known = relation.__dict__.get("access")
    if known is None:
        known = relation.__dict__["access"] = Access(relation)
    return cast("Access", known)
