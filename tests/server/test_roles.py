"""What each role may do, told by SQL: every kind of write, what is in force when, and what PostgreSQL's questions get
for an answer."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from tests.audited import audited
from tests.server.conftest import Connection
from tests.servers import RockLakeServer

ROLES = ("connecting", "reading", "writing", "administering")
HELD = dict(zip(ROLES, ("connect", "reader", "writer", "admin"), strict=True))

WRITES = {
    "INSERT": "INSERT INTO t VALUES (9, 'x')",
    "INSERT of no rows": "INSERT INTO t SELECT a, b FROM t WHERE a > 100",
    "INSERT that does nothing": "INSERT INTO t VALUES (1, 'x') ON CONFLICT DO NOTHING",
    "UPDATE": "UPDATE t SET b = 'x' WHERE a = 1",
    "UPDATE of no rows": "UPDATE t SET b = 'x' WHERE a = 100",
    "DELETE": "DELETE FROM t WHERE a = 1",
    "DELETE of no rows": "DELETE FROM t WHERE a = 100",
    "CREATE TABLE": "CREATE TABLE more (a bigint)",
    "CREATE TABLE IF NOT EXISTS": "CREATE TABLE IF NOT EXISTS t (a bigint)",
    "ALTER TABLE": "ALTER TABLE t ADD COLUMN c text",
    "DROP TABLE": "DROP TABLE t",
    "CREATE SCHEMA": "CREATE SCHEMA more",
    "COPY": "COPY t FROM STDIN",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    """Everybody is who they say."""
    folder = tmp_path_factory.mktemp("roles")
    hba = folder / "hba.conf"
    hba.write_text("host all all all trust\n")
    running = RockLakeServer("memory:///roles", logs=folder, arguments=["--hba-file", str(hba)])
    running.start()
    with connect(running, "anybody") as nobody_yet:
        nobody_yet.execute("CREATE USER root SUPERUSER PASSWORD 'x'")
    with connect(running, "root") as root:
        for role, held in HELD.items():
            root.execute(f"CREATE USER {role}")
            root.execute(f"GRANT {held} ON DATABASE lake TO {role}")
    yield running
    running.stop()
    assert "Traceback" not in (folder / "server.log").read_text()


def connect(server: RockLakeServer, user: str, dbname: str = "lake") -> Connection:
    return psycopg.connect(f"host=127.0.0.1 port={server.port} dbname={dbname} user={user}", autocommit=True)


@pytest.fixture
def root(server: RockLakeServer) -> Iterator[Connection]:
    """A superuser, in a database with a table ``t`` of two rows."""
    with connect(server, "root") as opened:
        opened.execute("DROP TABLE IF EXISTS t")
        opened.execute("CREATE TABLE t (a bigint PRIMARY KEY, b text)")
        opened.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
        yield opened


def run(connection: Connection, statement: str) -> None:
    if not statement.startswith("COPY"):
        connection.execute(statement)
        return
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write_row((9, "x"))


# -- each role --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", WRITES)
def test_a_reader_writes_nothing(server: RockLakeServer, root: Connection, kind: str) -> None:
    with connect(server, "reading") as reader:
        with pytest.raises(errors.InsufficientPrivilege) as caught:
            run(reader, WRITES[kind])
        assert caught.value.diag.message_primary == 'permission denied for lake "lake"'
        assert str(caught.value.diag.message_detail).startswith('Role "reading" is a reader of it; ')
        assert str(caught.value.diag.message_detail).endswith(" needs writer.")
        assert reader.execute("SELECT * FROM t ORDER BY a").fetchall() == [(1, "one"), (2, "two")]
    assert root.execute("SELECT count(*) FROM t").fetchone() == (2,)


def test_a_block_with_a_refused_write_is_rolled_back_and_the_session_goes_on(
    server: RockLakeServer, root: Connection
) -> None:
    with connect(server, "reading") as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM t")
        with pytest.raises(errors.InsufficientPrivilege):
            reader.execute("DELETE FROM t")
        with pytest.raises(errors.InFailedSqlTransaction):
            reader.execute("SELECT 1")
        reader.execute("ROLLBACK")
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (2,)


def test_a_reader_has_temporary_tables(server: RockLakeServer, root: Connection) -> None:
    with connect(server, "reading") as reader:
        reader.execute("CREATE TEMPORARY TABLE mine (a bigint)")
        reader.execute("INSERT INTO mine SELECT a FROM t")
        assert reader.execute("SELECT count(*) FROM mine").fetchone() == (2,)
        reader.execute("UPDATE mine SET a = 7")
        with reader.cursor() as cursor, cursor.copy("COPY mine FROM STDIN") as copy:
            copy.write_row((8,))
        assert reader.execute("SELECT DISTINCT a FROM mine ORDER BY a").fetchall() == [(7,), (8,)]


def test_a_reader_reads_tables_that_come_later(server: RockLakeServer, root: Connection) -> None:
    with connect(server, "reading") as reader, connect(server, "writing") as writer:
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (2,)
        writer.execute("DROP TABLE IF EXISTS later")
        writer.execute("CREATE TABLE later (a bigint)")
        writer.execute("INSERT INTO later VALUES (1)")
        assert reader.execute("SELECT * FROM later").fetchall() == [(1,)]
        with reader.cursor() as cursor, cursor.copy("COPY (SELECT a FROM later) TO STDOUT (FORMAT binary)") as copy:
            copy.set_types(["int8"])
            assert list(copy.rows()) == [(1,)]
        writer.execute("DROP TABLE later")


def test_who_may_only_connect_sees_tables_and_no_rows(server: RockLakeServer, root: Connection) -> None:
    with connect(server, "connecting") as connected:
        assert connected.execute("SELECT relname FROM pg_class WHERE relname = 't'").fetchall() == [("t",)]
        for statement in ("SELECT * FROM t", "SELECT count(*) FROM t", "SELECT max(a) FROM t", "COPY t TO STDOUT",
                          "INSERT INTO t VALUES (3)"):  # fmt: skip
            with pytest.raises(errors.InsufficientPrivilege) as caught:
                connected.execute(statement)
            assert 'Role "connecting" may only connect to it' in str(caught.value.diag.message_detail)
        assert connected.execute("SELECT 1").fetchone() == (1,)


def test_a_writer_does_everything_but_administer(server: RockLakeServer, root: Connection) -> None:
    with connect(server, "writing") as writer:
        for kind, statement in WRITES.items():
            writer.execute("BEGIN")
            try:
                run(writer, statement)
            except psycopg.Error as error:
                pytest.fail(f"{kind}: {error}")
            writer.execute("ROLLBACK")
        writer.execute("CREATE SCHEMA IF NOT EXISTS part")
        for statement in ("DROP SCHEMA part", "CREATE USER x", "DROP USER reading", "ALTER USER root PASSWORD 'y'",
                          "GRANT admin ON DATABASE lake TO writing", "REVOKE reader ON DATABASE lake FROM reading"):
            with pytest.raises(errors.InsufficientPrivilege):
                writer.execute(statement)


def test_an_admin_grants_on_the_own_lake_only(server: RockLakeServer, root: Connection) -> None:
    root.execute("CREATE USER newcomer")
    with connect(server, "administering") as admin:
        admin.execute("GRANT reader ON DATABASE lake TO newcomer")
        with connect(server, "newcomer") as newcomer:
            assert newcomer.execute("SELECT count(*) FROM t").fetchone() == (2,)
        for statement in ("GRANT reader ON DATABASE other TO newcomer", "CREATE USER x", "DROP USER newcomer",
                          "ALTER USER newcomer SUPERUSER"):  # fmt: skip
            with pytest.raises(errors.InsufficientPrivilege):
                admin.execute(statement)
        admin.execute("CREATE SCHEMA IF NOT EXISTS part")
        admin.execute("DROP SCHEMA part")
    root.execute("DROP USER newcomer")


def test_a_lake_is_made_by_its_first_writer(server: RockLakeServer, root: Connection) -> None:
    with pytest.raises(psycopg.OperationalError, match='permission denied for database "fresh"'):
        connect(server, "writing", "fresh")
    notices: list[str | None] = []
    root.add_notice_handler(lambda notice: notices.append(notice.message_primary))
    root.execute("GRANT writer ON DATABASE fresh TO writing")
    assert notices == ['database "fresh" is not there yet: the grant holds once it is']
    with connect(server, "writing", "fresh") as writer:
        writer.execute("CREATE TABLE t (a bigint)")
        assert writer.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_a_snapshot_of_another_database_cannot_be_imported(server: RockLakeServer, root: Connection) -> None:
    root.execute("GRANT reader ON DATABASE elsewhere TO reading")
    root.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    (snapshot,) = root.execute("SELECT pg_export_snapshot()").fetchone() or ("",)
    with connect(server, "reading", "elsewhere") as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        with pytest.raises(errors.FeatureNotSupported, match="snapshot from a different database"):
            reader.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
    root.execute("ROLLBACK")


# -- when -------------------------------------------------------------------------------------------------------------


def test_a_change_holds_from_the_next_statement_on(server: RockLakeServer, root: Connection) -> None:
    root.execute("CREATE USER promoted")
    root.execute("GRANT reader ON DATABASE lake TO promoted")
    with connect(server, "promoted") as session:
        session.execute("BEGIN")
        session.execute("SELECT count(*) FROM t")
        root.execute("GRANT writer ON DATABASE lake TO promoted")
        session.execute("INSERT INTO t VALUES (3, 'three')")
        root.execute("REVOKE writer ON DATABASE lake FROM promoted")
        with pytest.raises(errors.InsufficientPrivilege):
            session.execute("INSERT INTO t VALUES (4, 'four')")
        session.execute("ROLLBACK")
        assert session.execute("SELECT count(*) FROM t").fetchone() == (2,)
    root.execute("DROP USER promoted")


@pytest.mark.parametrize("end", ["REVOKE connect ON DATABASE lake FROM leaving", "DROP USER leaving",
                                 "REVOKE ALL ON DATABASE lake FROM leaving"])  # fmt: skip
@pytest.mark.parametrize("in_block", [False, True], ids=["idle", "in a block"])
def test_who_may_not_connect_any_more_loses_the_session(
    server: RockLakeServer, root: Connection, end: str, in_block: bool
) -> None:
    root.execute("CREATE USER leaving")
    root.execute("GRANT writer ON DATABASE lake TO leaving")
    with connect(server, "leaving") as session, connect(server, "reading") as other:
        if in_block:
            session.execute("BEGIN")
            session.execute("INSERT INTO t VALUES (5, 'five')")
        root.execute(end)
        with pytest.raises(psycopg.OperationalError) as caught:
            session.execute("SELECT count(*) FROM t")
        assert 'role "leaving" may no longer connect to database "lake"' in str(caught.value)
        assert other.execute("SELECT count(*) FROM t").fetchone() == (2,)
    with pytest.raises(psycopg.OperationalError):
        connect(server, "leaving")
    root.execute("DROP USER IF EXISTS leaving")


def test_role_statements_stand_outside_of_transactions(root: Connection) -> None:
    root.execute("BEGIN")
    with pytest.raises(errors.ActiveSqlTransaction, match="CREATE ROLE cannot run inside a transaction block"):
        root.execute("CREATE ROLE late")
    root.execute("ROLLBACK")
    assert root.execute("SELECT 1 FROM pg_roles WHERE rolname = 'late'").fetchone() is None


def test_the_last_superuser_stays(root: Connection) -> None:
    for statement in ("DROP ROLE root", "ALTER ROLE root NOSUPERUSER", "ALTER ROLE root NOLOGIN",
                      "ALTER ROLE root PASSWORD NULL"):  # fmt: skip
        with pytest.raises(errors.ObjectNotInPrerequisiteState):
            root.execute(statement)
    with pytest.raises(errors.UndefinedObject, match='role "nobody" does not exist'):
        root.execute("DROP ROLE nobody")
    with pytest.raises(errors.DuplicateObject):
        root.execute("CREATE ROLE reading")
    with pytest.raises(errors.ReservedName):
        root.execute("CREATE ROLE pg_reader")


def test_drops_are_in_the_audit_log_once_they_are_durable(server: RockLakeServer, root: Connection) -> None:
    def dropped() -> list[str]:
        return [line for line in audited(server.log_path.read_text()) if line.startswith("drop ")]

    root.execute("CREATE SCHEMA gone")
    root.execute("CREATE TABLE gone_table (a bigint)")
    before = len(dropped())
    root.execute("BEGIN")
    root.execute("SAVEPOINT s")
    root.execute("DROP TABLE gone_table")
    root.execute("ROLLBACK TO s")
    root.execute("INSERT INTO gone_table VALUES (1)")
    root.execute("COMMIT")
    assert len(dropped()) == before
    root.execute("DROP TABLE gone_table")
    root.execute("DROP SCHEMA gone")
    assert dropped()[before:] == [
        "drop user=root address=127.0.0.1 object=table name=public.gone_table database=lake",
        "drop user=root address=127.0.0.1 object=schema name=gone database=lake",
    ]


# -- groups and everybody ---------------------------------------------------------------------------------------------


def test_a_member_holds_what_its_group_holds_until_it_leaves(server: RockLakeServer, root: Connection) -> None:
    for statement in ("CREATE ROLE analysts", "CREATE ROLE staff", "CREATE USER grace", "GRANT analysts TO staff",
                      "GRANT reader ON DATABASE lake TO analysts"):  # fmt: skip
        root.execute(statement)
    with pytest.raises(psycopg.OperationalError, match='permission denied for database "lake"'):
        connect(server, "grace")
    notices: list[str | None] = []
    root.add_notice_handler(lambda notice: notices.append(notice.message_primary))
    assert root.execute("GRANT staff, analysts TO grace").statusmessage == "GRANT ROLE"
    root.execute("GRANT staff TO grace")
    assert notices == ['role "grace" is already a member of role "staff"']
    with connect(server, "grace") as grace:
        assert grace.execute("SELECT count(*) FROM t").fetchone() == (2,)
        with pytest.raises(errors.InsufficientPrivilege):
            grace.execute("INSERT INTO t VALUES (3, 'x')")
        assert grace.execute(
            "SELECT pg_has_role('staff', 'MEMBER'), pg_has_role('analysts', 'USAGE'), pg_has_role('reading', 'USAGE'),"
            "pg_has_role('staff', 'MEMBER WITH ADMIN OPTION'), has_table_privilege('t', 'SELECT')"
        ).fetchone() == (True, True, False, False, True)
        assert grace.execute(
            "SELECT m.rolname, r.rolname, a.admin_option FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.roleid "
            "JOIN pg_roles m ON m.oid = a.member ORDER BY 1, 2"
        ).fetchall() == [("grace", "analysts", False), ("grace", "staff", False), ("staff", "analysts", False)]
        assert grace.execute("SELECT groname, array_length(grolist, 1) FROM pg_group ORDER BY 1").fetchall() == [
            ("analysts", 2), ("rocklake", None), ("staff", 1)
        ]  # fmt: skip
        root.execute("REVOKE analysts FROM grace")
        assert grace.execute("SELECT count(*) FROM t").fetchone() == (2,), "a member of staff, which is of analysts"
        root.execute("GRANT writer ON DATABASE lake TO staff")
        grace.execute("DELETE FROM t WHERE a = 2")
        assert root.execute("REVOKE staff FROM grace").statusmessage == "REVOKE ROLE"
        with pytest.raises(psycopg.OperationalError, match='role "grace" may no longer connect to database "lake"'):
            grace.execute("SELECT 1")
    for statement in ("DROP ROLE analysts, staff", "DROP USER grace"):
        root.execute(statement)
    assert root.execute("SELECT count(*) FROM pg_auth_members").fetchone() == (0,)


def test_memberships_are_a_superusers_to_give(server: RockLakeServer, root: Connection) -> None:
    with connect(server, "administering") as admin:
        for statement in ("GRANT root TO administering", "GRANT reading TO writing", "REVOKE reading FROM writing"):
            with pytest.raises(errors.InsufficientPrivilege):
                admin.execute(statement)
    with pytest.raises(errors.InvalidGrantOperation, match='role "reading" is a member of role "reading"'):
        root.execute("GRANT reading TO reading")
    with pytest.raises(errors.UndefinedObject) as caught:
        root.execute("GRANT reader TO reading")
    assert "ON DATABASE name" in str(caught.value.diag.message_hint)
    with pytest.raises(errors.UndefinedObject, match='role "public" does not exist'):
        root.execute("GRANT reading TO PUBLIC")
    root.execute("BEGIN")
    with pytest.raises(errors.ActiveSqlTransaction, match="GRANT cannot run inside a transaction block"):
        root.execute("GRANT reading TO writing")
    root.execute("ROLLBACK")
    root.execute("GRANT root TO reading")
    with connect(server, "reading") as reader:
        assert reader.info.parameter_status("is_superuser") == "off"
        with pytest.raises(errors.InsufficientPrivilege):
            reader.execute("DELETE FROM t")
    notices: list[tuple[str | None, str | None, str | None]] = []
    root.add_notice_handler(
        lambda notice: notices.append((notice.severity, notice.sqlstate, notice.message_primary)))
    for _ in range(2):
        root.execute("REVOKE root FROM reading")
    assert notices == [("WARNING", "01000", 'role "reading" is not a member of role "root"')]


def test_what_is_granted_to_public_every_user_holds(server: RockLakeServer, root: Connection) -> None:
    root.execute("CREATE USER passing")
    root.execute("GRANT connect ON DATABASE lake TO PUBLIC")
    with connect(server, "passing") as passing:
        assert passing.execute("SELECT has_database_privilege('public', 'lake', 'CONNECT')").fetchone() == (True,)
        with pytest.raises(errors.InsufficientPrivilege):
            passing.execute("SELECT * FROM t")
        root.execute("GRANT reader ON DATABASE lake TO PUBLIC, writing")
        assert passing.execute("SELECT count(*) FROM t").fetchone() == (2,)
        assert passing.execute("SELECT has_table_privilege('public', 't', 'SELECT')").fetchone() == (True,)
        with pytest.raises(psycopg.OperationalError, match='role "stranger" does not exist'):
            connect(server, "stranger")
        root.execute("REVOKE ALL ON DATABASE lake FROM PUBLIC")
        with pytest.raises(psycopg.OperationalError, match="may no longer connect"):
            passing.execute("SELECT 1")
    assert root.execute("SELECT has_database_privilege('public', 'lake', 'CONNECT')").fetchone() == (False,)
    root.execute("DROP USER passing")


def test_psql_shows_memberships(server: RockLakeServer, root: Connection) -> None:
    program = shutil.which("psql")
    if program is None:
        pytest.skip("psql is not installed: apt-get install postgresql-client")
    root.execute("CREATE ROLE crew")
    root.execute("GRANT crew TO reading")
    dsn = f"host=127.0.0.1 port={server.port} dbname=lake user=root"
    shown = subprocess.run(
        [program, "-X", "-At", dsn, "-c", "\\du reading", "-c", "\\du crew"],
        capture_output=True, text=True, timeout=30, check=True,
    ).stdout  # fmt: skip
    assert shown.splitlines() == ["reading||{crew}", "crew|Cannot login|{}"]
    root.execute("DROP ROLE crew")


# -- what is answered -------------------------------------------------------------------------------------------------


def test_pg_roles_and_pg_user_list_the_roles(server: RockLakeServer, root: Connection) -> None:
    root.execute("CREATE ROLE asleep VALID UNTIL '2030-01-01 00:00:00+00'")
    rows = root.execute(
        "SELECT rolname, rolsuper, rolcanlogin, rolpassword FROM pg_roles "
        "WHERE rolname IN ('root', 'reading', 'asleep') ORDER BY oid"
    ).fetchall()
    assert rows == [
        ("root", True, True, "********"), ("reading", False, True, "********"), ("asleep", False, False, "********"),
    ]  # fmt: skip
    users = [name for (name,) in root.execute("SELECT usename FROM pg_user").fetchall()]
    assert "reading" in users
    assert "asleep" not in users
    until = root.execute("SELECT rolvaliduntil::text FROM pg_roles WHERE rolname = 'asleep'").fetchone()
    assert until == ("2030-01-01 00:00:00+00",)
    oid = root.execute("SELECT oid FROM pg_roles WHERE rolname = 'reading'").fetchone()
    assert oid is not None
    assert root.execute("SELECT pg_get_userbyid(%s), pg_get_userbyid(99)", oid).fetchone() == (
        "reading", "unknown (OID=99)",
    )  # fmt: skip
    root.execute("DROP ROLE asleep")
    assert root.execute("SELECT count(*) FROM pg_roles WHERE rolname = 'asleep'").fetchone() == (0,)


QUESTIONS = {
    "has_database_privilege('lake', 'CONNECT')": (True, True, True, True),
    "has_database_privilege('lake', 'CREATE')": (False, False, True, True),
    "has_database_privilege('lake', 'reader')": (False, True, True, True),
    "has_database_privilege('lake', 'writer')": (False, False, True, True),
    "has_database_privilege('lake', 'admin')": (False, False, False, True),
    "has_database_privilege('other', 'CONNECT')": (False, False, False, False),
    "has_table_privilege('t', 'SELECT')": (False, True, True, True),
    "has_table_privilege('t', 'INSERT')": (False, False, True, True),
    "has_table_privilege('public.t', 'SELECT, INSERT')": (False, True, True, True),
    "has_table_privilege('t', 'SELECT WITH GRANT OPTION')": (False, False, False, True),
    "has_table_privilege('pg_class', 'SELECT')": (True, True, True, True),
    "has_table_privilege('pg_class', 'INSERT')": (False, False, False, False),
    "has_schema_privilege('public', 'USAGE')": (False, True, True, True),
    "has_schema_privilege('public', 'CREATE')": (False, False, True, True),
    "has_database_privilege('root', 'lake', 'admin')": (True, True, True, True),
    "has_database_privilege('reading', 'lake', 'writer')": (False, False, False, False),
    "has_table_privilege('writing', 't', 'UPDATE')": (True, True, True, True),
}


def test_questions_about_privileges(server: RockLakeServer, root: Connection) -> None:
    found: dict[str, list[object]] = {question: [] for question in QUESTIONS}
    for role in ROLES:
        with connect(server, role) as session:
            answers = session.execute(f"SELECT {', '.join(QUESTIONS)}").fetchone()
            for question, answer in zip(QUESTIONS, answers or (), strict=True):
                found[question].append(answer)
    assert {question: tuple(answers) for question, answers in found.items()} == QUESTIONS


def test_the_session_says_who_it_is(server: RockLakeServer, root: Connection) -> None:
    with connect(server, "reading") as reader:
        assert reader.info.parameter_status("session_authorization") == "reading"
        assert reader.info.parameter_status("is_superuser") == "off"
        assert reader.execute("SELECT current_user, session_user, user").fetchone() == ("reading",) * 3
    assert root.info.parameter_status("is_superuser") == "on"


def test_questions_that_make_no_sense(root: Connection) -> None:
    with pytest.raises(errors.InvalidParameterValue, match='unrecognized privilege type: "fly"'):
        root.execute("SELECT has_table_privilege('t', 'fly')")
    with pytest.raises(errors.UndefinedObject, match='role "nobody" does not exist'):
        root.execute("SELECT has_table_privilege('nobody', 't', 'SELECT')")
    with pytest.raises(errors.UndefinedTable):
        root.execute("SELECT has_table_privilege('nothing', 'SELECT')")
    assert root.execute("SELECT has_table_privilege(NULL, 'SELECT')").fetchone() == (None,)


def test_the_own_password_is_everybodys_to_change(server: RockLakeServer, root: Connection) -> None:
    with connect(server, "reading") as reader:
        reader.execute("ALTER USER reading PASSWORD 'new one'")
        reader.execute("ALTER USER CURRENT_USER PASSWORD 'newer'")
        for statement in ("ALTER USER reading SUPERUSER", "ALTER USER reading PASSWORD 'x' VALID UNTIL 'infinity'",
                          "ALTER USER writing PASSWORD 'x'"):  # fmt: skip
            with pytest.raises(errors.InsufficientPrivilege):
                reader.execute(statement)
    with pytest.raises(errors.FeatureNotSupported, match="MD5"):
        root.execute("ALTER USER reading PASSWORD 'md50123456789abcdef0123456789abcdef'")
    root.execute("ALTER USER reading PASSWORD NULL")


def test_psql_changes_a_password_without_sending_it(server: RockLakeServer, root: Connection, tmp_path: Path) -> None:
    program = shutil.which("psql")
    if program is None:
        pytest.skip("psql is not installed: apt-get install postgresql-client")
    dsn = f"host=127.0.0.1 port={server.port} dbname=lake user=root"
    script = tmp_path / "typed"
    script.write_text(
        "import os, pty, sys\n"
        "pid, fd = pty.fork()\n"
        "if pid == 0:\n"
        "    os.execv(sys.argv[1], [sys.argv[1], sys.argv[2], '-X', '-E', '-c', '\\\\password writing'])\n"
        "said = b''\n"
        "typed = 0\n"
        "while True:\n"
        "    try:\n"
        "        piece = os.read(fd, 1000)\n"
        "    except OSError:\n"
        "        break\n"
        "    if not piece:\n"
        "        break\n"
        "    said += piece\n"
        "    if said.count(b': ') > typed and typed < 2:\n"
        "        os.write(fd, b'typed by hand\\n')\n"
        "        typed += 1\n"
        "sys.stdout.write(said.decode())\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
    )
    done = subprocess.run(
        ["python3", str(script), program, dsn], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ALTER USER writing PASSWORD 'SCRAM-SHA-256$4096:" in done.stdout
    root.execute("ALTER USER writing PASSWORD NULL")
