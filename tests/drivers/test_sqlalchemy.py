"""SQLAlchemy 2 over psycopg and asyncpg: reflection, and statements of its core."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from tests.servers import RockLakeServer


@pytest.fixture(scope="module")
def engine(server: RockLakeServer) -> Iterator[sa.Engine]:
    made = sa.create_engine(f"postgresql+psycopg://ada@127.0.0.1:{server.port}/lake")
    with made.begin() as connection:
        connection.execute(sa.text("CREATE TABLE t (a bigint PRIMARY KEY, b text, c numeric(10,2) NOT NULL DEFAULT 0)"))
        connection.execute(sa.text("CREATE TABLE pairs (x integer, y integer, z timestamptz, PRIMARY KEY (x, y))"))
        connection.execute(sa.text("INSERT INTO t VALUES (1, 'one', 1.5), (2, NULL, 2)"))
    yield made
    made.dispose()


def test_tables_and_schemas_are_listed(engine: sa.Engine) -> None:
    inspector = sa.inspect(engine)
    assert sorted(inspector.get_table_names()) == ["pairs", "t"]
    assert inspector.default_schema_name == "public"
    assert inspector.get_view_names() == []
    assert inspector.has_table("t")
    assert not inspector.has_table("nothing")


def test_columns_are_reflected(engine: sa.Engine) -> None:
    columns = {column["name"]: column for column in sa.inspect(engine).get_columns("t")}
    assert {name: str(column["type"]) for name, column in columns.items()} == {
        "a": "BIGINT", "b": "TEXT", "c": "NUMERIC(10, 2)",
    }  # fmt: skip
    assert [columns[name]["nullable"] for name in "abc"] == [False, True, False]


def test_keys_and_indexes_are_reflected(engine: sa.Engine) -> None:
    inspector = sa.inspect(engine)
    assert inspector.get_pk_constraint("pairs")["constrained_columns"] == ["x", "y"]
    assert inspector.get_pk_constraint("t")["name"] == "t_pkey"
    assert inspector.get_foreign_keys("t") == []
    assert inspector.get_indexes("t") == []
    assert inspector.get_unique_constraints("t") == []
    assert inspector.get_check_constraints("t") == []


def test_a_database_is_reflected_as_a_whole(engine: sa.Engine) -> None:
    metadata = sa.MetaData()
    metadata.reflect(engine)
    assert set(metadata.tables) == {"t", "pairs"}
    assert [column.name for column in metadata.tables["pairs"].primary_key.columns] == ["x", "y"]


def test_statements_of_the_core(engine: sa.Engine) -> None:
    table = sa.Table("t", sa.MetaData(), autoload_with=engine)
    with engine.begin() as connection:
        connection.execute(sa.insert(table), [{"a": key, "b": str(key), "c": key} for key in range(10, 20)])
        connection.execute(sa.update(table).where(table.c.a == 10).values(b="ten"))
        connection.execute(sa.delete(table).where(table.c.a > 15))
        found = connection.execute(
            sa.select(table.c.b, sa.func.count()).where(table.c.a.in_([10, 11])).group_by(table.c.b).order_by(table.c.b)
        ).all()
        assert found == [("11", 1), ("ten", 1)]
        connection.rollback()
    with engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(table)).scalar() == 2


def test_statements_of_the_core_return_what_they_wrote(engine: sa.Engine) -> None:
    table = sa.Table("t", sa.MetaData(), autoload_with=engine)
    with engine.connect() as connection:
        made = sa.insert(table).values([{"a": 30, "c": 1}, {"a": 31, "c": 2.5}]).returning(table.c.a, table.c.c * 2)
        assert [tuple(map(float, row)) for row in connection.execute(made)] == [(30, 2), (31, 5)]
        changed = sa.update(table).where(table.c.a == 30).values(b="x").returning(table)
        assert [row.b for row in connection.execute(changed)] == ["x"]
        gone = connection.execute(sa.delete(table).where(table.c.a >= 30).returning(table.c.a)).scalars()
        assert sorted(gone) == [30, 31]
        connection.rollback()


def test_rows_are_streamed_through_a_cursor_of_the_server(engine: sa.Engine) -> None:
    table = sa.Table("t", sa.MetaData(), autoload_with=engine)
    with engine.connect() as connection:
        rows = connection.execution_options(yield_per=1).execute(sa.select(table.c.a).order_by(table.c.a))
        assert [row.a for row in rows] == [1, 2]


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE", "AUTOCOMMIT"])
def test_every_isolation_level(engine: sa.Engine, level: str) -> None:
    with engine.connect().execution_options(isolation_level=level) as connection:
        shown = connection.execute(sa.text("SHOW transaction_isolation")).scalar()
        assert shown == (level.lower() if level != "AUTOCOMMIT" else "read committed")


async def test_over_asyncpg(server: RockLakeServer, engine: sa.Engine) -> None:
    made = create_async_engine(f"postgresql+asyncpg://ada@127.0.0.1:{server.port}/lake")
    async with made.connect() as connection:
        names = await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names())
        assert sorted(names) == ["pairs", "t"]
        found = await connection.execute(sa.text("SELECT b FROM t WHERE a = :key"), {"key": 1})
        assert found.scalar() == "one"
        document = sa.bindparam("document", {"x": [1, None]}, sa.JSON)
        assert (await connection.execute(sa.select(sa.cast(document, sa.JSON)))).scalar() == {"x": [1, None]}
    await made.dispose()
