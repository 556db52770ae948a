"""Every key that the engine writes is explained, and no other bytes are taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.catalog.maintenance.definitions import LakeDefinitions, read_definitions
from rocklake_server.catalog.maintenance.key_space import KeySpace, Space, as_key, unknown_entries
from rocklake_server.catalog.view import ColumnDefinition
from rocklake_server.encoding.keys import retired_key
from rocklake_server.errors import CorruptValue
from rocklake_server.schema.model import Relation
from rocklake_server.schema.registry import TABLES
from rocklake_server.schema.relations import relation_for
from rocklake_server.store.base import Key, Prefix
from tests.catalog.maintenance.whole_lake import whole_lake
from tests.store.places import batch_of


def declared() -> list[Relation]:
    """Every declared relation as the newest catalog version has it."""
    found: list[Relation] = []
    for number, table in enumerate(TABLES, 1):
        columns = [ColumnDefinition(c.name, c.type, c.nullable) for c in table.columns if c.until is None]
        relation = relation_for(table, number, columns, table.primary_key)
        assert relation is not None
        found.append(relation)
    return found


SPACE = KeySpace(declared())
BEGINNINGS = [b"", b"\xfb", b"\xfc", b"\xfe", b"\xff", *(bytes([table.tag]) for table in TABLES)]


async def test_every_key_of_a_lake_is_explained_byte_by_byte() -> None:
    snapshot = await (await whole_lake()).snapshot()
    definitions: LakeDefinitions = await read_definitions(snapshot)
    space = KeySpace(definitions.relations, definitions.dropped)
    seen: set[Space] = set()
    async for entries in snapshot.scan(Prefix(b"")):
        for key, value in entries:
            facts = space.explain(key)
            assert b"".join(part.data for part in facts.parts) == key
            assert space.contents(facts, key, value) or facts.space is Space.INDEX
            seen.add(facts.space)
    assert seen == set(Space)


async def test_nothing_lies_between_what_is_known() -> None:
    store = await whole_lake()
    definitions = await read_definitions(await store.snapshot())

    async def unknown() -> list[bytes]:
        found = unknown_entries(await store.snapshot(), definitions.relations, definitions.left_behind())
        return [key async for entries in found for key, _ in entries]

    assert await unknown() == []
    await store.write(batch_of((b"\x00", b""), (b"\x70\x01", b""), (b"\xfa", b""), (b"\xfd" + bytes(9), b"")))
    assert await unknown() == [b"\x00", b"\x70\x01", b"\xfa", b"\xfd" + bytes(9)]


@given(st.binary(max_size=40), st.sampled_from(BEGINNINGS))
def test_other_bytes_are_refused_or_explained_in_full(data: bytes, beginning: bytes) -> None:
    key = beginning + data
    try:
        facts = SPACE.explain(key)
    except CorruptValue:
        return
    assert b"".join(part.data for part in facts.parts) == key


def test_a_retired_row_names_the_commit_that_deleted_it() -> None:
    facts = SPACE.explain(retired_key(7, Key(b"\x02" + (3).to_bytes(8, "big"))))
    assert (facts.space, facts.name) == (Space.RETIRED, "ducklake_snapshot")
    assert facts.fields == {"deleted_by_commit": 7, "snapshot_id": 3}


@pytest.mark.parametrize("text", ["0B 00", "0b|00", "0B00"])
def test_keys_are_given_in_hexadecimal(text: str) -> None:
    assert as_key(text) == b"\x0b\x00"


def test_what_is_not_hexadecimal_is_refused() -> None:
    with pytest.raises(CorruptValue, match='"xyz" is not a key in hexadecimal digits'):
        as_key("xyz")
