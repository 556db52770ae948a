"""``python -m rocklake_server.schema.generate``: write the files that derive from the registry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rocklake_server.schema import derive

REPOSITORY = Path(__file__).resolve().parents[2]

OUTPUTS: dict[str, Callable[[], str]] = {
    "proto/catalog.proto": derive.proto,
    "sql/schema.sql": derive.ddl,
    "docs/reference/relations.md": derive.relations_page,
}
"""Path within the repository -> what its text must be."""


def main() -> None:
    """Write every output."""
    for path, text in OUTPUTS.items():
        target = REPOSITORY / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
