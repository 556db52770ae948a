"""Reads Dockerfiles and .dockerignore files, as far as this project's use them.

Source: Docker's reference, "Dockerfile reference" (instructions, exec form, .dockerignore file).
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; continuation lines are joined."""

    name: str
    text: str

    @property
    def command(self) -> list[str]:
        """The words of an exec form (a JSON list), or of the text after flags (``--name=value``)."""
        if self.text.startswith("["):
            words: list[str] = json.loads(self.text)
            return words
        return [word for word in shlex.split(self.text) if not word.startswith("--")]

    def flag(self, name: str) -> str | None:
        found = re.search(rf"--{name}=(\S+)", self.text)
        return found[1] if found else None


def read_dockerfile(path: Path) -> list[Instruction]:
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [Instruction(*line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def copied(instructions: list[Instruction]) -> list[tuple[str, str]]:
    """(source in the build context, target in the image) of each COPY from the context."""
    pairs: list[tuple[str, str]] = []
    for instruction in instructions:
        if instruction.name == "COPY" and instruction.flag("from") is None:
            *sources, target = instruction.command
            pairs += [(source, target) for source in sources]
    return pairs


def _pattern(line: str) -> re.Pattern[str]:
    """Matches the path itself and everything below it."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(parts.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*\*|\*|\?)", line.strip("/")))
    return re.compile(f"{body}(?:/.*)?")


def is_ignored(path: str, ignore_file: Path) -> bool:
    """Whether .dockerignore keeps ``path`` out of the build context; the last line that matches decides."""
    ignored = False
    for raw in ignore_file.read_text().splitlines():
        line = raw.strip()
        if line and not line.startswith("#") and _pattern(line.removeprefix("!")).fullmatch(str(PurePosixPath(path))):
            ignored = not line.startswith("!")
    return ignored
