"""Templates: a statement's text with its literals taken out, the key under which plans are cached."""

from __future__ import annotations

from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from sqlglot import exp

LiteralKind: TypeAlias = OneOf["string", "number"]


class TemplateUnfit(Exception):
    """The template does not parse to the tree that the text with its literals would give: parse the text itself."""


class Literal(NamedTuple):
    """One literal: a string's decoded text, or an unsigned number as written (a minus stays in the key)."""

    kind: LiteralKind
    text: str


class LiteralList(NamedTuple):
    """The elements of ``IN (...)`` when all are strings or all numbers (these may carry a minus)."""

    kind: LiteralKind
    texts: tuple[str, ...]


class Template(NamedTuple):
    """``key`` is the text with markers for its literals; ``literals[k]`` fills slot k."""

    key: str
    literals: tuple[Literal | LiteralList, ...]


class Slot(NamedTuple):
    """What a placeholder of a parsed template stands for: ``literals[index]``."""

    index: int
    kind: LiteralKind
    is_list: bool


def template_of(text: str) -> Template | None:
    """The template of a statement (or of a whole batch); ``None`` when the text holds what templates leave alone."""
    raise NotImplementedError


def parse_template(key: str) -> exp.Expression:
    """The tree of one statement's template, with ``exp.Placeholder`` nodes for slots (see ``slot_of``).

    Raises TemplateUnfit.
    """
    raise NotImplementedError


def slot_of(node: exp.Expression) -> Slot | None:
    """The slot that a node of a parsed template stands for, or ``None``. A list slot is the only element of an In."""
    raise NotImplementedError
