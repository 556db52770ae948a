"""Templates: a statement's text with its literals taken out, the key under which plans are cached.

One ``re.split`` finds every literal: ``'..'`` strings, unsigned numbers, and whole ``IN (..)`` lists whose elements
are all of one kind. Quoted identifiers are matched too, so that nothing inside them is taken for a literal, and go
back into the key; so do signs, casts, NULL, true, false and everything else. Comments, E strings and dollar strings
are rewritten first (``lexer.normalise``). Texts with array subscripts, prefixed strings or control characters have
no template.

In the key a literal is one control character (``MARKERS``), so a key cannot be mistaken for SQL, and the client's own
``$1`` parameters stay what they are. A batch has one key for all its statements; ``split_statements`` of the key
gives their keys, and their literals follow each other in ``literals``.

A key does not fix what a plan may want to know of a number: its size, or whether it has a fraction. ORDER BY and
GROUP BY positions, type modifiers and intervals, where the literal decides the meaning, raise TemplateUnfit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from sqlglot import exp

from rocklake_server.errors import SyntaxProblem
from rocklake_server.sql.expanded_arrays import NAME as EXPANDARRAY
from rocklake_server.sql.lexer import MANY, QUOTED, STRING, normalise
from rocklake_server.sql.trees import NotParsed, parsed_trees

LiteralKind: TypeAlias = OneOf["string", "number"]

_NUMBER = r"(?<![\w$.])(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?![\w.])"
_SIGNED = r"-?\d++(?:\.\d++)?(?![\w.])"
_LIST = rf"\b[iI][nN]\s*+\(\s*+(?:{STRING}(?:\s*+,\s*+{STRING}){MANY}|{_SIGNED}(?:\s*+,\s*+{_SIGNED}){MANY})\s*+\)"
# The look-ahead spares most positions the trial of every alternative: it halves the time.
_LITERAL = re.compile(rf"""((?=['"\d.iI])(?:{STRING}|{QUOTED}|{_NUMBER}|{_LIST}))""")
_STRINGS = re.compile(STRING)
_NUMBERS = re.compile(_SIGNED)
_UNFIT = re.compile(r"""['\[\x00-\x08\x0e-\x1f]|--|/\*|\$(?!\d)|:[A-Za-z_]|@""")
_AMBIGUOUS = re.compile(r"""[$\[@:]|--|/\*|[\x00-\x08\x0e-\x1f]""")

_STRING_MARK, _NUMBER_MARK, _STRINGS_MARK, _NUMBERS_MARK = "\x01", "\x02", "\x03", "\x04"
MARKERS = _STRING_MARK + _NUMBER_MARK + _STRINGS_MARK + _NUMBERS_MARK
_MARKER = re.compile(f"([{MARKERS}])")
_PREFIXES = {_STRING_MARK: "s", _NUMBER_MARK: "n", _STRINGS_MARK: "ls", _NUMBERS_MARK: "ln"}
_SLOT = re.compile(r"(l?)([sn])(\d+)")

_FIXED_BY_LITERAL: tuple[type[exp.Expression], ...] = (
    exp.Ordered, exp.Group, exp.DataTypeParam, exp.DataType, exp.Interval, exp.Bracket, exp.Identifier,
)


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


class SplitText(NamedTuple):
    """A text cut at its literals and quoted identifiers, which have the odd places: ``pieces`` as they are, ``marked``
    with markers for the literals. Joined, these are the text and its template's key."""

    pieces: list[str]
    marked: list[str]
    literals: tuple[Literal | LiteralList, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """What a placeholder of a parsed template stands for: ``literals[index]``."""

    index: int
    kind: LiteralKind
    is_list: bool


def template_of(text: str) -> Template | None:
    """The template of a statement (or of a whole batch); ``None`` when the text holds what templates leave alone."""
    split = split_text(text)
    if split is None:
        try:
            plain = normalise(text)
        except SyntaxProblem:
            return None
        split = None if plain is text else split_text(plain)
    return None if split is None else Template("".join(split.marked), split.literals)


def split_text(text: str) -> SplitText | None:
    """``text`` cut at its literals; ``None`` when it holds what templates leave alone, or what has to be rewritten
    first."""
    pieces = _LITERAL.split(text)
    marked = pieces.copy()
    literals: list[Literal | LiteralList] = []
    for index in range(1, len(pieces), 2):
        piece = pieces[index]
        letter = piece[0]
        if letter == '"':
            continue
        if letter == "'":
            before = pieces[index - 1]
            if before and (before[-1].isalnum() or before[-1] in "_&$"):
                return None
            literals.append(Literal("string", _decoded(piece)))
            marked[index] = _STRING_MARK
        elif letter in "iI":
            elements, marked[index] = _elements(piece)
            literals.append(elements)
        else:
            literals.append(Literal("number", piece))
            marked[index] = _NUMBER_MARK
    return None if _unfit(marked) else SplitText(pieces, marked, tuple(literals))


def _unfit(pieces: list[str]) -> bool:
    outside = "".join(pieces[::2])
    if "'" not in outside and '"' not in outside and _AMBIGUOUS.search(outside) is None:
        return not "".join([piece for piece in pieces[1::2] if piece[0] == '"']).isprintable()
    plain = outside.replace("::", " ")
    return '"' in plain or _UNFIT.search(plain) is not None


def _decoded(literal: str) -> str:
    body = literal[1:-1]
    return body.replace("''", "'") if "'" in body else body


def _elements(piece: str) -> tuple[LiteralList, str]:
    """The elements of an ``IN (..)`` piece, and what stands for it in the key."""
    if "'" in piece:
        texts = tuple(map(_decoded, _STRINGS.findall(piece)))
        return LiteralList("string", texts), f"IN ({_STRINGS_MARK})"
    return LiteralList("number", tuple(_NUMBERS.findall(piece))), f"IN ({_NUMBERS_MARK})"


def parse_template(key: str) -> exp.Expression:
    """The tree of one statement's template, with ``exp.Placeholder`` nodes for slots (see ``slot_of``).

    The same key is also parsed with plain literals in its slots: unless both trees are equal but for the slots,
    sqlglot read a literal as more than a value, and the template is unfit. Raises TemplateUnfit.
    """
    if EXPANDARRAY in key:
        raise TemplateUnfit("a call that is rewritten")
    pieces = _MARKER.split(key)
    sample = pieces.copy()
    for index in range(1, len(pieces), 2):
        marker = pieces[index]
        pieces[index] = f" :{_PREFIXES[marker]}{index // 2} "
        sample[index] = " 'x' " if marker in _STRING_MARK + _STRINGS_MARK else " 7 "
    tree, plain = _parsed("".join(pieces)), _parsed("".join(sample))
    slots = list(tree.find_all(exp.Placeholder))
    if len(slots) != len(pieces) // 2:
        raise TemplateUnfit("a literal is not a value")
    for node in slots:
        _check_place(node)
    if _filled(tree) != plain:
        raise TemplateUnfit("a literal changes how the statement is read")
    return tree


def _parsed(text: str) -> exp.Expression:
    try:
        trees = parsed_trees(text)
    except (NotParsed, RecursionError) as error:
        raise TemplateUnfit(str(error)) from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Expression):
        raise TemplateUnfit("not one statement")
    return trees[0]


def _check_place(node: exp.Expression) -> None:
    slot, parent = slot_of(node), node.parent
    if slot is None or parent is None or isinstance(parent, _FIXED_BY_LITERAL) or node.arg_key == "alias":
        raise TemplateUnfit("a literal is not a value")
    if slot.is_list and not (isinstance(parent, exp.In) and node.arg_key == "expressions"):
        raise TemplateUnfit("a list outside of IN")


def _filled(tree: exp.Expression) -> exp.Expression:
    def fill(node: exp.Expression) -> exp.Expression:
        slot = slot_of(node)
        if slot is None:
            return node
        return exp.Literal.string("x") if slot.kind == "string" else exp.Literal.number(7)

    return tree.transform(fill)


def slot_of(node: exp.Expression) -> Slot | None:
    """The slot that a node of a parsed template stands for, or ``None``. A list slot is the only element of an In."""
    if not isinstance(node, exp.Placeholder):
        return None
    match = _SLOT.fullmatch(str(node.this))
    if match is None:
        return None
    return Slot(int(match[3]), "string" if match[2] == "s" else "number", bool(match[1]))
