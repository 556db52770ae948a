"""The options of COPY (PostgreSQL manual, COPY), in parentheses or in their old spelling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from rocklake_server.errors import InvalidParameterValue, SyntaxProblem, Unsupported
from rocklake_server.pgformat.copy_format import Header
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.lexer import TokenKind
from rocklake_server.sql.statements import CopyFormat, CopyOptions

_REFUSED = frozenset({"FREEZE", "OIDS", "DEFAULT", "ON_ERROR", "LOG_VERBOSITY", "REJECT_LIMIT"})
_TEXTS = frozenset({"FORMAT", "NULL", "DELIMITER", "QUOTE", "ESCAPE", "ENCODING"})
_LISTS = frozenset({"FORCE_QUOTE", "FORCE_NOT_NULL", "FORCE_NULL"})
_HEADERS = {
    "true": Header.PRESENT, "on": Header.PRESENT, "1": Header.PRESENT, "false": Header.ABSENT, "off": Header.ABSENT,
    "0": Header.ABSENT, "match": Header.MATCH,
}
_UNSAFE_DELIMITERS = "\\.abcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(slots=True)
class _Given:
    """What a statement says: texts, column lists (``None`` for all) and the header, each once."""

    texts: dict[str, str] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    header: Header | None = None


@lru_cache(maxsize=256)
def parse_options(tail: str, *, is_from: bool, binary: bool = False) -> CopyOptions:
    """What follows STDIN or STDOUT; ``binary`` says that the word stood before the table. Raises SyntaxProblem,
    InvalidParameterValue, Unsupported."""
    cursor = Cursor(tail)
    given = _Given({"FORMAT": "binary"} if binary else {})
    with_word = cursor.take("WITH")
    if cursor.take("("):
        while True:
            _generic_option(cursor, given, is_from=is_from)
            if not cursor.take(","):
                break
        cursor.expect(")")
    elif with_word and cursor.token.kind is TokenKind.END:
        cursor.fail()
    else:
        while cursor.token.kind is not TokenKind.END and not cursor.at("WHERE"):
            _old_option(cursor, given)
    if cursor.at("WHERE"):
        cursor.refuse("COPY FROM with WHERE")
    cursor.end()
    return _checked(given, is_from=is_from)


def _note(given: _Given, name: str, position: int) -> None:
    if name in given.texts or name in given.lists or (name == "HEADER" and given.header is not None):
        raise SyntaxProblem("redundant options are not allowed here", position=position)


def _generic_option(cursor: Cursor, given: _Given, *, is_from: bool) -> None:
    position = cursor.token.start + 1
    name = cursor.name().upper()
    if name in _REFUSED:
        raise Unsupported(f"COPY option {name} is not supported", position=position)
    if name not in _TEXTS and name not in _LISTS and name != "HEADER":
        raise SyntaxProblem(f'option "{name.lower()}" not recognized', position=position)
    _note(given, name, position)
    if name in _LISTS:
        given.lists[name] = _column_list(cursor, name)
        return
    argument = _argument(cursor)
    if name == "HEADER":
        given.header = _header(argument, is_from=is_from)
    elif argument is None:
        raise SyntaxProblem(f"{name.lower()} requires a parameter", position=position)
    else:
        given.texts[name] = argument


def _argument(cursor: Cursor) -> str | None:
    """A word, string or number after an option's name; ``None`` without one."""
    kind = cursor.token.kind
    if kind is TokenKind.STRING:
        return cursor.string()
    if kind is TokenKind.NUMBER:
        return cursor.number()
    if kind in (TokenKind.WORD, TokenKind.QUOTED):
        return cursor.name()
    return None


def _header(argument: str | None, *, is_from: bool) -> Header:
    found = Header.PRESENT if argument is None else _HEADERS.get(argument.lower())
    if found is None:
        raise SyntaxProblem('header requires a Boolean value or "match"')
    if found is Header.MATCH and not is_from:
        raise Unsupported('cannot use "match" with HEADER in COPY TO')
    return found


def _column_list(cursor: Cursor, name: str) -> tuple[str, ...] | None:
    if name == "FORCE_QUOTE" and cursor.take("*"):
        return None
    if not cursor.at("("):
        raise InvalidParameterValue(f'argument to option "{name.lower()}" must be a list of column names')
    return cursor.column_list()


def _old_option(cursor: Cursor, given: _Given) -> None:
    position = cursor.token.start + 1
    word = cursor.take_one_of(
        "BINARY", "CSV", "HEADER", "NULL", "DELIMITER", "DELIMITERS", "QUOTE", "ESCAPE", "ENCODING", "FORCE")
    if word is None:
        if cursor.at("FREEZE"):
            cursor.refuse("COPY option FREEZE")
        if cursor.at("USING"):
            cursor.refuse("COPY with USING DELIMITERS")
        cursor.fail()
    if word in ("BINARY", "CSV"):
        _note(given, "FORMAT", position)
        given.texts["FORMAT"] = word.lower()
    elif word == "HEADER":
        _note(given, word, position)
        given.header = Header.PRESENT
    elif word == "FORCE":
        _old_list(cursor, given, position)
    else:
        name = "DELIMITER" if word == "DELIMITERS" else word
        _note(given, name, position)
        if word != "ENCODING":
            cursor.take("AS")
        given.texts[name] = cursor.string()


def _old_list(cursor: Cursor, given: _Given, position: int) -> None:
    """``FORCE QUOTE | FORCE NOT NULL | FORCE NULL`` and columns without parentheses."""
    if cursor.take("NOT", "NULL"):
        name = "FORCE_NOT_NULL"
    elif cursor.take("NULL"):
        name = "FORCE_NULL"
    else:
        cursor.expect("QUOTE")
        name = "FORCE_QUOTE"
    _note(given, name, position)
    if name == "FORCE_QUOTE" and cursor.take("*"):
        given.lists[name] = None
        return
    columns = [cursor.name()]
    while cursor.take(","):
        columns.append(cursor.name())
    given.lists[name] = tuple(columns)


def _checked(given: _Given, *, is_from: bool) -> CopyOptions:
    texts = given.texts
    written = texts.get("FORMAT", "text")
    if written not in ("text", "csv", "binary"):
        raise InvalidParameterValue(f'COPY format "{written}" not recognized')
    encoding = texts.get("ENCODING", "utf8")
    if "".join(filter(str.isalnum, encoding.lower())) not in ("utf8", "unicode"):
        raise Unsupported(f'COPY with encoding "{encoding}" is not supported: it is UTF8')
    form = CopyFormat(written)
    if form is CopyFormat.BINARY:
        for name in ("DELIMITER", "NULL"):
            if name in texts:
                raise SyntaxProblem(f"cannot specify {name} in BINARY mode")
    is_csv = form is CopyFormat.CSV
    quote = texts.get("QUOTE", '"')
    options = CopyOptions(
        form,
        null=texts.get("NULL", "" if is_csv else "\\N"),
        delimiter=texts.get("DELIMITER", "," if is_csv else "\t"),
        header=given.header or Header.ABSENT,
        quote=quote,
        escape=texts.get("ESCAPE", quote),
        force_quote=given.lists.get("FORCE_QUOTE", ()),
        force_not_null=given.lists.get("FORCE_NOT_NULL") or (),
        force_null=given.lists.get("FORCE_NULL") or (),
    )
    _check_characters(options)
    if form is CopyFormat.BINARY and options.header is not Header.ABSENT:
        raise Unsupported("cannot specify HEADER in BINARY mode")
    _check_csv_only(given, is_csv=is_csv, is_from=is_from, options=options)
    if options.delimiter in options.null:
        raise Unsupported("COPY delimiter must not appear in the NULL specification")
    if is_csv and options.quote in options.null:
        raise Unsupported("CSV quote character must not appear in the NULL specification")
    return options


def _one_byte(text: str) -> bool:
    return len(text.encode()) == 1


def _check_characters(options: CopyOptions) -> None:
    delimiter = options.delimiter
    if not _one_byte(delimiter):
        raise Unsupported("COPY delimiter must be a single one-byte character")
    if delimiter in "\r\n":
        raise InvalidParameterValue("COPY delimiter cannot be newline or carriage return")
    if "\r" in options.null or "\n" in options.null:
        raise InvalidParameterValue("COPY null representation cannot use newline or carriage return")
    if options.format is CopyFormat.TEXT and delimiter in _UNSAFE_DELIMITERS:
        raise InvalidParameterValue(f'COPY delimiter cannot be "{delimiter}"')


def _check_csv_only(given: _Given, *, is_csv: bool, is_from: bool, options: CopyOptions) -> None:
    present: Mapping[str, object] = {**given.texts, **given.lists}
    for name, what, check in _CSV_ONLY:
        if name not in present:
            continue
        if not is_csv:
            raise Unsupported(f"COPY {what} available only in CSV mode")
        check(what, options, is_from)
    if is_csv and options.delimiter == options.quote:
        raise InvalidParameterValue("COPY delimiter and quote must be different")


def _check_mark(what: str, options: CopyOptions, _is_from: bool) -> None:
    mark = options.quote if what == "quote" else options.escape
    if not _one_byte(mark):
        raise Unsupported(f"COPY {what} must be a single one-byte character")
    if mark in "\r\n":
        raise Unsupported(f"COPY {what} of newline or carriage return is not supported")


def _check_direction(what: str, _options: CopyOptions, is_from: bool) -> None:
    if is_from is (what == "force quote"):
        raise Unsupported(f"COPY {what} only available using COPY {'TO' if is_from else 'FROM'}")


_CSV_ONLY: tuple[tuple[str, str, Callable[[str, CopyOptions, bool], None]], ...] = (
    ("QUOTE", "quote", _check_mark),
    ("ESCAPE", "escape", _check_mark),
    ("FORCE_QUOTE", "force quote", _check_direction),
    ("FORCE_NOT_NULL", "force not null", _check_direction),
    ("FORCE_NULL", "force null", _check_direction),
)
