"""Which kind of query a text is, by its first keywords."""

from __future__ import annotations

from rocklake_server.errors import Unsupported
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.lexer import TokenKind
from rocklake_server.sql.statements import QueryKind

QUERY_KEYWORDS = {
    "SELECT": QueryKind.SELECT, "VALUES": QueryKind.SELECT, "TABLE": QueryKind.SELECT, "(": QueryKind.SELECT,
    "WITH": None,
    "INSERT": QueryKind.INSERT, "UPDATE": QueryKind.UPDATE, "DELETE": QueryKind.DELETE,
    "CREATE": QueryKind.DDL, "ALTER": QueryKind.DDL, "DROP": QueryKind.DDL, "TRUNCATE": QueryKind.DDL,
    "COMMENT": QueryKind.DDL,
}
REFUSED_KEYWORDS = frozenset({
    "CALL", "CLUSTER", "DECLARE", "DO", "EXECUTE", "FETCH", "GRANT", "IMPORT", "LOAD", "LOCK",
    "MERGE", "MOVE", "PREPARE", "REASSIGN", "REFRESH", "REINDEX", "REVOKE", "SECURITY",
})

_USUAL = {f"{kind.value} ": kind for kind in QueryKind if kind is not QueryKind.DDL}
"""How clients write the first word: with seven characters it is a word of its own."""


def query_kind(text: str) -> QueryKind:
    """The kind of a query. Raises SyntaxProblem for what is none, Unsupported for a command that is not served."""
    usual = _USUAL.get(text[:7])
    if usual is not None:
        return usual
    cursor = Cursor(text)
    word = cursor.token.value
    if cursor.token.kind not in (TokenKind.WORD, TokenKind.SYMBOL):
        cursor.fail()
    if word in REFUSED_KEYWORDS:
        cursor.refuse(word)
    if word not in QUERY_KEYWORDS:
        cursor.fail()
    kind = QUERY_KEYWORDS[word]
    return _after_ctes(cursor) if kind is None else kind


def _after_ctes(cursor: Cursor) -> QueryKind:
    cursor.expect("WITH")
    cursor.take("RECURSIVE")
    while True:
        cursor.name()
        if cursor.at("("):
            cursor.parenthesised()
        cursor.expect("AS")
        if cursor.take("NOT"):
            cursor.expect("MATERIALIZED")
        else:
            cursor.take("MATERIALIZED")
        cursor.parenthesised()
        if not cursor.take(","):
            break
    kind = QUERY_KEYWORDS.get(cursor.token.value) if cursor.token.kind is not TokenKind.QUOTED else None
    if kind is None or kind is QueryKind.DDL:
        if cursor.at("MERGE"):
            raise Unsupported("MERGE is not supported", position=cursor.token.start + 1)
        cursor.fail()
    return kind
