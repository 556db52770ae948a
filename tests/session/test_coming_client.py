"""What DuckLake's next line of clients sends, written down from its sources: no package of it exists yet.

It reads whole tables, may order and limit inside COPY, changes statistics column by column, and inserts rows where
the present line copies them.
"""

from __future__ import annotations

import pytest

from rocklake_server.wire import messages as m
from tests.session.coming_catalog import BEGIN, copied, fill, number
from tests.session.conversation import Conversation, Place, text_of


@pytest.fixture
async def lake(client: Conversation) -> Conversation:
    """A client on that catalog."""
    await fill(client)
    return client


# Scans


async def test_whole_tables_are_read(lake: Conversation) -> None:
    await lake.run(BEGIN)
    scan = 'SELECT "snapshot_id", "next_file_id" FROM "public"."ducklake_snapshot" '
    assert await copied(lake, scan) == [(number(n), number(n // 2)) for n in range(3)]
    assert await copied(lake, 'SELECT "i", ctid FROM "public"."ducklake_inlined_data_1_1" ')
    assert await copied(lake, 'SELECT NULL FROM "public"."ducklake_table_column_stats" ') == [(None,)] * 3
    assert await copied(lake, 'SELECT "object_id", "key" FROM "public"."ducklake_tag" ') == []
    assert await lake.query("COMMIT") == ["COMMIT", "ready I"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ('ORDER BY "i" NULLS LAST LIMIT 2', [7, 9]),
        ('ORDER BY "i" ASC NULLS LAST', [7, 9, None]),
        ('ORDER BY "i" DESC NULLS LAST LIMIT 1', [9]),
        ('ORDER BY "i" DESC NULLS FIRST LIMIT 2', [None, 9]),
        ('ORDER BY "begin_snapshot" NULLS LAST, "row_id" DESC NULLS LAST LIMIT 2', [9, None]),
        ('WHERE "row_id" >= \'1\' ORDER BY "i" NULLS LAST LIMIT 5', [9, None]),
        ("LIMIT 1", [7]),
        ("LIMIT 0", []),
        ('ORDER BY "i" NULLS LAST LIMIT 0', []),
    ],
)
async def test_order_and_limit_inside_a_copy(lake: Conversation, order: str, expected: list[int | None]) -> None:
    rows = await copied(lake, f'SELECT "i" FROM "public"."ducklake_inlined_data_1_1" {order}')
    assert rows == [(None if value is None else number(value, 4),) for value in expected]


async def test_probes_tell_whether_an_inlined_table_is_there(lake: Conversation) -> None:
    there = 'SELECT "row_id", "i" FROM "public"."ducklake_inlined_data_1_1" LIMIT 0'
    gone = 'COPY (SELECT "i" FROM "public"."ducklake_inlined_data_1_9" LIMIT 0) TO STDOUT (FORMAT "binary");'
    assert await copied(lake, there) == []
    assert await lake.query('SELECT * FROM "public".ducklake_inlined_data_1_1 LIMIT 0') == [
        "columns row_id:20 begin_snapshot:20 end_snapshot:20 i:23", "SELECT 0", "ready I",
    ]  # fmt: skip
    await lake.run(BEGIN)
    assert await lake.query(gone) == ["ERROR 42P01", "ready E"]
    assert await lake.query("ROLLBACK") == ["ROLLBACK", "ready I"]


# Changes

COMMIT_BATCH = (
    'INSERT INTO "public".ducklake_snapshot VALUES (3, NOW(), 1, 2, 1);'
    'UPDATE "public".ducklake_table_stats SET record_count=5, file_size_bytes=0, next_row_id=5 WHERE table_id=1;\n'
    + "".join(
        'UPDATE "public".ducklake_table_column_stats SET contains_null=CAST(true AS BOOLEAN), '
        f"contains_nan=CAST(NULL AS BOOLEAN), min_value='{column}', max_value='it''s', extra_stats=NULL "
        f"WHERE table_id=1 AND column_id={column};\n"
        for column in (1, 3)
    )
    + 'INSERT INTO "public".ducklake_inlined_data_1_1 VALUES (3, 3, NULL, 11), (4, 3, NULL, 12);'
    "INSERT INTO \"public\".ducklake_snapshot_changes VALUES (3, 'inlined_insert:1', NULL, NULL, NULL);"
)
COMMIT_TAGS = ["INSERT 0 1", "UPDATE 1", "UPDATE 1", "UPDATE 1", "INSERT 0 2", "INSERT 0 1"]
STATISTICS_AFTER = ["1|t|NULL|1|it's", "2|f|NULL|2|20", "3|t|NULL|3|it's"]
READ_STATISTICS = (
    "SELECT column_id, contains_null, contains_nan, min_value, max_value FROM ducklake_table_column_stats ORDER BY 1"
)


async def test_statistics_change_column_by_column(server: Place, lake: Conversation) -> None:
    await lake.run(BEGIN)
    assert await lake.query(COMMIT_BATCH) == [*COMMIT_TAGS, "ready T"]
    assert await lake.rows(READ_STATISTICS) == STATISTICS_AFTER
    await lake.run("COMMIT")
    other = await server.client()
    assert await other.rows(READ_STATISTICS) == STATISTICS_AFTER
    assert await other.rows("SELECT max(snapshot_id) FROM ducklake_snapshot") == ["3"]


async def test_statistics_that_another_client_changed_meanwhile_are_a_conflict(
    server: Place, lake: Conversation
) -> None:
    other = await server.client()
    await lake.run(BEGIN, "SELECT 1 FROM ducklake_snapshot")
    await other.run(COMMIT_BATCH)
    assert (await lake.query(COMMIT_BATCH))[-2:] == ["ERROR 23505", "ready E"]
    await lake.run("ROLLBACK")


async def test_a_commit_batch_that_first_arrives_in_parse(lake: Conversation) -> None:
    """PostgreSQL prepares one command at a time; the client then sends the batch as a simple Query."""
    parse = m.Parse("", COMMIT_BATCH, ())
    replies = await lake.exchange(parse, m.Sync())
    assert text_of(replies) == "cannot insert multiple commands into a prepared statement"
    assert await lake.say(parse, m.Describe("S", ""), m.Sync()) == ["ERROR 42601", "ready I"]
    assert await lake.say(m.Query(BEGIN)) == ["BEGIN", "ready T"]
    assert await lake.query(COMMIT_BATCH) == [*COMMIT_TAGS, "ready T"]
    assert await lake.query("COMMIT") == ["COMMIT", "ready I"]
    assert await lake.rows(READ_STATISTICS) == STATISTICS_AFTER


async def test_a_refused_parse_fails_an_open_transaction_and_not_the_session(lake: Conversation) -> None:
    await lake.run(BEGIN, "DELETE FROM ducklake_tag")
    assert await lake.say(m.Parse("", COMMIT_BATCH, ()), m.Sync()) == ["ERROR 42601", "ready E"]
    assert await lake.query(COMMIT_BATCH) == ["ERROR 25P02", "ready E"]
    await lake.run("ROLLBACK", BEGIN)
    assert await lake.query(COMMIT_BATCH) == [*COMMIT_TAGS, "ready T"]
    await lake.run("COMMIT")


async def test_rows_are_inserted_where_they_were_copied(lake: Conversation) -> None:
    rows = ", ".join(f"('{n}', '2024-01-01 00:00:00+00', '{n // 3}', '2', '0')" for n in range(100, 250))
    columns = '"snapshot_id", "snapshot_time", "schema_version", "next_catalog_id", "next_file_id"'
    insert = f'INSERT INTO "public"."ducklake_snapshot" ({columns}) VALUES {rows}'
    assert 7000 < len(insert) < 10000
    assert await lake.query(insert) == ["INSERT 0 150", "ready I"]
    insert = 'INSERT INTO "public"."ducklake_metadata" ("key", "value") VALUES '
    assert await lake.query(f"{insert}('a', 'it''s')") == ["INSERT 0 1", "ready I"]
    assert await lake.rows("SELECT count(*), max(schema_version) FROM ducklake_snapshot") == ["153|83"]
    assert await lake.rows("SELECT value, scope, scope_id FROM ducklake_metadata WHERE key = 'a'") == ["it's|NULL|NULL"]


async def test_everything_of_a_table_is_deleted(server: Place, lake: Conversation) -> None:
    await lake.run(BEGIN)
    assert await lake.query('DELETE FROM "public".ducklake_inlined_delete_1') == ["DELETE 2", "ready T"]
    assert await lake.query('DELETE FROM "public".ducklake_inlined_delete_1;') == ["DELETE 0", "ready T"]
    await lake.run("INSERT INTO ducklake_inlined_delete_1 VALUES (1, 1, 3)", "COMMIT")
    assert await (await server.client()).rows("SELECT file_id FROM ducklake_inlined_delete_1") == ["1"]
