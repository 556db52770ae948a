"""Variables and loops: what a file's text becomes before it is executed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from uuid import UUID

from tests.conformance.dialect import Record
from tests.conformance.exchange import FileFailed, FileSkipped

Loops = dict[str, str]
CONNECTION = "DUCKLAKE_CONNECTION"
_UUID = "{UUID}"

_SIGNED = "tinyint smallint integer bigint hugeint"
_UNSIGNED = "utinyint usmallint uinteger ubigint uhugeint"
_NUMERIC = f"{_SIGNED} {_UNSIGNED} float double"
FOREACH_SETS = {
    "<signed>": _SIGNED,
    "<unsigned>": _UNSIGNED,
    "<integral>": f"{_SIGNED} {_UNSIGNED}",
    "<numeric>": _NUMERIC,
    "<alltypes>": f"{_NUMERIC} bool interval varchar",
    "<compression>": "none uncompressed rle bitpacking dictionary fsst alp alprd",
}


class Variables:
    """The names that a file's text may use: its own (``test-env``), the directories, the file, and loop variables."""

    def __init__(self, *, file: str, test_directory: str, working_directory: str, overrides: Mapping[str, str]) -> None:
        self.uses_server = False
        """Whether a connection string that the caller gave was put into a text."""
        self._overrides = overrides
        self._own: dict[str, str] = {}
        self._fixed = {
            "__TEST_DIR__": test_directory,
            "{TEST_DIR}": test_directory,
            "{TEMP_DIR}": test_directory,
            "__WORKING_DIRECTORY__": working_directory,
            "{TEST_NAME}": file,
            "{BASE_TEST_NAME}": file.replace("/", "_"),
        }

    def define(self, name: str, default: str) -> None:
        """``test-env``: the caller's value, or else the file's default."""
        override = self._overrides.get(name)
        self._own[name] = default if override is None else self.expand(override)

    def require(self, name: str, wanted: str | None) -> None:
        """``require-env``: the caller's value or the process's. Raises FileSkipped without it, or with another."""
        value = self._overrides.get(name, os.environ.get(name))
        if value is None or (wanted is not None and value != wanted):
            raise FileSkipped(f"require-env {name}" + (f" {wanted}" if wanted is not None else ""))
        self._own[name] = value

    def expand(self, text: str, loops: Loops | None = None) -> str:
        """The text with every variable replaced; each ``{UUID}`` is another one."""
        text = _substitute(text, loops or {})
        if CONNECTION + "}" in text and CONNECTION in self._overrides:
            self.uses_server = True
        text = _substitute(text, self._own)
        for name, value in self._fixed.items():
            text = text.replace(name, value)
        while _UUID in text:
            text = text.replace(_UUID, str(UUID(bytes=os.urandom(16), version=4)), 1)
        return text


def _substitute(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", value).replace(f"{{{name}}}", value)
    return text


def rounds(record: Record, loops: Loops, expand: Callable[[str, Loops], str]) -> list[Loops]:
    """The variables of each round of a loop. A ``foreach a,b`` takes words of the form ``x,y``. Raises FileFailed."""
    if len(record.arguments) < 2:
        raise FileFailed("dialect", f"{record.kind} needs a variable and values", line=record.line)
    name, *words = record.arguments
    if record.kind.endswith("foreach"):
        values = [value for word in words for value in FOREACH_SETS.get(word.lower(), word).split()]
    else:
        first, last = (int(expand(word, loops)) for word in words[:2])
        values = [str(number) for number in range(first, last)]
    return [loops | _bound(name, value, record.line) for value in values]


def _bound(name: str, value: str, line: int) -> Loops:
    if "," not in name:
        return {name: value}
    names, values = name.split(","), value.split(",")
    if len(names) != len(values):
        raise FileFailed("dialect", f"{value} does not fit the loop variables {name}", line=line)
    return dict(zip(names, values, strict=True))
