"""COMMENT ON, CREATE INDEX and DROP INDEX, read from tokens (PostgreSQL manual, SQL Commands)."""

from __future__ import annotations

from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.definitions import Comment, Commented, CreateIndex, DropIndex, IndexColumn
from rocklake_server.sql.lexer import TokenKind
from rocklake_server.sql.names import QualifiedName, qualified


def comment_on(cursor: Cursor, database: str | None) -> Comment:
    """``ON kind name IS text``, after COMMENT. Raises SyntaxProblem, Unsupported for another kind of object."""
    cursor.expect("ON")
    word = cursor.take_one_of(*(kind.value for kind in Commented))
    if word is None:
        cursor.refuse(f"COMMENT ON {cursor.token.value}") if cursor.token.kind is TokenKind.WORD else cursor.fail()
    kind, column = Commented(word), None
    if kind in (Commented.SCHEMA, Commented.DATABASE):
        name = QualifiedName(None, cursor.name())
    elif kind is Commented.COLUMN:
        *table, column = _dotted(cursor)
        if not table:
            cursor.fail()
        name = qualified(tuple(table), database)
    else:
        name = cursor.qualified_name(database)
    cursor.expect("IS")
    text = None if cursor.take("NULL") else cursor.string()
    return Comment(kind, name, text or None, column)


def _dotted(cursor: Cursor) -> list[str]:
    parts = [cursor.name()]
    while cursor.take("."):
        parts.append(cursor.name())
    return parts


def create_index(cursor: Cursor, database: str | None) -> CreateIndex:
    """What follows CREATE INDEX. Raises SyntaxProblem, Unsupported for what plain columns do not say."""
    cursor.take("CONCURRENTLY")
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = cursor.name() if if_not_exists or not cursor.at("ON") else None
    cursor.expect("ON")
    cursor.take("ONLY")
    table = cursor.qualified_name(database)
    if cursor.take("USING") and not cursor.take("BTREE"):
        cursor.refuse(f"the index method {cursor.token.value}")
    cursor.expect("(")
    columns = [_index_column(cursor)]
    while cursor.take(","):
        columns.append(_index_column(cursor))
    cursor.expect(")")
    if cursor.at("INCLUDE", "NULLS", "WITH", "TABLESPACE", "WHERE"):
        cursor.refuse(f"CREATE INDEX with {cursor.token.value}")
    return CreateIndex(name, table, tuple(columns), if_not_exists)


def _index_column(cursor: Cursor) -> IndexColumn:
    if cursor.at("("):
        cursor.refuse("an index over an expression")
    name = cursor.name()
    if cursor.at("("):
        cursor.refuse("an index over an expression")
    if not cursor.at("ASC", "DESC", "NULLS", ",", ")"):
        cursor.refuse("an index with a collation or an operator class")
    descending = cursor.take_one_of("ASC", "DESC") == "DESC"
    nulls_first = descending
    if cursor.take("NULLS"):
        nulls_first = cursor.take("FIRST")
        if not nulls_first:
            cursor.expect("LAST")
    return IndexColumn(name, descending, nulls_first)


def drop_index(cursor: Cursor, database: str | None) -> DropIndex:
    """What follows DROP INDEX."""
    cursor.take("CONCURRENTLY")
    if_exists = cursor.take("IF", "EXISTS")
    names = [cursor.qualified_name(database)]
    while cursor.take(","):
        names.append(cursor.qualified_name(database))
    return DropIndex(tuple(names), if_exists, cursor.take_one_of("CASCADE", "RESTRICT") == "CASCADE")
