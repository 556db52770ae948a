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

_UNPORTABLE = re.compile(r"\(\?|\\[mMyYAZ]|\[\[|\*\*|\+\+")


def like_expression(pattern: str, *, ignore_case: bool) -> re.Pattern[str]:
    r"""The regular expression of a LIKE pattern; ``\`` quotes the next character."""
    parts: list[str] = []
    letters = iter(pattern)
    for letter in letters:
        if letter == "%":
            parts.append(".*")
        elif letter == "_":
            parts.append(".")
        elif letter == "\\":
            quoted = next(letters, None)
            if quoted is None:
                raise InvalidEscape("LIKE pattern must not end with escape character")
            parts.append(re.escape(quoted))
        else:
            parts.append(re.escape(letter))
    return re.compile("".join(parts), re.DOTALL | re.ASCII | (re.IGNORECASE if ignore_case else 0))


def regular_expression(pattern: str, *, ignore_case: bool) -> re.Pattern[str]:
    """The part of PostgreSQL's syntax that Python reads the same way. Raises Unsupported for the rest."""
    if _UNPORTABLE.search(pattern):
        raise Unsupported("this regular expression is not supported")
    try:
        return re.compile(pattern, re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    except re.error:
        raise InvalidRegularExpression("invalid regular expression") from None


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
            found = expression.fullmatch(str(value)) if whole else expression.search(str(value))
            return (found is not None) is not negated

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
