"""What the extended protocol answers, message by message and field by field, is what PostgreSQL answers."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rocklake_server.schema.types import ALL_TYPES, ColumnType
from rocklake_server.wire import messages as m
from tests.server.copy_dialogues import COPY_DIALOGUES
from tests.server.dialogues import (
    FLUSH,
    SYNC,
    Dialogue,
    Side,
    bind,
    execute,
    parse,
    portal,
    query,
    shown,
    statement,
    whole,
)
from tests.servers import RockLakeServer

pytestmark = pytest.mark.postgres

INT4, INT8, TEXT = 23, 20, 25
TABLE = (
    "DROP TABLE IF EXISTS t",
    "CREATE TABLE t (a bigint PRIMARY KEY, b text)",
    "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, NULL), (5, 'five')",
)
ROWS = "SELECT a, b FROM t ORDER BY a"
FIVE = "VALUES (1), (2), (3), (4), (5)"


def opened(text: str = ROWS, *values: bytes | None, rows: int = 2) -> list[object]:
    return [parse(text), bind(*values, portal="c"), portal("c"), execute("c", rows)]


def cursor(options: str, *moves: str) -> Dialogue:
    """A cursor over five rows, and what is asked of it, in one block."""
    return [query("BEGIN"), query(f"DECLARE c {options} FOR {FIVE}"), *map(query, moves), query("ROLLBACK")]


DIALOGUES: dict[str, Dialogue] = {
    # -- statements
    "parameters that nobody declares": [[parse("SELECT $1"), statement(), SYNC]],
    "a parameter that is compared": [[parse("SELECT b FROM t WHERE a = $1"), statement(), bind(b"2"), portal(),
                                      execute(), SYNC]],
    "declared and undeclared parameters": [[parse("SELECT $1, $2::int, $3 || 'x'", INT8), statement(), SYNC]],
    "declared zero": [[parse("SELECT $1::int + $2", 0, INT4), statement(), SYNC]],
    "more types than parameters": [[parse("SELECT 1", INT4, TEXT), statement(), SYNC]],
    "a parameter that is skipped": [[parse("SELECT $2::int"), statement(), SYNC]],
    "parameters of an insert": [[parse("INSERT INTO t VALUES ($1, $2)"), statement(),
                                 bind(b"9", None), execute(), SYNC],
                                query("DELETE FROM t WHERE a = 9")],
    "parameters of an update": [[parse("UPDATE t SET b = $1 WHERE a = $2"), statement(),
                                 bind(b"x", b"77"), execute(), SYNC]],
    "parameters of limit and offset": [[parse("SELECT a FROM t ORDER BY a LIMIT $1 OFFSET $2"), statement(),
                                        bind(b"1", b"2"), portal(), execute(), SYNC]],
    "parameters in a list": [[parse("SELECT a FROM t WHERE a IN ($1, $2) ORDER BY a"), statement(), bind(b"1", b"3"),
                              execute(), SYNC]],
    "an unnamed statement is replaced": [[parse("SELECT 1"), parse("SELECT 2"), bind(), execute(), SYNC]],
    "an unnamed statement is gone after a failed parse": [[parse("SELECT 1"), SYNC], [parse("SELECT nothing"), SYNC],
                                                          [bind(), execute(), SYNC]],
    "an unnamed statement is gone after a query": [[parse("SELECT 1"), SYNC], query("SELECT 2"), [bind(), SYNC]],
    "a named statement stays": [[parse("SELECT 1", name="p"), SYNC], query("SELECT 2"),
                                [parse("SELECT 3", name="p"), SYNC], [bind(statement="p"), execute(), SYNC],
                                [m.Close("S", "p"), SYNC], [bind(statement="p"), SYNC]],
    "a named statement outlives a rollback": [query("BEGIN"), [parse("SELECT 1", name="p"), SYNC], query("ROLLBACK"),
                                              [bind(statement="p"), execute(), SYNC], query("DEALLOCATE p")],
    "statements that do not exist": [[statement("no"), SYNC], [portal("no"), SYNC], [execute("no"), SYNC],
                                     [bind(statement="no"), SYNC], [m.Close("S", "no"), m.Close("P", "no"), SYNC],
                                     [statement(), SYNC], [portal(), SYNC], [execute(), SYNC]],
    "an empty statement": [[parse(""), statement(), bind(), portal(), execute(), SYNC], query(""), query(" ; ; ")],
    "two statements in one parse": [[parse("SELECT 1; SELECT 2"), SYNC]],
    "a syntax error": [[parse("SELEC 1"), SYNC]],
    "an unknown table": [[parse("SELECT * FROM nothing"), SYNC]],
    "an unknown column": [[parse("SELECT nothing FROM t"), SYNC]],
    # -- binding
    "too few values": [[parse("SELECT $1::int, $2::int"), bind(b"1"), SYNC]],
    "too many values": [[parse("SELECT 1", name="p"), bind(b"1", statement="p"), SYNC], query("DEALLOCATE p")],
    "too many parameter formats": [[parse("SELECT $1::int"), bind(b"1", formats=(0, 0)), SYNC]],
    "too many result formats": [[parse("SELECT 1"), bind(results=(0, 0)), SYNC]],
    "result formats of no rows": [[parse("BEGIN"), bind(results=(1,)), execute(), SYNC], query("ROLLBACK")],
    "an unknown format": [[parse("SELECT $1::int"), bind(b"1", formats=(7,)), SYNC]],
    "a text that is no number": [[parse("SELECT $1::int"), bind(b"x"), SYNC]],
    "bytes that are no number": [[parse("SELECT $1::int"), bind(b"x", formats=(1,)), SYNC],
                                 [parse("SELECT $1::int"), bind(b"12345", formats=(1,)), SYNC]],
    "a portal twice": [[parse("SELECT 1"), bind(portal="c"), bind(portal="c"), SYNC]],
    "the unnamed portal twice": [[parse("SELECT 1"), bind(), bind(), execute(), SYNC]],
    # -- describe and execute
    "describe before and after execute": [[parse(ROWS), statement(), bind(results=(1, 0)), portal(), execute(rows=1),
                                           portal(), statement(), SYNC]],
    "execute until the end": [query("BEGIN"), [*opened(), execute("c", 2), execute("c", 2), execute("c", 2), SYNC],
                              query("ROLLBACK")],
    "execute all after some": [query("BEGIN"), [*opened(rows=1), execute("c"), execute("c"), SYNC], query("ROLLBACK")],
    "exactly as many rows as there are": [[*opened(rows=5), execute("c", 1), SYNC]],
    "a portal across sync in a block": [query("BEGIN"), [*opened(), SYNC], [execute("c", 2), SYNC], query("SELECT 1"),
                                        [execute("c", 2), SYNC], query("COMMIT"), [execute("c", 2), SYNC]],
    "a portal across sync outside a block": [[*opened(), SYNC], [execute("c", 2), SYNC]],
    "a portal across a failure": [query("BEGIN"), [*opened(), SYNC], query("SELECT nothing"), [portal("c"), SYNC],
                                  [execute("c"), SYNC], [statement(), SYNC], query("ROLLBACK"), [execute("c"), SYNC]],
    "a portal within a savepoint": [query("BEGIN"), query("SAVEPOINT s"), [*opened(), SYNC], query("ROLLBACK TO s"),
                                    [execute("c"), SYNC], query("ROLLBACK")],
    "a portal before a savepoint": [query("BEGIN"), [*opened(), SYNC], query("SAVEPOINT s"), query("SELECT nothing"),
                                    query("ROLLBACK TO s"), [execute("c"), SYNC], query("ROLLBACK")],
    "a portal closed": [query("BEGIN"), [*opened(), m.Close("P", "c"), execute("c"), SYNC], query("ROLLBACK")],
    "an insert twice": [[parse("INSERT INTO t VALUES (8, 'x')"), bind(), execute(), execute(), SYNC]],
    "an insert with a row limit": [[parse("INSERT INTO t VALUES (8, 'x')"), bind(), portal(), execute(rows=1), SYNC],
                                   query("DELETE FROM t WHERE a = 8")],
    # -- returning
    "returning": [query("BEGIN"), query("INSERT INTO t VALUES (8, 'x') RETURNING *"),
                  query("INSERT INTO t VALUES (9, 'y'), (10, 'z') RETURNING b AS x, a + 1"),
                  query("UPDATE t SET b = 'u' WHERE a > 8 RETURNING a"), query("DELETE FROM t WHERE a > 7 RETURNING b"),
                  query("DELETE FROM t WHERE a > 7 RETURNING b"), query("ROLLBACK")],
    "fetch twice by the protocol": [query("BEGIN"), query(f"DECLARE c CURSOR FOR {FIVE}"),
                                    [parse("FETCH 3 FROM c"), bind(), execute(rows=2), execute(), execute(), SYNC],
                                    [parse("SHOW timezone"), bind(), execute(), execute(), SYNC], query("ROLLBACK")],
    "returning by the protocol": [query("BEGIN"),
                                  [parse("INSERT INTO t VALUES ($1, $2) RETURNING a, b, $3::int + 1 AS n"), statement(),
                                   bind(b"8", b"x", b"1", results=(1, 0, 1)), portal(), execute(), SYNC],
                                  whole("UPDATE t SET b = $1 WHERE a = $2 RETURNING b", b"q", b"8"),
                                  whole("DELETE FROM t WHERE a = $1 RETURNING *", b"8"),
                                  whole("DELETE FROM t WHERE a = $1 RETURNING *", b"8"), query("ROLLBACK")],
    "returning with a row limit": [query("BEGIN"),
                                   [parse("UPDATE t SET b = 'l' RETURNING 7"), bind(portal="c"), portal("c"),
                                    execute("c", 2), SYNC],
                                   query("SELECT count(*) FROM t WHERE b = 'l'"), [execute("c", 2), SYNC],
                                   [execute("c", 2), execute("c", 2), SYNC], query("ROLLBACK")],
    "returning twice": [[parse("INSERT INTO t VALUES (8, 'x') RETURNING a"), bind(), execute(), execute(), SYNC],
                        query("DELETE FROM t WHERE a = 8")],
    "returning prepared": [query("BEGIN"), query("PREPARE p (int) AS INSERT INTO t VALUES ($1, 'x') RETURNING a, b"),
                           query("EXECUTE p (8)"), whole("EXECUTE p (9)"), query("ROLLBACK"), query("DEALLOCATE p")],
    "returning that fails": [query("INSERT INTO t VALUES (8, 'x') RETURNING 1 / (a - 8)"),
                             whole("INSERT INTO t VALUES (8, 'x') RETURNING 1 / (a - 8)"),
                             whole("INSERT INTO t VALUES (8, 'x') RETURNING nothing"),
                             query("INSERT INTO t VALUES (8, 'x') RETURNING max(a)"),
                             query("DELETE FROM t RETURNING generate_series(1, 2)"),
                             query("DELETE FROM t RETURNING sum(a) OVER ()"), query("SELECT count(*) FROM t")],
    "returning in cursors": [query("BEGIN"), query("DECLARE c CURSOR FOR DELETE FROM t RETURNING a"), query("ROLLBACK"),
                             query("BEGIN"), query("DECLARE c CURSOR FOR INSERT INTO t VALUES (1) RETURNING a"),
                             query("ROLLBACK")],
    "returning in a read-only block": [query("BEGIN READ ONLY"), query("DELETE FROM t RETURNING a"), query("ROLLBACK")],
    "returning copied": [query("BEGIN"),
                         query("COPY (INSERT INTO t VALUES (8, 'x'), (9, NULL) RETURNING a, b) TO STDOUT"),
                         query("COPY (UPDATE t SET b = 'u' WHERE a = 8 RETURNING b) TO STDOUT"),
                         query("COPY (DELETE FROM t WHERE a = 8 RETURNING a) TO STDOUT (FORMAT binary)"),
                         query("COPY (DELETE FROM t WHERE a > 7) TO STDOUT"), query("ROLLBACK")],
    "show": [whole("SHOW timezone"), whole("SHOW transaction_isolation")],
    "utility statements": [whole("SET application_name = 'x'"), whole("BEGIN"), whole("SAVEPOINT s"),
                           whole("RELEASE s"), whole("COMMIT"), whole("RESET application_name"),
                           whole("DISCARD PLANS")],
    "negative row limits": [[parse(FIVE), bind(), execute(rows=-1), SYNC]],
    # -- pipelines
    "an error skips to sync": [[parse("SELECT nothing"), bind(), execute(), parse("SELECT 1"), FLUSH, bind(), execute(),
                                SYNC], whole("SELECT 2")],
    "an error undoes the pipeline": [[*whole("INSERT INTO t VALUES (7, 'x')")[:-1],
                                      *whole("SELECT 1 / (a - a) FROM t")],
                                     query("SELECT count(*) FROM t")],
    "two pipelines": [[*whole("SELECT 1"), *whole("SELECT nothing"), *whole("SELECT 2")]],
    "sync alone": [[SYNC, SYNC]],
    "a query in a pipeline": [[parse("SELECT 1"), bind(), m.Query("SELECT 2"), execute(), SYNC]],
    "begin and commit in a pipeline": [[*whole("BEGIN")[:-1], *whole("INSERT INTO t VALUES (6, 'x')")[:-1],
                                        *whole("ROLLBACK")], query("SELECT count(*) FROM t")],
    "begin left open by a pipeline": [whole("BEGIN"), whole("SELECT 1"), whole("SELECT nothing"), whole("SELECT 1"),
                                      whole("ROLLBACK")],
    "a failed block refuses": [query("BEGIN"), query("SELECT nothing"), [parse("SELECT 1"), SYNC],
                               [parse("ROLLBACK"), bind(), portal(), execute(), SYNC]],
    "commit of a failed block": [query("BEGIN"), query("SELECT nothing"), whole("COMMIT")],
    "blocks that are not there": [whole("COMMIT"), whole("ROLLBACK"), query("BEGIN"), whole("BEGIN"), query("ROLLBACK"),
                                  whole("SAVEPOINT s"), whole("RELEASE s"), whole("ROLLBACK TO s")],
    # -- simple queries
    "several statements": [query("SELECT 1; SELECT 2"), query("SELECT 1; SELECT nothing; SELECT 2"),
                           query("INSERT INTO t VALUES (6, 'x'); SELECT 1/0"), query("SELECT count(*) FROM t")],
    "begin among several": [query("INSERT INTO t VALUES (6, 'x'); BEGIN; SELECT 1"), query("ROLLBACK"),
                            query("SELECT count(*) FROM t")],
    "commit among several": [query("INSERT INTO t VALUES (6, 'x'); COMMIT; SELECT 1/0"),
                             query("DELETE FROM t WHERE a = 6")],
    "rollback among several": [query("INSERT INTO t VALUES (6, 'x'); ROLLBACK; SELECT count(*) FROM t")],
    "savepoint among several": [query("SELECT 1; SAVEPOINT s")],
    "set local among several": [query("SELECT 1; SET LOCAL application_name = 'x'; SHOW application_name"),
                                query("SET LOCAL application_name = 'x'")],
    # -- prepare and execute
    "prepare": [query("PREPARE p AS SELECT 1"), query("EXECUTE p"), whole("EXECUTE p"), query("PREPARE p AS SELECT 2"),
                query("DEALLOCATE p"), query("EXECUTE p"), query("DEALLOCATE p")],
    "prepare with parameters": [query("PREPARE p (bigint, text) AS SELECT a FROM t WHERE a > $1 AND b <> $2"),
                                query("EXECUTE p (1, 'two')"), query("EXECUTE p (1)"), query("EXECUTE p"),
                                query("EXECUTE p (1, 'two', 3)"), query("EXECUTE p ('x', 'two')"),
                                query("EXECUTE p (1 + 1, NULL)"), query("EXECUTE p (true, 'x')"),
                                [statement("p"), SYNC], [bind(b"4", b"x", statement="p"), execute(), SYNC],
                                query("DEALLOCATE ALL")],
    "prepare with untold parameters": [query("PREPARE p AS SELECT $1::int + 1"), query("EXECUTE p (2.4)"),
                                       [statement("p"), SYNC], query("DEALLOCATE p")],
    "prepare of changes": [query("BEGIN"), query("PREPARE p (int) AS INSERT INTO t VALUES ($1, 'x')"),
                           query("EXECUTE p (10)"), whole("EXECUTE p (11)"), query("ROLLBACK"),
                           query("DEALLOCATE p")],
    "execute what parse prepared": [[parse("SELECT $1::int", name="p"), SYNC], query("EXECUTE p (5)"),
                                    query("DEALLOCATE p"), [bind(b"1", statement="p"), SYNC]],
    "prepare of what cannot be": [query("PREPARE p AS BEGIN"), query("PREPARE p"), query("PREPARE p AS"),
                                  query("PREPARE p (nothing) AS SELECT 1"), query("EXECUTE p ()")],
    "describe of execute": [[parse("EXECUTE nothing"), statement(), SYNC],
                            query("PREPARE p AS SELECT a FROM t WHERE a = 1"),
                            [parse("EXECUTE p"), statement(), bind(results=(1,)), portal(), execute(), SYNC],
                            query("DEALLOCATE p")],
    # -- cursors
    "a cursor forward": cursor("CURSOR", "FETCH c", "FETCH 2 FROM c", "FETCH NEXT IN c", "FETCH ALL c", "FETCH c",
                               "MOVE c", "CLOSE c", "FETCH c"),
    "a cursor back": cursor("SCROLL CURSOR", "FETCH ALL c", "FETCH PRIOR c", "FETCH BACKWARD 2 c",
                            "FETCH BACKWARD ALL c",
                            "FETCH PRIOR c", "FETCH FORWARD 2 c", "FETCH -1 c", "FETCH FORWARD -1 c",
                            "FETCH BACKWARD -3 c"),
    "a cursor by number": cursor("SCROLL CURSOR", "FETCH ABSOLUTE 3 c", "FETCH ABSOLUTE -1 c", "FETCH ABSOLUTE -5 c",
                                 "FETCH ABSOLUTE 0 c", "FETCH ABSOLUTE 9 c", "FETCH PRIOR c", "FETCH ABSOLUTE -9 c",
                                 "FETCH FIRST c", "FETCH LAST c", "FETCH RELATIVE -2 c", "FETCH RELATIVE 0 c",
                                 "FETCH RELATIVE 2 c", "FETCH RELATIVE 2 c", "FETCH RELATIVE 0 c",
                                 "FETCH RELATIVE -9 c"),
    "a cursor moved": cursor("SCROLL CURSOR", "MOVE 2 c", "FETCH 0 c", "MOVE 0 c", "MOVE ALL c", "MOVE 0 c",
                             "MOVE BACKWARD ALL c", "FETCH 0 c", "MOVE ABSOLUTE 3 c", "MOVE LAST c",
                             "MOVE RELATIVE -1 c",
                             "FETCH c", "MOVE FORWARD 9 c", "MOVE BACKWARD 2 c"),
    "a cursor of no scroll": cursor("NO SCROLL CURSOR", "FETCH 2 c", "SAVEPOINT s", "FETCH PRIOR c", "ROLLBACK TO s",
                                    "FETCH ABSOLUTE 4 c", "FETCH ABSOLUTE 2 c", "ROLLBACK TO s", "FETCH 0 c",
                                    "ROLLBACK TO s", "MOVE 0 c", "FETCH BACKWARD ALL c"),
    "a cursor that starts of no scroll": cursor("NO SCROLL CURSOR", "FETCH ABSOLUTE 0 c", "FETCH FIRST c",
                                                "FETCH ALL c",
                                                "FETCH ABSOLUTE 1 c"),
    "a cursor's options": cursor("INSENSITIVE CURSOR WITHOUT HOLD", "FETCH c"),
    "a binary cursor": [query("BEGIN"), query("DECLARE c BINARY CURSOR FOR SELECT 1, 'x'"), query("FETCH c"),
                        whole("FETCH c"), query("ROLLBACK")],
    "a cursor outside of a block": [query("DECLARE c CURSOR FOR SELECT 1"), whole("DECLARE c CURSOR FOR SELECT 1"),
                                    query("DECLARE c CURSOR FOR SELECT 1; FETCH c")],
    "a cursor that holds": [query(f"DECLARE c CURSOR WITH HOLD FOR {FIVE}"), query("FETCH c"), query("SELECT nothing"),
                            query("FETCH 2 c"), query("BEGIN"), query("FETCH c"), query("ROLLBACK"), query("FETCH c"),
                            query("CLOSE c"), query("CLOSE c")],
    "a cursor that holds and is rolled back": [query("BEGIN"), query("DECLARE c CURSOR WITH HOLD FOR SELECT 1"),
                                               query("ROLLBACK"), query("FETCH c")],
    "a cursor twice": cursor("CURSOR", "DECLARE c CURSOR FOR SELECT 2"),
    "a cursor of what cannot be": [query("BEGIN"), query("DECLARE c CURSOR FOR DELETE FROM t"), query("ROLLBACK"),
                                   query("DECLARE c CURSOR"), query("DECLARE c CURSOR FOR"), query("FETCH"),
                                   query("FETCH 1.5 c"), query("FETCH c d"), query("CLOSE")],
    "a cursor keeps its picture": [query("BEGIN"), query("DECLARE c CURSOR FOR SELECT a FROM t ORDER BY a"),
                                   query("DELETE FROM t"), query("FETCH ALL c"), query("ROLLBACK")],
    "a cursor by the protocol": [query("BEGIN"), query(f"DECLARE c SCROLL CURSOR FOR {FIVE}"),
                                 [portal("c"), execute("c", 2), SYNC], query("FETCH c"), [execute("c"), SYNC],
                                 query("FETCH PRIOR c"), [m.Close("P", "c"), SYNC], query("FETCH c"),
                                 query("ROLLBACK")],
    "a portal by sql": [query("BEGIN"), [*opened(FIVE), SYNC], query("FETCH c"), query("FETCH PRIOR c"),
                        query("ROLLBACK")],
    "fetch by the protocol": [query("BEGIN"), query("DECLARE c CURSOR FOR SELECT a, b FROM t ORDER BY a"),
                              [parse("FETCH 2 FROM c"), statement(), bind(results=(1,)), portal(), execute(), SYNC],
                              whole("FETCH 2 FROM c", rows=1), whole("MOVE c"), whole("FETCH nothing"),
                              query("ROLLBACK")],
    "declare with parameters": [query("BEGIN"), [parse("DECLARE c CURSOR FOR SELECT a FROM t WHERE a > $1 ORDER BY a"),
                                                 statement(), bind(b"3"), portal(), execute(), SYNC],
                                query("FETCH ALL c"), query("ROLLBACK")],
    "names that are directions": [query("BEGIN"), query("DECLARE next CURSOR FOR SELECT 1"), query("FETCH next"),
                                  query("FETCH NEXT FROM next"), query("ROLLBACK")],
    # -- notifications and locks
    "listen and notify": [query("LISTEN ch"), query("NOTIFY ch, 'one'"), whole("NOTIFY ch"), query("UNLISTEN ch"),
                          query("NOTIFY ch, 'two'")],
    "notify within a block": [query("LISTEN ch"), query("BEGIN"), query("NOTIFY ch, 'a'"), query("NOTIFY ch, 'a'"),
                              query("NOTIFY ch, 'b'"), query("SAVEPOINT s"), query("NOTIFY ch, 'c'"),
                              query("ROLLBACK TO s"), query("COMMIT"), query("UNLISTEN *")],
    "notify undone": [query("LISTEN ch"), query("BEGIN"), query("NOTIFY ch"), query("ROLLBACK"), query("UNLISTEN *")],
    "listen undone": [query("BEGIN"), query("LISTEN ch"), query("ROLLBACK"), query("NOTIFY ch")],
    "notify before listen": [query("BEGIN"), query("NOTIFY ch, 'x'"), query("LISTEN ch"), query("COMMIT"),
                             query("UNLISTEN *")],
    "notify in a pipeline": [query("LISTEN ch"), [*whole("NOTIFY ch, 'a'")[:-1], *whole("NOTIFY ch, 'b'")],
                             query("UNLISTEN *")],
    "notify by function": [query("LISTEN ch"), query("SELECT pg_notify('ch', 'x')"),
                           whole("SELECT pg_notify($1, $2)", b"ch", b"y"),
                           whole("SELECT pg_notify('', 'x')"), whole("SELECT pg_notify(NULL, 'x')"),
                           query("SELECT pg_notify('ch', NULL)"), query("SELECT pg_notify('CH', 'x')"),
                           query("UNLISTEN *")],
    "notify over a series": [query("LISTEN ch"), query("SELECT pg_notify('ch', n::text) FROM generate_series(1, 3) n"),
                             query("SELECT pg_notify('ch', n::text) FROM generate_series(4, 2, -1) n"),
                             query("SELECT n, pg_notify('ch', n::text) AS told FROM generate_series(1, 9) AS s(n) "
                                   "WHERE n % 4 = 0 ORDER BY n DESC"),
                             whole("SELECT pg_notify($1, n::text) FROM generate_series($2::int, $3::int) n",
                                   b"ch", b"7", b"8"),
                             query("SELECT pg_notify('ch', n::text) FROM generate_series(1, 0) n"),
                             query("SELECT pg_notify('ch', nothing::text) FROM generate_series(1, 2) n"),
                             query("SELECT count(pg_notify('ch', n::text)) FROM generate_series(1, 70000) n "
                                   "WHERE n > 69998"),
                             query("COPY (SELECT n, pg_notify('ch', n::text) FROM generate_series(5, 6) n) TO STDOUT"),
                             query("UNLISTEN *")],
    "locks over a series": [query("SELECT pg_try_advisory_lock(n) FROM generate_series(1, 3) n"),
                            query("SELECT pg_advisory_lock(n, 7) FROM generate_series(1, 2) n"),
                            query("SELECT n, pg_advisory_unlock(n) FROM generate_series(1, 4) n"),
                            query("SELECT objid FROM pg_locks WHERE locktype = 'advisory' ORDER BY objid"),
                            query("SELECT pg_advisory_unlock_all()"),
                            query("SELECT sum(n) FROM generate_series(1, 4) n")],
    "notify of what cannot be": [query(f"NOTIFY ch, '{'x' * 8000}'"), query(f"NOTIFY ch, '{'x' * 7999}'"),
                                 query("NOTIFY ch x"), query("LISTEN"), query("NOTIFY ch, 1")],
    "notify by several statements": [query("LISTEN ch; NOTIFY ch, 'a'; NOTIFY ch, 'b'; UNLISTEN ch"),
                                     query("LISTEN ch; NOTIFY ch, 'a'"), query("UNLISTEN *")],
    "advisory locks": [query("SELECT pg_advisory_lock(1)"), query("SELECT pg_advisory_lock(1, 2)"),
                       query("SELECT pg_try_advisory_lock(1), pg_try_advisory_lock_shared(1)"),
                       query("SELECT pg_advisory_unlock(1), pg_advisory_unlock(1), pg_advisory_unlock_shared(1)"),
                       query("SELECT pg_advisory_unlock(1)"), query("SELECT pg_advisory_unlock_all()"),
                       query("SELECT pg_advisory_unlock(1, 2)")],
    "advisory locks of a transaction": [query("BEGIN"), query("SELECT pg_advisory_xact_lock(1)"),
                                        query("SELECT pg_try_advisory_xact_lock(-1)"),
                                        query("SELECT pg_try_advisory_xact_lock_shared(3)"),
                                        query("SELECT pg_advisory_unlock(1)"),
                                        query("SELECT locktype, classid, objid, objsubid, mode, granted FROM pg_locks "
                                              "WHERE locktype = 'advisory' ORDER BY objid"),
                                        query("COMMIT"),
                                        query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")],
    "advisory locks of nothing": [query("SELECT pg_advisory_lock(NULL)"), query("SELECT pg_try_advisory_lock(NULL)"),
                                  query("SELECT pg_advisory_lock('x')"),
                                  query("SELECT pg_try_advisory_lock(1) FROM t WHERE a > 100"),
                                  query("SELECT pg_advisory_unlock(1)")],
    "processes that do not exist": [query("SELECT pg_cancel_backend(0)"), query("SELECT pg_terminate_backend(0)"),
                                    query("SELECT pg_blocking_pids(0)"), query("SELECT pg_cancel_backend(NULL)")],
    "discard": [query("LISTEN ch"), query("SELECT pg_advisory_lock(5)"), query("PREPARE p AS SELECT 1"),
                query("DECLARE c CURSOR WITH HOLD FOR SELECT 1"), query("DISCARD ALL"), query("NOTIFY ch"),
                query("SELECT pg_advisory_unlock(5)"), query("EXECUTE p"), query("FETCH c")],
    "one's own cursors": [query("BEGIN"), query("DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT 1"),
                          query("DECLARE d BINARY CURSOR FOR VALUES (1)"),
                          query("SELECT name, statement, is_holdable, is_binary FROM pg_cursors ORDER BY name"),
                          query("ROLLBACK")],
    "one's own statements": [query("PREPARE p (bigint, text) AS SELECT $1, $2"),
                             [parse("SELECT $1::int", name="q"), SYNC],
                             query("SELECT name, statement, from_sql FROM pg_prepared_statements ORDER BY name"),
                             query("DEALLOCATE ALL")],
    "maintenance of what is not there": [query("ANALYZE nothing"), query("VACUUM nothing"), query("VACUUM (NOTHING) t"),
                                         query("BEGIN"), query("VACUUM t"), query("ROLLBACK")],
    **COPY_DIALOGUES,
}  # fmt: skip


@pytest.fixture(scope="module")
def sides(server: RockLakeServer, postgres_dsn: str) -> tuple[str, str]:
    """The connection strings of PostgreSQL and of the server, each with a database that holds the table."""
    dsns = psycopg.conninfo.make_conninfo(postgres_dsn), server.dsn("dialogues")
    for dsn in dsns:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("SET client_min_messages = warning")
            for text in TABLE:
                connection.execute(text)
    return dsns


@pytest.mark.parametrize("name", DIALOGUES)
def test_replies_are_postgresqls(sides: tuple[str, str], name: str) -> None:
    theirs, ours = (said(dsn, DIALOGUES[name]) for dsn in sides)
    assert ours == theirs


def said(dsn: str, dialogue: Dialogue) -> list[str]:
    side = Side(dsn)
    try:
        return side.say(dialogue)
    finally:
        side.close()


SAMPLES: dict[str, tuple[str, ...]] = {
    "bool": ("t", "f"),
    "bytea": ("\\x00ff10", "", "abc"),
    "char": ("x", ""),
    "name": ("a name",),
    "int8": ("-9223372036854775808", "9223372036854775807", "0"),
    "int2": ("-32768", "32767"),
    "int4": ("-2147483648", "2147483647"),
    "regproc": ("0",),
    "text": ("naïve ☃", "", "a\tb"),
    "oid": ("0", "4294967295"),
    "tid": ("(0,1)", "(4294967295,65535)"),
    "xid": ("3", "4294967295"),
    "json": ('{"b" : 1, "a":[null, true,  "x"]}', "null", "1e3"),
    "float4": ("1.5", "-0", "NaN", "Infinity", "1e-30", "3.4028235e38"),
    "float8": ("0.1", "-0", "NaN", "-Infinity", "1e300", "5e-324"),
    "unknown": ("x",),
    "bpchar": ("ab  ", "x"),
    "varchar": ("abc", ""),
    "date": ("2024-02-29", "0001-01-01", "infinity", "-infinity", "4713-01-01 BC"),
    "time": ("00:00:00", "23:59:59.999999", "24:00:00"),
    "timestamp": ("2024-02-29 01:02:03.000004", "infinity", "1999-12-31 23:59:59.5", "0044-03-15 12:00:00 BC"),
    "timestamptz": ("2024-02-29 01:02:03+02", "-infinity"),
    "interval": ("1 year 2 months -3 days 04:05:06.789", "-1 mon", "0", "100000:00:00"),
    "timetz": ("01:02:03+05:30", "24:00:00-12"),
    "numeric": ("0", "-12345678901234567890.123456789", "NaN", "Infinity", "1e-20", "10000", "0.00010000", "9999.9999"),
    "regclass": ("0",),
    "regtype": ("23", "0"),
    "regprocedure": ("0",),
    "regoper": ("0",),
    "regoperator": ("0",),
    "regnamespace": ("0",),
    "regrole": ("0",),
    "uuid": ("01a22a8f-7421-711b-b6f5-516e8673243a",),
    "jsonb": ('{"bb" : 1, "a":[null, true,  "x\\u00e9\\n"], "a": -0.50, "c": {}}', "[]", "1e3", '"\\u0001"'),
}
"""Texts of each type's values."""


def samples(kind: ColumnType) -> tuple[str, ...]:
    """Of an array: one of all values, one with a NULL and one of nothing."""
    if kind.element is None:
        return SAMPLES[kind.typname]
    quoted = ['"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in SAMPLES[kind.element.typname]]
    return "{" + ",".join(quoted) + "}", "{NULL," + quoted[0] + "}", "{}"


NOT_SENT = {"unknown", "void", "int2vector", "oidvector"}
"""Types that are no client's to send."""
TYPED = [kind for kind in ALL_TYPES if kind.typname not in NOT_SENT and (kind.element or kind).typname in SAMPLES]


def test_every_type_has_samples() -> None:
    assert {kind.typname for kind in ALL_TYPES} - {kind.typname for kind in TYPED} == NOT_SENT


def exchanged(side: Side, kind: ColumnType, text: str, binary: bytes | None = None) -> tuple[list[str], bytes]:
    """A value of a type sent as text, or in binary, and given back in both formats: the replies, and its bytes."""
    value, form = (text.encode(), 0) if binary is None else (binary, 1)
    spelled = kind.name.replace("character[", "bpchar[")
    side.send(parse(f"SELECT $1::{spelled}"), statement(), bind(value, formats=(form,)), portal(), execute(),
              bind(value, formats=(form,), results=(1,)), portal(), execute(), SYNC)
    replies = side.read(1)
    side.send(parse("SELECT $1", kind.oid), statement(), bind(value, formats=(form,), results=(1,)), execute(), SYNC)
    replies += side.read(1)
    rows = [bytes(reply.values[0] or b"") for reply in replies if isinstance(reply, m.DataRow)]
    return [shown(reply) for reply in replies], rows[1] if len(rows) > 1 else b""


@pytest.mark.parametrize("kind", TYPED, ids=lambda kind: kind.typname)
def test_values_of_every_type_in_both_formats(both: tuple[Side, Side], kind: ColumnType) -> None:
    theirs, ours = both
    for text in samples(kind):
        expected, binary = exchanged(theirs, kind, text)
        assert exchanged(ours, kind, text)[0] == expected
        if binary or kind.size < 0:
            assert exchanged(ours, kind, text, binary)[0] == exchanged(theirs, kind, text, binary)[0]


@pytest.fixture(scope="module")
def both(sides: tuple[str, str]) -> Iterator[tuple[Side, Side]]:
    opened = Side(sides[0]), Side(sides[1])
    yield opened
    for side in opened:
        side.close()
