"""Keys and values of a lake's store as they are, decoded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.definitions import read_definitions
from rocklake_server.catalog.maintenance.key_space import KeyFacts, KeySpace, as_key
from rocklake_server.encoding.envelope import HEADER_BYTES
from rocklake_server.encoding.keys import relation_prefix
from rocklake_server.errors import CatalogError, InvalidParameterValue, UndefinedObject
from rocklake_server.store.base import Key, Prefix


async def raw_keys(
    reader: LakeReader, prefix: str, relation: str | None, *, values: bool
) -> AsyncIterator[dict[str, object]]:
    """Keys under a hexadecimal prefix, or of one relation's rows. What cannot be decoded is there with the reason."""
    if prefix and relation is not None:
        raise InvalidParameterValue("name either a prefix or a relation")
    under = relation_prefix(reader.relation(relation)) if relation is not None else Prefix(as_key(prefix))
    space = await _space(reader)
    async for entries in reader.snapshot.scan(under):
        for key, value in entries:
            yield _record(space, key, value if values else None)


async def explained_key(reader: LakeReader, text: str) -> dict[str, object]:
    """A key and its value. Raises UndefinedObject when the lake does not have it, CorruptValue for one that no lake
    of this version has."""
    key = as_key(text)
    value = await reader.snapshot.get(key)
    if value is None:
        raise UndefinedObject(f'lake "{reader.listed}" has no key {key.hex()}')
    space = await _space(reader)
    facts = space.explain(key)
    contents = space.contents(facts, key, value)
    spans = [{"bytes": part.data, "what": f"key: {part.name}", "value": part.value} for part in facts.parts]
    spans += [
        {"bytes": value[:1], "what": "value: encoding version", "value": value[0]},
        {"bytes": value[1:HEADER_BYTES], "what": "value: magic", "value": value[1:HEADER_BYTES].decode("ascii")},
        {"bytes": value[HEADER_BYTES:], "what": "value: protobuf message", "value": None},
    ]
    return {
        "key": key, "space": facts.space.value, "name": facts.name, "dropped": facts.is_dropped, "bytes": spans,
        "contents": contents,
    }


def explained_bytes(facts: Mapping[str, object]) -> list[dict[str, object]]:
    """What ``explained_key`` found, one line for each run of bytes and each field of the value."""
    spans, contents = facts["bytes"], facts["contents"]
    if not isinstance(spans, list) or not isinstance(contents, Mapping):
        raise InvalidParameterValue("these are not the facts of a key")
    return [*spans, *({"bytes": "", "what": f"field: {name}", "value": value} for name, value in contents.items())]


async def _space(reader: LakeReader) -> KeySpace:
    definitions = await read_definitions(reader.snapshot)
    return KeySpace(definitions.relations, definitions.dropped)


def _record(space: KeySpace, key: Key, value: bytes | None) -> dict[str, object]:
    try:
        facts: KeyFacts = space.explain(key)
        record: dict[str, object] = {
            "key": key, "space": facts.space.value, "name": facts.name, "fields": facts.fields,
        }
        if value is not None:
            record["value"] = space.contents(facts, key, value)
    except CatalogError as error:
        return {"key": key, "space": "unknown", "name": None, "fields": str(error), "value": None}
    return record
