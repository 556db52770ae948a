"""A write is waited for on the event loop only where the last ones were short."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rocklake_server.quiet import quiet_moments
from rocklake_server.store import disk_pace
from rocklake_server.store.disk_pace import BYTES_MAX, LONG_S, LOOKED_BACK, SHORT_FOR_ONE_S, SHORT_S, DiskPace
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.redo_journal import RedoJournal
from rocklake_server.store.slate import open_slate_store
from tests.store.places import keys, rows


def paced(*took_s: float) -> DiskPace:
    pace = DiskPace()
    for each in took_s:
        pace.note(each)
    return pace


@pytest.mark.parametrize(("usual_s", "for_one", "for_all"), [
    (SHORT_S * 0.9, True, True), (SHORT_S * 1.1, True, False), (SHORT_FOR_ONE_S * 0.9, True, False),
    (SHORT_FOR_ONE_S * 1.1, False, False),
])
def test_what_most_of_the_last_writes_took_decides(usual_s: float, for_one: bool, for_all: bool) -> None:
    most = LOOKED_BACK * 3 // 4
    pace = paced(*[usual_s] * most, *[LONG_S * 0.9] * (LOOKED_BACK - most))
    assert (pace.is_short(100, serves_one=True), pace.is_short(100, serves_one=False)) == (for_one, for_all)
    pace.note(LONG_S * 0.9)
    assert not pace.is_short(100, serves_one=True), "one more, and it is not most of them"


def test_after_a_long_write_none_is_waited_for_until_it_is_forgotten() -> None:
    pace = paced(*[0.0] * LOOKED_BACK, LONG_S)
    for _ in range(LOOKED_BACK - 1):
        assert not pace.is_short(100, serves_one=True)
        pace.note(0.0)
    pace.note(0.0)
    assert pace.is_short(100, serves_one=False)


def test_a_disk_that_is_not_known_yet_and_a_long_record_are_not_waited_for() -> None:
    assert not paced(*[0.0] * (LOOKED_BACK - 1)).is_short(100, serves_one=True)
    known = paced(*[0.0] * LOOKED_BACK)
    assert known.is_short(BYTES_MAX, serves_one=True)
    assert not known.is_short(BYTES_MAX + 1, serves_one=True)


@pytest.mark.parametrize("serves_one", [True, False])
async def test_the_journal_is_written_where_the_pace_says(
    serves_one: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_loop: list[bool] = []
    append, loop_thread = RedoJournal.append, threading.get_ident()

    def noted(journal: RedoJournal, number: int, body: bytes) -> None:
        on_the_loop.append(threading.get_ident() == loop_thread)
        append(journal, number, body)

    monkeypatch.setattr(RedoJournal, "append", noted)
    monkeypatch.setattr(disk_pace, "LONG_S", 60.0)
    monkeypatch.setattr(disk_pace, "SHORT_FOR_ONE_S", 60.0)
    monkeypatch.setattr(disk_pace, "SHORT_S", 0.0)
    quiet_moments().serves_one = serves_one
    location = parse_store_url(f"file://{tmp_path}/store", {})
    store = await open_slate_store(location)
    names = [b"%03d" % number for number in range(LOOKED_BACK + 5)]
    for name in names:
        await store.write(rows([name]))
    assert on_the_loop == [False] * LOOKED_BACK + [serves_one] * 5
    assert await keys(store) == names
    await store.close()
    store = await open_slate_store(location)
    assert await keys(store) == names
    await store.close()
