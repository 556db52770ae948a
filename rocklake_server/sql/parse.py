"""Text to statements and trees: the only caller of sqlglot's parser."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.sql.statements import Query, UtilityStatement


def parse_statement(text: str) -> UtilityStatement | Query:
    """One statement. Raises SyntaxProblem (with position) and Unsupported."""
    raise NotImplementedError


def parse_tree(text: str) -> exp.Expression:
    """The tree of a query. Raises SyntaxProblem (position: 1-based, in characters) and ProgramLimitExceeded."""
    raise NotImplementedError
