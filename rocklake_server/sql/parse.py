"""Text to statements and trees."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache

from sqlglot import exp

from rocklake_server.errors import ProgramLimitExceeded, StatementTooComplex, SyntaxProblem, Unsupported
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.kinds import query_kind
from rocklake_server.sql.lexer import TokenKind, near, next_token, normalise, syntax_error
from rocklake_server.sql.split import split_statements
from rocklake_server.sql.statements import Query, UtilityStatement
from rocklake_server.sql.text_shapes import TextShapes
from rocklake_server.sql.trees import NotParsed, parsed_trees
from rocklake_server.sql.utility import PARSERS, parse_utility

TREE_DEPTH_MAX = 400
"""Deepest tree that is planned; a chain of AND, of OR or of UNION counts as one level."""

ARRAY_DIMENSIONS_MAX = 6
"""PostgreSQL's bound; the parser's time doubles with each level of brackets."""

_INTERVAL_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
_CACHED_CHARACTERS_MAX = 4096
_SHORT_TEXT_CHARACTERS = 2048
_SHAPED_CHARACTERS_MAX = 4096
"""In longer texts literals are mostly rows, and the next text has another number of them."""

_CACHE_CHARACTERS_MAX = 4 * 1024 * 1024


class StatementCache:
    """Statements by exact text, the least recently used dropped first; bounded by the characters of its keys."""

    def __init__(self, characters_max: int = _CACHE_CHARACTERS_MAX) -> None:
        self._characters_max = characters_max
        self._characters = 0
        self._statements: OrderedDict[str, UtilityStatement | Query] = OrderedDict()

    def parse(self, text: str) -> UtilityStatement | Query:
        """As ``parse_statement``; failures are not kept."""
        statement = self._statements.get(text)
        if statement is not None:
            self._statements.move_to_end(text)
            return statement
        statement = _parse_anew(text)
        if len(text) <= _CACHED_CHARACTERS_MAX:
            self._statements[text] = statement
            self._characters += len(text)
            while self._characters > self._characters_max:
                dropped, _ = self._statements.popitem(last=False)
                self._characters -= len(dropped)
        return statement


_CACHE = StatementCache()


def parse_statement(text: str) -> UtilityStatement | Query:
    """One statement, from the cache when the same text was parsed before (results are immutable).

    Raises SyntaxProblem (with position), Unsupported, and InvalidParameterValue for an option's value.
    """
    return _CACHE.parse(text)


def parse_statements(text: str) -> tuple[UtilityStatement | Query, ...]:
    """All statements of a simple-query text. Raises what ``parse_statement`` raises."""
    if len(text) <= _SHORT_TEXT_CHARACTERS:
        return _short_text(text)
    return _SHAPES.parse(text, _all_statements) if len(text) <= _SHAPED_CHARACTERS_MAX else _all_statements(text)


def _all_statements(text: str) -> tuple[UtilityStatement | Query, ...]:
    return tuple([parse_statement(statement) for statement in split_statements(text)])


_SHAPES = TextShapes()


@lru_cache(maxsize=1024)
def _short_text(text: str) -> tuple[UtilityStatement | Query, ...]:
    return _SHAPES.parse(text, _all_statements)


def _parse_anew(text: str) -> UtilityStatement | Query:
    cursor = Cursor(text)
    if cursor.token.kind is TokenKind.WORD and cursor.token.value in PARSERS:
        return parse_utility(cursor)
    return Query(text, query_kind(text))


def parse_tree(text: str) -> exp.Expression:
    """The tree of a query. Raises SyntaxProblem (position: 1-based, in characters), Unsupported,
    StatementTooComplex for a text that is nested too deeply, and ProgramLimitExceeded for an array that is."""
    plain = _with_interval_casts(normalise(text))
    _check_nesting(plain)
    try:
        trees = parsed_trees(plain)
    except NotParsed as error:
        raise (_token_problem(plain) if error.ends_inside else _parse_problem(plain, error.where)) from error
    except RecursionError as error:
        raise StatementTooComplex.default() from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Expression):
        raise SyntaxProblem("cannot insert multiple commands into a prepared statement")
    tree = trees[0]
    if isinstance(tree, exp.Command):
        raise Unsupported(f"{str(tree.this).upper()} is not supported", position=1)
    _check_tree(tree)
    return tree


def _with_interval_casts(text: str) -> str:
    """``INTERVAL '...'`` as a cast: the parser keeps a part only of a string with several fields."""
    if "interval" not in text.lower():
        return text
    parts: list[str] = []
    copied = position = 0
    while (token := next_token(text, position)).kind is not TokenKind.END:
        position = token.end
        if token.kind is TokenKind.WORD and token.value == "INTERVAL":
            literal = next_token(text, position)
            if literal.kind is TokenKind.STRING and next_token(text, literal.end).value not in _INTERVAL_UNITS:
                parts += [text[copied : token.start], f"CAST({text[literal.start : literal.end]} AS INTERVAL)"]
                copied = position = literal.end
    return "".join([*parts, text[copied:]])


def _check_nesting(text: str) -> None:
    """Refuse what the parser would take very long for: deep parentheses, and subscripts that follow each other."""
    if text.count("[") <= ARRAY_DIMENSIONS_MAX and text.count("(") <= TREE_DEPTH_MAX:
        return
    parentheses = brackets = chain = position = 0
    while True:
        token = next_token(text, position)
        if token.kind is TokenKind.END:
            return
        symbol = token.value if token.kind is TokenKind.SYMBOL else ""
        parentheses += (symbol == "(") - (symbol == ")")
        if parentheses > TREE_DEPTH_MAX:
            raise StatementTooComplex.default()
        brackets += (symbol == "[") - (symbol == "]")
        if symbol == "[":
            chain += 1
        elif symbol == "]":
            chain = chain if text.startswith("[", token.end) else brackets
        if max(brackets, chain) > ARRAY_DIMENSIONS_MAX:
            raise ProgramLimitExceeded(
                f"number of array dimensions ({max(brackets, chain)}) exceeds the maximum allowed "
                f"({ARRAY_DIMENSIONS_MAX})",
                position=token.start + 1)
        position = token.end


def _check_tree(tree: exp.Expression) -> None:
    """Refuse what is too deep to plan, and placeholders that no PostgreSQL client can mean."""
    stack: list[tuple[exp.Expression, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > TREE_DEPTH_MAX:
            raise StatementTooComplex.default()
        if isinstance(node, exp.Placeholder):
            name = str(node.this or "")
            raise SyntaxProblem(f'syntax error at or near "{":" if name else "?"}"')
        chain = isinstance(node, exp.Connector | exp.SetOperation)
        for child in node.iter_expressions():
            stack.append((child, depth if chain and type(child) is type(node) else depth + 1))


def _parse_problem(text: str, where: dict[str, object]) -> SyntaxProblem:
    line, column, token = where.get("line"), where.get("col"), str(where.get("highlight") or "")
    if not isinstance(line, int) or not isinstance(column, int) or not token:
        return SyntaxProblem("syntax error")
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    position = max(start + column - len(token), 0)
    return SyntaxProblem(f'syntax error at or near "{near(token)}"', position=position + 1)


def _token_problem(text: str) -> SyntaxProblem:
    """The tokenizer says no position: find the token without an end."""
    position = 0
    try:
        while True:
            token = next_token(text, position)
            if token.kind is TokenKind.END:
                return syntax_error(token)
            position = token.end
    except SyntaxProblem as problem:
        return problem
