"""The console page in a headless Chromium: it shows what SQL says, by eye, by keyboard and by screen reader.

Skipped where no Chromium is installed (Debian package ``chromium``); what the page is given is tested without one in
``tests/server/admin/test_console.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

import pytest

from rocklake_server.server.admin.lake_page import SNAPSHOTS_PER_PAGE
from tests.console.browser import CHROMIUM, Page, Seen, browser
from tests.console.filled_server import HIDDEN, SNAPSHOTS, TABLES, FilledServer, filled_server

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

LAKE = "#/lake/lake/public"
PAGES = ("#/", LAKE, "#/sessions")
NOTHING = "\u2013"
"""A dash."""

HASTE = "const wait = window.setTimeout; window.setTimeout = (work, ms) => wait(work, ms / 10);"
"""The page asks again after half a second, not after five."""


@pytest.fixture(scope="module")
def server() -> Iterator[FilledServer]:
    with filled_server() as started:
        yield started


@pytest.fixture(scope="module")
def chromium() -> Iterator[Page]:
    with browser() as page:
        page.ask("Page.addScriptToEvaluateOnNewDocument", source=HASTE)
        yield page


@pytest.fixture
def page(chromium: Page, server: FilledServer) -> Iterator[Page]:
    """Without what an earlier test chose; with no complaint of the browser afterwards."""
    chromium.size(1280, 900)
    chromium.prefer(color_scheme="light", reduced_motion="no-preference")
    chromium.open(server.address)
    chromium.run("localStorage.clear()")
    chromium.problems.clear()
    chromium.requested.clear()
    yield chromium
    assert chromium.problems == []


def visit(page: Page, server: FilledServer, where: str) -> None:
    page.open("about:blank")
    page.open(server.address + where)
    page.wait_for_text("updated every")


def cells(page: Page, table: str) -> list[list[str]]:
    """The texts of a table's rows, by its caption."""
    found: list[list[str]] = page.run(
        f"[...document.querySelectorAll('table')].filter(t => t.caption.textContent === '{table}')"
        ".flatMap(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText)))")
    return found


def by_role(page: Page, role: str) -> list[Seen]:
    return [seen for seen in page.tree() if seen.role == role]


# -- what it shows ----------------------------------------------------------------------------------------------------


def test_tables_show_what_sql_says(page: Page, server: FilledServer) -> None:
    visit(page, server, LAKE)
    shown = {row[0]: (row[1], row[2], row[5]) for row in cells(page, "Tables")}
    told = server.rows(
        "SELECT t.table_name, sum(f.record_count), count(*) FROM ducklake_table t JOIN ducklake_data_file f "
        "ON f.table_id = t.table_id WHERE f.end_snapshot IS NULL GROUP BY t.table_name")
    deleted = dict(row.split("|") for row in server.rows(
        "SELECT t.table_name, sum(d.delete_count) FROM ducklake_table t JOIN ducklake_delete_file d "
        "ON d.table_id = t.table_id WHERE d.end_snapshot IS NULL GROUP BY t.table_name"))  # fmt: skip
    expected = {}
    for row in told:
        name, rows, count = row.split("|")
        gone = int(deleted.get(name, 0))
        inlined = 2 if name == "countries" else 0
        expected[f"main.{name}"] = (f"{int(rows) - gone + inlined:,}", f"{int(count):,}", f"{gone:,}")
    assert shown == expected
    assert len(shown) == len(TABLES)
    files_count, snapshots = server.rows(
        "SELECT count(*) FROM ducklake_data_file WHERE end_snapshot IS NULL"), server.rows(
        "SELECT count(*) FROM ducklake_snapshot")
    assert f"Data files {int(files_count[0]):,}" in page.text()
    assert f"Snapshots {snapshots[0]}" in page.text()


def test_the_overview_shows_commits_and_lakes(page: Page, server: FilledServer) -> None:
    visit(page, server, "#/")
    count = server.engine.activity.commits.count
    assert f"Commits {count}" in page.text()
    (lake,) = cells(page, "Lakes")
    assert lake[:3] == ["lake", "open", str(SNAPSHOTS)]
    assert page.run("document.querySelectorAll('.chart rect').length") > 20
    page.run("document.querySelector('summary').click()")
    minutes = cells(page, "What was done in each minute, the newest first")
    shown = sum(int(row[1]) for row in minutes)
    assert shown == sum(minute.did.commits for minute in server.engine.surveyor.minutes.known) > 100
    assert "2 tables of mostly small files" in page.text()


def test_sessions_are_who_is_connected(page: Page, server: FilledServer) -> None:
    visit(page, server, "#/sessions")
    rows = cells(page, "Open sessions")
    assert [(row[0], row[3], row[5]) for row in rows] == [
        ("1", NOTHING, "idle"), ("2", "duckdb", "idle"), ("3", "dashboard", "idle in transaction"),
    ]  # fmt: skip


def test_snapshots_are_a_timeline_that_goes_back_to_the_first(page: Page, server: FilledServer) -> None:
    visit(page, server, LAKE)
    shown = "[...document.querySelectorAll('.timeline > li')].map(e => Number(e.dataset.key))"
    assert page.run(shown) == [*range(SNAPSHOTS - 1, SNAPSHOTS - 1 - SNAPSHOTS_PER_PAGE, -1)]
    while page.run("document.getElementById('older') !== null"):
        before = page.run(f"{shown}.length")
        page.run("document.getElementById('older').click()")
        page.wait(lambda: page.run(f"{shown}.length") > before)  # noqa: B023  it is called in this turn
    assert page.run(shown) == [*range(SNAPSHOTS - 1, -1, -1)]
    assert "created schema main" in page.text()


def test_what_clients_write_is_text(page: Page, server: FilledServer) -> None:
    visit(page, server, LAKE)
    assert HIDDEN in page.text()
    assert page.run("document.querySelectorAll('main img').length") == 0


def test_a_change_shows_by_itself_and_keeps_focus_and_place(page: Page, server: FilledServer) -> None:
    visit(page, server, LAKE)
    page.run("document.querySelector('thead th:nth-child(3) button').focus()")
    page.run("window.scrollTo(0, 200)")
    number = int(server.rows("SELECT max(snapshot_id) FROM ducklake_snapshot")[0]) + 1
    server.run(f"INSERT INTO ducklake_snapshot VALUES ({number}, NOW(), 0, 10, 2000)")
    try:
        page.wait(lambda: f"Snapshot {number}" in page.text(), 20)
        assert page.focused() == "button Files"
        assert page.run("scrollY") == 200
    finally:
        server.run(f"DELETE FROM ducklake_snapshot WHERE snapshot_id = {number}")


def test_a_paused_page_does_not_ask(page: Page, server: FilledServer) -> None:
    visit(page, server, "#/")
    page.run("document.getElementById('pause').click()")
    page.wait_for_text("paused")
    assert page.run("document.getElementById('pause').ariaPressed") == "true"
    page.requested.clear()
    page.run("new Promise(done => setTimeout(done, 10000))")
    assert page.requested == []


def test_a_lake_that_does_not_exist_is_said(page: Page, server: FilledServer) -> None:
    page.open("about:blank")
    page.open(server.address + "#/lake/missing/public")
    page.wait_for_text('there is no lake "missing"')
    page.problems.clear()  # the browser notes the 404


def test_a_server_that_is_not_ready_says_why(page: Page, server: FilledServer) -> None:
    visit(page, server, "#/")
    server.admin.stopping = True
    try:
        page.wait(lambda: "Not ready: the server is stopping" in page.text(), 20)
        assert "Problem The server is not ready: the server is stopping." in page.text()
    finally:
        server.admin.stopping = False


def test_a_server_that_does_not_answer_is_said_and_waited_for(page: Page, server: FilledServer) -> None:
    visit(page, server, LAKE)
    page.reach(server=False)
    page.wait_for_text("The server does not answer")
    assert "main.orders" in page.text(), "what was known stays"
    page.reach(server=True)
    page.wait_for_text("Ready")
    page.problems.clear()  # the browser notes what it could not load


def test_nothing_is_loaded_from_elsewhere(page: Page, server: FilledServer) -> None:
    for where in PAGES:
        visit(page, server, where)
    assert page.requested
    assert {address for address in page.requested if not address.startswith((server.address, "about:"))} == set()
    refused = page.run("fetch('http://127.0.0.2:9/').then(() => 'loaded', () => 'refused')")
    assert refused == "refused"
    assert "Content Security Policy" in " ".join(page.problems)
    page.problems.clear()


# -- light, dark, narrow ----------------------------------------------------------------------------------------------

BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def lightness(colour: str) -> float:
    return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3]) / 3


def test_the_theme_follows_the_system_until_it_is_chosen(page: Page, server: FilledServer) -> None:
    visit(page, server, "#/")
    assert lightness(page.run(BACKGROUND)) > 200
    page.prefer(color_scheme="dark")
    page.wait(lambda: lightness(page.run(BACKGROUND)) < 50)
    page.run("document.getElementById('theme').click()")
    assert lightness(page.run(BACKGROUND)) > 200
    assert page.run("document.getElementById('theme').ariaPressed") == "false"
    visit(page, server, LAKE)
    assert lightness(page.run(BACKGROUND)) > 200, "the choice is kept"


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_but_tables_is_wider_than_the_window(page: Page, server: FilledServer, width: int) -> None:
    page.size(width, 900)
    for where in PAGES:
        visit(page, server, where)
        assert page.run("document.documentElement.scrollWidth") <= width


def test_nothing_moves_for_those_who_do_not_want_it(page: Page, server: FilledServer) -> None:
    moving = "getComputedStyle(document.getElementById('theme')).transitionDuration"
    visit(page, server, "#/")
    assert page.run(moving) != "0s"
    page.prefer(color_scheme="light", reduced_motion="reduce")
    assert page.run(moving) == "0s"


# -- keyboard ---------------------------------------------------------------------------------------------------------


def test_everything_is_reached_by_keyboard(page: Page, server: FilledServer) -> None:
    visit(page, server, LAKE)
    reached = []
    for _ in range(40):
        page.press("Tab")
        reached.append(page.focused())
        if reached[-1] == "button Older snapshots":
            break
    titles = ("Table", "Rows", "Files", "Size", "Files by size", "Deleted rows", "Inlined rows", "In older snapshots")
    assert reached == [
        "a Skip to content", "a RockLake, overview", "a Overview", "a Sessions", "button Pause updates",
        "button Dark theme", "a Overview", "input find", "div Tables, scrollable",
        *(f"button {title}" for title in titles), "button Older snapshots",
    ]  # fmt: skip


def test_the_focus_is_seen(page: Page, server: FilledServer) -> None:
    visit(page, server, "#/")
    for _ in range(8):
        page.press("Tab")
        width, style = page.run("(s => [parseFloat(s.outlineWidth), s.outlineStyle])"
                                "(getComputedStyle(document.activeElement))")  # fmt: skip
        assert (width >= 2, style) == (True, "solid"), page.focused()


def test_keys_skip_sort_find_and_follow(page: Page, server: FilledServer) -> None:
    visit(page, server, LAKE)
    page.press("Tab")
    page.press("Enter")
    assert page.run("document.activeElement.id") == "main"
    page.run("document.querySelector('thead th button').focus()")
    page.press("Enter")
    names = [row[0] for row in cells(page, "Tables")]
    assert names == sorted(f"main.{name}" for name in TABLES)
    page.press(" ")
    assert [row[0] for row in cells(page, "Tables")] == names[::-1]
    page.run("document.getElementById('find').focus()")
    for letter in "order":
        page.press(letter)
    assert {row[0] for row in cells(page, "Tables")} == {"main.orders", "main.order_items"}
    assert page.run("document.getElementById('announce').textContent") == "2 tables"
    page.run("document.querySelector('.crumb a').focus()")
    page.press("Enter")
    page.wait_for_text("Commits per minute")
    assert page.run("document.activeElement.id") == "main", "a reader begins at what is new"
    assert page.run("document.title") == f"Overview {NOTHING} RockLake"


# -- screen readers ---------------------------------------------------------------------------------------------------


def test_landmarks_and_headings_have_names(page: Page, server: FilledServer) -> None:
    for where, title in zip(PAGES, ("Overview", "lake", "Sessions"), strict=True):
        visit(page, server, where)
        roles = [seen.role for seen in page.tree()]
        assert all(roles.count(role) == 1 for role in ("banner", "main", "contentinfo", "navigation")), roles
        assert [seen.name for seen in by_role(page, "navigation")] == ["Pages"]
        levels = [(seen.properties["level"], seen.name) for seen in by_role(page, "heading")]
        assert levels[0] == (1, title)
        assert all(level == 2 and name for level, name in levels[1:])
        assert all(seen.name for role in ("link", "button", "region", "image", "searchbox", "table")
                   for seen in by_role(page, role))  # fmt: skip


def test_tables_have_captions_headers_and_say_how_they_are_sorted(page: Page, server: FilledServer) -> None:
    visit(page, server, LAKE)
    assert [seen.name for seen in by_role(page, "table")] == ["Tables"]
    assert [seen.name for seen in by_role(page, "columnheader")][:3] == ["Table", "Rows", "Files"]
    assert {seen.name for seen in by_role(page, "rowheader")} == {f"main.{name}" for name in TABLES}
    assert page.run("document.querySelector('[aria-sort]').textContent") == "Size"
    page.run("document.querySelector('thead th button').click()")
    assert page.run("document.querySelectorAll('[aria-sort]').length") == 1
    assert page.run("document.querySelector('[aria-sort]').ariaSort") == "ascending"


def test_drawings_say_what_they_show(page: Page, server: FilledServer) -> None:
    visit(page, server, LAKE)
    told = {seen.name for seen in by_role(page, "image")}
    assert any(re.fullmatch(r"Files by size: \d+ under 1 MiB, \d+ 1 to 16 MiB", name) for name in told), told
    visit(page, server, "#/")
    (chart,) = [seen.name for seen in by_role(page, "image")]
    assert re.fullmatch(r"Commits per minute in the last \d+ minutes: \d+ in all, at most \d+ in one\.", chart)


def test_health_is_announced_only_when_it_changes(page: Page, server: FilledServer) -> None:
    visit(page, server, "#/")
    page.run("window.changes = 0; new MutationObserver(() => window.changes += 1)"
             ".observe(document.getElementById('health'), {childList: true, characterData: true, subtree: true})")
    page.requested.clear()
    page.wait(lambda: len([*page.run("[1]"), *page.requested]) > 3)
    assert page.run("window.changes") == 0
    assert {seen.role for seen in page.tree()} >= {"status"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("where", PAGES)
def test_axe_finds_nothing(page: Page, server: FilledServer, where: str, scheme: str) -> None:
    """Deque's axe-core, every rule of WCAG 2.1 A and AA and of best practice, contrast among them."""
    page.prefer(color_scheme=scheme)
    visit(page, server, where)
    page.run("document.querySelectorAll('details').forEach(e => e.open = true)")
    page.run(f"{files('axe_core_python').joinpath('axe.min.js').read_text()}; 0")
    found = page.run(
        "axe.run(document, {resultTypes: ['violations']}).then(r => ({passes: r.passes.length, "
        "violations: r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 200))])}))")
    assert found["violations"] == []
    assert found["passes"] > 20
