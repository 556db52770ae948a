"""Results as tables and as JSON, and progress that only terminals show."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from rocklake_server.cli import progress as progress_module
from rocklake_server.cli.options import OutputFormat
from rocklake_server.cli.printing import ROWS_PER_TABLE, print_facts, print_records, shown
from rocklake_server.cli.progress import progress


async def test_json_is_one_array_whatever_its_length(capsys: pytest.CaptureFixture[str]) -> None:
    for count in (0, 1, 3):
        records = ({"a": number, "b": b"\x0b", "c": None, "hidden": 1} for number in range(count))
        assert await print_records(("a", "b", "c"), records, OutputFormat.JSON) == count
        found = json.loads(capsys.readouterr().out)
        assert found == [{"a": number, "b": "0b", "c": None} for number in range(count)]


async def test_integers_of_any_size_stay_exact(capsys: pytest.CaptureFixture[str]) -> None:
    await print_records(("a",), [{"a": 2**63 - 1}], OutputFormat.JSON)
    assert "9223372036854775807" in capsys.readouterr().out


async def test_long_results_are_several_tables(capsys: pytest.CaptureFixture[str]) -> None:
    records = ({"number": number} for number in range(ROWS_PER_TABLE + 1))
    assert await print_records(("number",), records, OutputFormat.TABLE) == ROWS_PER_TABLE + 1
    assert sum("number" in line for line in capsys.readouterr().out.splitlines()) == 2


async def test_a_limit_ends_the_reading(capsys: pytest.CaptureFixture[str]) -> None:
    given: list[int] = []

    def records() -> object:
        for number in range(100):
            given.append(number)
            yield {"number": number}

    assert await print_records(("number",), records(), OutputFormat.TABLE, limit=3) == 3  # type: ignore[arg-type]
    assert len(given) == 3
    assert "3 rows; --limit 0 prints all" in capsys.readouterr().err


async def test_text_that_looks_like_markup_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    await print_records(("a",), [{"a": "[red]x[/red]"}], OutputFormat.TABLE)
    assert "[red]x[/red]" in capsys.readouterr().out


def test_facts_are_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts({"a": 1, "b": {"c": b"\xff"}}, OutputFormat.JSON)
    assert json.loads(capsys.readouterr().out) == {"a": 1, "b": {"c": "ff"}}


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (True, "yes"), (False, "no"), (0, "0"), (b"\x0b", "0b"), ({"a": 1, "b": None}, "a=1, b=-"),
     (["x", 2], "x, 2")],
)  # fmt: skip
def test_values_in_a_table(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize("is_terminal", [False, True])
def test_progress_is_shown_on_terminals(is_terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=is_terminal, width=100)
    monkeypatch.setattr(progress_module, "remarks", lambda: console)
    with progress("Reading", "keys") as tell:
        tell(1_234)
    assert ("Reading" in written.getvalue()) == is_terminal
    assert ("1,234 keys" in written.getvalue()) == is_terminal
