"""Utility statements, read from tokens (PostgreSQL manual, SQL Commands). Anything after the grammar is an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rocklake_server.errors import SyntaxProblem, Unsupported
from rocklake_server.sql.call import parse_call
from rocklake_server.sql.copy import parse_copy
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.cursors import parse_declare, parse_execute, parse_fetch, parse_move, parse_prepare
from rocklake_server.sql.kinds import query_kind
from rocklake_server.sql.lexer import TokenKind
from rocklake_server.sql.names import QualifiedName
from rocklake_server.sql.statements import (
    Analyze,
    Begin,
    Checkpoint,
    CloseCursor,
    Commit,
    Deallocate,
    Discard,
    DiscardTarget,
    Explain,
    Isolation,
    Listen,
    Notify,
    Query,
    Release,
    ResetVariable,
    Rollback,
    RollbackTo,
    Savepoint,
    SetTransaction,
    SetTransactionSnapshot,
    SetVariable,
    ShowVariable,
    TransactionModes,
    Unlisten,
    UtilityStatement,
    Vacuum,
)


def transaction_modes(cursor: Cursor, *, required: bool = False) -> TransactionModes:
    """Transaction modes in any order, with or without commas between them; a later one wins."""
    isolation: Isolation | None = None
    read_only: bool | None = None
    deferrable: bool | None = None
    needed = required
    while True:
        if cursor.take("ISOLATION"):
            cursor.expect("LEVEL")
            isolation = _isolation(cursor)
        elif cursor.take("READ", "ONLY"):
            read_only = True
        elif cursor.take("READ", "WRITE"):
            read_only = False
        elif cursor.take("NOT"):
            cursor.expect("DEFERRABLE")
            deferrable = False
        elif cursor.take("DEFERRABLE"):
            deferrable = True
        elif needed:
            cursor.fail()
        else:
            return TransactionModes(isolation, read_only, deferrable)
        needed = cursor.take(",")


def _isolation(cursor: Cursor) -> Isolation:
    for level in Isolation:
        if cursor.take(*level.value.upper().split()):
            return level
    cursor.fail()


def _begin(cursor: Cursor) -> Begin:
    cursor.take("WORK") or cursor.take("TRANSACTION")
    return Begin(transaction_modes(cursor))


def _start(cursor: Cursor) -> Begin:
    cursor.expect("TRANSACTION")
    return Begin(transaction_modes(cursor), "START TRANSACTION")


def _end_of_block(cursor: Cursor) -> None:
    """``[WORK | TRANSACTION] [AND NO CHAIN]``"""
    if cursor.at("PREPARED"):
        cursor.refuse("two-phase commit")
    cursor.take("WORK") or cursor.take("TRANSACTION")
    if cursor.at("AND") and not cursor.take("AND", "NO", "CHAIN"):
        if cursor.take("AND", "CHAIN"):
            cursor.refuse("AND CHAIN")
        cursor.advance()
        cursor.fail()


def _commit(cursor: Cursor) -> Commit:
    _end_of_block(cursor)
    return Commit()


def _rollback(cursor: Cursor) -> Rollback | RollbackTo:
    _end_of_block(cursor)
    if cursor.take("TO"):
        cursor.take("SAVEPOINT")
        return RollbackTo(cursor.name())
    return Rollback()


def _abort(cursor: Cursor) -> Rollback:
    _end_of_block(cursor)
    return Rollback()


def _savepoint(cursor: Cursor) -> Savepoint:
    return Savepoint(cursor.name())


def _release(cursor: Cursor) -> Release:
    cursor.take("SAVEPOINT")
    return Release(cursor.name())


def _set(cursor: Cursor) -> UtilityStatement:
    if cursor.take("SESSION", "CHARACTERISTICS"):
        cursor.expect("AS", "TRANSACTION")
        return SetTransaction(transaction_modes(cursor, required=True), session=True)
    local = cursor.take("LOCAL")
    if not local:
        cursor.take("SESSION")
    if cursor.take("TRANSACTION"):
        if cursor.take("SNAPSHOT"):
            return SetTransactionSnapshot(cursor.string())
        return SetTransaction(transaction_modes(cursor, required=True))
    if cursor.take("TIME", "ZONE"):
        if cursor.take_one_of("LOCAL", "DEFAULT"):
            return SetVariable("timezone", None, local)
        if cursor.at("INTERVAL"):
            cursor.refuse("SET TIME ZONE INTERVAL")
        return SetVariable("timezone", (_setting_value(cursor),), local)
    if cursor.at("ROLE", "CONSTRAINTS", "AUTHORIZATION"):
        cursor.refuse(f"SET {cursor.token.value}")
    if cursor.take("NAMES"):
        return SetVariable("client_encoding", None if cursor.take("DEFAULT") else (cursor.string(),), local)
    name = _setting_name(cursor)
    if not (cursor.take("TO") or cursor.take("=")):
        cursor.fail()
    if cursor.take("DEFAULT"):
        return SetVariable(name, None, local)
    values = [_setting_value(cursor)]
    while cursor.take(","):
        values.append(_setting_value(cursor))
    return SetVariable(name, tuple(values), local)


def _setting_name(cursor: Cursor) -> str:
    name = cursor.name()
    while cursor.take("."):
        name += "." + cursor.name()
    return name.lower()


def _setting_value(cursor: Cursor) -> str:
    """A string, a number with its sign, or a word as written (PostgreSQL lower-cases unquoted words)."""
    if cursor.token.kind is TokenKind.STRING:
        return cursor.string()
    if cursor.take("-"):
        return "-" + cursor.number()
    cursor.take("+")
    if cursor.token.kind is TokenKind.NUMBER:
        return cursor.number()
    return cursor.name()


def _reset(cursor: Cursor) -> ResetVariable:
    return ResetVariable(_variable_or_all(cursor))


def _show(cursor: Cursor) -> ShowVariable:
    return ShowVariable(_variable_or_all(cursor))


def _variable_or_all(cursor: Cursor) -> str | None:
    if cursor.take("ALL"):
        return None
    if cursor.take("TIME", "ZONE"):
        return "timezone"
    if cursor.take("TRANSACTION", "ISOLATION", "LEVEL"):
        return "transaction_isolation"
    if cursor.at("ROLE", "SESSION"):
        cursor.refuse(f"{cursor.token.value} here")
    return _setting_name(cursor)


def _discard(cursor: Cursor) -> Discard:
    word = cursor.take_one_of("ALL", "PLANS", "SEQUENCES", "TEMP", "TEMPORARY")
    if word is None:
        cursor.fail()
    return Discard(DiscardTarget.TEMP if word == "TEMPORARY" else DiscardTarget(word))


def _listen(cursor: Cursor) -> Listen:
    return Listen(cursor.name())


def _unlisten(cursor: Cursor) -> Unlisten:
    return Unlisten(None if cursor.take("*") else cursor.name())


def _notify(cursor: Cursor) -> Notify:
    channel = cursor.name()
    return Notify(channel, cursor.string() if cursor.take(",") else "")


def _deallocate(cursor: Cursor) -> Deallocate:
    cursor.take("PREPARE")
    return Deallocate(None if cursor.take("ALL") else cursor.name())


def _close(cursor: Cursor) -> CloseCursor:
    return CloseCursor(None if cursor.take("ALL") else cursor.name())


_ANALYZE_OPTIONS = frozenset({"VERBOSE", "SKIP_LOCKED"})
_VACUUM_OPTIONS = _ANALYZE_OPTIONS | {
    "FULL", "FREEZE", "ANALYZE", "DISABLE_PAGE_SKIPPING", "INDEX_CLEANUP", "PROCESS_TOAST", "TRUNCATE", "PARALLEL",
}


def _analyze(cursor: Cursor) -> Analyze:
    if cursor.at("("):
        _option_list(cursor, "ANALYZE", _ANALYZE_OPTIONS)
    else:
        cursor.take("VERBOSE")
    return Analyze(_tables(cursor))


def _vacuum(cursor: Cursor) -> Vacuum:
    if cursor.at("("):
        return Vacuum(analyze="ANALYZE" in _option_list(cursor, "VACUUM", _VACUUM_OPTIONS), tables=_tables(cursor))
    for word in ("FULL", "FREEZE", "VERBOSE"):
        cursor.take(word)
    analyze = cursor.take("ANALYZE")
    return Vacuum(_tables(cursor), analyze)


def _option_list(cursor: Cursor, command: str, known: frozenset[str]) -> set[str]:
    """``(OPTION [value], ...)``; those that are switched on. Raises SyntaxProblem for an unknown one."""
    cursor.expect("(")
    found: set[str] = set()
    while True:
        position, option = cursor.token.start + 1, cursor.name()
        if option.upper() not in known:
            raise SyntaxProblem(f'unrecognized {command} option "{option}"', position=position)
        value = "on" if cursor.at(",", ")") else _setting_value(cursor)
        if value.lower() not in ("off", "false", "0"):
            found.add(option.upper())
        if not cursor.take(","):
            cursor.expect(")")
            return found


def _tables(cursor: Cursor) -> tuple[QualifiedName, ...]:
    if cursor.token.kind is TokenKind.END:
        return ()
    names: list[QualifiedName] = []
    while True:
        names.append(cursor.qualified_name())
        if cursor.at("("):
            cursor.column_list()
        if not cursor.take(","):
            return tuple(names)


def _checkpoint(cursor: Cursor) -> Checkpoint:
    del cursor
    return Checkpoint()


_EXPLAIN_FLAGS = frozenset({"VERBOSE", "COSTS", "SETTINGS", "SUMMARY"})
"""What may be asked for or not: there are no costs, settings or times to show."""

_OFF = frozenset({"FALSE", "OFF", "0"})


def _explain(cursor: Cursor) -> Explain:
    if cursor.take("("):
        _explain_option(cursor)
        while cursor.take(","):
            _explain_option(cursor)
        cursor.expect(")")
    else:
        if cursor.at("ANALYZE", "ANALYSE"):
            cursor.refuse("EXPLAIN ANALYZE")
        cursor.take("VERBOSE")
    start = cursor.token.start
    text = cursor.rest()
    return Explain(Query(text, query_kind(text), start))


def _explain_option(cursor: Cursor) -> None:
    token = cursor.token
    name = cursor.name().upper()
    value = "" if cursor.at(",", ")") else cursor.advance().value.upper()
    if (name == "FORMAT" and value == "TEXT") or name in _EXPLAIN_FLAGS or value in _OFF:
        return
    raise Unsupported(f"EXPLAIN with {name} is not supported", position=token.start + 1)


PARSERS: Mapping[str, Callable[[Cursor], UtilityStatement]] = {
    "ABORT": _abort, "ANALYSE": _analyze, "ANALYZE": _analyze, "BEGIN": _begin, "CALL": parse_call,
    "CHECKPOINT": _checkpoint, "CLOSE": _close, "COMMIT": _commit, "COPY": parse_copy, "DEALLOCATE": _deallocate,
    "DECLARE": parse_declare, "DISCARD": _discard, "END": _commit, "EXECUTE": parse_execute, "EXPLAIN": _explain,
    "FETCH": parse_fetch, "LISTEN": _listen, "MOVE": parse_move, "NOTIFY": _notify, "PREPARE": parse_prepare,
    "RELEASE": _release, "RESET": _reset, "ROLLBACK": _rollback, "SAVEPOINT": _savepoint, "SET": _set, "SHOW": _show,
    "START": _start, "UNLISTEN": _unlisten, "VACUUM": _vacuum,
}


def parse_utility(cursor: Cursor) -> UtilityStatement:
    """The statement at a cursor whose next token is a key of ``PARSERS``."""
    statement = PARSERS[cursor.advance().value](cursor)
    cursor.end()
    return statement
