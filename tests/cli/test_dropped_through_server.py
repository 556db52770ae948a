"""``rocklake dropped … --server``: a running server lists, restores and excises what was dropped while it runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.store.checkpoints import Checkpoints
from rocklake_server.store.object_stores import parse_store_url
from tests.cli.console import rocklake, the_sentence
from tests.cli.duck_lakes import client, contents, done, serving, small_lake
from tests.servers import RockLakeServer
from tests.verified import damage_in

pytestmark = pytest.mark.duckdb


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RockLakeServer]:
    """With lakes 1 ``lake``, 2 ``kept`` and 3 ``lake/second``; 1 and 3 are dropped, ``kept`` is not."""
    with serving(f"file://{tmp_path}/store", tmp_path) as running:
        for name in ("lake", "kept"):
            small_lake(running, tmp_path, name)
        with psycopg.connect(running.dsn("lake"), autocommit=True) as connection:
            connection.execute("CREATE SCHEMA second")
            connection.execute("CREATE TABLE second.t (a int)")
            connection.execute("INSERT INTO second.t VALUES (7)")
            connection.execute("DROP SCHEMA second CASCADE")
        with psycopg.connect(running.dsn("postgres"), autocommit=True) as connection:
            connection.execute("DROP DATABASE lake")
        yield running
    assert damage_in(running.store) == []


def through(server: RockLakeServer, *arguments: str) -> dict[str, object]:
    ended = rocklake("dropped", *arguments, "--server", f"127.0.0.1:{server.port}", "--output", "json")
    assert ended.code == ExitCode.DONE, ended
    facts: dict[str, object] = json.loads(ended.stdout)
    return facts


def listed(server: RockLakeServer) -> list[dict[str, object]]:
    return done(rocklake("dropped", "list", "--server", server.dsn(""), "--output", "json"))


def refused(server: RockLakeServer, *arguments: str, code: ExitCode = ExitCode.REFUSED) -> str:
    return the_sentence(rocklake("dropped", *arguments, "--server", f"127.0.0.1:{server.port}"), code)


def test_the_server_lists_what_the_store_lists(server: RockLakeServer) -> None:
    found = listed(server)
    assert [(lake["number"], lake["database"], lake["schema"]) for lake in found] == [
        (1, "lake", "public"), (3, "lake", "second")]  # fmt: skip
    assert found == done(rocklake("dropped", "list", "--store", server.store, "--output", "json"))
    table = rocklake("dropped", "list", "--server", f"127.0.0.1:{server.port}", "--limit", "1")
    assert (table.code, "second" in table.stdout) == (ExitCode.DONE, False)


def test_a_dropped_lake_comes_back_beside_the_sessions(server: RockLakeServer, tmp_path: Path) -> None:
    with client(server, tmp_path, "kept") as duck:
        expected = contents(duck)
        planned = through(server, "restore", "plan", "--number", "1")
        assert planned["becomes"] == "lake/public"
        assert len(listed(server)) == 2, "a plan changes nothing"
        assert through(server, "restore", "apply", "--number", "1") == planned
        assert through(server, "restore", "apply", "--number", "3", "--as", "kept/old")["was"] == "lake/second"
        duck.run("INSERT INTO t VALUES (3)")
    with client(server, tmp_path) as duck:
        assert contents(duck) == expected
        duck.run("INSERT INTO t VALUES (4)")
    with psycopg.connect(server.dsn("kept")) as connection:
        assert connection.execute("SELECT a FROM old.t").fetchall() == [(7,)]
    assert listed(server) == []
    records = done(rocklake("dropped", "audit", "--store", server.store, "--output", "json"))
    assert [(record["what"], record["lake"], record["as"]) for record in records] == [
        ("restore", 1, "lake/public"), ("restore", 3, "kept/old")]  # fmt: skip
    assert all(str(record["who"]).startswith("rocklake from 127.0.0.1") for record in records)
    assert records == done(rocklake("dropped", "audit", "--server", server.dsn(""), "--output", "json"))
    assert "restore user=rocklake address=127.0.0.1 dropped=1 lake=lake/public new_lake=lake/public" in (
        server.log_path.read_text())  # fmt: skip


def test_a_restored_lake_is_dropped_and_restored_again(server: RockLakeServer, tmp_path: Path) -> None:
    """Its number is the same each time; nothing of the time before is remembered of it."""
    for name in ("once", "twice"):
        through(server, "restore", "apply", "--number", "1", "--as", name)
        with client(server, tmp_path, name) as duck:
            duck.run("INSERT INTO t VALUES (5)")
            expected = contents(duck)
        with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name}")
    through(server, "restore", "apply", "--number", "1", "--as", "thrice")
    with client(server, tmp_path, "thrice") as duck:
        assert contents(duck) == expected
        assert duck.rows("SELECT count(*) FROM t WHERE a = 5") == [(2,)]


def test_an_excised_lake_is_gone_and_the_others_stay(server: RockLakeServer, tmp_path: Path) -> None:
    planned = through(server, "excise", "plan", "--number", "3")
    assert (tmp_path / "store/lakes/3").exists()
    facts = through(server, "excise", "apply", "--number", "3")  # it closes the lake first, which writes some objects
    assert [facts[name] for name in ("number", "was", "dropped_at")] == [
        planned[name] for name in ("number", "was", "dropped_at")]  # fmt: skip
    assert not (tmp_path / "store/lakes/3").exists()
    assert [lake["number"] for lake in listed(server)] == [1]
    assert "no dropped lake 3" in refused(server, "restore", "apply", "--number", "3", code=ExitCode.MISSING)
    assert "no dropped lake 3" in refused(server, "excise", "apply", "--number", "3", code=ExitCode.MISSING)
    (record,) = done(rocklake("dropped", "audit", "--store", server.store, "--output", "json"))
    assert (record["what"], record["lake"], record["objects"]) == ("excise", 3, facts["objects"])
    assert "excise user=rocklake address=127.0.0.1 dropped=3 lake=lake/second" in server.log_path.read_text()
    with client(server, tmp_path, "kept") as duck:
        assert duck.rows("FROM t") == [(2,)]
    server.restart()
    assert [lake["number"] for lake in listed(server)] == [1]


def test_what_cannot_be_done_is_refused_in_one_sentence(server: RockLakeServer, tmp_path: Path) -> None:
    for command in ("plan", "apply"):
        said = refused(server, "restore", command, "--number", "1", "--as", "kept")
        assert said == 'lake "kept/public" exists; restore under another name with --as'
        assert "it is a system schema" in refused(server, "restore", command, "--number", "1", "--as", "x/pg_x")
    small_lake(server, tmp_path)  # somebody made it again
    assert 'lake "lake/public" exists' in refused(server, "restore", "apply", "--number", "1")
    for given in (("restore", "apply"), ("restore", "plan"), ("excise", "apply"), ("excise", "plan")):
        assert "no dropped lake 2" in refused(server, *given, "--number", "2", code=ExitCode.MISSING)
    with client(server, tmp_path, "kept") as duck:
        assert duck.rows("FROM t") == [(2,)], "it is not touched"
    place = parse_store_url(server.store, {}).child("lakes/1")
    asyncio.run(Checkpoints(place).create("monday"))
    assert 'checkpoints that its excision would break: "monday"' in refused(server, "excise", "apply", "--number", "1")
    ended = rocklake("dropped", "restore", "apply", "--store", server.store, "--number", "1", "--as", "x")
    assert ended.code == ExitCode.IN_USE
    assert "run it through that server: rocklake dropped restore apply --number 1 --as x --server HOST:PORT" in (
        ended.stderr)  # fmt: skip
    assert [lake["number"] for lake in listed(server)] == [1, 3]


def test_a_transaction_that_still_sees_a_dropped_lake_holds_it(server: RockLakeServer, tmp_path: Path) -> None:
    with psycopg.connect(server.dsn("kept"), autocommit=True) as dropper, psycopg.connect(server.dsn("kept")) as reader:
        dropper.execute("CREATE SCHEMA going")
        dropper.execute("CREATE TABLE going.t (a int)")
        dropper.execute("INSERT INTO going.t VALUES (1)")
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        assert reader.execute("SELECT a FROM going.t").fetchall() == [(1,)]
        dropper.execute("DROP SCHEMA going CASCADE")
        number = str(listed(server)[-1]["number"])
        for given in (("excise", "apply"), ("restore", "apply")):
            assert "is being accessed by other transactions" in refused(server, *given, "--number", number)
        assert reader.execute("SELECT a FROM going.t").fetchall() == [(1,)]
        reader.rollback()
        through(server, "restore", "apply", "--number", number, "--as", "kept/back")
        assert reader.execute("SELECT a FROM back.t").fetchall() == [(1,)]


def test_only_superusers_reach_past_their_database(server: RockLakeServer) -> None:
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as root:
        root.execute("CREATE USER root SUPERUSER PASSWORD 'secret'")
    owner = psycopg.conninfo.make_conninfo(server.dsn("kept"), user="root", password="secret")
    with psycopg.connect(owner, autocommit=True) as root:
        root.execute("CREATE USER ada PASSWORD 'secret'")
        root.execute("GRANT admin ON DATABASE kept TO ada")
    admin = psycopg.conninfo.make_conninfo(server.dsn("kept"), user="ada", password="secret")
    with psycopg.connect(admin, autocommit=True) as ada:
        assert ada.execute("CALL rocklake.flush()").fetchone() is not None
        for call in ("dropped_list()", "dropped_audit()", "dropped_restore(1)", "dropped_excise(1)", "clone('x')",
                     "backup('x')", "restore('x')"):  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for CALL rocklake"):
                ada.execute(f"CALL rocklake.{call}")
    with psycopg.connect(owner, autocommit=True) as root:
        assert len(root.execute("CALL rocklake.dropped_list()").fetchall()) == 2
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="number is 0; 1 is the least"):
            root.execute("CALL rocklake.dropped_restore(0)")
