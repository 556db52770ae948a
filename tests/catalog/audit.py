"""Reads a lake's store without the engine and says what every key is. Each key has to make sense by itself."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from rocklake_server.encoding.definitions import (
    FileReference,
    decode_definition,
    decode_number,
    decode_reference,
    decode_system_text,
)
from rocklake_server.encoding.indexes import decode_index_key
from rocklake_server.encoding.keys import decode_retired_key, decode_row_key, row_key
from rocklake_server.encoding.values import row_codec
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.schema.system_subspaces import COUNTER_NAMES
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key, Prefix, Store

Row = tuple[Value, ...]


@dataclass
class Audit:
    """Everything in one lake's store."""

    relations: dict[int, Relation] = field(default_factory=dict)
    dropped: dict[int, Relation] = field(default_factory=dict)
    rows: dict[int, dict[Key, Row]] = field(default_factory=dict)
    retired: dict[tuple[int, Key], tuple[Relation, Row]] = field(default_factory=dict)
    indexes: dict[Key, FileReference] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    system: dict[str, int] = field(default_factory=dict)

    def rows_of(self, name: str) -> list[Row]:
        return [row for i, rows in self.rows.items() if self.relations[i].name == name for row in rows.values()]

    def relation(self, name: str) -> Relation:
        return next(relation for relation in self.relations.values() if relation.name == name)


async def read_all(store: Store) -> dict[Key, bytes]:
    snapshot = await store.snapshot()
    return {key: value async for batch in snapshot.scan(Prefix(b"")) for key, value in batch}


async def audit(store: Store) -> Audit:
    """Raises when a key or a value cannot be read, or belongs to nothing."""
    found = Audit()
    entries = await read_all(store)
    for key, value in entries.items():
        if key.startswith(b"\xffrelation\0\0"):
            relation = decode_definition(key, value)
            found.relations[relation.relation_id] = relation
            found.rows[relation.relation_id] = {}
        elif key.startswith(b"\xffdropped\0\0"):
            relation = decode_definition(key, value)
            found.dropped[relation.relation_id] = relation
        elif key.startswith(b"\xffaudit\0\0"):
            json.loads(decode_system_text(key, value))
        elif key.startswith(b"\xffcommit-time\0\0"):
            decode_number(key, value)
        elif key[0] == 0xFF:
            found.system[key[1:].decode("ascii")] = decode_number(key, value)
        elif key[0] == 0xFE:
            name = key[1:].decode("ascii")
            template = "column_id_{table_id}" if name.startswith("column_id_") else name
            assert template in COUNTER_NAMES
            found.counters[name] = decode_number(key, value)
    for key, value in entries.items():
        if key[0] == 0xFC:
            decode_index_key(key)
            found.indexes[key] = decode_reference(key, value)
        elif key[0] == 0xFB:
            sequence, own = decode_retired_key(key)
            found.retired[sequence, own] = _retired(found, own, value)
        elif key[0] < 0xFC or key[0] == 0xFD:
            _place(found, key, value)
    return found


def _owner(relations: dict[int, Relation], key: bytes) -> Relation | None:
    owners = [relation for relation in relations.values() if key.startswith(relation.key_prefix)]
    assert len(owners) <= 1, f"{key.hex()} belongs to {[owner.name for owner in owners]}"
    return owners[0] if owners else None


def _place(found: Audit, key: Key, value: bytes) -> None:
    relation = _owner(found.relations, key)
    if relation is None:  # rows of a dropped dynamic relation stay until they are excised
        gone = _owner(found.dropped, key)
        assert gone is not None, f"key {key.hex()} belongs to no relation"
        assert len(gone.key_prefix) > 1, f"key {key.hex()} outlived the relation whose tag it has"
        row_codec(gone).decode(key, value)
        return
    row = row_codec(relation).decode(key, value)
    _, ordinal = decode_row_key(relation, key)
    if relation.kind is not RelationKind.USER and None not in relation.key_columns:
        assert row_key(relation, row, ordinal) == key
    found.rows[relation.relation_id][key] = row


def _retired(found: Audit, key: Key, value: bytes) -> tuple[Relation, Row]:
    candidates = [r for r in (*found.relations.values(), *found.dropped.values()) if key.startswith(r.key_prefix)]
    assert candidates, f"retired key {key.hex()} belongs to no relation"
    decode_row_key(candidates[0], key)
    return candidates[0], row_codec(candidates[0]).decode(key, value)


def _number(value: Value) -> bytes:
    return b"\x80" + bytes(7) if value is None else int(str(value)).to_bytes(8, "big", signed=True)


def indexes_implied(found: Audit) -> dict[bytes, FileReference]:
    """The entries that the rows of data and delete files ask for, by the key layout's own description."""
    implied: dict[bytes, FileReference] = {}
    for row in found.rows_of("ducklake_data_file"):
        at = found.relation("ducklake_data_file").index
        file, table, begin, end = (row[at[n]] for n in ("data_file_id", "table_id", "begin_snapshot", "end_snapshot"))
        implied[b"\xfc\x01" + _number(begin) + _number(table) + _number(file)] = FileReference()
        ends = _number(2**63 - 1 if end is None else end)
        implied[b"\xfc\x02" + _number(table) + ends + _number(file)] = FileReference()
        implied[b"\xfc\x03" + _number(file)] = FileReference(table_id=table)
    for row in found.rows_of("ducklake_delete_file"):
        at = found.relation("ducklake_delete_file").index
        delete, table, file = (row[at[n]] for n in ("delete_file_id", "table_id", "data_file_id"))
        implied[b"\xfc\x04" + _number(delete)] = FileReference(table, file)
    return implied


def counters_implied(found: Audit) -> dict[str, int]:
    """The least that the counters of files and snapshots may be, for the rows that are there."""
    least: dict[str, int] = {}
    for relation_name, column, counter in (
        ("ducklake_data_file", "data_file_id", "next_file_id"),
        ("ducklake_delete_file", "delete_file_id", "next_file_id"),
        ("ducklake_snapshot", "snapshot_id", "next_snapshot_id"),
    ):
        if any(relation.name == relation_name for relation in found.relations.values()):
            at = found.relation(relation_name).index[column]
            for row in found.rows_of(relation_name):
                least[counter] = max(least.get(counter, 0), int(str(row[at])) + 1)
    return least


def check(found: Audit) -> None:
    """What must hold in every lake, whatever was done to it."""
    assert found.indexes == indexes_implied(found)
    for name, least in counters_implied(found).items():
        assert found.counters[name] >= least
    ctids = [row[-1] for rows in found.rows.values() for row in rows.values()]
    assert len(ctids) == len(set(ctids)), "two rows have the same ctid"
