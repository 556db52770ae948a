"""Splitting is the inverse of joining by semicolons, whatever hides in literals, identifiers and comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.errors import SyntaxProblem
from rocklake_server.sql.lexer import TokenKind, next_token, normalise
from rocklake_server.sql.split import split_pieces, split_statements

_inner = st.text(st.sampled_from("ab;'\"\\$-/*()\n e"), max_size=8)
_strings = _inner.map(lambda body: "'" + body.replace("'", "''") + "'")
_escaped = _inner.map(lambda body: " E'" + body.replace("\\", "\\\\").replace("'", "\\'") + "'")
_dollars = _inner.filter(lambda body: "$" not in body).map(lambda body: f" $q${body}$q$")
_quoted = _inner.map(lambda body: '"' + body.replace('"', '""') + 'x"')
_line_comments = _inner.map(lambda body: " --" + body.replace("\n", "") + "\n")
_block_comments = _inner.map(lambda body: " /*" + body.replace("*", "").replace("/", "") + "/* ; */ ' */ ")
_words = st.sampled_from(["select", " 1", " a", "(", ")", " $1", " - ", " / ", ",", "namee", " e "])
_statements = st.lists(
    _words | _strings | _escaped | _dollars | _quoted | _line_comments | _block_comments, min_size=1, max_size=8,
).map(lambda parts: ("x " + " ".join(parts) + " y").strip())


def _tokens(text: str) -> list[tuple[TokenKind, str]]:
    found, position = [], 0
    while (token := next_token(text, position)).kind is not TokenKind.END:
        found.append((token.kind, token.value))
        position = token.end
    return found


@given(st.lists(_statements, max_size=5))
def test_splitting_undoes_joining(statements: list[str]) -> None:
    assert split_statements(" ; ".join(statements)) == statements


@given(st.lists(_statements, max_size=5))
def test_pieces_are_found_at_their_offsets(statements: list[str]) -> None:
    text = ";\n".join(statements)
    for piece in split_pieces(text):
        assert text[piece.offset:piece.offset + len(piece.text)] == piece.text


@given(_statements)
def test_normalising_keeps_the_tokens(statement: str) -> None:
    assert _tokens(normalise(statement)) == _tokens(statement)


@pytest.mark.parametrize(("text", "expected"), [
    ("", []), (" ;; ; ", []), ("-- only a comment", []), ("/* a ; */ ; /* b */", []),
    ("a; -- x\n ;b;", ["a", "b"]), ("select 'open;", ["select 'open;"]), ("a; /* open ;", ["a", "/* open ;"]),
    ("nameE'\\';b", ["nameE'\\'", "b"]), ("a$b$;c$b$", ["a$b$", "c$b$"]),
])
def test_edges(text: str, expected: list[str]) -> None:
    assert split_statements(text) == expected


@pytest.mark.parametrize(("text", "position", "message"), [
    ("select 'abc", 8, "unterminated quoted string"), ('select "abc', 8, "unterminated quoted identifier"),
    (" /* x", 2, "unterminated /* comment"), (" $a$ x", 2, "unterminated dollar-quoted string"),
    ("E'\\'", 1, "unterminated quoted string"),
])
def test_what_has_no_end_is_reported_at_its_beginning(text: str, position: int, message: str) -> None:
    with pytest.raises(SyntaxProblem, match="unterminated") as caught:
        _tokens(text)
    assert (caught.value.position, str(caught.value)[:len(message)]) == (position, message)


def test_escapes_are_decoded() -> None:
    assert next_token(r"E'a\n\t\b\\\'\x41\101\u00e9\q'", 0).value == "a\n\t\b\\'AA\u00e9q"
