"""The commands of a file that send no SQL: one function each, by their name in the file."""

from __future__ import annotations

import gzip
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.conformance.database import IN_MEMORY, Database
from tests.conformance.exchange import FileFailed, FileSkipped
from tests.conformance.expansion import Variables

VECTOR_SIZE = 2048
BLOCK_BYTES = 262_144
# Properties of this platform and of DuckDB's Python package; any other name is an extension's
PRESENT = frozenset(
    {
        "notwindows", "notmingw", "notmusl", "64bit", "longdouble", "noforcestorage", "nothreadsan", "strinline",
        "no_alternative_verify", "noalternativeverify", "no_vector_verification", "no_extension_autoloading",
        "skip_reload", "allow_unsigned_extensions", "no_latest_storage", "ram", "disk_space",
    }
)  # fmt: skip
ABSENT = frozenset({"windows", "mingw"})
SECONDS = {"second": 1.0, "millisecond": 1e-3, "microsecond": 1e-6, "nanosecond": 1e-9, "minute": 60.0}


@dataclass(slots=True)
class FileState:
    """What commands change while a file runs."""

    database: Database
    variables: Variables
    test_directory: Path
    labels: dict[str, str] = field(default_factory=dict)
    """Digests of earlier results by label."""
    hash_threshold: int = 0
    """More values than this are not compared one by one; 0: no such number."""
    ignored_errors: list[str] = field(default_factory=list)
    fatal_errors: list[str] = field(default_factory=lambda: ["INTERNAL Error", "differs from original result!"])
    """Parts of error texts that fail the file even where an error is expected."""
    stopped: bool = False
    """After ``halt``, or after a failure in a concurrent loop."""


def _require(state: FileState, arguments: list[str]) -> None:
    name = arguments[0].lower()
    if name in PRESENT:
        return
    if name in ABSENT:
        present = False
    elif name == "vector_size":
        present = int(arguments[1]) <= VECTOR_SIZE
    elif name == "exact_vector_size":
        present = int(arguments[1]) == VECTOR_SIZE
    elif name == "block_size":
        present = int(arguments[1]) == BLOCK_BYTES
    else:
        present = state.database.load_extension(name)
    if not present:
        raise FileSkipped("require " + " ".join(arguments))


def _require_env(state: FileState, arguments: list[str]) -> None:
    state.variables.require(arguments[0], arguments[1] if len(arguments) > 1 else None)


def _test_env(state: FileState, arguments: list[str]) -> None:
    state.variables.define(arguments[0], arguments[1])


def _unzip(state: FileState, arguments: list[str]) -> None:
    packed = Path(arguments[0])
    target = Path(arguments[1]) if len(arguments) > 1 else state.test_directory / packed.stem
    with gzip.open(packed, "rb") as source, target.open("wb") as plain:
        shutil.copyfileobj(source, plain)


def _load(state: FileState, arguments: list[str]) -> None:
    path = arguments[0] if arguments else IN_MEMORY
    state.database.load(path, read_only=arguments[1:2] == ["readonly"])


def _restart(state: FileState, arguments: list[str]) -> None:
    if state.database.path == IN_MEMORY:
        raise FileFailed("dialect", "restart of an in-memory database")
    state.database.restart()


def _reconnect(state: FileState, arguments: list[str]) -> None:
    state.database.reconnect()


def _sleep(state: FileState, arguments: list[str]) -> None:
    unit = arguments[1].removesuffix("s") if len(arguments) > 1 else "second"
    if unit not in SECONDS:
        raise FileFailed("dialect", f"unknown unit of time: {unit}")
    time.sleep(float(arguments[0]) * SECONDS[unit])


def _set(state: FileState, arguments: list[str]) -> None:
    name, *rest = arguments
    texts = [text.strip() for text in " ".join(rest).split(",")]
    if name == "seed":
        state.database.default.execute(f"SELECT setseed({float(rest[0])})").fetchall()
    elif name == "ignore_error_messages":
        state.ignored_errors = texts
    elif name == "always_fail_error_messages":
        state.fatal_errors = texts
    else:
        raise FileFailed("dialect", f"unknown setting: {name}")


def _reset(state: FileState, arguments: list[str]) -> None:
    if len(arguments) != 2 or arguments[0] != "label" or state.labels.pop(arguments[1], None) is None:
        raise FileFailed("dialect", f"cannot reset {' '.join(arguments)}")


def _hash_threshold(state: FileState, arguments: list[str]) -> None:
    state.hash_threshold = int(arguments[0])


def _halt(state: FileState, arguments: list[str]) -> None:
    state.stopped = True


def _tags(state: FileState, arguments: list[str]) -> None:
    """Words for choosing files, which this runner does by name."""


def _endloop(state: FileState, arguments: list[str]) -> None:
    raise FileFailed("dialect", "endloop without loop")


COMMANDS: dict[str, Callable[[FileState, list[str]], None]] = {
    "require": _require,
    "require-env": _require_env,
    "test-env": _test_env,
    "unzip": _unzip,
    "load": _load,
    "restart": _restart,
    "reconnect": _reconnect,
    "sleep": _sleep,
    "set": _set,
    "reset": _reset,
    "hash-threshold": _hash_threshold,
    "halt": _halt,
    "tags": _tags,
    "endloop": _endloop,
}
