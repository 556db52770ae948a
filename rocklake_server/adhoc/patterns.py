"""Patterns for the engine's RE2, whose time grows with the text only.

The part of PostgreSQL's advanced regular expressions that both read the same way is passed on; the rest is refused by
name. Source: PostgreSQL manual, Pattern Matching; RE2's syntax page.
"""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase

from rocklake_server.errors import InvalidEscape, InvalidRegularExpression, Unsupported

SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)

REPEAT_MAX = 255
"""PostgreSQL's greatest count in braces; RE2 takes up to 1000."""

_TOKEN = re.compile(r"\\.|\(\?[:=!<]?|\[\^?\]?(?:\[[:.=].*?[:.=]\]|\\.|[^\]\\])*\]|\{[^}]*\}|.", re.DOTALL)
_SAME_ESCAPES = frozenset("dswDSW")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}
_BOUND = re.compile(r"\{(\d+)(,(\d*))?\}")
_CLASS = re.compile(r"\[:(\w+):\]")
_CLASSES = frozenset({"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
                      "xdigit"})


def engine_pattern(pattern: str, *, whole: bool, ignore_case: bool) -> str:
    """The engine's pattern for LIKE (``whole``) or a regular expression; one that ignores case is for texts whose ASCII
    letters are small ones, since the C collation knows no other case. Raises Unsupported, InvalidEscape,
    InvalidRegularExpression."""
    if whole:
        return f"(?s)\\A{_like(pattern.translate(SMALL) if ignore_case else pattern)}\\z"
    return f"(?s){_regular(pattern, ignore_case=ignore_case)}"


def _like(pattern: str) -> str:
    parts: list[str] = []
    letters = iter(pattern)
    for letter in letters:
        if letter == "\\":
            quoted = next(letters, None)
            if quoted is None:
                raise InvalidEscape("LIKE pattern must not end with escape character")
            parts.append(re.escape(quoted))
        else:
            parts.append({"%": ".*", "_": "."}.get(letter) or re.escape(letter))
    return "".join(parts)


def _refused(what: str) -> Unsupported:
    return Unsupported(f"a regular expression with {what} is not supported")


def _regular(pattern: str, *, ignore_case: bool) -> str:
    if pattern.startswith("***"):
        raise _refused("a director")
    parts: list[str] = []
    after_repeat = False
    depth = 0
    for token in _TOKEN.findall(pattern):
        repeats = token in ("*", "+", "?") or bool(_BOUND.fullmatch(token))
        if repeats and after_repeat:
            if token != "?":
                raise InvalidRegularExpression("invalid regular expression: quantifier operand invalid")
            raise _refused("a non-greedy repeat")
        if repeats and (not parts or parts[-1] in ("(", "(?:", "|")):
            raise InvalidRegularExpression("invalid regular expression: quantifier operand invalid")
        after_repeat = repeats
        depth += (token in ("(", "(?:")) - (token == ")")
        if depth < 0:
            raise InvalidRegularExpression("invalid regular expression: parentheses () not balanced")
        if ignore_case and token[0] != "\\":
            token = token.translate(SMALL).replace("[:upper:]", "[:alpha:]").replace("[:lower:]", "[:alpha:]")
        parts.append(_translated(token))
    if depth:
        raise InvalidRegularExpression("invalid regular expression: parentheses () not balanced")
    return "".join(parts)


def _translated(token: str) -> str:
    if token[0] == "\\":
        return _escape(token)
    if token[0] == "[":
        return _bracket(token)
    if token.startswith("(?") and token != "(?:":
        raise _refused("a look-around or embedded options")
    if token[0] == "{":
        return _bound(token)
    if token == "$":
        return "\\z"
    return "\\A" if token == "^" else token


def _escape(token: str) -> str:
    letter = token[1:]
    if letter in _SAME_ESCAPES:
        return token
    if letter in _LETTERS:
        return re.escape(_LETTERS[letter])
    if letter == "A":
        return "\\A"
    if letter == "Z":
        return "\\z"
    if letter == "y":
        return "\\b"
    if not letter:
        raise InvalidRegularExpression("invalid regular expression: invalid escape \\ sequence")
    if letter.isalnum():
        raise _refused(f"the escape \\{letter}")
    return re.escape(letter)


def _bound(token: str) -> str:
    found = _BOUND.fullmatch(token)
    if found is None:
        raise InvalidRegularExpression("invalid regular expression: invalid repetition count(s)")
    counts = [int(number) for number in (found[1], found[3]) if number]
    if max(counts) > REPEAT_MAX or (len(counts) == 2 and counts[0] > counts[1]):
        raise InvalidRegularExpression("invalid regular expression: invalid repetition count(s)")
    return token


def _bracket(token: str) -> str:
    if len(token) < 3 or not token.endswith("]"):
        raise InvalidRegularExpression("invalid regular expression: brackets [] not balanced")
    for name in _CLASS.findall(token):
        if name not in _CLASSES:
            raise InvalidRegularExpression("invalid regular expression: invalid character class")
    plain = _CLASS.sub("", token[1:-1])
    if "[" in plain or "\\" in plain.replace("\\\\", "").replace("\\d", "").replace("\\s", "").replace("\\w", ""):
        raise _refused("this bracket expression")
    head = 2 if token[1] == "^" else 1
    if token[head] == "]":
        return token[:head] + "\\]" + token[head + 1:]
    return token
