"""Reading a statement token by token: what the parsers of utility statements and DDL are written with."""

from __future__ import annotations

from typing import NoReturn

from rocklake_server.errors import Unsupported
from rocklake_server.sql.lexer import Token, TokenKind, closing_parenthesis, next_token, syntax_error
from rocklake_server.sql.names import QualifiedName, fold, qualified


class Cursor:
    """A position in ``text``; tokens are read when asked for. Keywords match unquoted words only."""

    __slots__ = ("_token", "text")

    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self._token = next_token(text, position)

    @property
    def token(self) -> Token:
        """The token that comes next."""
        return self._token

    def advance(self) -> Token:
        """Take the next token."""
        token = self._token
        self._token = next_token(self.text, token.end)
        return token

    def skip_to(self, position: int) -> None:
        """Go on with the token after ``position``, which is between two tokens."""
        self._token = next_token(self.text, position)

    def at(self, *keywords: str) -> bool:
        """Whether the next token is one of these keywords or symbols."""
        token = self._token
        return token.kind in (TokenKind.WORD, TokenKind.SYMBOL) and token.value in keywords

    def take(self, *words: str) -> bool:
        """Take these keywords or symbols if they come next, all in this order; else none of them."""
        before = self._token
        for word in words:
            if not self.at(word):
                self._token = before
                return False
            self.advance()
        return True

    def take_one_of(self, *keywords: str) -> str | None:
        """Take the next token if it is one of these."""
        return self.advance().value if self.at(*keywords) else None

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.at(word):
                self.fail()
            self.advance()

    def fail(self) -> NoReturn:
        """The next token does not fit the grammar."""
        raise syntax_error(self._token)

    def refuse(self, what: str) -> NoReturn:
        """The clause at the next token is valid but not implemented."""
        raise Unsupported(f"{what} is not supported", position=self._token.start + 1)

    def refuse_at(self) -> NoReturn:
        """As ``refuse``, for a clause whose keyword must not appear in an error's wording."""
        position = self._token.start + 1
        raise Unsupported(f"the clause at position {position} is not supported", position=position)

    def end(self) -> None:
        if self._token.kind is not TokenKind.END:
            self.fail()

    def name(self) -> str:
        """An identifier, folded."""
        if self._token.kind not in (TokenKind.WORD, TokenKind.QUOTED):
            self.fail()
        token = self.advance()
        if token.kind is TokenKind.QUOTED:
            return fold(token.value, quoted=True)
        return fold(token.source, quoted=False)

    def qualified_name(self, database: str | None = None) -> QualifiedName:
        parts = [self.name()]
        while self.take("."):
            parts.append(self.name())
        return qualified(tuple(parts), database)

    def string(self) -> str:
        if self._token.kind is not TokenKind.STRING:
            self.fail()
        return self.advance().value

    def number(self) -> str:
        if self._token.kind is not TokenKind.NUMBER:
            self.fail()
        return self.advance().value

    def column_list(self) -> tuple[str, ...]:
        """``(name, ...)``"""
        self.expect("(")
        names = [self.name()]
        while self.take(","):
            names.append(self.name())
        self.expect(")")
        return tuple(names)

    def rest(self) -> str:
        """The source text from the next token on; the cursor is at the end afterwards."""
        start = self._token.start
        self._token = Token(TokenKind.END, "", "", len(self.text), len(self.text))
        return self.text[start:]

    def parenthesised(self) -> tuple[str, int]:
        """The source text within the parentheses that come next, verbatim, and its index."""
        if not self.at("("):
            self.fail()
        start = self._token.end
        end = closing_parenthesis(self.text, self._token.start)
        self._token = next_token(self.text, end + 1)
        return self.text[start:end], start
