"""What lakes with the same relations share is right for each of them, and for those whose relations differ."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from rocklake_server.plan import statement_plans
from tests.session.conversation import Place, place

RELATIONS = (
    "CREATE TABLE ducklake_snapshot(snapshot_id BIGINT PRIMARY KEY, snapshot_time TIMESTAMPTZ, schema_version BIGINT, "
    "next_catalog_id BIGINT, next_file_id BIGINT)",
    "CREATE TABLE ducklake_schema(schema_id BIGINT PRIMARY KEY, schema_uuid UUID, begin_snapshot BIGINT, "
    "end_snapshot BIGINT, schema_name VARCHAR, path VARCHAR, path_is_relative BOOLEAN)",
)
COLUMNS = (
    "SELECT n.oid, c.relname, a.attname, t.typname, d.description FROM pg_class c JOIN pg_namespace n "
    "ON c.relnamespace = n.oid JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON a.atttypid = t.oid "
    "LEFT JOIN pg_description d ON d.objoid = a.attrelid AND d.objsubid = a.attnum "
    "WHERE c.relname = 'ducklake_schema' AND a.attnum > 0 ORDER BY a.attnum"
)


@pytest.fixture
async def server() -> AsyncIterator[Place]:
    async with place() as opened:
        yield opened


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The answers over system relations that were computed."""
    found: list[object] = []
    original = statement_plans.collected

    async def collected(operator: object, env: object) -> object:
        found.append(operator)
        return await original(operator, env)  # type: ignore[arg-type]

    monkeypatch.setattr(statement_plans, "collected", collected)
    return found


async def made(server: Place, database: str, *more: str) -> list[str]:
    """The columns that a new lake lists, after ``more``."""
    client = await server.client(database=database)
    await client.run(*RELATIONS, *more)
    return await client.rows(COLUMNS)


async def test_the_catalogs_answer_for_one_lake_is_that_of_the_next(server: Place, computed: list[object]) -> None:
    first = await made(server, "one")
    computed.clear()
    assert await made(server, "two") == first
    assert computed == []
    assert len(first) == 7


@pytest.mark.parametrize("change", [
    "ALTER TABLE ducklake_schema ADD COLUMN more VARCHAR",
    "ALTER TABLE ducklake_schema RENAME COLUMN path TO way",
    "COMMENT ON COLUMN ducklake_schema.path IS 'where'",
    "DROP TABLE ducklake_schema",
])  # fmt: skip
async def test_a_lake_that_differs_has_its_own_answer(server: Place, change: str) -> None:
    first = await made(server, "one")
    assert await made(server, "two", change) != first
    assert await made(server, "three") == first
    client = await server.client(database="one")
    await client.run(change)
    assert await client.rows(COLUMNS) == await (await server.client(database="two")).rows(COLUMNS) != first


async def test_a_name_is_looked_up_in_each_lake(server: Place) -> None:
    """What a cast finds is no row of a system relation."""
    text = "SELECT relname FROM pg_class WHERE oid = '{}'::regclass"
    one, two = await server.client(database="one"), await server.client(database="two")
    await one.run("CREATE TABLE a(x BIGINT)", "CREATE TABLE b(x BIGINT)")
    await two.run("CREATE TABLE b(x BIGINT)", "CREATE TABLE a(x BIGINT)")
    for name in ("a", "b"):
        for client in (one, two, one):
            assert await client.rows(text.format(name)) == [name]


async def test_a_template_of_one_lake_serves_the_next_unless_its_relation_differs(server: Place) -> None:
    text = "SELECT * FROM ducklake_schema WHERE schema_id < {}"
    widths, compiled = [], []
    for number, more in enumerate(("", "", "ALTER TABLE ducklake_schema ADD COLUMN more VARCHAR", "")):
        client = await server.client(database=f"lake{number}")
        await client.run(*RELATIONS, *filter(None, [more]))
        widths.append(len((await client.query(text.format(number)))[0].split()))
        compiled.append(len(server.plans[f"lake{number}"].templates))
    assert widths == [8, 8, 9, 8]
    assert compiled[:3] == [1, 0, 1]
