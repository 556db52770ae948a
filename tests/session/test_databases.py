"""CREATE, ALTER and DROP DATABASE, and schemas that are renamed, as a client meets them."""

from __future__ import annotations

from rocklake_server.auth.roles import Privilege, RoleChange, RoleTable
from rocklake_server.catalog import database_admin
from rocklake_server.errors import AdminShutdown
from tests.session.conversation import Conversation, Place


async def names(client: Conversation) -> list[str]:
    return await client.rows("SELECT datname FROM pg_database ORDER BY oid")


async def filled(server: Place, database: str) -> Conversation:
    client = await server.client(database=database)
    await client.run("CREATE TABLE t (a bigint)", "INSERT INTO t VALUES (1)")
    return client


async def test_databases_are_created_and_listed(client: Conversation) -> None:
    assert await names(client) == ["template1", "template0", "postgres", "lake"]
    assert await client.query("CREATE DATABASE other ENCODING 'UTF8' TEMPLATE template0") == [
        "CREATE DATABASE", "ready I",
    ]  # fmt: skip
    assert await client.query("CREATE DATABASE other") == ["ERROR 42P04", "ready I"]
    assert await client.query("CREATE DATABASE postgres") == ["ERROR 42P04", "ready I"]
    assert await client.query("CREATE DATABASE owned OWNER nobody") == ["ERROR 42704", "ready I"]
    assert await client.query("CREATE DATABASE owned OWNER ada") == ["CREATE DATABASE", "ready I"]
    assert await names(client) == ["template1", "template0", "postgres", "lake", "other", "owned"]
    assert await client.rows("SELECT datname, datistemplate, datallowconn FROM pg_database WHERE oid < 10") == [
        "template1|t|t", "template0|t|f", "postgres|f|t",
    ]  # fmt: skip


async def test_databases_do_not_come_or_go_within_a_transaction(client: Conversation) -> None:
    for text in ("CREATE DATABASE a", "DROP DATABASE a", "ALTER DATABASE a RENAME TO b", "ALTER SCHEMA a RENAME TO b"):
        await client.run("BEGIN")
        assert await client.query(text) == ["ERROR 25001", "ready E"]
        await client.run("ROLLBACK")
        assert (await client.query(f"SELECT 1 FROM pg_class; {text}"))[-2:] == ["ERROR 25001", "ready I"]


async def test_a_dropped_database_is_gone_and_its_lake_is_kept(server: Place, client: Conversation) -> None:
    await (await filled(server, "other")).leave()
    assert await client.query("DROP DATABASE other") == ["DROP DATABASE", "ready I"]
    assert "other" not in await names(client)
    assert await client.query("DROP DATABASE other") == ["ERROR 3D000", "ready I"]
    assert await client.query("DROP DATABASE IF EXISTS other") == ["NOTICE 00000", "DROP DATABASE", "ready I"]
    (dropped,) = server.databases.directory.dropped().values()
    assert dropped[:2] == ("other", "public")
    again = await server.client(database="other")
    assert await again.query("SELECT * FROM t") == ["ERROR 42P01", "ready I"]
    await again.run("CREATE TABLE t (a bigint)")
    assert await again.rows("SELECT * FROM t") == []


async def test_nobody_drops_what_others_use(server: Place, client: Conversation) -> None:
    await client.run("CREATE TABLE t (a bigint)")
    other = await filled(server, "other")
    assert await client.query("DROP DATABASE other") == ["ERROR 55006", "ready I"]
    assert await client.query("ALTER DATABASE other RENAME TO another") == ["ERROR 55006", "ready I"]
    assert await client.query("DROP DATABASE lake") == ["ERROR 55006", "ready I"]
    assert await client.query("DROP DATABASE postgres") == ["ERROR 0A000", "ready I"]
    assert await client.query("DROP DATABASE template1") == ["ERROR 42809", "ready I"]
    await other.run("BEGIN", "INSERT INTO t VALUES (2)")
    assert await client.query("DROP DATABASE other WITH (FORCE)") == ["DROP DATABASE", "ready I"]
    assert other.task.done()
    assert isinstance(other.task.exception(), AdminShutdown)


async def test_a_renamed_database_keeps_everything(server: Place, client: Conversation) -> None:
    await (await filled(server, "other")).leave()
    await client.run("CREATE DATABASE taken")
    oid = await client.rows("SELECT oid FROM pg_database WHERE datname = 'other'")
    assert await client.query("ALTER DATABASE other RENAME TO taken") == ["ERROR 42P04", "ready I"]
    assert await client.query("ALTER DATABASE nothing RENAME TO b") == ["ERROR 3D000", "ready I"]
    assert await client.query("ALTER DATABASE other RENAME TO another") == ["ALTER DATABASE", "ready I"]
    assert await client.rows("SELECT oid FROM pg_database WHERE datname = 'another'") == oid
    assert await (await server.client(database="another")).rows("SELECT * FROM t") == ["1"]
    assert await (await server.client(database="other")).query("SELECT * FROM t") == ["ERROR 42P01", "ready I"]


async def test_a_renamed_schema_keeps_everything(server: Place, client: Conversation) -> None:
    await client.run("CREATE SCHEMA s", "CREATE TABLE s.t (a bigint)", "INSERT INTO s.t VALUES (1)", "CREATE SCHEMA u")
    assert await client.query("ALTER SCHEMA s RENAME TO u") == ["ERROR 42P06", "ready I"]
    assert await client.query("ALTER SCHEMA none RENAME TO v") == ["ERROR 3F000", "ready I"]
    assert await client.query("ALTER SCHEMA public RENAME TO v") == ["ERROR 0A000", "ready I"]
    assert await client.query("ALTER SCHEMA s RENAME TO pg_v") == ["ERROR 0A000", "ready I"]
    other = await server.client()
    await other.run("BEGIN", "SELECT * FROM s.t")
    assert await client.query("ALTER SCHEMA s RENAME TO v") == ["ERROR 55006", "ready I"]
    await other.run("ROLLBACK")
    assert await client.query("ALTER SCHEMA s RENAME TO v") == ["ALTER SCHEMA", "ready I"]
    assert await client.rows("SELECT * FROM v.t") == ["1"]
    await client.run("INSERT INTO v.t VALUES (2)")
    assert await client.query("SELECT * FROM s.t") == ["ERROR 42P01", "ready I"]
    found = "SELECT nspname, relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE relname = 't'"
    assert await other.rows(found) == ["v|t"]


async def test_templates_stay_empty(server: Place) -> None:
    client = await server.client(database="template1")
    assert await client.query("CREATE TABLE t (a bigint)") == ["ERROR 0A000", "ready I"]
    assert await client.query("CREATE SCHEMA s") == ["ERROR 0A000", "ready I"]
    assert await client.rows("SELECT count(*) FROM pg_class") == ["0"]


async def test_superusers_create_and_admins_drop(server: Place, client: Conversation) -> None:
    await client.run("CREATE DATABASE one", "CREATE DATABASE two")
    table = RoleTable().created("boss", RoleChange(superuser=True), b"x").created("ada", RoleChange(), b"x")
    for database, held in (("lake", Privilege.ADMIN), ("one", Privilege.ADMIN), ("two", Privilege.WRITER)):
        table = table.granted("ada", database, frozenset((held,)))
    await server.databases.directory.change_roles(lambda _: table)
    assert await client.query("CREATE DATABASE three") == ["ERROR 42501", "ready I"]
    assert await client.query("DROP DATABASE two") == ["ERROR 42501", "ready I"]
    assert await client.query("ALTER DATABASE one RENAME TO three") == ["ERROR 42501", "ready I"]
    assert await client.query("DROP DATABASE one") == ["DROP DATABASE", "ready I"]
    await client.run("CREATE SCHEMA s", "ALTER SCHEMA s RENAME TO u")
    roles = server.databases.directory.roles
    assert roles.table.privilege("ada", "one") is Privilege.NOTHING, "another one of that name is another one"
    await database_admin.rename_database(server.databases, "two", "one", "lake")
    assert roles.table.privilege("ada", "two") is Privilege.NOTHING
    assert roles.table.privilege("ada", "one") is Privilege.WRITER


async def test_the_size_of_every_database_is_known(server: Place, client: Conversation) -> None:
    other = await filled(server, "other")
    await client.run("CREATE DATABASE empty")
    own = await other.rows("SELECT pg_database_size('other')")
    assert int(own[0]) > 0
    assert await client.rows("SELECT pg_database_size('other')") == own
    assert await client.rows("SELECT pg_database_size(datname) FROM pg_database WHERE datname = 'empty'") == ["0"]
    assert await client.query("SELECT pg_database_size('nothing')") == ["ERROR 3D000", "ready I"]
    assert await client.rows("SELECT count(pg_database_size(datname)) FROM pg_database") == ["6"]
