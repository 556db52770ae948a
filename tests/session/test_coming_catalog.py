"""The next catalog version: its migration, its columns and relations, as the client's sources say it is written."""

from __future__ import annotations

import pytest

from tests.session.coming_catalog import BEGIN, copied, fill
from tests.session.conversation import Conversation, Place


@pytest.fixture
async def lake(client: Conversation) -> Conversation:
    """A client on a catalog of the present version."""
    await fill(client)
    return client


INLINED_DELETE = "ducklake_inlined_delete_2 (file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT)"
VIEW_TAG = (
    "(view_id BIGINT, column_name VARCHAR, begin_snapshot BIGINT, end_snapshot BIGINT, key VARCHAR, value VARCHAR)"
)
MIGRATION = [
    *(
        f'ALTER TABLE "public".{table} ADD COLUMN IF NOT EXISTS row_group_count BIGINT'
        for table in ("ducklake_data_file", "ducklake_delete_file")
    ),
    f'CREATE TABLE IF NOT EXISTS "public".ducklake_view_column_tag{VIEW_TAG}',
    *(
        f'ALTER TABLE "public".ducklake_inlined_data_1_1 RENAME COLUMN {name} TO _ducklake_{name}'
        for name in ("row_id", "begin_snapshot", "end_snapshot")
    ),
    "UPDATE \"public\".ducklake_metadata SET value = '1.1-dev1' WHERE key = 'version'",
]
MIGRATION_TAGS = [*["ALTER TABLE"] * 2, "CREATE TABLE", *["ALTER TABLE"] * 3, "UPDATE 1"]


async def test_a_catalog_is_migrated_to_the_next_version(server: Place, lake: Conversation) -> None:
    other = await server.client()
    await lake.run(BEGIN)
    assert await lake.query(";\n".join(MIGRATION)) == [*MIGRATION_TAGS, "ready T"]
    assert await other.rows("SELECT value FROM ducklake_metadata WHERE key = 'version'") == ["1.0"]
    await lake.run("COMMIT")
    assert await other.rows("SELECT value FROM ducklake_metadata WHERE key = 'version'") == ["1.1-dev1"]
    assert await copied(other, 'SELECT "path", "row_group_count" FROM "public"."ducklake_data_file" ') == [
        (b"a.parquet", None)
    ]
    live = "SELECT _ducklake_row_id, i FROM ducklake_inlined_data_1_1 WHERE _ducklake_end_snapshot IS NULL ORDER BY 1"
    assert await other.rows(live) == ["0|7", "1|NULL"]
    assert await other.query("SELECT row_id FROM ducklake_inlined_data_1_1") == ["ERROR 42703", "ready I"]


async def test_a_migration_that_is_given_up_leaves_the_old_version(server: Place, lake: Conversation) -> None:
    await lake.run(BEGIN, *MIGRATION, "ROLLBACK")
    other = await server.client()
    assert await other.rows("SELECT row_id FROM ducklake_inlined_data_1_1 ORDER BY 1") == ["0", "1", "2"]
    assert await other.query("SELECT row_group_count FROM ducklake_data_file") == ["ERROR 42703", "ready I"]
    assert await other.query("SELECT * FROM ducklake_view_column_tag") == ["ERROR 42P01", "ready I"]
    assert await other.rows("SELECT value FROM ducklake_metadata WHERE key = 'version'") == ["1.0"]


async def test_what_is_there_already_is_passed_over_with_a_notice(lake: Conversation) -> None:
    await lake.run(*MIGRATION)
    assert await lake.query(MIGRATION[0]) == ["NOTICE 42701", "ALTER TABLE", "ready I"]
    assert await lake.query(MIGRATION[2]) == ["NOTICE 42P07", "CREATE TABLE", "ready I"]
    assert await lake.query(f'CREATE TABLE IF NOT EXISTS "public".{INLINED_DELETE}') == ["CREATE TABLE", "ready I"]
    assert await lake.query(MIGRATION[0].replace("IF NOT EXISTS ", "")) == ["ERROR 42701", "ready I"]
    assert await lake.query(MIGRATION[3]) == ["ERROR 42703", "ready I"]


async def test_tags_of_views_columns_end_and_begin(lake: Conversation) -> None:
    await lake.run(*MIGRATION)
    insert = "INSERT INTO \"public\".ducklake_view_column_tag VALUES (4, 'a', {}, NULL, 'comment', '{}')"
    await lake.run(insert.format(1, "old"), insert.format(1, "other").replace("'a'", "'b'"))
    overwrite = (
        "WITH overwritten_tags(vid, column_name, key) AS (\nVALUES (4, 'a', 'comment')\n)\n"
        'UPDATE "public".ducklake_view_column_tag\nSET end_snapshot = 3\nFROM overwritten_tags\n'
        "WHERE view_id=vid AND ducklake_view_column_tag.column_name=overwritten_tags.column_name "
        "AND ducklake_view_column_tag.key=overwritten_tags.key AND end_snapshot IS NULL;"
    )
    assert await lake.query(overwrite + insert.format(3, "new")) == ["UPDATE 1", "INSERT 0 1", "ready I"]
    assert await lake.rows(
        "SELECT column_name, end_snapshot, value FROM ducklake_view_column_tag ORDER BY begin_snapshot, column_name"
    ) == ["a|3|old", "b|NULL|other", "a|NULL|new"]


async def test_tags_of_dropped_columns_end(lake: Conversation) -> None:
    rows = "(1, 2, 1, NULL, 'comment', 'x'), (1, 3, 1, NULL, 'comment', 'y')"
    await lake.run(f"INSERT INTO ducklake_column_tag VALUES {rows}")
    drop = (
        'WITH dropped_cols(tid, cid) AS (\nVALUES (1, 2), (1, 9)\n)\nUPDATE "public".ducklake_column_tag\n'
        "SET end_snapshot = 3\nFROM dropped_cols\nWHERE table_id=tid AND column_id=cid AND end_snapshot IS NULL"
    )
    assert await lake.query(drop) == ["UPDATE 1", "ready I"]
    assert await lake.rows("SELECT column_id FROM ducklake_column_tag WHERE end_snapshot IS NULL") == ["3"]
