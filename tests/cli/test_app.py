"""What the command says about errors that nobody can catch."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import pytest

from rocklake_server.cli.app import drop_late_answers


class Raising:
    """Its end cannot be reported to anybody."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __del__(self) -> None:
        raise self.error


@pytest.fixture(autouse=True)
def hooked() -> Iterator[None]:
    before, sys.unraisablehook = sys.unraisablehook, drop_late_answers
    yield
    sys.unraisablehook = before


def test_an_answer_after_the_end_of_the_loop_is_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    with pytest.raises(RuntimeError) as caught:
        loop.call_soon_threadsafe(print)
    Raising(caught.value)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("error", [RuntimeError("another"), ValueError("Event loop is closed")])
def test_other_errors_are_shown(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    Raising(error)
    assert str(error) in capsys.readouterr().err
