"""PostgreSQL's lexical structure: what ends a string, a comment or a token (PostgreSQL manual, Lexical Structure).

``next_token`` serves the statements that are read from tokens; ``skip`` jumps over everything that may hide a
semicolon or a parenthesis; ``normalise`` rewrites the forms that sqlglot or templates would not read as PostgreSQL
does, keeping positions.
"""

from __future__ import annotations

import re
import sys
from enum import Enum
from typing import NamedTuple

from rocklake_server.errors import SyntaxProblem

_NEAR_CHARACTERS_MAX = 60

MANY = "*+" if sys.version_info >= (3, 11, 5) else "*"
"""Repeats a group. Python before 3.11.5 may end a possessive run of groups a character early (CPython's issue 106052);
there it backtracks, and what follows a group must not match behind fewer of them."""

STRING = rf"'[^']*+(?:''[^']*+){MANY}'(?!')"
QUOTED = rf'"[^"]*+(?:""[^"]*+){MANY}"(?!")'
_ESCAPED = re.compile(rf"[eE]('(?:[^'\\]++|\\.|''){MANY}'(?!'))", re.DOTALL)
_ESCAPE = re.compile(
    r"''|\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
_ESCAPE_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_DOLLAR = re.compile(r"\$(?:[^\W\d]\w*+)?\$")
_BLANK = re.compile(rf"(?=\s|--)(?:\s++|--[^\n\r]*+){MANY}")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_WORD = re.compile(r"[^\W\d][\w$]*+")
_NUMBER = re.compile(r"(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?")
_STRING = re.compile(STRING)
_QUOTED = re.compile(QUOTED)
_PARAMETER = re.compile(r"\$\d++")
_SYMBOL = re.compile(r"::|:=|<=|>=|<>|!=|.", re.DOTALL)
_NORMALISED_AWAY = re.compile(r"--|/\*|\$|[eE]'")

# What hides no boundary: strings, identifiers, and signs that open no comment and no dollar quote. The rest of a
# pattern below is its own run of other characters; whatever stops it needs a closer look.
_HIDDEN = r"""(?<![eE])'[^']*+'|"[^"]*+"|-(?!-)|/(?!\*)|\$(?=\d)"""
_LONG = MANY if MANY == "*+" else "{0,4096}"
"""A run without end, in pieces where it backtracks: that takes memory for each repetition."""

_TO_SEMICOLON = re.compile(rf"""(?:[^;'"$/\-]++|{_HIDDEN}){_LONG}""")
_TO_PARENTHESIS = re.compile(rf"""(?:[^()'"$/\-]++|{_HIDDEN}){_LONG}""")
_TO_CLOSING = re.compile(
    rf"""(?:[^()'"$/\-]++|{_HIDDEN}|\((?:[^()'"$/\-]++|{_HIDDEN}){_LONG}\)){_LONG}""")
"""Also over a pair of parentheses with none inside, as each row of a VALUES list is."""
_TO_NORMALISE = re.compile(rf"""(?:[^'"$/\-]++|{_HIDDEN}){_LONG}""")


class TokenKind(Enum):
    WORD = "word"
    QUOTED = "quoted identifier"
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    SYMBOL = "symbol"
    END = "end"


class Token(NamedTuple):
    """``source`` is the text as written, ``value`` what it means: upper-cased for a word, decoded for a string or
    quoted identifier. ``start`` and ``end`` are indexes into the statement."""

    kind: TokenKind
    source: str
    value: str
    start: int
    end: int


def syntax_error(token: Token) -> SyntaxProblem:
    """PostgreSQL's message for a token that the grammar does not accept here."""
    if token.kind is TokenKind.END:
        return SyntaxProblem("syntax error at end of input", position=token.start + 1)
    return SyntaxProblem(f'syntax error at or near "{near(token.source)}"', position=token.start + 1)


def near(source: str) -> str:
    """A token's source as an error message quotes it: bounded."""
    return source if len(source) <= _NEAR_CHARACTERS_MAX else source[:_NEAR_CHARACTERS_MAX]


def unterminated(text: str, position: int, what: str) -> SyntaxProblem:
    """The error for a string, identifier or comment without an end."""
    return SyntaxProblem(f'unterminated {what} at or near "{near(text[position:])}"', position=position + 1)


def next_token(text: str, position: int) -> Token:
    """The token at or after ``position``. Raises SyntaxProblem for one without an end."""
    position = _after_blanks(text, position)
    if position >= len(text):
        return Token(TokenKind.END, "", "", position, position)
    letter = text[position]
    if letter == "'":
        return _string_token(text, position)
    if letter == '"':
        return _quoted_token(text, position)
    if letter == "$":
        return _dollar_token(text, position)
    if letter in "eE" and text.startswith("'", position + 1):
        match = _ESCAPED.match(text, position)
        if match is None:
            raise unterminated(text, position, "quoted string")
        return Token(TokenKind.STRING, match[0], decode_escapes(match[1][1:-1], position), position, match.end())
    if letter.isdigit() or (letter == "." and text[position + 1:position + 2].isdigit()):
        match = _NUMBER.match(text, position)
        if match is not None:
            return Token(TokenKind.NUMBER, match[0], match[0], position, match.end())
    match = _WORD.match(text, position)
    if match is not None:
        return Token(TokenKind.WORD, match[0], match[0].upper(), position, match.end())
    match = _SYMBOL.match(text, position)
    if match is None:
        raise SyntaxProblem("syntax error at end of input", position=position + 1)
    return Token(TokenKind.SYMBOL, match[0], match[0], position, match.end())


def _string_token(text: str, position: int) -> Token:
    match = _STRING.match(text, position)
    if match is None:
        raise unterminated(text, position, "quoted string")
    return Token(TokenKind.STRING, match[0], match[0][1:-1].replace("''", "'"), position, match.end())


def _quoted_token(text: str, position: int) -> Token:
    match = _QUOTED.match(text, position)
    if match is None:
        raise unterminated(text, position, "quoted identifier")
    if len(match[0]) == 2:
        raise SyntaxProblem('zero-length delimited identifier at or near """"', position=position + 1)
    return Token(TokenKind.QUOTED, match[0], match[0][1:-1].replace('""', '"'), position, match.end())


def _dollar_token(text: str, position: int) -> Token:
    end = _dollar_end(text, position)
    if end is not None:
        tag = text.index("$", position + 1) + 1 - position
        return Token(TokenKind.STRING, text[position:end], text[position + tag:end - tag], position, end)
    match = _PARAMETER.match(text, position)
    if match is not None:
        return Token(TokenKind.PARAMETER, match[0], match[0][1:], position, match.end())
    return Token(TokenKind.SYMBOL, "$", "$", position, position + 1)


def _dollar_end(text: str, position: int) -> int | None:
    """The end of the dollar-quoted string at ``position``; ``None`` when the dollar opens none."""
    opening = _DOLLAR.match(text, position)
    if opening is None:
        return None
    closing = text.find(opening[0], opening.end())
    if closing < 0:
        raise unterminated(text, position, "dollar-quoted string")
    return closing + len(opening[0])


def _after_blanks(text: str, position: int) -> int:
    while True:
        match = _BLANK.match(text, position)
        if match is not None:
            position = match.end()
        if not text.startswith("/*", position):
            return position
        position = _comment_end(text, position)


def _comment_end(text: str, position: int) -> int:
    depth, start = 0, position
    while True:
        edge = _COMMENT_EDGE.search(text, position)
        if edge is None:
            raise unterminated(text, start, "/* comment")
        depth += 1 if edge[0] == "/*" else -1
        position = edge.end()
        if depth == 0:
            return position


def decode_escapes(body: str, position: int = 0) -> str:
    """The text of an E string's body. Raises SyntaxProblem for an escape that names no character."""

    def character(match: re.Match[str]) -> str:
        short, long, hexadecimal, octal, letter = match.groups()
        if letter is not None:
            if letter in "uU":
                raise SyntaxProblem("invalid Unicode escape", position=position + 1)
            return _ESCAPE_LETTERS.get(letter, letter)
        if octal is not None:
            code = int(octal, 8) & 0xFF
        elif short or long or hexadecimal:
            code = int(short or long or hexadecimal, 16)
        else:
            return "'"
        if code == 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000 or (code > 0x7F and not (short or long)):
            raise SyntaxProblem("invalid Unicode escape value", position=position + 1)
        return chr(code)

    return _ESCAPE.sub(character, body) if "\\" in body or "''" in body else body


def skip(text: str, position: int, *, parentheses: bool) -> int:
    """The index of the next semicolon (or, with ``parentheses``, of the next parenthesis) that is outside of
    strings, quoted identifiers and comments, or the length of the text. Raises SyntaxProblem."""
    return _skip(_TO_PARENTHESIS, "()", text, position) if parentheses else _skip(_TO_SEMICOLON, ";", text, position)


def _skip(pattern: re.Pattern[str], ends: str, text: str, position: int) -> int:
    """The index of the next of ``ends``; ``pattern`` matches runs of what is passed over."""
    length = len(text)
    while True:
        position = _run_end(pattern, text, position)
        if position >= length or text[position] in ends:
            return position
        position = special_end(text, position)


def _run_end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """The end of all that ``pattern`` matches from ``position`` on."""
    while (match := pattern.match(text, position)) is not None and match.end() > position:
        position = match.end()
    return position


def special_end(text: str, position: int) -> int:
    """The end of the comment, string, identifier or lone dollar at ``position``. Raises SyntaxProblem."""
    letter = text[position]
    if letter == "'":
        escaped = _opens_escaped(text, position)
        match = _ESCAPED.match(text, position - 1) if escaped else _STRING.match(text, position)
        if match is None:
            raise unterminated(text, position, "quoted string")
        return match.end()
    if letter == '"':
        return _quoted_token(text, position).end if text[position:position + 2] != '""' else position + 2
    if letter == "$":
        if position and (text[position - 1].isalnum() or text[position - 1] in "_$"):
            return position + 1
        return _dollar_end(text, position) or position + 1
    if letter == "-":
        match = _BLANK.match(text, position)
        return position + 2 if match is None else match.end()
    return _comment_end(text, position)


def _opens_escaped(text: str, position: int) -> bool:
    """Whether the quote at ``position`` follows an E that is a token of its own."""
    if position == 0 or text[position - 1] not in "eE":
        return False
    before = text[position - 2] if position > 1 else " "
    return not (before.isalnum() or before in "_$")


def closing_parenthesis(text: str, position: int) -> int:
    """The index of the parenthesis that closes the one at ``position``. Raises SyntaxProblem when there is none."""
    depth = 0
    while True:
        if position >= len(text):
            raise SyntaxProblem("syntax error at end of input", position=len(text) + 1)
        depth += 1 if text[position] == "(" else -1
        if depth == 0:
            return position
        position = _skip(_TO_CLOSING, "()", text, position + 1)


def normalise(text: str) -> str:
    """The text with comments as blanks and E and dollar strings as plain ones; positions stay unless a dollar string
    holds quotes. Raises SyntaxProblem for what has no end."""
    if _NORMALISED_AWAY.search(text) is None:
        return text
    pieces: list[str] = []
    done = position = 0
    while position < len(text):
        position = _run_end(_TO_NORMALISE, text, position)
        if position >= len(text):
            break
        start, end = position, special_end(text, position)
        letter = text[start]
        if letter == "'" and _opens_escaped(text, start):
            start -= 1
            plain = _plain(decode_escapes(text[start + 2:end - 1], start))
        elif letter == "$" and end > start + 1:
            plain = _plain(next_token(text, start).value)
        elif letter in "-/":
            plain = "\n" if "\n" in text[start:end] else " "
        else:
            position = end
            continue
        pieces += (text[done:start], plain.ljust(end - start))
        done = position = end
    return "".join((*pieces, text[done:]))


def _plain(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
