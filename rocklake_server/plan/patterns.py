"""LIKE, ILIKE and regular-expression matches."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rocklake_server.catalog.view import Row
from rocklake_server.errors import InvalidEscape, InvalidRegularExpression, Unsupported
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.comparisons import undefined_operator
from rocklake_server.plan.expressions import Env, Expr, Getter
from rocklake_server.plan.type_rules import is_string
from rocklake_server.schema.types import BOOLEAN, TEXT, UNKNOWN, Value

STEPS_MAX = 10_000_000
"""Steps that the match of one text may take."""

_REGULAR_TOKEN = re.compile(r"\\.|\[\^?\]?[^\]]*\]|\{[^}]*\}|.", re.DOTALL)
_UNPORTABLE = re.compile(r"\(\?|\\[mMyYAZ]|\[\[|\*\*|\+\+")


def like_expression(pattern: str, *, ignore_case: bool) -> re.Pattern[str]:
    r"""The regular expression of a LIKE pattern; ``\`` quotes the next character.

    Between two ``%`` the first place that fits is as good as any later one, so it is never given up: the time is that
    of one search for each.
    """
    pieces: list[list[str]] = [[]]
    letters = iter(pattern)
    for letter in letters:
        if letter == "%":
            pieces.append([])
        elif letter == "_":
            pieces[-1].append(".")
        elif letter == "\\":
            quoted = next(letters, None)
            if quoted is None:
                raise InvalidEscape("LIKE pattern must not end with escape character")
            pieces[-1].append(re.escape(quoted))
        else:
            pieces[-1].append(re.escape(letter))
    first, *middle, last = map("".join, pieces) if len(pieces) > 1 else ("".join(pieces[0]), "")
    sought = "".join(f"(?>.*?{piece})" for piece in middle if piece)
    rest = f".*{last}" if len(pieces) > 1 else ""
    return re.compile(first + sought + rest, re.DOTALL | re.ASCII | (re.IGNORECASE if ignore_case else 0))


def regular_expression(pattern: str, *, ignore_case: bool) -> re.Pattern[str]:
    """The part of PostgreSQL's syntax that Python reads the same way and matches in little time. Raises Unsupported
    for the rest."""
    if _UNPORTABLE.search(pattern) or repeats(pattern) is None:
        raise Unsupported("this regular expression is not supported")
    try:
        return re.compile(pattern, re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    except re.error:
        raise InvalidRegularExpression("invalid regular expression") from None


def repeats(pattern: str) -> int | None:
    """How many repeats a regular expression has; ``None`` when what is repeated has a choice of its own, so that the
    time would double with each character."""
    count = 0
    has_choice = [False]
    closed_choice = False
    for token in _REGULAR_TOKEN.findall(pattern):
        if token == "(":
            has_choice.append(False)
        elif token == ")" and len(has_choice) > 1:
            closed_choice = has_choice.pop()
            has_choice[-1] = has_choice[-1] or closed_choice
            continue
        elif token == "|":
            has_choice[-1] = True
        elif token[0] in "*+?{":
            if closed_choice:
                return None
            count += 1
            has_choice[-1] = True
        closed_choice = False
    return count


def _search(expression: re.Pattern[str], text: str) -> bool:
    """Raises InvalidRegularExpression when the text is so long that each repeat may try too many lengths."""
    count = repeats(expression.pattern)
    if count is not None and count > 1 and len(text) ** count > STEPS_MAX:
        raise InvalidRegularExpression("invalid regular expression: regular expression is too complex")
    return expression.search(text) is not None


@dataclass(frozen=True, slots=True)
class Matches(Expr):
    """``operand`` matches ``pattern`` as a whole (LIKE) or anywhere (regular expression)."""

    operand: Expr = field(default_factory=lambda: Expr(TEXT))
    pattern: Expr = field(default_factory=lambda: Expr(TEXT))
    whole: bool = True
    ignore_case: bool = False
    negated: bool = False

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.operand, self.pattern)

    def _compiled(self, pattern: str) -> re.Pattern[str]:
        if self.whole:
            return like_expression(pattern, ignore_case=self.ignore_case)
        return regular_expression(pattern, ignore_case=self.ignore_case)

    def getter(self, env: Env) -> Getter:
        operand, pattern, whole, negated = self.operand.bind(env), self.pattern.bind(env), self.whole, self.negated
        fixed = None
        if self.pattern.constant:
            text = pattern(())
            if text is None:
                return lambda _row: None
            fixed = self._compiled(str(text))

        def match(row: Row) -> Value:
            value, expression = operand(row), fixed
            if value is None:
                return None
            if expression is None:
                text = pattern(row)
                if text is None:
                    return None
                expression = self._compiled(str(text))
            text = str(value)
            found = expression.fullmatch(text) is not None if whole else _search(expression, text)
            return found is not negated

        return match


def _sides(symbol: str, operand: Expr, pattern: Expr) -> tuple[Expr, Expr]:
    for side in (operand, pattern):
        if side.type.oid != UNKNOWN.oid and not is_string(side.type):
            raise undefined_operator(symbol, operand.type, pattern.type)
    return implicit(operand, TEXT), implicit(pattern, TEXT)


def like(operand: Expr, pattern: Expr, *, ignore_case: bool, negated: bool) -> Expr:
    """``operand [NOT] LIKE pattern``. Raises UndefinedFunction."""
    operand, pattern = _sides(("!" if negated else "") + ("~~*" if ignore_case else "~~"), operand, pattern)
    return Matches(BOOLEAN, operand, pattern, True, ignore_case, negated)


def regular(operand: Expr, pattern: Expr, *, ignore_case: bool) -> Expr:
    """``operand ~ pattern``. Raises UndefinedFunction."""
    operand, pattern = _sides("~*" if ignore_case else "~", operand, pattern)
    return Matches(BOOLEAN, operand, pattern, False, ignore_case)
