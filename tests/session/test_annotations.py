"""COMMENT ON, CREATE INDEX and DROP INDEX: what is noted is part of the transaction, listed, and found after a restart.

What the catalogs and psql show of it is held against PostgreSQL in ``tests/psql``.
"""

from __future__ import annotations

import pytest

from rocklake_server.catalog.databases import Databases
from rocklake_server.clock import ManualClock
from rocklake_server.limits import SCHEMAS_ENTERED_MAX
from rocklake_server.store.base import Store
from rocklake_server.store.memory import MemoryStore
from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place, text_of

COMMENTS = "SELECT obj_description('t'::regclass), col_description('t'::regclass, 2), obj_description('i'::regclass)"
INDEXES = "SELECT indexname, indexdef FROM pg_indexes ORDER BY 1"
NOTE = "CREATE INDEX i ON t (b DESC, a); COMMENT ON TABLE t IS 'a table'; COMMENT ON COLUMN t.b IS 'a column';" \
    "COMMENT ON INDEX i IS 'an index'"
KEY = "t_pkey|CREATE UNIQUE INDEX t_pkey ON public.t USING btree (a)"


async def refused(client: Conversation, text: str) -> tuple[str, str]:
    """(SQLSTATE, message)."""
    replies = await client.exchange(m.Query(text))
    (error,) = [reply for reply in replies if isinstance(reply, m.ErrorResponse)]
    return error.fields["C"], error.fields["M"]


async def test_what_is_noted_is_seen_and_goes_with_its_table(table: Conversation) -> None:
    await table.run(*NOTE.split(";"))
    assert await table.rows(COMMENTS) == ["a table|a column|an index"]
    assert await table.rows(INDEXES) == ["i|CREATE INDEX i ON public.t USING btree (b DESC, a)", KEY]
    await table.run("DROP TABLE t")
    assert await table.rows(INDEXES) == []
    assert await table.rows("SELECT count(*) FROM pg_description d JOIN pg_class c ON c.oid = d.classoid "
                            "WHERE c.relname = 'pg_class'") == ["0"]


async def test_notes_outlive_the_server() -> None:
    stores: dict[str, Store] = {}

    async def open_store(directory: str) -> Store:
        return stores.setdefault(directory, MemoryStore())

    seen = []
    for statements in (
        ["CREATE TABLE t (a bigint PRIMARY KEY, b text)", *NOTE.split(";"), "COMMENT ON SCHEMA public IS 'a schema'",
         "COMMENT ON DATABASE lake IS 'a database'", "COMMENT ON INDEX t_pkey IS 'a key'"], [],
    ):
        place = Place(await Databases.open(open_store, ManualClock(1_700_000_000_000_000)))
        client = await place.client()
        await client.run(*statements)
        seen.append([await client.rows(text) for text in (
            COMMENTS, INDEXES, "SELECT obj_description(2200, 'pg_namespace'), shobj_description(d.oid, 'pg_database'), "
            "obj_description('t_pkey'::regclass, 'pg_class'), 'i'::regclass::oid "
            "FROM pg_database d WHERE d.datname = current_database()")])
        await client.leave()
    assert seen[0] == seen[1]
    assert seen[1][2][0].startswith("a schema|a database|a key|")


async def test_notes_are_part_of_their_transaction(server: Place, table: Conversation) -> None:
    other = await server.client()
    await table.run("BEGIN", *NOTE.split(";"), "SAVEPOINT s", "DROP INDEX i", "COMMENT ON TABLE t IS NULL",
                    "COMMENT ON SCHEMA public IS 'mine'")
    assert await table.rows(INDEXES) == [KEY]
    await table.run("ROLLBACK TO s")
    assert await table.rows(COMMENTS) == ["a table|a column|an index"]
    assert await other.rows(INDEXES) == [KEY]
    await table.run("ROLLBACK")
    assert await table.rows(INDEXES) == [KEY]
    assert await table.rows("SELECT obj_description('t'::regclass), obj_description(2200, 'pg_namespace')") == [
        "NULL|standard public schema"]


async def test_rows_are_as_they_were(table: Conversation) -> None:
    await table.run(*NOTE.split(";"), "INSERT INTO t VALUES (3, 'three')", "ALTER TABLE t RENAME COLUMN b TO c")
    assert await table.rows("SELECT * FROM t ORDER BY a") == ["1|one", "2|two", "3|three"]
    assert await table.rows(INDEXES) == ["i|CREATE INDEX i ON public.t USING btree (c DESC, a)", KEY]
    await table.run("ALTER TABLE t DROP COLUMN c")
    assert await table.rows(INDEXES) == [KEY]


async def test_a_comment_goes_with_null_and_with_an_empty_text(table: Conversation) -> None:
    for ending in ("NULL", "''"):
        await table.run("COMMENT ON TABLE t IS 'x'", f"COMMENT ON TABLE t IS {ending}")
        assert await table.rows("SELECT obj_description('t'::regclass)") == ["NULL"]
        await table.run(f"COMMENT ON SCHEMA public IS {ending}")
        assert await table.rows("SELECT obj_description(2200, 'pg_namespace')") == ["NULL"]


async def test_an_index_without_a_name_gets_postgresqls(table: Conversation) -> None:
    await table.run("CREATE INDEX ON t (b)", "CREATE INDEX ON t (b)", "CREATE INDEX ON t (a, b)")
    assert await table.rows("SELECT indexname FROM pg_indexes ORDER BY 1") == [
        "t_a_b_idx", "t_b_idx", "t_b_idx1", "t_pkey"]


async def test_what_an_index_is_for_is_told(table: Conversation) -> None:
    assert text_of(await table.exchange(m.Query("CREATE INDEX i ON t (a)"))) == (
        'index "i" is recorded and listed; queries do not need it and do not use it')
    assert await table.query("CREATE INDEX IF NOT EXISTS i ON t (a)") == ["NOTICE 42P07", "CREATE INDEX", "ready I"]
    assert await table.query("DROP INDEX IF EXISTS j, i") == ["NOTICE 00000", "DROP INDEX", "ready I"]


@pytest.mark.parametrize(("text", "sqlstate", "message"), [
    ("CREATE INDEX t ON t (a)", "42P07", 'relation "t" already exists'),
    ("CREATE INDEX t_pkey ON t (a)", "42P07", 'relation "t_pkey" already exists'),
    ("CREATE TABLE i (a int)", "42P07", 'relation "i" already exists'),
    ("ALTER TABLE t RENAME TO i", "42P07", 'relation "i" already exists'),
    ("CREATE INDEX j ON t (c)", "42703", 'column "c" does not exist'),
    ("CREATE INDEX j ON nowhere (a)", "42P01", 'relation "nowhere" does not exist'),
    ("DROP INDEX t", "42809", '"t" is not an index'),
    ("DROP INDEX nowhere", "42704", 'index "nowhere" does not exist'),
    ("DROP INDEX t_pkey", "2BP01", "cannot drop index t_pkey because constraint t_pkey on table t requires it"),
    ("DROP TABLE i", "42809", '"i" is not a table'),
    ("COMMENT ON TABLE nowhere IS 'x'", "42P01", 'relation "nowhere" does not exist'),
    ("COMMENT ON TABLE i IS 'x'", "42809", '"i" is not a table'),
    ("COMMENT ON INDEX t IS 'x'", "42809", '"t" is not an index'),
    ("COMMENT ON INDEX nowhere IS 'x'", "42P01", 'relation "nowhere" does not exist'),
    ("COMMENT ON COLUMN t.c IS 'x'", "42703", 'column "c" of relation "t" does not exist'),
    ("COMMENT ON COLUMN a IS 'x'", "42601", 'syntax error at or near "IS"'),
    ("COMMENT ON SCHEMA nowhere IS 'x'", "3F000", 'schema "nowhere" does not exist'),
    ("COMMENT ON DATABASE other IS 'x'", "0A000",
     "COMMENT ON DATABASE of another database than the session's is not supported"),
    ("COMMENT ON VIEW v IS 'x'", "0A000", "COMMENT ON VIEW is not supported"),
    ("CREATE UNIQUE INDEX j ON t (a)", "0A000", "the clause at position 8 is not supported"),
    ("CREATE INDEX j ON t (lower(b))", "0A000", "an index over an expression is not supported"),
    ("CREATE INDEX j ON t USING gin (b)", "0A000", "the index method GIN is not supported"),
])
async def test_what_cannot_be_noted_is_refused_as_postgresql_refuses_it(
    table: Conversation, text: str, sqlstate: str, message: str
) -> None:
    await table.run("CREATE INDEX i ON t (a)")
    assert await refused(table, text) == (sqlstate, message)


async def test_a_read_only_transaction_notes_nothing(table: Conversation) -> None:
    for text in ("COMMENT ON TABLE t IS 'x'", "CREATE INDEX i ON t (a)", "COMMENT ON SCHEMA public IS 'x'"):
        await table.run("BEGIN READ ONLY")
        assert (await refused(table, text))[0] == "25006"
        await table.run("ROLLBACK")


@pytest.mark.parametrize(("mine", "theirs"), [
    ("CREATE INDEX i ON t (a)", "CREATE INDEX i ON u (a)"), ("CREATE INDEX i ON t (a)", "CREATE TABLE i (a int)"),
    ("CREATE TABLE i (a int)", "CREATE INDEX i ON t (a)"),
    ("COMMENT ON TABLE t IS 'mine'", "COMMENT ON TABLE t IS 'theirs'"),
    ("INSERT INTO t VALUES (9, 'x')", "COMMENT ON TABLE t IS 'theirs'"),
])
async def test_of_two_that_meet_the_later_one_has_to_try_again(
    server: Place, table: Conversation, mine: str, theirs: str
) -> None:
    await table.run("CREATE TABLE u (a int)")
    other = await server.client()
    await table.run("BEGIN ISOLATION LEVEL REPEATABLE READ", mine)
    await other.run(theirs)
    sqlstate, message = await refused(table, "COMMIT")
    assert sqlstate in ("40001", "23505")
    assert any(word in message for word in ("concurrent", "unique"))
    assert await other.rows("SELECT count(*) FROM pg_class WHERE relname = 'i'") in (["0"], ["1"])


async def test_temporary_tables_have_notes_of_the_session_only(server: Place, table: Conversation) -> None:
    other = await server.client()
    await table.run("CREATE TEMPORARY TABLE s (a int)", "BEGIN READ ONLY", "CREATE INDEX si ON s (a)",
                    "COMMENT ON TABLE s IS 'mine'", "COMMIT")
    assert await table.rows("SELECT obj_description('s'::regclass)") == ["mine"]
    assert await other.rows("SELECT count(*) FROM pg_class WHERE relname IN ('s', 'si')") == ["0"]


async def test_notes_of_schemas_that_nobody_entered_are_known_and_changed() -> None:
    """A database of many schemas: a statement enters those that it names."""
    stores: dict[str, Store] = {}

    async def open_store(directory: str) -> Store:
        return stores.setdefault(directory, MemoryStore())

    async def restarted() -> Conversation:
        return await Place(await Databases.open(open_store, ManualClock(1_700_000_000_000_000))).client()

    client = await restarted()
    for number in range(SCHEMAS_ENTERED_MAX + 2):
        name = f"s{number}"
        await client.run(f"CREATE SCHEMA {name}", f"CREATE TABLE {name}.t (a bigint PRIMARY KEY)",
                         f"CREATE INDEX i ON {name}.t (a)", f"COMMENT ON INDEX {name}.i IS 'index {number}'",
                         f"COMMENT ON SCHEMA {name} IS 'schema {number}'")
    await client.leave()
    client = await restarted()
    assert await client.rows("SELECT obj_description(n.oid, 'pg_namespace') FROM pg_namespace n "
                             "WHERE nspname IN ('s1', 's2') ORDER BY 1") == ["schema 1", "schema 2"]
    assert await client.rows("SELECT c.relname, obj_description(c.oid, 'pg_class'), pg_get_indexdef(c.oid), "
                             "c.oid::regclass, pg_relation_size(c.oid) FROM pg_class c WHERE c.oid = 's2.i'::regclass"
                             ) == ["i|index 2|CREATE INDEX i ON s2.t USING btree (a)|s2.i|0"]
    assert await client.rows("SELECT to_regclass('i'), to_regclass('s3.none')") == ["NULL|NULL"]
    count = SCHEMAS_ENTERED_MAX + 2
    assert await client.rows("SELECT count(*) FROM pg_description WHERE objoid >= 16384 AND "
                             "(description LIKE 'schema %' OR description LIKE 'index %')") == [f"{2 * count}"]
    assert await client.rows("SELECT count(*), count(pg_table_size(oid)) FROM pg_class WHERE relname = 't'") == [
        f"{count}|{count}"]
    for number, text in enumerate(("COMMENT ON SCHEMA s0 IS NULL", "COMMENT ON INDEX s1.i IS NULL", "DROP INDEX s2.i",
                                   "CREATE INDEX j ON s3.t (a DESC)")):
        client = await restarted()
        await client.run(text)
        found = await client.rows(
            "SELECT obj_description(n.oid, 'pg_namespace'), obj_description(to_regclass(n.nspname || '.i'), 'pg_class')"
            f", to_regclass(n.nspname || '.j') FROM pg_namespace n WHERE n.nspname = 's{number}'")
        assert found == [(
            "NULL|index 0|NULL", "schema 1|NULL|NULL", "schema 2|NULL|NULL", "schema 3|index 3|s3.j")[number]]
        await client.leave()
