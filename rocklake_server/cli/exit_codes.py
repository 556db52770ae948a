"""What the command's exit code says. Scripts rely on the numbers: a code is never given another meaning."""

from __future__ import annotations

from enum import IntEnum

from rocklake_server.errors import (
    CannotConnectNow,
    CatalogError,
    CorruptValue,
    FormatVersionUnsupported,
    OutcomeUnknown,
    StoreUnavailable,
    UndefinedDatabase,
    UndefinedFile,
    UndefinedObject,
    UndefinedTable,
)


class ExitCode(IntEnum):
    """Each member with what it means."""

    meaning: str

    def __new__(cls, number: int, meaning: str) -> ExitCode:
        code = int.__new__(cls, number)
        code._value_ = number
        code.meaning = meaning
        return code

    DONE = 0, "Done."
    REFUSED = 1, "Refused, with the reason in one sentence on standard error; nothing was changed."
    USAGE = 2, "The command line is wrong: an unknown option, a missing argument, a value out of range."
    FOUND = 3, "Done, and there is damage: `verify` found it, or `repair apply` has left it."
    MISSING = 4, "The store, lake, relation or snapshot that the command names does not exist."
    IN_USE = 5, "A server holds the store, and the command has to write: stop that server, or go through it (--server)."
    UNAVAILABLE = 6, "The store cannot be reached or refuses; the same command may succeed later."
    UNREADABLE = 7, "The store is damaged, or was written in a format that this version does not read."
    UNKNOWN = 8, "The store failed during a write: whether it was kept is not known. Look before running it again."
    INTERRUPTED = 130, "Stopped by Ctrl-C."


_BY_ERROR: tuple[tuple[tuple[type[CatalogError], ...], ExitCode], ...] = (
    ((UndefinedFile, UndefinedDatabase, UndefinedTable, UndefinedObject), ExitCode.MISSING),
    ((CannotConnectNow,), ExitCode.IN_USE),
    ((StoreUnavailable,), ExitCode.UNAVAILABLE),
    ((CorruptValue, FormatVersionUnsupported), ExitCode.UNREADABLE),
    ((OutcomeUnknown,), ExitCode.UNKNOWN),
)


def code_of(error: CatalogError) -> ExitCode:
    """The code of a command that ends with ``error``."""
    return next((code for classes, code in _BY_ERROR if isinstance(error, classes)), ExitCode.REFUSED)
