"""Texts of a simple Query that differ from an earlier one in literals only are not read again.

Every scan of DuckDB's comes as a COPY with the number of the newest snapshot in it, and every commit as one text of
several statements. Their literals are found by one split (see ``template``); what the statements are, and where each
lies among the pieces, is known from the first text of that shape.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from rocklake_server.sql.split import split_pieces
from rocklake_server.sql.statements import CopyOptions, CopyOut, Query, QueryKind, UtilityStatement
from rocklake_server.sql.template import SplitText, Template, split_text

Statement = UtilityStatement | Query

_SHAPES_MAX = 512
_SEEN_MAX = 4096


class _Place(NamedTuple):
    """A position in every text of a shape: ``offset`` characters into piece ``piece``, which is no literal."""

    piece: int
    offset: int


@dataclass(frozen=True, slots=True)
class _QueryShape:
    """Where a query lies in every text of a shape. ``options``: it is the query of a COPY."""

    start: _Place
    stop: _Place
    key: str
    literals: slice
    kind: QueryKind
    offset: int
    options: CopyOptions | None

    def statement(self, split: SplitText) -> Statement:
        query = Query(_between(split.pieces, self.start, self.stop), self.kind, self.offset)
        query.__dict__["template"] = Template(self.key, split.literals[self.literals])
        return query if self.options is None else CopyOut(query, None, None, self.options)


class _Fixed(NamedTuple):
    """A statement without a literal."""

    fixed: Statement

    def statement(self, _split: SplitText) -> Statement:
        return self.fixed


class TextShapes:
    """By template, the oldest dropped first. A shape is kept when its template comes for the second time."""

    def __init__(self) -> None:
        self._shapes: dict[str, tuple[_QueryShape | _Fixed, ...]] = {}
        self._seen: set[int] = set()

    def parse(self, text: str, parse: Callable[[str], tuple[Statement, ...]]) -> tuple[Statement, ...]:
        """What ``parse`` makes of ``text``, or what it would make. Raises what it raises."""
        split = split_text(text)
        if split is None:
            return parse(text)
        key = "".join(split.marked)
        shape = self._shapes.get(key)
        if shape is not None:
            return tuple([part.statement(split) for part in shape])
        statements = parse(text)
        if self._comes_again(key):
            learned = _learned(text, split, statements)
            if learned is not None:
                if len(self._shapes) >= _SHAPES_MAX:
                    del self._shapes[next(iter(self._shapes))]
                self._shapes[key] = learned
        return statements

    def _comes_again(self, key: str) -> bool:
        number = hash(key)
        if number in self._seen:
            return True
        if len(self._seen) >= _SEEN_MAX:
            self._seen.clear()
        self._seen.add(number)
        return False


def _learned(
    text: str, split: SplitText, statements: Sequence[Statement]
) -> tuple[_QueryShape | _Fixed, ...] | None:
    """The shape of ``text``; ``None`` when a statement's literals are more than its template's."""
    starts = list(accumulate(map(len, split.pieces), initial=0))
    pieces = split_pieces(text)
    if len(pieces) != len(statements):
        return None
    shape: list[_QueryShape | _Fixed] = []
    for piece, statement in zip(pieces, statements, strict=True):
        query = statement.query if isinstance(statement, CopyOut) else statement
        if isinstance(query, Query):
            options = statement.options if isinstance(statement, CopyOut) else None
            found = _query_shape(split, starts, piece.offset + query.offset, query, options)
            if found is None:
                return None
            shape.append(found)
        elif _literals_before(split, starts, piece.offset) == _literals_before(
            split, starts, piece.offset + len(piece.text)
        ):
            shape.append(_Fixed(statement))
        else:
            return None
    return tuple(shape)


def _query_shape(
    split: SplitText, starts: Sequence[int], position: int, query: Query, options: CopyOptions | None
) -> _QueryShape | None:
    end = position + len(query.text)
    start, stop = _place(split, starts, position), _place(split, starts, end)
    if start is None or stop is None:
        return None
    key = _between(split.marked, start, stop)
    literals = slice(_literals_before(split, starts, position), _literals_before(split, starts, end))
    if query.template != Template(key, split.literals[literals]):
        return None
    return _QueryShape(start, stop, key, literals, query.kind, query.offset, options)


def _place(split: SplitText, starts: Sequence[int], position: int) -> _Place | None:
    """The place of ``position``; ``None`` inside of a literal or a quoted identifier."""
    index = bisect_right(starts, position, hi=len(split.pieces)) - 1
    if index % 2:
        if position != starts[index]:
            return None
        index -= 1
    return _Place(index, position - starts[index])


def _literals_before(split: SplitText, starts: Sequence[int], position: int) -> int:
    """How many literals begin before ``position``."""
    return sum(
        starts[index] < position and split.pieces[index][0] != '"' for index in range(1, len(split.pieces), 2)
    )


def _between(pieces: Sequence[str], start: _Place, stop: _Place) -> str:
    if start.piece == stop.piece:
        return pieces[start.piece][start.offset : stop.offset]
    inner = pieces[start.piece + 1 : stop.piece]
    return "".join((pieces[start.piece][start.offset :], *inner, pieces[stop.piece][: stop.offset]))
