"""What the system store at the root says: which databases and schemas there are, and where each one's lake lives.

Keys: ``01`` + database + schema (escaped texts) hold a lake's number and its slot within the database, ``02`` the next
lake number, ``03`` + lake number the names of a dropped lake, when it was dropped, and whether its excision has begun,
``04`` where the copy comes from that is being made here and is not finished, ``05`` what a finished one was made of,
``06`` + database its number, ``07`` + number an audit record, ``08`` outlines (``catalog.outlines``), ``09`` + lake
number the database, the schema and the maker of a lake that is not on the list yet, ``10`` and ``11`` roles
(``catalog.stored_roles``). A lake's directory is named by its number.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rocklake_server.auth.roles import RoleTable
from rocklake_server.catalog.stored_roles import put_changes, read_roles
from rocklake_server.encoding.ordered import decode_int, decode_text, encode_int, encode_text
from rocklake_server.errors import CorruptValue, FormatVersionUnsupported, ObjectNotInPrerequisiteState
from rocklake_server.schema.system_subspaces import CATALOG_FORMAT_VERSION
from rocklake_server.store.base import Key, Prefix, StoreSnapshot, WriteBatch
from rocklake_server.store.sealing import key_id_of, unopened

FORMAT = Key(b"\x00")
_LAKES = Prefix(b"\x01")
NEXT_LAKE = Key(b"\x02")
_DROPPED = b"\x03"
UNFINISHED_COPY = Key(b"\x04")
ORIGIN = Key(b"\x05")
"""Both hold texts in UTF-8; see ``catalog.store_copy``."""
_DATABASES = Prefix(b"\x06")
_AUDIT = Prefix(b"\x07")
_UNFINISHED = b"\x09"
CREATE_SCHEMA = "CREATE SCHEMA"
"""The maker of a lake that a transaction creates; a command's name for others."""

FIRST_LAKE = 1
"""The number of the first lake of a store."""

_PLACE = struct.Struct(">QQ")
_DROP = struct.Struct(">q?")
NUMBER = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a lake is: its number names its directory, its slot keeps OIDs of one database's schemas apart."""

    number: int
    slot: int


class DroppedLake(NamedTuple):
    """A lake whose schema or database was dropped: its directory stays until it is excised. ``dropped_us`` is in
    microseconds since 2000-01-01 UTC; a store of an earlier version does not say it."""

    database: str
    schema: str
    dropped_us: int | None = None
    is_going: bool = False
    """Whether its excision has begun: it cannot be restored any more."""

    @property
    def name(self) -> str:
        return f"{self.database}/{self.schema}"


@dataclass(frozen=True, slots=True)
class UnfinishedLake:
    """A lake that ``made_by`` begins or began to make, and that is on no list. What was written of it nobody reads."""

    number: int
    database: str
    schema: str
    made_by: str


@dataclass(frozen=True, slots=True)
class Listing:
    """``lakes`` and ``retired`` name database and schema of each lake; the directory of a retired one, whose schema was
    dropped, stays. ``databases`` are numbered; one without lakes was created and is empty."""

    lakes: Mapping[tuple[str, str], Place]
    retired: Mapping[int, DroppedLake]
    next_lake: int
    databases: Mapping[str, int] = field(default_factory=dict)
    audits: int = 0
    """How many audit records there are; they are numbered from 1."""
    roles: RoleTable = field(default_factory=RoleTable)
    unfinished: Sequence[UnfinishedLake] = ()


async def read_listing(snapshot: StoreSnapshot) -> Listing:
    """The lists of a store, oldest lake first; empty for a store that was never written. Raises
    FormatVersionUnsupported, CorruptValue, StoreUnavailable; ObjectNotInPrerequisiteState for a store whose lakes are
    still to be copied."""
    require_format(await snapshot.get(FORMAT))
    if (source := await snapshot.get(UNFINISHED_COPY)) is not None:
        raise ObjectNotInPrerequisiteState(
            f'the store holds an unfinished copy of "{source.decode(errors="replace")}"; '
            "run the same backup or restore again, or remove the store"
        )
    lakes: dict[tuple[str, str], Place] = {}
    async for entries in snapshot.scan(_LAKES):
        lakes.update((_decode_names(key, len(_LAKES)), _decode_place(key, value)) for key, value in entries)
    retired: dict[int, DroppedLake] = {}
    async for entries in snapshot.scan(Prefix(_DROPPED)):
        retired.update((_decode_number(key, len(_DROPPED)), _decode_dropped(key, value)) for key, value in entries)
    next_lake = await snapshot.get(NEXT_LAKE)
    in_order = dict(sorted(lakes.items(), key=lambda item: item[1].number))
    return Listing(
        in_order, retired, FIRST_LAKE if next_lake is None else _unpacked(NEXT_LAKE, next_lake),
        await _read_databases(snapshot, in_order), len(await audit_records(snapshot)), await read_roles(snapshot),
        await read_unfinished(snapshot),
    )  # fmt: skip


async def read_unfinished(snapshot: StoreSnapshot) -> tuple[UnfinishedLake, ...]:
    """The lakes that are recorded as being made, by number. Raises CorruptValue, StoreUnavailable."""
    found: list[UnfinishedLake] = []
    async for entries in snapshot.scan(Prefix(_UNFINISHED)):
        found += [_decode_unfinished(key, value) for key, value in entries]
    return tuple(found)


async def _read_databases(snapshot: StoreSnapshot, lakes: Mapping[tuple[str, str], Place]) -> dict[str, int]:
    """Those of a store of an earlier version, which numbers none, are numbered by their oldest lake."""
    databases: dict[str, int] = {}
    async for entries in snapshot.scan(_DATABASES):
        for key, value in entries:
            name, _ = decode_text(key, len(_DATABASES))
            if name is None:
                raise CorruptValue(f"system store key {key.hex()} names no database")
            databases[name] = _unpacked(key, value)
    for database, _ in lakes:
        databases.setdefault(database, next_number(databases))
    return databases


def next_number(databases: Mapping[str, int]) -> int:
    """For one more database. A number is given again only when the newest database is gone."""
    return max(databases.values(), default=0) + 1


async def audit_records(snapshot: StoreSnapshot) -> list[dict[str, object]]:
    """What commands did with whole lakes, oldest first. Raises CorruptValue."""
    found: list[dict[str, object]] = []
    async for entries in snapshot.scan(_AUDIT):
        for key, value in entries:
            try:
                found.append({"number": _decode_number(key, len(_AUDIT)), **json.loads(value)})
            except (ValueError, TypeError):
                raise CorruptValue(f"system store key {key.hex()} is no audit record") from None
    return found


def listing_batch(listing: Listing) -> WriteBatch:
    """What an empty system store is given for it to say the same. Raises nothing."""
    batch = WriteBatch()
    batch.put(FORMAT, NUMBER.pack(CATALOG_FORMAT_VERSION))
    for (database, schema), place in listing.lakes.items():
        put_lake(batch, database, schema, place)
    for number, dropped in listing.retired.items():
        put_dropped(batch, number, dropped)
    for database, number in listing.databases.items():
        put_database(batch, database, number)
    for lake in listing.unfinished:
        put_unfinished(batch, lake)
    batch.put(NEXT_LAKE, NUMBER.pack(listing.next_lake))
    put_changes(batch, RoleTable(), listing.roles)
    return batch


def unfinished_batch(source: str) -> WriteBatch:
    """The first thing that a system store is given into which lakes will be copied: nobody opens it until
    ``UNFINISHED_COPY`` goes."""
    batch = WriteBatch()
    batch.put(FORMAT, NUMBER.pack(CATALOG_FORMAT_VERSION))
    batch.put(UNFINISHED_COPY, source.encode())
    return batch


def require_format(version: bytes | None) -> None:
    """Raises FormatVersionUnsupported, also when the store is encrypted and its key is not given."""
    if version is not None and key_id_of(version) is not None:
        raise unopened(FORMAT, version)
    if version not in (None, NUMBER.pack(CATALOG_FORMAT_VERSION)):
        raise FormatVersionUnsupported(
            f"the store was written in catalog format {version.hex()}; "
            f"this server reads format {CATALOG_FORMAT_VERSION}"
        )


def put_lake(batch: WriteBatch, database: str, schema: str, place: Place) -> None:
    batch.put(lake_key(database, schema), _PLACE.pack(place.number, place.slot))


def lake_key(database: str, schema: str) -> Key:
    return Key(_LAKES + encode_text(database) + encode_text(schema))


def put_dropped(batch: WriteBatch, number: int, dropped: DroppedLake) -> None:
    names = encode_text(dropped.database) + encode_text(dropped.schema)
    known = b"" if dropped.dropped_us is None else _DROP.pack(dropped.dropped_us, dropped.is_going)
    batch.put(dropped_key(number), names + known)


def dropped_key(number: int) -> Key:
    return Key(_DROPPED + encode_int(number))


def put_database(batch: WriteBatch, database: str, number: int) -> None:
    batch.put(database_key(database), NUMBER.pack(number))


def database_key(database: str) -> Key:
    return Key(_DATABASES + encode_text(database))


def put_unfinished(batch: WriteBatch, lake: UnfinishedLake) -> None:
    names = (lake.database, lake.schema, lake.made_by)
    batch.put(unfinished_key(lake.number), b"".join(map(encode_text, names)))


def unfinished_key(number: int) -> Key:
    return Key(_UNFINISHED + encode_int(number))


def put_audit(batch: WriteBatch, number: int, record: Mapping[str, object]) -> None:
    batch.put(Key(_AUDIT + encode_int(number)), json.dumps(record, ensure_ascii=False).encode())


def _decode_names(data: bytes, start: int) -> tuple[str, str]:
    database, offset = decode_text(data, start)
    schema, _ = decode_text(data, offset)
    if database is None or schema is None:
        raise CorruptValue(f"system store key {data.hex()} names no database or schema")
    return database, schema


def _decode_dropped(key: Key, value: bytes) -> DroppedLake:
    database, schema = _decode_names(value, 0)
    rest = value[len(encode_text(database)) + len(encode_text(schema)) :]
    if not rest:
        return DroppedLake(database, schema)
    if len(rest) != _DROP.size:
        raise CorruptValue(f"system store key {key.hex()} does not say when its lake was dropped")
    return DroppedLake(database, schema, *_DROP.unpack(rest))


def _decode_unfinished(key: Key, value: bytes) -> UnfinishedLake:
    names: list[str] = []
    offset = 0
    while offset < len(value):
        name, offset = decode_text(value, offset)
        names.append(name or "")
    if len(names) != 3:
        raise CorruptValue(f"system store key {key.hex()} does not tell which lake is unfinished")
    return UnfinishedLake(_decode_number(key, len(_UNFINISHED)), *names)


def _decode_number(key: Key, start: int) -> int:
    number, end = decode_int(key, start)
    if number is None or end != len(key):
        raise CorruptValue(f"system store key {key.hex()} has no number")
    return number


def _decode_place(key: Key, value: bytes) -> Place:
    if len(value) != _PLACE.size:
        raise CorruptValue(f"system store key {key.hex()} holds {len(value)} bytes, not {_PLACE.size}")
    return Place(*_PLACE.unpack(value))


def _unpacked(key: Key, value: bytes) -> int:
    if len(value) != NUMBER.size:
        raise CorruptValue(f"system store key {key.hex()} holds {len(value)} bytes, not {NUMBER.size}")
    number: int = NUMBER.unpack(value)[0]
    return number
