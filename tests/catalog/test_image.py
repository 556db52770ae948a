"""Images against a dict, and what must survive and must not survive a change of theirs."""

from __future__ import annotations

import gc
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.catalog import chunk as chunk_module
from rocklake_server.catalog import image as image_module
from rocklake_server.catalog.chunk import PackedChunk
from rocklake_server.catalog.image import EMPTY, Image, Part, RelationImage, Wanted
from rocklake_server.catalog.view import Row
from rocklake_server.limits import CHUNK_ROWS_MAX
from rocklake_server.store.base import Key, Prefix

keys = st.binary(min_size=1, max_size=3).map(Key)
rows: st.SearchStrategy[Row] = st.tuples(st.integers(0, 9), st.integers(0, 9))
changes = st.dictionaries(keys, st.none() | rows, max_size=24)


def of(entries: dict[Key, Row]) -> Image:
    ordered = sorted(entries)
    return Image.of(ordered, [entries[key] for key in ordered])


def require_well_formed(image: Image, largest: int) -> None:
    assert all(0 < len(chunk.keys) <= largest for chunk in image.chunks)
    in_order = [key for chunk in image.chunks for key in chunk.keys]
    assert in_order == sorted(set(in_order))
    assert len(image) == len(in_order)


@given(st.dictionaries(keys, rows, max_size=40), st.lists(changes, max_size=6), keys, st.sampled_from((1, 2, 8)),
       st.sampled_from((1, 2, 4, 100)), st.booleans())
@settings(max_examples=300, deadline=None)
def test_changes_make_of_an_image_what_they_make_of_a_dict(
    start: dict[Key, Row], steps: list[dict[Key, Row | None]], absent: Key, sparse: int, packed: int, packs: bool
) -> None:
    with (
        patch.object(image_module, "CHUNK_ROWS_MAX", 4),
        patch.object(image_module._split, "__defaults__", (4,)),
        patch.object(image_module, "SPARSE", sparse),
        patch.object(chunk_module, "PACKED_ROWS_MIN", packed),
    ):
        image, model = of(start), dict(start)
        for step in steps:
            before = list(image.entries())
            changed = image.apply(step, packs=packs)
            assert list(image.entries()) == before
            image = changed
            for key, row in step.items():
                model.pop(key, None)
                if row is not None:
                    model[key] = row
            require_well_formed(image, 4)
            assert list(image.entries()) == sorted(model.items())
            assert all(image.get(key) == row for key, row in model.items())
            assert image.get(absent) == model.get(absent)


def numbered(number: int) -> Key:
    return Key(number.to_bytes(4, "big"))


def test_chunks_split_at_their_limit() -> None:
    image = of({numbered(i * 2): (i,) for i in range(CHUNK_ROWS_MAX)})
    assert len(image.chunks) == 1
    appended = image.apply({numbered(CHUNK_ROWS_MAX * 2): (0,)})
    assert [len(chunk.keys) for chunk in appended.chunks] == [CHUNK_ROWS_MAX, 1]
    within = image.apply({numbered(CHUNK_ROWS_MAX + 1): (0,)})
    assert [len(chunk.keys) for chunk in within.chunks] == [CHUNK_ROWS_MAX // 2 + 1, CHUNK_ROWS_MAX // 2]
    for changed in (appended, within):
        require_well_formed(changed, CHUNK_ROWS_MAX)


def test_a_change_copies_only_the_chunks_it_touches() -> None:
    image = of({numbered(i): (i,) for i in range(CHUNK_ROWS_MAX * 3)})
    for chunk in image.chunks:
        chunk.encodings["projection"] = b"bytes"
    changed = image.apply({numbered(CHUNK_ROWS_MAX): (0,)})
    assert [new is old for new, old in zip(changed.chunks, image.chunks, strict=True)] == [True, False, True]
    assert [chunk.encodings.get("projection") for chunk in changed.chunks] == [b"bytes", None, b"bytes"]


def test_what_is_derived_from_a_chunk_is_not_shared_with_its_changed_copy() -> None:
    image = of({numbered(i): (i, i) for i in range(3)})
    assert image.chunks[0].zone(0) == (0, 2, False)
    changed = image.apply({numbered(1): (50, None)})
    assert changed.chunks[0].zone(0) == (0, 50, False)
    assert changed.chunks[0].zone(1) == (0, 2, True)
    changed.chunks[0].encodings["p"] = b"new"
    assert image.chunks[0].encodings.get("p") is None
    assert image.chunks[0].zone(0) == (0, 2, False)


@given(st.dictionaries(keys, rows, max_size=40), st.binary(max_size=3), st.none() | st.binary(max_size=3))
def test_overlapping_finds_every_key_of_a_range(entries: dict[Key, Row], start: bytes, stop: bytes | None) -> None:
    with patch.object(image_module._split, "__defaults__", (4,)):
        image = of(entries)
        found = {key for chunk in image.overlapping(start, stop) for key in chunk.keys}
        assert {key for key in entries if start <= key and (stop is None or key < stop)} <= found


@given(st.dictionaries(keys, rows, max_size=40), st.binary(max_size=3))
def test_has_prefix_tells_whether_a_key_begins_so(entries: dict[Key, Row], prefix: bytes) -> None:
    with patch.object(image_module._split, "__defaults__", (4,)):
        assert of(entries).has_prefix(prefix) is any(key.startswith(prefix) for key in entries)


def test_a_partition_that_is_not_loaded_stays_so_when_it_changes() -> None:
    loaded = RelationImage({1: Part(EMPTY)})
    changed = loaded.apply({1: {numbered(1): (1,)}, 2: {numbered(2): (2,)}})
    assert changed.part(2) is None
    assert [len(part.image) for part in changed.parts.values()] == [1]
    complete = RelationImage({}, complete=True).apply({2: {numbered(2): (2,)}})
    assert complete.part(2) is not None
    assert complete.part(3) == Part(EMPTY)


def test_a_part_of_live_rows_answers_only_for_live_rows() -> None:
    part = Part(EMPTY, live_after=5)
    image = RelationImage({1: part})
    assert image.part(1, Wanted(live_after=5)) is part
    assert image.part(1, Wanted(live_after=9)) is part
    assert image.part(1, Wanted(live_after=4)) is None
    assert image.part(1) is None
    assert image.with_loaded(1, Part(EMPTY, 7)).parts[1] is part
    assert image.with_loaded(1, Part(EMPTY)).part(1) == Part(EMPTY)


def test_a_part_of_sections_answers_for_those_only_and_follows_their_changes() -> None:
    first, second, third = (Prefix(bytes([n])) for n in (1, 2, 3))
    part = Part(EMPTY, sections={first: of({Key(b"\x01a"): (1,)})})
    image = RelationImage({1: part})
    assert image.part(1, Wanted(section=first)) is part
    assert image.part(1, Wanted(section=second)) is None
    assert image.part(1) is None
    changed = image.apply({1: {Key(b"\x01b"): (2,), Key(b"\x02a"): (3,), Key(b"\x01a"): None}})
    assert image.parts[1] is part
    joined = changed.with_loaded(1, Part(EMPTY, sections={first: EMPTY, third: of({Key(b"\x03a"): (4,)})}))
    assert entries_of(joined, first) == [(b"\x01b", (2,))]
    assert entries_of(joined, third) == [(b"\x03a", (4,))]
    assert joined.part(1, Wanted(section=second)) is None
    whole = Part(of({Key(b"\x02a"): (3,)}))
    assert joined.with_loaded(1, whole).parts[1] is whole
    assert RelationImage({1: whole}).with_loaded(1, part).parts[1] is whole


def entries_of(image: RelationImage, section: Prefix) -> list[tuple[bytes, Row]]:
    found = image.part(1, Wanted(section=section))
    assert found is not None
    return list(found.image_of(Wanted(section=section)).entries())


def test_an_append_leaves_a_full_chunk_as_it_is() -> None:
    image = of({numbered(i): (i,) for i in range(CHUNK_ROWS_MAX)})
    appended = image.apply({numbered(CHUNK_ROWS_MAX): (0,)})
    assert appended.chunks[0] is image.chunks[0]
    unchanged = image.apply({numbered(CHUNK_ROWS_MAX): None})
    assert [new is old for new, old in zip(unchanged.chunks, image.chunks, strict=True)] == [True]


def test_a_chunk_that_appends_have_filled_is_packed_and_keeps_its_encodings() -> None:
    image = EMPTY
    for number in range(CHUNK_ROWS_MAX + 1):
        if number == CHUNK_ROWS_MAX:
            image.chunks[0].encodings["p"] = b"bytes"
        image = image.apply({numbered(number): (number, number)})
    assert [isinstance(chunk, PackedChunk) for chunk in image.chunks] == [True, False]
    assert image.chunks[0].encodings.get("p") == b"bytes"
    assert [row for _, row in image.entries()] == [(n, n) for n in range(CHUNK_ROWS_MAX + 1)]


def test_a_chunk_with_few_changes_stays_plain() -> None:
    """Packing it anew would cost each of many small commits more than the change itself."""
    image = of({numbered(i): (i, i) for i in range(CHUNK_ROWS_MAX)})
    changed = image.apply({numbered(7): (0, 0)})
    assert [isinstance(chunk, PackedChunk) for chunk in (*image.chunks, *changed.chunks)] == [True, False]


def test_a_chunk_that_loses_rows_is_packed_only_where_that_is_wanted() -> None:
    image = of({numbered(i): (i, i) for i in range(CHUNK_ROWS_MAX)})
    for packs in (True, False):
        (changed,) = image.apply({numbered(i): None for i in range(0, CHUNK_ROWS_MAX, 3)}, packs=packs).chunks
        assert isinstance(changed, PackedChunk) is packs
        assert [row[0] for row in changed.rows] == [i for i in range(CHUNK_ROWS_MAX) if i % 3]


@pytest.mark.parametrize("rows", [3, CHUNK_ROWS_MAX])
def test_what_nobody_holds_any_more_goes_at_once(rows: int) -> None:
    """Without waiting for the collector of cycles, which runs seldom: each commit leaves a chunk behind."""
    gc.disable()
    try:
        before = chunk_module.encodings.bytes
        image = of({numbered(i): (i, i) for i in range(rows)})
        chunk = image.chunks[0].in_insertion_order()
        chunk.encodings["p"] = b"bytes"
        assert next(iter(chunk.rows)) == (0, 0)
        assert chunk_module.encodings.bytes == before + 5
        del image, chunk
        assert chunk_module.encodings.bytes == before
    finally:
        gc.enable()
