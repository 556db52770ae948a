"""Runs the ``rocklake`` command to its end, and says what it printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

from rocklake_server.cli.exit_codes import ExitCode
from tests.forks import fork_command

SECONDS_MAX = 40
ERROR_CODES = (ExitCode.REFUSED, ExitCode.MISSING, ExitCode.IN_USE, ExitCode.UNAVAILABLE, ExitCode.UNREADABLE)


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    stdout: str
    stderr: str


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "rocklake_server.cli.app", *arguments]


def environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment without settings of ours, then ``variables``; help texts are 100 columns wide."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ROCKLAKE_", "AWS_"))}
    return {**kept, "TERMINAL_WIDTH": "100", "NO_COLOR": "1", **(variables or {})}


def rocklake(*arguments: str, variables: Mapping[str, str] | None = None) -> Ended:
    """Raises subprocess.TimeoutExpired when the command goes on for too long."""
    with TemporaryFile() as stdout, TemporaryFile() as stderr:
        process = fork_command(arguments, environment(variables), stdout.fileno(), stderr.fileno())
        try:
            code = process.wait(SECONDS_MAX)
        finally:
            process.kill()
        return Ended(code, _text(stdout), _text(stderr))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def the_sentence(ended: Ended, code: ExitCode | None = None) -> str:
    """The one line of a command that ended with an error: on standard error, and nothing else. ``code`` is the exit
    code, any of those for errors by default."""
    lines = ended.stderr.splitlines()
    assert ended.code in (ERROR_CODES if code is None else (code,)), ended
    assert (ended.stdout, len(lines)) == ("", 1), ended
    assert lines[0].startswith("rocklake: ")
    return lines[0].removeprefix("rocklake: ")
