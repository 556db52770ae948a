"""All versions of one entity: a schema, table, column, view, macro, tag, partitioning, sort order or file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.readable import named
from rocklake_server.catalog.view import Match, Row
from rocklake_server.encoding.keys import decode_retired_key, key_prefix
from rocklake_server.errors import InvalidParameterValue, Unsupported
from rocklake_server.schema.model import Relation, Table
from rocklake_server.schema.registry import TABLES
from rocklake_server.schema.system_subspaces import RETIRED_ROWS
from rocklake_server.schema.types import Form, Value
from rocklake_server.store.base import Prefix

_PREFIX = "ducklake_"


@dataclass(frozen=True, slots=True)
class EntityKind:
    """What has versions: the relation that holds them, and the columns that tell one entity from another."""

    name: str
    table: Table
    identity: tuple[str, ...]


def _identity(table: Table) -> tuple[str, ...]:
    """An id that is unique in the lake identifies alone; otherwise the key without the version's begin does."""
    keyed = {column for column, counter in table.counters if "{" not in counter}
    for column in (*table.primary_key, *(column for column, _ in table.counters)):
        if column in keyed:
            return (column,)
    return tuple(column for column in table.key if column != "begin_snapshot")


KINDS: Mapping[str, EntityKind] = {
    table.name.removeprefix(_PREFIX): EntityKind(table.name.removeprefix(_PREFIX), table, _identity(table))
    for table in TABLES
    if {"begin_snapshot", "end_snapshot"} <= {column.name for column in table.columns}
}
"""By the relation's name without ``ducklake_``."""


def kind_of(name: str) -> EntityKind:
    """Raises InvalidParameterValue."""
    kind = KINDS.get(name.removeprefix(_PREFIX).replace("-", "_"))
    if kind is None:
        raise InvalidParameterValue(f'"{name}" has no versions; choose one of {", ".join(sorted(KINDS))}')
    return kind


def parse_identity(kind: EntityKind, text: str) -> tuple[int | str, ...]:
    """The values of the identity's leading columns from ``1`` or ``1.2``. Raises InvalidParameterValue."""
    given = text.split(".", len(kind.identity) - 1)
    forms = {column.name: column.type.form for column in kind.table.columns}
    values: list[int | str] = []
    for name, part in zip(kind.identity, given, strict=False):
        if forms[name] is not Form.TEXT and not part.removeprefix("-").isdecimal():
            shape = ".".join(column.upper() for column in kind.identity)
            raise InvalidParameterValue(f'"{text}" does not name a {kind.name}; write {shape}')
        values.append(part if forms[name] is Form.TEXT else int(part))
    return tuple(values)


async def versions(
    reader: LakeReader, kind: EntityKind, identity: Sequence[int | str], *, deleted: bool = False,
    tell: Callable[[int], None] = lambda _: None,
) -> AsyncIterator[dict[str, Value]]:
    """All columns of each version, oldest first. ``deleted`` adds those that SQL deleted and that are kept still, with
    the commit that did it. Raises Unsupported when the lake's catalog version has no such identity."""
    relation = reader.relation(kind.table.name)
    wanted = _matcher(relation, kind, identity)
    names = tuple(column.name for column in relation.columns)
    stored = _stored(reader, relation, kind, identity, wanted, tell)
    found = [named(relation, match.row, *names) async for match in stored]
    if deleted:
        found += [row async for row in _retired(reader, relation, wanted, names, tell)]
    for row in sorted(found, key=lambda row: cast("int", row["begin_snapshot"] or 0)):
        yield row


def _matcher(relation: Relation, kind: EntityKind, identity: Sequence[int | str]) -> Callable[[Row], bool]:
    missing = [name for name in kind.identity if name not in relation.index]
    if missing:
        raise Unsupported(f'relation "{relation.name}" of this lake has no column "{missing[0]}"')
    wanted = [(relation.index[name], value) for name, value in zip(kind.identity, identity, strict=False)]
    return lambda row: all(row[position] == value for position, value in wanted)


async def _stored(
    reader: LakeReader, relation: Relation, kind: EntityKind, identity: Sequence[int | str],
    wanted: Callable[[Row], bool], tell: Callable[[int], None],
) -> AsyncIterator[Match]:
    """Narrowed to the leading key fields that the identity gives."""
    given = dict(zip(kind.identity, identity, strict=False))
    leading: list[int | str] = []
    for name in kind.table.key:
        if name not in given:
            break
        leading.append(given[name])
    async for batch in reader.rows(relation, *leading):
        tell(len(batch))
        for match in batch:
            if wanted(match.row):
                yield match


async def _retired(
    reader: LakeReader, relation: Relation, wanted: Callable[[Row], bool], names: Sequence[str],
    tell: Callable[[int], None],
) -> AsyncIterator[dict[str, Value]]:
    prefix = key_prefix(relation)
    decode = access_of(relation).codec.decode
    async for entries in reader.snapshot.scan(Prefix(bytes([RETIRED_ROWS]))):
        tell(len(entries))
        for key, value in entries:
            sequence, own = decode_retired_key(key)
            if not own.startswith(prefix):
                continue
            row = decode(key, value)
            if wanted(row):
                yield {**named(relation, row, *names), "deleted_by_commit": sequence}
