"""The files of a suite: which there are, which are chosen, and which its configuration leaves out."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PATTERNS = ("*.test", "*.test_slow")


@dataclass(frozen=True, slots=True)
class Suite:
    """A folder that files address their data relative to, and the files below one of its folders, sorted."""

    root: Path
    files: tuple[str, ...]
    skips: Mapping[str, str]
    """Files that a configuration leaves out, with its reason."""

    def number(self, file: str) -> int:
        """A number from 1 that does not depend on which files are chosen."""
        return self.files.index(file) + 1

    def chosen(self, only: Iterable[str] = (), *, slow: bool = True) -> list[str]:
        """Files that match a pattern of ``only`` or contain it; all without patterns."""
        patterns = [shape for pattern in only for shape in (pattern, f"*{pattern}*")]
        return [
            file
            for file in self.files
            if (not patterns or any(fnmatch.fnmatch(file, pattern) for pattern in patterns))
            and (slow or not file.endswith(".test_slow"))
        ]


def find_suite(root: Path, folder: str, skip_config: Path | None = None, run_anyway: Iterable[str] = ()) -> Suite:
    """The suite below ``root/folder``. ``run_anyway`` are patterns of files that run although the configuration skips
    them. Raises FileNotFoundError without files, or without the configuration."""
    root = root.resolve()
    files = sorted(str(path.relative_to(root)) for pattern in PATTERNS for path in (root / folder).rglob(pattern))
    if not files:
        raise FileNotFoundError(f"no test files in {root / folder}")
    skips: dict[str, str] = {}
    if skip_config is not None:
        config = json.loads((root / skip_config).read_text(encoding="utf-8"))
        skips = {file: f"skip list: {group['reason']}" for group in config["skip_tests"] for file in group["paths"]}
    for pattern in run_anyway:
        for file in fnmatch.filter(list(skips), f"*{pattern}*"):
            del skips[file]
    return Suite(root, tuple(files), skips)
