"""Verifies a lake's own keys: definitions, counters, the commit sequence and the other numbers."""

from __future__ import annotations

import json
import re
from collections import Counter

from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.definitions import read_definitions
from rocklake_server.catalog.maintenance.key_space import KeySpace
from rocklake_server.catalog.maintenance.lake_under_test import LakeUnderTest
from rocklake_server.catalog.retention.pins import decode_pin
from rocklake_server.encoding.definitions import decode_number, decode_system_text
from rocklake_server.encoding.keys import system_key
from rocklake_server.errors import CatalogError, CorruptValue, FormatVersionUnsupported
from rocklake_server.schema.system_subspaces import (
    CATALOG_FORMAT_VERSION,
    COUNTER_NAMES,
    COUNTERS,
    SYSTEM,
    SYSTEM_AUDIT,
    SYSTEM_BY_ID,
    SYSTEM_COMMIT_SEQUENCE,
    SYSTEM_DROPPED,
    SYSTEM_FORMAT_VERSION,
    SYSTEM_NEXT_RELATION,
    SYSTEM_NUMBERS,
    SYSTEM_OPENED_AT,
    SYSTEM_PIN,
    SYSTEM_RELATION,
    SYSTEM_TEXTS,
)
from rocklake_server.store.base import Key, Prefix

_OWN_KEYS = KeySpace(())

_PER_TABLE = [re.compile(re.sub(r"\{.*\}", "(?:-?[0-9]+|None)", name)) for name in COUNTER_NAMES if "{" in name]


async def verify_format(lake: LakeUnderTest) -> None:
    """Raises FormatVersionUnsupported for a lake of another catalog format: nothing can be said about it."""
    key = system_key(SYSTEM_FORMAT_VERSION)
    value = await lake.snapshot.get(key)
    version = 0 if value is None else decode_number(key, value)
    if version not in (0, CATALOG_FORMAT_VERSION):
        raise FormatVersionUnsupported(
            f'lake "{lake.listed}" has catalog format version {version}; this version reads {CATALOG_FORMAT_VERSION}'
        )


async def verify_system_keys(lake: LakeUnderTest) -> None:
    """Everything under FE and FF. What is read here the other steps rely on."""

    def on_error(key: Key, error: CatalogError) -> None:
        broken.append((key, error))

    broken: list[tuple[Key, CatalogError]] = []
    lake.definitions = await read_definitions(lake.snapshot, on_error)
    for key, error in broken:
        lake.value_problem(key, await lake.snapshot.get(key) or b"", error)
    await _verify_definitions(lake)
    for tag in (COUNTERS, SYSTEM):
        async for entries in lake.snapshot.scan(Prefix(bytes([tag]))):
            lake.tell(len(entries))
            for key, value in entries:
                _verify_key(lake, key, value)
    _verify_sequence(lake)


def _verify_key(lake: LakeUnderTest, key: Key, value: bytes) -> None:
    try:
        facts = _OWN_KEYS.explain(key)
    except CorruptValue as error:
        lake.report.add(checks.KEY_ENCODING, str(error), key)
        return
    ids = [part.value for part in facts.parts if part.name == "id"]
    if not (_is_counter(facts.name) if key[0] == COUNTERS else _is_system_key(facts.name, len(ids))):
        lake.report.add(checks.UNKNOWN_KEYS, f'there is no system key or counter "{facts.name}"', key)
    elif facts.name == SYSTEM_AUDIT and key[0] == SYSTEM:
        _verify_audit(lake, key, value, ids[0])
    elif facts.name == SYSTEM_PIN and key[0] == SYSTEM:
        _verify_pin(lake, key, value, ids[0])
    elif facts.name in SYSTEM_TEXTS and key[0] == SYSTEM:
        try:
            decode_system_text(key, value)
        except (CorruptValue, FormatVersionUnsupported) as error:
            lake.value_problem(key, value, error)
    elif facts.name not in (SYSTEM_RELATION, SYSTEM_DROPPED):
        try:
            number = decode_number(key, value)
        except (CorruptValue, FormatVersionUnsupported) as error:
            lake.value_problem(key, value, error)
            return
        (lake.counters if key[0] == COUNTERS else lake.numbers)[facts.name] = number


def _is_system_key(name: str, ids: int) -> bool:
    return name in (SYSTEM_BY_ID if ids == 1 else SYSTEM_NUMBERS | SYSTEM_TEXTS if ids == 0 else ())


def _is_counter(name: str) -> bool:
    return name in COUNTER_NAMES or any(pattern.fullmatch(name) for pattern in _PER_TABLE)


def _verify_audit(lake: LakeUnderTest, key: Key, value: bytes, sequence: object) -> None:
    try:
        json.loads(decode_system_text(key, value))
    except (CorruptValue, FormatVersionUnsupported) as error:
        lake.value_problem(key, value, error)
    except ValueError:
        lake.report.add(checks.VALUE_MESSAGE, f"audit record {sequence} is not JSON", key)
    if isinstance(sequence, int):
        lake.numbers[SYSTEM_AUDIT] = max(sequence, lake.numbers.get(SYSTEM_AUDIT, 0))


def _verify_pin(lake: LakeUnderTest, key: Key, value: bytes, number: object) -> None:
    try:
        lake.pins.append(decode_pin(int(str(number)), key, value))
    except (CorruptValue, FormatVersionUnsupported) as error:
        lake.value_problem(key, value, error)


async def _verify_definitions(lake: LakeUnderTest) -> None:
    relations, dropped = lake.definitions.relations, lake.definitions.dropped
    indexes = [index for relation in relations for index in relation.indexes]
    for index in indexes:
        lake.need(SYSTEM_NEXT_RELATION, index.index_id)
    for what, values in (
        ("name", Counter([*(relation.name for relation in relations), *(index.name for index in indexes)])),
        ("key prefix", Counter(relation.key_prefix.hex() for relation in relations)),
        ("number", Counter([
            *(relation.relation_id for relation in (*relations, *dropped)), *(index.index_id for index in indexes)])),
    ):
        for value, count in values.items():
            if count > 1:
                lake.report.add(checks.DEFINITIONS, f"{count} relations or indexes have the {what} {value}")
    # Of two with the same keys one is gone on with: rows are read once.
    lake.definitions.relations = list({relation.key_prefix: relation for relation in reversed(relations)}.values())
    for name, defined in ((SYSTEM_RELATION, relations), (SYSTEM_DROPPED, dropped)):
        for relation in defined:
            lake.need(SYSTEM_NEXT_RELATION, relation.relation_id)
            if await lake.snapshot.get(key := system_key(name, relation.relation_id)) is None:
                lake.report.add(checks.DEFINITIONS, f"{relation.name} is not under its number", key)


def _verify_sequence(lake: LakeUnderTest) -> None:
    sequence = lake.numbers.get(SYSTEM_COMMIT_SEQUENCE)
    key = system_key(SYSTEM_COMMIT_SEQUENCE)
    if sequence is None:
        if lake.definitions.relations or lake.definitions.dropped:
            lake.report.add(checks.COMMIT_SEQUENCE, "the lake has relations and no commit sequence", key)
        return
    for name in (SYSTEM_OPENED_AT, SYSTEM_AUDIT):
        if lake.numbers.get(name, 0) > sequence:
            lake.report.add(
                checks.COMMIT_SEQUENCE, f"the sequence is {sequence}, and {name} says {lake.numbers[name]}", key)
    if SYSTEM_FORMAT_VERSION not in lake.numbers:
        lake.report.add(checks.COMMIT_SEQUENCE, f"the lake has commit sequence {sequence} and no format version", key)
