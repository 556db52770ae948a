"""What the orchestrator and a worker tell each other: a specification one way, an outcome the other, both as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

REASON_CHARACTERS_MAX = 300
VALUE_CHARACTERS_MAX = 80
DETAIL_CHARACTERS_MAX = 4000


class Status(StrEnum):
    """How a file ended."""

    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"


class FileSkipped(Exception):
    """The file cannot run here; the text says what it lacks."""


class FileFailed(Exception):
    """The file failed. ``kind`` is a short class such as ``result``, ``error`` or ``dialect``; line 0 is unknown."""

    def __init__(
        self, kind: str, reason: str, *, line: int = 0, sql: str = "", expected: str = "", got: str = ""
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.line = line
        self.sql = sql
        self.expected = expected
        self.got = got


@dataclass(frozen=True, slots=True)
class Specification:
    """What a worker needs to run one file; paths are absolute."""

    suite: str
    file: str
    """Relative to the suite."""
    working_directory: str
    test_directory: str
    result_file: str
    progress_file: str
    environment: dict[str, str]
    """Overrides of ``test-env`` and answers to ``require-env``."""
    extensions: list[str]
    extension_folders: list[str]
    initial_sql: list[str]
    threads: int
    """DuckDB's setting; 0 leaves the default."""
    trace: bool

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Specification:
        return cls(**json.loads(path.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one file ended; ``statements`` counts the SQL statements that were sent, failed ones included."""

    status: Status
    statements: int = 0
    seconds: float = 0.0
    uses_server: bool = False
    kind: str = ""
    line: int = 0
    reason: str = ""
    sql: str = ""
    expected: str = ""
    got: str = ""
    attempts: int = 1

    @classmethod
    def failed(cls, failure: FileFailed) -> Outcome:
        return cls(
            Status.FAIL, kind=failure.kind, line=failure.line, reason=failure.reason, sql=failure.sql,
            expected=failure.expected[:DETAIL_CHARACTERS_MAX], got=failure.got[:DETAIL_CHARACTERS_MAX],
        )  # fmt: skip

    @classmethod
    def skipped(cls, reason: str) -> Outcome:
        return cls(Status.SKIP, reason=reason)

    def failed_for(self, kind: str, reason: str) -> Outcome:
        """The same run, judged as failed."""
        return replace(self, status=Status.FAIL, kind=kind, reason=reason)

    def as_json(self) -> dict[str, object]:
        """The fields that say something."""
        return {name: value for name, value in asdict(self).items() if value or name in ("status", "statements")}

    @classmethod
    def from_json(cls, fields: Mapping[str, object]) -> Outcome:
        values = dict(fields)
        return cls(Status(str(values.pop("status"))), **values)  # type: ignore[arg-type]  # written by as_json


def one_line(text: str) -> str:
    """A text on one line, cut to a length that a report can show."""
    return shortened(" ".join(text.split()), REASON_CHARACTERS_MAX)


def shortened(text: str, characters_max: int = VALUE_CHARACTERS_MAX) -> str:
    text = text.replace("\n", "\\n")
    return text if len(text) <= characters_max else text[: characters_max - 3] + "..."
