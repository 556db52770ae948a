"""COPY (query) TO STDOUT whose text differs from an earlier one's in literals only is not parsed again.

Every scan of DuckDB's comes as one, with the number of the newest snapshot in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from rocklake_server.sql.statements import CopyOptions, CopyOut, Query, QueryKind
from rocklake_server.sql.template import Template, template_of

T = TypeVar("T")

_BEGINNING = "COPY ("
_SHAPES_MAX = 512
_KEY_CHARACTERS_MAX = 4096


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where the query lies in every text of one template: no literal is before or behind it."""

    start: int
    behind: int
    key: str
    kind: QueryKind
    options: CopyOptions

    def statement(self, text: str, template: Template) -> CopyOut:
        query = Query(text[self.start : len(text) - self.behind], self.kind, self.start)
        query.__dict__["template"] = Template(self.key, template.literals)
        return CopyOut(query, None, None, self.options)


class CopyShapes:
    """By template, the oldest dropped first."""

    def __init__(self) -> None:
        self._shapes: dict[str, _Shape] = {}

    def parse(self, text: str, parse: Callable[[str], T]) -> T | CopyOut:
        """What ``parse`` makes of ``text``, or what it would make. Raises what it raises."""
        template = template_of(text) if text.startswith(_BEGINNING) else None
        if template is None:
            return parse(text)
        shape = self._shapes.get(template.key)
        if shape is not None:
            return shape.statement(text, template)
        statement = parse(text)
        if isinstance(statement, CopyOut) and statement.query is not None:
            self._learn(text, template, statement.query, statement.options)
        return statement

    def _learn(self, text: str, template: Template, query: Query, options: CopyOptions) -> None:
        start, behind = query.offset, len(text) - query.offset - len(query.text)
        key = template.key[start : len(template.key) - behind]
        inner = query.template
        if len(template.key) > _KEY_CHARACTERS_MAX or inner is None or inner != Template(key, template.literals):
            return
        if len(self._shapes) >= _SHAPES_MAX:
            del self._shapes[next(iter(self._shapes))]
        self._shapes[template.key] = _Shape(start, behind, key, query.kind, options)
