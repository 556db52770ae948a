"""sqlglot's parser, whose own faults are as good as syntax errors: it fails in many ways at texts that are no SQL."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError, TokenError

_POSTGRES = Postgres()
_FAULTS = (TypeError, AttributeError, ValueError, LookupError, AssertionError, NotImplementedError)


class NotParsed(Exception):
    """The text is no statement; ``where`` is what sqlglot says of the place, if it does."""

    def __init__(self, where: dict[str, object], *, ends_inside: bool = False) -> None:
        super().__init__()
        self.where = where
        self.ends_inside = ends_inside
        """A string, identifier or comment has no end."""


def parsed_trees(text: str) -> list[exp.Expr | None]:
    """The trees of a text's statements. Raises NotParsed, RecursionError."""
    try:
        return list(_POSTGRES.parse(text))
    except ParseError as error:
        raise NotParsed(dict(error.errors[0]) if error.errors else {}) from error
    except TokenError as error:
        raise NotParsed({}, ends_inside=True) from error
    except _FAULTS as error:
        raise NotParsed({}) from error
