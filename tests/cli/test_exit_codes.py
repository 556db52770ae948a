"""Errors end a command with the code that the reference promises."""

from __future__ import annotations

import pytest

from rocklake_server.cli.app import sentence_of
from rocklake_server.cli.exit_codes import ExitCode, code_of
from rocklake_server.errors import (
    CannotConnectNow,
    CatalogError,
    CorruptValue,
    FormatVersionUnsupported,
    InvalidParameterValue,
    OutcomeUnknown,
    StoreUnavailable,
    UndefinedDatabase,
    UndefinedFile,
    UndefinedTable,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidParameterValue("x"), 1),
        (UndefinedFile("x"), 4),
        (UndefinedDatabase("x"), 4),
        (UndefinedTable("x"), 4),
        (CannotConnectNow("x"), 5),
        (StoreUnavailable("x"), 6),
        (CorruptValue("x"), 7),
        (FormatVersionUnsupported("x"), 7),
        (OutcomeUnknown("x"), 8),
    ],
)
def test_the_code_tells_what_is_wrong(error: CatalogError, code: int) -> None:
    assert code_of(error) == code


def test_codes_are_numbers_that_never_change() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0, "REFUSED": 1, "USAGE": 2, "FOUND": 3, "MISSING": 4, "IN_USE": 5, "UNAVAILABLE": 6, "UNREADABLE": 7,
        "UNKNOWN": 8, "INTERRUPTED": 130,
    }  # fmt: skip
    assert all(code.meaning.endswith(".") for code in ExitCode)


def test_the_hint_follows_the_message_on_one_line() -> None:
    assert sentence_of(CorruptValue("a file\nis gone", hint="Restore it.")) == "a file is gone. Restore it."
    assert sentence_of(CorruptValue("a file is gone")) == "a file is gone"
