"""What the console page is given: its files, and data that equals what SQL says."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from http import HTTPStatus
from typing import Any

import pytest

from rocklake_server.catalog.maintenance.snapshots import tokens_of
from rocklake_server.limits import LAKE_IDLE_S
from rocklake_server.server.admin import lake_page
from rocklake_server.server.admin.console import lake_answer, server_answer, snapshots_answer
from rocklake_server.server.admin.console_files import FOLDER, POLICY, console_files
from rocklake_server.server.admin.http import Request, Response
from rocklake_server.server.admin.lake_page import SNAPSHOTS_PER_PAGE, change_of
from rocklake_server.server.admin.port import AdminPort
from tests.server.admin.watched_engine import SESSIONS_MAX, WatchedEngine

MIB = 1 << 20


@pytest.fixture
async def engine() -> AsyncIterator[WatchedEngine]:
    engine = WatchedEngine()
    await engine.start()
    yield engine
    await engine.stop()


async def filled(engine: WatchedEngine, snapshots: int = 3) -> None:
    """Two tables with files of all sizes, deletions and inlined rows, and a dropped one."""
    await engine.create_catalog()
    client = await engine.client()
    await client.run(
        "INSERT INTO ducklake_schema VALUES (0, NULL, 0, NULL, 'main', 'main/', true)",
        "INSERT INTO ducklake_table (table_id, begin_snapshot, end_snapshot, schema_id, table_name) "
        "VALUES (1, 1, NULL, 0, 'events'), (2, 1, NULL, 0, 'users'), (3, 1, 2, 0, 'gone')",
        "INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, end_snapshot, record_count, "
        f"file_size_bytes) VALUES (1, 1, 1, NULL, 100, 5), (2, 1, 1, NULL, 200, {20 * MIB}), (3, 1, 1, 2, 50, 7)",
        "INSERT INTO ducklake_delete_file (delete_file_id, table_id, begin_snapshot, data_file_id, delete_count) "
        "VALUES (4, 1, 1, 1, 30)",
        "CREATE TABLE ducklake_inlined_data_2_1 (row_id bigint, begin_snapshot bigint, end_snapshot bigint, a bigint)",
        "INSERT INTO ducklake_inlined_data_2_1 VALUES (0, 1, NULL, 5), (1, 1, NULL, 6), (2, 1, 2, 7)",
    )
    for number in range(snapshots):
        await client.run(
            f"BEGIN; INSERT INTO ducklake_snapshot VALUES ({number}, NOW(), 0, 4, 5); "
            f"INSERT INTO ducklake_snapshot_changes VALUES ({number}, 'inserted_into_table:1,dropped_table:3', "
            f"'ann', 'load {number}', NULL); COMMIT")
    await engine.surveyor.settled()


def told(response: Response, status: HTTPStatus = HTTPStatus.OK) -> dict[str, object]:
    assert (response.status, response.content_type) == (status, "application/json")
    found: dict[str, object] = json.loads(response.body)
    return found


async def lake_of(engine: WatchedEngine, database: str = "lake") -> dict[str, object]:
    return told(await lake_answer(engine.observed, {"database": database}))


# -- lakes ------------------------------------------------------------------------------------------------------------


async def test_tables_have_their_rows_files_and_sizes(engine: WatchedEngine) -> None:
    await filled(engine)
    found = await lake_of(engine)
    events, users = found["tables"]
    assert events | {"bands": 0} == {
        "table_id": 1, "schema": "main", "name": "events", "rows": 270, "files": 2, "small": 1,
        "bytes": 20 * MIB + 5, "bands": 0, "deleted_rows": 30, "delete_files": 1, "inlined_rows": 0, "kept_files": 1,
        "kept_bytes": 7,
    }  # fmt: skip
    assert events["bands"] == [1, 0, 1, 0, 0]
    assert len(found["bands"]) == 5
    assert (users["name"], users["rows"], users["inlined_rows"]) == ("users", 2, 2)
    assert (found["files"], found["small_files"], found["tables_count"], found["snapshots"]) == (2, 1, 2, 3)
    assert found["is_counted"] is True


async def test_counts_are_of_one_commit_while_more_are_added(
    engine: WatchedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(engine)
    await engine.clients[0].run(
        "BEGIN; INSERT INTO ducklake_inlined_data_2_1 VALUES (3, 3, NULL, 8); "
        "INSERT INTO ducklake_snapshot VALUES (3, NOW(), 0, 4, 5); COMMIT")
    timeline = lake_page._timeline

    async def timeline_after_a_look(*arguments: Any) -> Any:
        await engine.surveyor.look()
        return await timeline(*arguments)

    monkeypatch.setattr(lake_page, "_timeline", timeline_after_a_look)
    for rows, snapshots in ((2, 3), (3, 4)):
        found = await lake_of(engine)
        assert (found["tables"][1]["inlined_rows"], found["snapshots"]) == (rows, snapshots)


async def test_a_lake_shows_what_sql_shows(engine: WatchedEngine) -> None:
    await filled(engine)
    client = engine.clients[0]
    found = await lake_of(engine)
    (rows,) = await client.rows(
        "SELECT table_id, count(*), sum(file_size_bytes), sum(record_count) FROM ducklake_data_file "
        "WHERE end_snapshot IS NULL GROUP BY table_id")
    table = found["tables"][0]
    assert rows == f"{table['table_id']}|{table['files']}|{table['bytes']}|{table['rows'] + table['deleted_rows']}"
    assert await client.rows("SELECT count(*), max(snapshot_id) FROM ducklake_snapshot") == [
        f"{found['snapshots']}|{found['newest_snapshot']}"
    ]


async def test_snapshots_say_what_changed_by_name(engine: WatchedEngine) -> None:
    await filled(engine)
    newest = (await lake_of(engine))["timeline"][0]
    assert (newest["id"], newest["author"], newest["message"]) == (2, "ann", "load 2")
    assert newest["changes"] == [{"text": "inserted into main.events", "sort": "add"},
                                 {"text": "dropped table main.gone", "sort": "remove"}]  # fmt: skip
    assert re.fullmatch(r"2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", newest["time"])


async def test_older_snapshots_come_in_pages(engine: WatchedEngine) -> None:
    count = 2 * SNAPSHOTS_PER_PAGE + 5
    await filled(engine, count)
    page = await lake_of(engine)
    seen, pages = [each["id"] for each in page["timeline"]], 1
    while not page["is_last"]:
        query = {"database": "lake", "schema": "public", "before": str(seen[-1])}
        page = told(await snapshots_answer(engine.observed, query))
        seen += [each["id"] for each in page["timeline"]]
        pages += 1
    assert (seen, pages) == ([*range(count - 1, -1, -1)], 3)


async def test_gaps_of_expired_snapshots_are_passed(engine: WatchedEngine) -> None:
    await filled(engine, 3)
    far = 5_000_000
    await engine.clients[0].run(f"INSERT INTO ducklake_snapshot VALUES ({far}, NOW(), 0, 4, 5)")
    page = await lake_of(engine)
    assert ([each["id"] for each in page["timeline"]], page["is_last"]) == ([far, 2, 1, 0], True)
    assert page["timeline"][0]["changes"] == []


async def test_a_lake_that_is_still_counted_is_shown_without_its_numbers(engine: WatchedEngine) -> None:
    await filled(engine)
    (opened,) = engine.databases.open_lakes()
    opened.lake.survey = None
    found = await lake_of(engine)
    assert (found["is_counted"], found["files"], found["snapshots"]) == (False, None, None)
    assert [table["name"] for table in found["tables"]] == ["events", "users"]


async def test_a_lake_without_a_table_is_shown(engine: WatchedEngine) -> None:
    await engine.databases.create_lake("empty", "public")
    found = await lake_of(engine, "empty")
    assert (found["tables"], found["timeline"], found["is_last"], found["newest_snapshot"]) == ([], [], True, None)


async def test_a_lake_that_is_closed_opens_and_closes_again(engine: WatchedEngine) -> None:
    await filled(engine)
    engine.databases.close_idle_lakes(0.0)
    while engine.databases.open_lakes():
        await asyncio.sleep(0)
    overview = told(await server_answer(engine.observed, None))
    assert [(lake["name"], lake["state"], lake["files"]) for lake in overview["lakes"]] == [("lake", "closed", None)]
    assert (await lake_of(engine))["newest_snapshot"] == 2
    (opened,) = engine.databases.open_lakes()
    assert opened.is_idle, f"nothing of it is held, so that it closes after {LAKE_IDLE_S:g} s"


@pytest.mark.parametrize("query", [{}, {"database": "missing"}, {"database": "lake", "schema": "missing"}])
async def test_a_lake_that_does_not_exist_is_not_made(engine: WatchedEngine, query: dict[str, str]) -> None:
    await engine.create_catalog()
    answer = told(await lake_answer(engine.observed, query), HTTPStatus.NOT_FOUND)
    assert "there is no lake" in str(answer["problem"])
    assert engine.databases.directory.lakes_count == 1


@pytest.mark.parametrize("before", ["", "x", "-1", "1.5", "9" * 30])
async def test_a_snapshot_has_to_be_a_number(engine: WatchedEngine, before: str) -> None:
    query = {"database": "lake", "schema": "public", "before": before}
    assert "number" in str(told(await snapshots_answer(engine.observed, query), HTTPStatus.BAD_REQUEST)["problem"])


async def test_many_tables_are_bounded_and_counted(engine: WatchedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lake_page, "TABLES_MAX", 1)
    await filled(engine)
    found = await lake_of(engine)
    assert ([table["name"] for table in found["tables"]], found["tables_count"]) == (["events"], 2)


CHANGES = {
    'created_table:"main"."a ""b"" c"': 'created table main.a "b" c',
    'created_schema:"s"': "created schema s",
    "dropped_schema:4": "dropped schema 4",
    "dropped_view:7": "dropped view 7",
    "altered_table:1": "altered main.t",
    "deleted_from_table:2": "deleted from table 2",
    "inlined_insert:1": "inlined rows into main.t",
    "something_new:1": "something new main.t",
}


@pytest.mark.parametrize("token", CHANGES)
def test_changes_are_put_into_words(token: str) -> None:
    (found,) = tokens_of(token)
    assert change_of(found, {1: "main.t"})["text"] == CHANGES[token]


# -- the server -------------------------------------------------------------------------------------------------------


async def test_the_overview_has_sessions_and_commits(engine: WatchedEngine) -> None:
    await filled(engine)
    other = await engine.client()
    await other.run("SET application_name = 'the loader'", "BEGIN")
    found = told(await server_answer(engine.observed, None))
    assert found["sessions"] == {"open": 2, "active": 0, "limit": SESSIONS_MAX}
    second = found["session_list"][1]
    assert (second["id"], second["application"], second["state"]) == (2, "the loader", "idle in transaction")
    assert (second["database"], second["statements"]) == ("lake", 2)
    assert found["commits"]["count"] == engine.databases.activity.commits.count > 3
    assert 0 < found["commits"]["median_s"] <= found["commits"]["most_s"]
    assert sum(minute["commits"] for minute in found["minutes"]) == found["commits"]["count"]
    assert [(lake["name"], lake["state"], lake["files"]) for lake in found["lakes"]] == [("lake", "open", 2)]
    assert (found["ready"], found["findings"]) == (True, [])


async def test_no_value_of_a_client_is_shown(engine: WatchedEngine) -> None:
    await filled(engine)
    await engine.clients[0].query("SELECT 'hidden words'")
    answer = await server_answer(engine.observed, None)
    assert b"hidden words" not in answer.body


async def test_the_page_is_told_of_a_server_that_starts() -> None:
    port = AdminPort()
    found = told(await port._respond(Request("/console/data/server", {})))
    assert (found["is_open"], found["ready"], found["problem"]) == (False, False, "the store is being opened")
    for path in ("lake", "snapshots"):
        told(await port._respond(Request(f"/console/data/{path}", {})), HTTPStatus.SERVICE_UNAVAILABLE)


# -- files ------------------------------------------------------------------------------------------------------------


class References(HTMLParser):
    """What a page loads and links to, and what it holds that its policy forbids."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found += [value for name in ("src", "href") if (value := given.get(name))]
        self.inline += [name for name in given if name.startswith("on") or name == "style"]
        if tag == "style" or (tag == "script" and "src" not in given):
            self.inline.append(tag)


async def test_the_page_and_what_it_needs_is_served() -> None:
    port = AdminPort()
    for name, file in console_files().items():
        answer = await port._respond(Request(f"/console/{name}", {}))
        assert answer is file
        assert dict(answer.headers)["Content-Security-Policy"] == POLICY
    assert {file.name for file in FOLDER.iterdir()} == set(console_files()) - {""}
    for path in ("/", "/console"):
        answer = await port._respond(Request(path, {}))
        assert (answer.status, dict(answer.headers)["Location"]) == (HTTPStatus.FOUND, "/console/")
    for path in ("/console/missing.js", "/console/../port.py", "/console/data", "/console/data/"):
        assert (await port._respond(Request(path, {}))).status is HTTPStatus.NOT_FOUND


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = References()
    page.feed(console_files()[""].body.decode())
    assert page.inline == []
    loaded = [found for found in page.found if not found.startswith(("#", "/"))]
    assert set(loaded) <= set(console_files())
    for name, file in console_files().items():
        text = re.sub(r'http://www\.w3\.org/\S+"', "", file.body.decode())
        assert not re.search(r"https?:|//\w+\.\w+|@import|url\(", re.sub(r"^\s*//.*$", "", text, flags=re.M)), name
        imported = re.findall(r'from "\./([^"]+)"', text)
        assert set(imported) <= set(console_files())


def test_texts_never_become_markup() -> None:
    for name, file in console_files().items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", file.body.decode()), name
