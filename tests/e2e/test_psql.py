"""psql connects, asks over one relation, and survives its own mistakes."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.duckdb_client import LakeClient

pytestmark = pytest.mark.postgres


@pytest.fixture
def filled_dsn(lake: LakeClient) -> str:
    """A lake with two tables, for psql to look into."""
    lake.run("CREATE TABLE t(id INTEGER, name VARCHAR)", "INSERT INTO t VALUES (1, 'a'), (2, NULL)")
    lake.run("CREATE TABLE u(id INTEGER)")
    return lake.dsn


def psql(dsn: str, *statements: str, stop: bool = True) -> subprocess.CompletedProcess[str]:
    """psql's unaligned answer to statements, each sent on its own in one session."""
    program = shutil.which("psql")
    assert program, "psql is not installed: apt-get install postgresql-client"
    command = [program, dsn, "-X", "-A", "-t", "-v", f"ON_ERROR_STOP={int(stop)}"]
    text = "".join(f"{statement};\n" for statement in statements)
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=30, check=False)


def lines(dsn: str, *statements: str) -> list[str]:
    """The lines of an answer without errors."""
    done = psql(dsn, *statements)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_version_names_postgresql(filled_dsn: str) -> None:
    (version,) = lines(filled_dsn, "SELECT version()")
    assert version.startswith("PostgreSQL ")


def test_select_one(filled_dsn: str) -> None:
    assert lines(filled_dsn, "SELECT 1", "SELECT 'it''s' AS text, NULL, true") == ["1", "it's||t"]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT table_id, table_name FROM ducklake_table ORDER BY table_id", ["1|t", "2|u"]),
        ("SELECT table_name FROM public.ducklake_table WHERE table_id = 2", ["u"]),
        ('SELECT "snapshot_id", schema_version FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1', ["3|2"]),
        ("SELECT count(*) FROM ducklake_column", ["3"]),
        ("SELECT max(snapshot_id) FROM ducklake_snapshot", ["3"]),
        ("SELECT snapshot_id FROM ducklake_snapshot WHERE snapshot_id IN (1, 3, 9) ORDER BY snapshot_id", ["1", "3"]),
        ("SELECT column_name FROM ducklake_column WHERE end_snapshot IS NULL AND table_id = 1 ORDER BY column_id",
         ["id", "name"]),
        ("select   Schema_Name -- a comment\n from  DUCKLAKE_SCHEMA as s /* another */", ["main"]),
        ("SELECT s.snapshot_id AS n FROM ducklake_snapshot s WHERE NOT s.snapshot_id < 2 ORDER BY 1", ["2", "3"]),
        ("SELECT key, value FROM ducklake_metadata WHERE key = 'version'", ["version|1.0"]),
    ],
)  # fmt: skip
def test_selects_over_one_relation(query: str, answer: list[str], filled_dsn: str) -> None:
    assert lines(filled_dsn, query) == answer


def test_errors_do_not_end_the_session(filled_dsn: str) -> None:
    mistakes = ("SELECT * FROM nowhere", "SELEC 1", "SELECT nothing FROM ducklake_table")
    done = psql(filled_dsn, *mistakes, "SELECT 7", stop=False)
    assert done.stdout.splitlines() == ["7"]
    assert 'relation "nowhere" does not exist' in done.stderr
    assert "syntax error" in done.stderr
    assert 'column "nothing" does not exist' in done.stderr


def test_a_failed_transaction_wants_a_rollback(filled_dsn: str) -> None:
    done = psql(filled_dsn, "BEGIN", "SELECT * FROM nowhere", "SELECT 1", "ROLLBACK", "SELECT 2", stop=False)
    assert done.stdout.splitlines() == ["BEGIN", "ROLLBACK", "2"]
    assert "current transaction is aborted" in done.stderr


def test_user_tables_are_written_in_transactions(filled_dsn: str) -> None:
    assert lines(filled_dsn, "CREATE TABLE notes(id bigint, body text)", "BEGIN",
                 "INSERT INTO notes VALUES (1, 'one'), (2, 'two')", "SELECT count(*) FROM notes", "ROLLBACK",
                 "SELECT count(*) FROM notes", "INSERT INTO notes VALUES (3, 'three')",
                 "UPDATE notes SET body = 'drei' WHERE id = 3", "DELETE FROM notes WHERE id = 4",
                 "SELECT * FROM notes", "DROP TABLE notes") == [
        "CREATE TABLE", "BEGIN", "INSERT 0 2", "2", "ROLLBACK", "0", "INSERT 0 1", "UPDATE 1", "DELETE 0",
        "3|drei", "DROP TABLE",
    ]  # fmt: skip
