"""Several lakes in one server: made and dropped by PostgreSQL's own commands, attached side by side, apart from each
other."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rocklake_server.catalog.lake_copy import LakeCopy, copy_lake
from rocklake_server.catalog.lake_reader import CatalogReader
from rocklake_server.catalog.owned_databases import owned_databases
from rocklake_server.clock import SystemClock
from rocklake_server.store.object_stores import parse_store_url
from tests.duckdb_client import LakeClient
from tests.servers import RockLakeServer

MANY = int(os.environ.get("ROCKLAKE_MANY_LAKES", "5"))
"""Lakes in databases, and in schemas of one database. ``make many-lakes`` takes 500."""
MEASURED_MIN = 100
OPEN_LAKES = 3
RATIO_MAX = 1.2
ROUNDS = 9
WRITERS = 4
COMMITS = 12


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    folder = tmp_path_factory.mktemp("lakes")
    found = RockLakeServer(f"file://{folder}/store", logs=folder, arguments=["--admin", "127.0.0.1:0"])
    found.start()
    yield found
    found.stop()


def status(server: RockLakeServer) -> dict[str, dict[str, int]]:
    """What the admin port says."""
    url = re.search(r"http://\S+?(?=:\s)", "\n".join([*server.startup_lines, *server.lines_so_far(2)]))
    if url is not None:
        server.__dict__["admin_url"] = url.group()
    with urllib.request.urlopen(f"{server.__dict__['admin_url']}/status") as answer:
        found: dict[str, dict[str, int]] = json.load(answer)
    return found


def tool(server: RockLakeServer, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    if shutil.which(name) is None:
        pytest.skip(f"{name} of Debian's postgresql-client is not installed")
    where = ("-h", "127.0.0.1", "-p", str(server.port), "-U", "lake")
    return subprocess.run([name, *where, *arguments], capture_output=True, text=True, check=False)


def test_postgresqls_own_commands_make_and_drop_databases(server: RockLakeServer) -> None:
    made = tool(server, "createdb", "-O", "lake", "-E", "UTF8", "-T", "template0", "made")
    assert (made.returncode, made.stderr) == (0, "")
    again = tool(server, "createdb", "made")
    assert again.returncode == 1
    assert 'database "made" already exists' in again.stderr
    listed = tool(server, "psql", "-d", "postgres", "-l", "-A", "-t")
    assert listed.returncode == 0, listed.stderr
    names = {line.split("|")[0] for line in listed.stdout.splitlines()}
    assert {"made", "postgres", "template0", "template1"} <= names
    with psycopg.connect(server.dsn("made")):
        refused = tool(server, "dropdb", "made")
        assert "is being accessed by other users" in refused.stderr
        assert "There is 1 other session using the database." in refused.stderr
        assert tool(server, "dropdb", "-f", "made").returncode == 0
    assert 'database "made" does not exist' in tool(server, "dropdb", "made").stderr
    assert tool(server, "dropdb", "--if-exists", "made").returncode == 0


def test_only_created_databases_are_there_when_an_administrator_creates_them(tmp_path: Path) -> None:
    server = RockLakeServer(f"file://{tmp_path}/store", logs=tmp_path, arguments=["--create-databases", "admin"])
    server.start()
    try:
        with pytest.raises(psycopg.OperationalError, match='database "lake" does not exist'):
            psycopg.connect(server.dsn("lake"))
        with pytest.raises(psycopg.OperationalError, match="not currently accepting connections"):
            psycopg.connect(server.dsn("template0"))
        with psycopg.connect(server.dsn("postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE lake")
        with LakeClient(server.dsn("lake"), tmp_path / "data") as duck:
            duck.run("CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)")
        server.restart()
        with LakeClient(server.dsn("lake"), tmp_path / "data") as duck:
            assert duck.rows("FROM t") == [(1,)]
        with psycopg.connect(server.dsn("postgres"), autocommit=True) as admin:
            admin.execute("ALTER DATABASE lake RENAME TO sea")
        with LakeClient(server.dsn("sea"), tmp_path / "data") as duck:
            assert duck.rows("FROM t") == [(1,)]
        with pytest.raises(psycopg.OperationalError, match='database "lake" does not exist'):
            psycopg.connect(server.dsn("lake"))
    finally:
        server.stop()


# -- no cross-talk -----------------------------------------------------------------------------------------------------


def test_lakes_side_by_side_meet_nowhere(server: RockLakeServer, tmp_path: Path) -> None:
    """Two lakes in schemas of one database and two in databases, each with writers of its own table: what one commits
    another neither sees nor collides with."""
    places = [("two", ", METADATA_SCHEMA 'a'"), ("two", ", METADATA_SCHEMA 'b'"), ("one", ""), ("other", "")]
    for number, (database, options) in enumerate(places):
        with LakeClient(server.dsn(database), tmp_path / f"data{number}", options) as duck:
            duck.run("CREATE TABLE t (writer INTEGER, n INTEGER)")
    before = _errors(server)
    failures: list[Exception] = []

    def write(number: int) -> None:
        database, options = places[number]
        try:
            with LakeClient(server.dsn(database), tmp_path / f"data{number}", options) as duck:
                for n in range(COMMITS):
                    duck.run(f"INSERT INTO t VALUES ({number}, {n})")
        except Exception as error:  # noqa: BLE001  asserted below
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(len(places))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert _errors(server) == before, "lone writers of four lakes lose nothing to each other"
    for number, (database, options) in enumerate(places):
        with LakeClient(server.dsn(database), tmp_path / f"data{number}", options) as duck:
            assert duck.rows("FROM t ORDER BY ALL") == [(number, n) for n in range(COMMITS)]
            assert duck.snapshot() == COMMITS + 1


def _errors(server: RockLakeServer) -> dict[str, int]:
    found = status(server)["errors"]
    return {sqlstate: count for sqlstate, count in found.items() if sqlstate in ("40001", "23505", "40P01")}


def test_names_lead_nowhere_else(server: RockLakeServer, tmp_path: Path) -> None:
    for name in ("a", "b"):
        with LakeClient(server.dsn("names"), tmp_path / name, f", METADATA_SCHEMA '{name}'") as duck:
            duck.run(f"CREATE TABLE only_{name} (a INTEGER)")
    with psycopg.connect(server.dsn("names"), autocommit=True) as client:
        for query in ("SELECT * FROM ducklake_table", "SELECT * FROM public.ducklake_table",
                      "SELECT * FROM c.ducklake_table", "SELECT 'ducklake_table'::regclass"):  # fmt: skip
            with pytest.raises((psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName)):
                client.execute(query)
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            client.execute("SET search_path TO a")
        for name in ("a", "b"):
            found = client.execute(f"SELECT table_name FROM {name}.ducklake_table").fetchall()
            assert found == [(f"only_{name}",)]
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="cross-database"):
            client.execute("SELECT * FROM one.public.ducklake_table")
    with psycopg.connect(server.dsn("elsewhere"), autocommit=True) as client:
        assert client.execute("SELECT count(*) FROM pg_class").fetchone() == (0,)
        with pytest.raises(psycopg.errors.UndefinedTable):
            client.execute("SELECT * FROM a.ducklake_table")


# -- many --------------------------------------------------------------------------------------------------------------


def in_schema(number: int) -> str:
    """META_SCHEMA keeps DuckDB from loading the relations of the database's other schemas."""
    return f", METADATA_SCHEMA 's{number}', META_SCHEMA 's{number}'"


def attach_s(server: RockLakeServer, database: str, folder: Path, options: str = "") -> float:
    began_s = time.perf_counter()
    LakeClient(server.dsn(database), folder, options).close()
    return time.perf_counter() - began_s


def test_a_lake_is_attached_without_opening_the_others(tmp_path: Path) -> None:
    """After a restart nothing is open; then an attached lake is, and no other, and its relations are the only ones that
    anybody looks at."""
    server = RockLakeServer(f"file://{tmp_path}/store", logs=tmp_path,
                            arguments=["--admin", "127.0.0.1:0", "--max-open-lakes", str(OPEN_LAKES)])  # fmt: skip
    server.start()
    try:
        fill(server, tmp_path, MANY)
        status(server)
        with LakeClient(server.dsn("many"), tmp_path / "data", in_schema(1)) as duck:
            assert duck.rows("FROM t") == [(1,)]
        with LakeClient(server.dsn("d1"), tmp_path / "data") as duck:
            assert duck.rows("FROM t") == [(1,)]
        assert status(server)["lakes"]["open"] == 2
        with psycopg.connect(server.dsn("many"), autocommit=True) as client:
            schemas = client.execute("SELECT count(*) FROM information_schema.schemata").fetchone()
            assert schemas == (MANY + 4,)
            listed = client.execute("SELECT count(*) FROM pg_database WHERE datname LIKE 'd%'").fetchone()
            assert listed == (MANY + 1,)
            assert status(server)["lakes"]["open"] == 2, "listing databases and schemas opens no lake"
            assert tables_by_schema(client) == {f"s{number}": 29 for number in range(MANY + 1)}
        server.restart()
        status(server)
        with psycopg.connect(server.dsn("many"), autocommit=True) as client:
            assert tables_by_schema(client) == {f"s{number}": 29 for number in range(MANY + 1)}
        assert status(server)["lakes"]["open"] == 0, "what is in a closed lake is known since it closed"
        if MANY >= MEASURED_MIN:
            measure(server, tmp_path)
        for number in range(OPEN_LAKES + 1):
            with LakeClient(server.dsn("many"), tmp_path / "data", in_schema(number)) as duck:
                assert duck.rows("FROM t") == [(1,)]
        assert status(server)["lakes"]["open"] <= OPEN_LAKES + 1
    finally:
        server.stop()


def tables_by_schema(client: psycopg.Connection[tuple[object, ...]]) -> dict[object, object]:
    found = client.execute("SELECT table_schema, count(*) FROM information_schema.tables GROUP BY table_schema")
    return dict(found.fetchall())  # type: ignore[arg-type]


def fill(server: RockLakeServer, folder: Path, count: int) -> None:
    """Copies of one lake: in schemas s0 … of database ``many``, in databases d0 …, and one that is alone in ``single``.
    Nobody serves the store meanwhile."""
    names = [("many", f"s{number}") for number in range(count + 1)]
    names += [(f"d{number}", "public") for number in range(count + 1)]
    names += [("single", "s1")] if MANY >= MEASURED_MIN else []
    location = parse_store_url(server.store, {})

    async def copy() -> None:
        async with owned_databases(location, SystemClock()) as databases, await CatalogReader.open(location) as catalog:
            first = catalog.find("first")
            snapshot = await catalog.snapshot(first)
            for name in names:
                await copy_lake(snapshot, databases, LakeCopy("clone", "test", first, "here", *name), lambda _: None)

    with LakeClient(server.dsn("first"), folder / "data") as duck:
        duck.run("CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)")
    server.stop()
    asyncio.run(copy())
    server.start()


def measure(server: RockLakeServer, folder: Path) -> None:
    """In turn: the lake that has its database to itself, one among many schemas, one among many databases."""
    cases = {
        "alone": ("single", folder / "data", in_schema(1)),
        "schemas": ("many", folder / "data", in_schema(1)),
        "databases": ("d1", folder / "data", ""),
    }
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, (database, data, options) in cases.items():
            times[name].append(attach_s(server, database, data, options))
    medians = {name: sorted(found)[len(found) // 2] for name, found in times.items()}
    print("attach, s:", {name: round(median, 4) for name, median in medians.items()})
    for name in ("schemas", "databases"):
        assert medians[name] <= RATIO_MAX * medians["alone"], medians
