"""Bounds narrow a scan and never lose a row that lies within them."""

from __future__ import annotations

import asyncio
from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rocklake_server.catalog import image as image_module
from rocklake_server.catalog import reading
from rocklake_server.catalog.view import Bounds, ColumnDefinition, Interval
from rocklake_server.schema.types import BIGINT, DOUBLE, VARCHAR, Value
from tests.catalog.engine import Engine, delete, insert, matches, select

FLOATS = st.floats(allow_nan=True, width=16)
numbers = st.integers(-3, 6)
texts = st.text("ab", max_size=2)
COLUMNS = [ColumnDefinition("i", BIGINT), ColumnDefinition("t", VARCHAR), ColumnDefinition("f", DOUBLE)]
KINDS = (numbers, texts, FLOATS)
rows = st.lists(st.tuples(*(st.none() | kind for kind in KINDS)), max_size=24)


def interval(kind: st.SearchStrategy[Value]) -> st.SearchStrategy[Interval]:
    return st.builds(Interval, st.none() | kind, st.none() | kind)


column_bounds = st.builds(
    Bounds,
    values=st.fixed_dictionaries({}, optional={i: st.frozensets(kind, max_size=2) for i, kind in enumerate(KINDS)}),
    ranges=st.fixed_dictionaries({}, optional={i: interval(kind) for i, kind in enumerate(KINDS)}),
    nulls=st.frozensets(st.integers(0, 2), max_size=1),
)


def above(left: Value, right: Value) -> bool:
    """left >= right as PostgreSQL orders numbers: NaN is equal to itself and greater than all others."""
    if left != left or right != right:
        return left != left
    return left >= right


def within(row: tuple[Value, ...], bounds: Bounds) -> bool:
    return (
        all(row[c] is not None and any(above(row[c], w) and above(w, row[c]) for w in wanted)
            for c, wanted in bounds.values.items())
        and all(row[c] is not None and (low is None or above(row[c], low)) and (high is None or above(high, row[c]))
                for c, (low, high) in bounds.ranges.items())
        and all(row[c] is None for c in bounds.nulls)
    )


def small_chunks() -> tuple[object, ...]:
    return (
        patch.object(image_module, "CHUNK_ROWS_MAX", 3),
        patch.object(image_module._split, "__defaults__", (3,)),
        patch.object(reading, "ZONE_ROWS_MIN", 0),
    )


@given(rows, rows, column_bounds)
@settings(max_examples=60, deadline=None)
def test_zones_never_prune_a_row_that_matches(
    committed: list[tuple[Value, ...]], staged: list[tuple[Value, ...]], bounds: Bounds
) -> None:
    async def scan() -> None:
        engine = await Engine().open()
        transaction = await engine.begin()
        await transaction.create_relation(None, "t", COLUMNS)
        relation = transaction.resolve(None, "t")
        await transaction.insert(relation, committed)
        await transaction.commit()
        transaction = await engine.begin()
        await transaction.insert(transaction.resolve(None, "t"), staged)
        found = sorted(repr(m.row[:-1]) for m in await matches(transaction, "t", bounds) if within(m.row, bounds))
        assert found == sorted(repr(row) for row in [*committed, *staged] if within(row, bounds))
        await transaction.rollback()

    first, second, third = small_chunks()
    with first, second, third:
        asyncio.run(scan())


stats_ids = st.tuples(numbers, numbers, numbers)


@given(
    st.lists(stats_ids, max_size=20, unique=True),
    st.fixed_dictionaries({}, optional={i: st.frozensets(numbers, max_size=3) for i in range(3)}),
    st.fixed_dictionaries({}, optional={i: interval(numbers) for i in range(3)}),
    st.frozensets(stats_ids, max_size=3),
)
@example([(1, n, 0) for n in (*range(5), -2, -1)], {0: frozenset({1})}, {1: Interval(-3, None)}, frozenset())
@example([(1, n, 0) for n in range(5)], {0: frozenset({1})}, {1: Interval(2, 3)}, frozenset())
@example([(1, 0, 0)], {0: frozenset({1}), 1: frozenset()}, {}, frozenset())
@settings(max_examples=60, deadline=None)
def test_narrowing_by_key_never_prunes_a_row_that_matches(
    ids: list[tuple[int, int, int]], wanted: dict[int, frozenset[int]], ranges: dict[int, Interval],
    gone: frozenset[tuple[int, int, int]]
) -> None:
    """ducklake_file_column_stats: partitioned by table_id, then column_id and data_file_id in the key."""
    names = ("table_id", "column_id", "data_file_id")

    async def scan() -> None:
        engine = await Engine().open()
        await engine.create_catalog()
        transaction = await engine.begin()
        await insert(transaction, "ducklake_file_column_stats", *(dict(zip(names, row, strict=True)) for row in ids))
        await transaction.commit()
        for reopened in (engine, await engine.reopen()):
            transaction = await reopened.begin()
            for row in gone:
                await delete(transaction, "ducklake_file_column_stats", **dict(zip(names, row, strict=True)))
            relation = transaction.resolve(None, "ducklake_file_column_stats")
            at = [relation.index[name] for name in names]
            bounds = Bounds({at[i]: values for i, values in wanted.items()},
                            {at[i]: interval for i, interval in ranges.items()})
            found = [m.row for m in await matches(transaction, relation.name, bounds)]
            remaining = [tuple(row[i] for i in at) for row in found if within(row, bounds)]
            places = {r: tuple(r[at.index(i)] if i in at else None for i in range(max(at) + 1)) for r in ids}
            assert sorted(remaining) == sorted(r for r in ids if r not in gone and within(places[r], bounds))
            everything = await select(transaction, relation.name, *names)
            assert sorted(everything) == sorted(r for r in ids if r not in gone)
            await transaction.rollback()

    first, second, third = small_chunks()
    with first, second, third:
        asyncio.run(scan())


async def test_nothing_is_pruned_by_a_bound_that_python_cannot_order() -> None:
    """PostgreSQL puts NaN after every number."""
    engine = await Engine().open()
    transaction = await engine.begin()
    await transaction.create_relation(None, "t", COLUMNS)
    await transaction.insert(transaction.resolve(None, "t"), [[1, "a", 1.5]] * 100)
    bounds = Bounds(ranges={2: Interval(None, float("nan"))})
    assert len(await matches(transaction, "t", bounds)) == 100
    await transaction.rollback()
