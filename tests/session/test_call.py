"""CALL: arguments by place, by name and as parameters, one row as the answer, and what is refused."""

from __future__ import annotations

import json

import pytest

from rocklake_server.auth.roles import Privilege, RoleChange, RoleTable
from rocklake_server.operations.procedures import PROCEDURES
from rocklake_server.wire import messages as m
from tests.session.coming_catalog import fill
from tests.session.conversation import Conversation, Place

GC_COLUMNS = " ".join(f"{column.name}:{column.type.oid}" for column in PROCEDURES["gc"].columns)


@pytest.fixture
async def client(server: Place) -> Conversation:
    client = await server.client()
    await fill(client)
    return client


@pytest.mark.parametrize("arguments", [
    "keep_last => 1", "keep_last := 1", "NULL, NULL, 1", "keep_last => '1'", "keep_last => 1::bigint",
    "NULL, keep_last => 1", '"keep_last" => 1, apply => true',
])  # fmt: skip
async def test_a_procedure_answers_one_row(client: Conversation, arguments: str) -> None:
    replies = await client.query(f"CALL rocklake.gc({arguments})")
    assert replies[0] == f"columns {GC_COLUMNS}"
    assert replies[2:] == ["CALL", "ready I"]
    facts = dict(zip([column.name for column in PROCEDURES["gc"].columns], replies[1].removeprefix("row ").split("|"),
                     strict=True))  # fmt: skip
    assert (facts["lake"], facts["retain_from"], facts["snapshots_expired"]) == ("lake", "2", "2")
    assert json.loads(facts["rows_retired"])["ducklake_snapshot"] == 2
    assert await client.rows("SELECT snapshot_id FROM ducklake_snapshot") == ["2"]


async def test_arguments_can_be_parameters_of_the_type_that_the_client_sends(client: Conversation) -> None:
    text = "CALL rocklake.gc(keep_last => $1, apply => $2)"
    replies = await client.say(
        m.Parse("", text, (21, 0)), m.Describe("S", ""), m.Bind("", "", (1, 0), (b"\0\1", b"f"), (0,)),
        m.Execute("", 0), m.Sync(),
    )  # fmt: skip
    assert replies[:4] == ["parsed", "parameters 21 16", f"columns {GC_COLUMNS}", "bound"]
    assert replies[4].startswith("row lake|NULL|2|NULL|NULL|2|1|")
    assert replies[5:] == ["CALL", "ready I"]
    assert await client.rows("SELECT snapshot_id FROM ducklake_snapshot") == ["0", "1", "2"]


@pytest.mark.parametrize(("text", "sqlstate"), [
    ("CALL rocklake.nothing()", "42883"),
    ("CALL gc(keep_last => 1)", "42883"),
    ("CALL rocklake.gc(keep => 1)", "42883"),
    ("CALL rocklake.gc(1, 2, 3, true, 'public', 6)", "42883"),
    ("CALL rocklake.gc(keep_last => 1, keep_last => 2)", "42601"),
    ("CALL rocklake.gc(keep_last => 1, 2)", "42601"),
    ("CALL rocklake.gc(keep_last = > 1)", "42601"),
    ("CALL rocklake.gc(keep_last => now())", "42601"),
    ("CALL rocklake.gc(keep_last => 'many')", "22P02"),
    ("CALL rocklake.gc(keep_last => 0)", "22023"),
    ("CALL rocklake.gc()", "22023"),
    ("CALL rocklake.gc(keep_last => 1, keep_days => 1)", "22023"),
    ("CALL rocklake.gc(keep_last => 1, schema => 'none')", "3F000"),
    ("CALL rocklake.undelete()", "22023"),
    ("CALL rocklake.undelete(commit => '{}')", "22023"),
    ("CALL rocklake.undelete(commit => ARRAY[1])", "42704"),
    ("CALL rocklake.rollback(to_snapshot => 9)", "22023"),
    ("CALL rocklake.excise()", "55000"),
    ("CALL rocklake.checkpoint()", "0A000"),
    ("CALL rocklake.gc(keep_last => $1)", "42601"),
])  # fmt: skip
async def test_what_cannot_be_called_is_refused(client: Conversation, text: str, sqlstate: str) -> None:
    replies = await client.query(text)
    assert replies == [f"ERROR {sqlstate}", "ready I"], replies


async def test_a_procedure_that_commits_by_itself_is_in_no_block(client: Conversation) -> None:
    await client.run("BEGIN")
    assert await client.query("CALL rocklake.gc(keep_last => 1)") == ["ERROR 25001", "ready E"]
    await client.run("ROLLBACK")
    assert await client.query("SELECT 1; CALL rocklake.gc(keep_last => 1)") == [
        "columns ?column?:23", "row 1", "SELECT 1", "ERROR 25001", "ready I"]  # fmt: skip


async def test_a_read_only_session_calls_nothing(client: Conversation) -> None:
    await client.run("SET default_transaction_read_only = on")
    assert await client.query("CALL rocklake.gc(keep_last => 1)") == ["ERROR 25006", "ready I"]


@pytest.mark.parametrize("held", [Privilege.WRITER, Privilege.ADMIN])
async def test_procedures_are_for_admins_of_the_lake(client: Conversation, server: Place, held: Privilege) -> None:
    roles = RoleTable().created("root", RoleChange(superuser=True), b"secret").created("ada", RoleChange(), b"")
    server.databases.directory.roles.replace(roles.granted("ada", "lake", frozenset({held})))
    replies = await client.query("CALL rocklake.gc(keep_last => 1)")
    assert replies[0] == ("ERROR 42501" if held is Privilege.WRITER else f"columns {GC_COLUMNS}")
    assert len(await client.rows("SELECT snapshot_id FROM ducklake_snapshot")) == (3 if held is Privilege.WRITER else 1)


async def test_a_database_without_a_lake_has_nothing_to_maintain(server: Place) -> None:
    client = await server.client()
    assert await client.query("CALL rocklake.gc(keep_last => 1)") == ["ERROR 42704", "ready I"]


async def test_runs_are_read_in_sql_as_they_are_now(client: Conversation, server: Place) -> None:
    told = "facts LIKE '%snapshots_expired%'"
    query = f"SELECT run, job, schema, who, result, {told}, error FROM rocklake.maintenance"
    assert await client.rows(query) == []
    await client.run("CALL rocklake.gc(keep_last => 1)", "CALL rocklake.gc(keep_last => 1, apply => false)")
    assert (await client.query("CALL rocklake.checkpoint()"))[0] == "ERROR 0A000"
    assert await client.rows(query) == [
        "1|gc|public|ada|done|t|NULL",
        '2|checkpoint|public|ada|failed|NULL|the store of lake "lake" is kept nowhere',
    ]
    await client.run("BEGIN")
    assert len(await client.rows(query)) == 2
    await (await server.client()).run("CALL rocklake.gc(keep_last => 1)")
    assert len(await client.rows(query)) == 3
    columns = (await client.query("SELECT * FROM rocklake.maintenance"))[0]
    assert columns == (
        "columns run:20 job:25 schema:25 who:25 started:1184 seconds:701 result:25 facts:25 error:25")
