"""CREATE, ALTER and DROP, read from tokens (PostgreSQL manual, SQL Commands). COMMENT and indexes are in
``sql.annotations``.

Clauses that are valid PostgreSQL but not served are refused by name; a clause whose keyword a client would take for
an invitation to retry is refused by its position.
"""

from __future__ import annotations

from dataclasses import replace

from rocklake_server.errors import InvalidTableDefinition, UndefinedColumn, Unsupported
from rocklake_server.sql.annotations import comment_on, create_index, drop_index
from rocklake_server.sql.columns import column_definition, plain_columns
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.definitions import (
    AddColumn,
    AlterAction,
    AlterTable,
    ColumnDefinition,
    Comment,
    Commented,
    Constant,
    CreateIndex,
    CreateSchema,
    CreateTable,
    DdlStatement,
    DropColumn,
    DropIndex,
    DropSchema,
    DropTable,
    OnCommit,
    RenameColumn,
    RenameTable,
)
from rocklake_server.sql.names import QualifiedName

_OTHER_OBJECTS = (
    "AGGREGATE", "CAST", "COLLATION", "CONVERSION", "DATABASE", "DOMAIN", "EVENT", "EXTENSION", "FOREIGN", "FUNCTION",
    "GROUP", "INDEX", "LANGUAGE", "MATERIALIZED", "OPERATOR", "OWNED", "POLICY", "PROCEDURE", "PUBLICATION", "ROLE",
    "ROUTINE", "RULE", "SEQUENCE", "SERVER", "STATISTICS", "SUBSCRIPTION", "TABLESPACE", "TEXT", "TRIGGER", "TYPE",
    "USER", "VIEW", "RECURSIVE", "DEFAULT", "SYSTEM",
)


def parse_ddl(text: str, database: str | None = None) -> DdlStatement:
    """One CREATE, ALTER, DROP or COMMENT; names may be qualified by ``database``. Raises SyntaxProblem with position,
    Unsupported naming the clause, UndefinedObject for an unknown type, InvalidTableDefinition."""
    cursor = Cursor(text)
    statement: DdlStatement
    if cursor.at("TRUNCATE"):
        cursor.refuse(cursor.token.value)
    if cursor.take("COMMENT"):
        statement = comment_on(cursor, database)
    elif cursor.take("CREATE"):
        statement = _create(cursor, database)
    elif cursor.take("DROP"):
        statement = _drop(cursor, database)
    else:
        cursor.expect("ALTER")
        statement = _alter(cursor, database)
    cursor.end()
    return statement


def _refuse_object(cursor: Cursor, command: str) -> None:
    if cursor.at("UNIQUE"):
        cursor.refuse_at()
    if cursor.at(*_OTHER_OBJECTS):
        cursor.refuse(f"{command} {cursor.token.value}")
    cursor.fail()


def _create(cursor: Cursor, database: str | None) -> DdlStatement:
    if cursor.take("SCHEMA"):
        return _create_schema(cursor)
    if cursor.take("INDEX"):
        return create_index(cursor, database)
    if cursor.at("OR"):
        cursor.refuse("CREATE OR REPLACE")
    if cursor.at("UNLOGGED"):
        cursor.refuse("CREATE UNLOGGED TABLE")
    scoped = cursor.take("LOCAL") or cursor.take("GLOBAL")
    temporary = cursor.take("TEMPORARY") or cursor.take("TEMP")
    if not cursor.take("TABLE"):
        if scoped and not temporary:
            cursor.fail()
        _refuse_object(cursor, "CREATE")
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = cursor.qualified_name(database)
    columns, primary_key = _table_elements(cursor)
    on_commit = _table_options(cursor, temporary=temporary)
    return CreateTable(name, columns, primary_key, if_not_exists, temporary, on_commit)


def _create_schema(cursor: Cursor) -> CreateSchema:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    if cursor.at("AUTHORIZATION"):
        cursor.refuse("CREATE SCHEMA AUTHORIZATION")
    name = cursor.name()
    if cursor.at("AUTHORIZATION", "CREATE", "GRANT"):
        cursor.refuse(f"CREATE SCHEMA with {cursor.token.value}")
    return CreateSchema(name, if_not_exists)


def _table_elements(cursor: Cursor) -> tuple[tuple[ColumnDefinition, ...], tuple[str, ...]]:
    if cursor.at("AS", "OF", "PARTITION"):
        cursor.refuse(f"CREATE TABLE {cursor.token.value}")
    cursor.expect("(")
    columns: list[ColumnDefinition] = []
    table_key: tuple[str, ...] | None = None
    while not (not columns and table_key is None and cursor.at(")")):
        if plain := plain_columns(cursor):
            columns += plain
            if not cursor.take(","):
                break
            continue
        if cursor.at("CONSTRAINT"):
            cursor.advance()
            cursor.name()
        if cursor.take("PRIMARY", "KEY"):
            if table_key is not None:
                raise _two_keys()
            table_key = cursor.column_list()
        elif cursor.at("UNIQUE", "CHECK", "FOREIGN", "EXCLUDE"):
            cursor.refuse_at()
        elif cursor.at("LIKE"):
            cursor.refuse("CREATE TABLE LIKE")
        else:
            columns.append(column_definition(cursor))
        if not cursor.take(","):
            break
    cursor.expect(")")
    return _with_key(columns, table_key)


def _with_key(columns: list[ColumnDefinition],
              table_key: tuple[str, ...] | None) -> tuple[tuple[ColumnDefinition, ...], tuple[str, ...]]:
    of_columns = tuple(column.name for column in columns if column.primary_key)
    if len(of_columns) + (table_key is not None) > 1:
        raise _two_keys()
    key = of_columns if table_key is None else table_key
    names = {column.name for column in columns}
    for name in key:
        if name not in names:
            raise UndefinedColumn(f'column "{name}" named in key does not exist')
    if len(set(key)) != len(key):
        raise InvalidTableDefinition("a column appears twice in the key")
    return tuple(replace(column, nullable=False) if column.name in key else column for column in columns), key


def _two_keys() -> InvalidTableDefinition:
    return InvalidTableDefinition("a table cannot have more than one key")


def _table_options(cursor: Cursor, *, temporary: bool) -> OnCommit:
    if cursor.at("INHERITS", "PARTITION", "USING", "WITH", "WITHOUT", "TABLESPACE", "AS"):
        cursor.refuse(f"CREATE TABLE with {cursor.token.value}")
    if not cursor.at("ON"):
        return OnCommit.PRESERVE
    if not temporary:
        raise InvalidTableDefinition("ON COMMIT can only be used on temporary tables",
                                     position=cursor.token.start + 1)
    cursor.expect("ON", "COMMIT")
    for choice in OnCommit:
        if cursor.take(*choice.value.split()):
            if cursor.at("TABLESPACE", "AS"):
                cursor.refuse(f"CREATE TABLE with {cursor.token.value}")
            return choice
    cursor.fail()


def _drop(cursor: Cursor, database: str | None) -> DdlStatement:
    if cursor.take("SCHEMA"):
        if_exists = cursor.take("IF", "EXISTS")
        schemas = [cursor.name()]
        while cursor.take(","):
            schemas.append(cursor.name())
        return DropSchema(tuple(schemas), if_exists, _cascade(cursor))
    if cursor.take("INDEX"):
        return drop_index(cursor, database)
    if not cursor.take("TABLE"):
        _refuse_object(cursor, "DROP")
    if_exists = cursor.take("IF", "EXISTS")
    names: list[QualifiedName] = [cursor.qualified_name(database)]
    while cursor.take(","):
        names.append(cursor.qualified_name(database))
    return DropTable(tuple(names), if_exists, _cascade(cursor))


def _cascade(cursor: Cursor) -> bool:
    return cursor.take_one_of("CASCADE", "RESTRICT") == "CASCADE"


def _alter(cursor: Cursor, database: str | None) -> AlterTable:
    if not cursor.take("TABLE"):
        _refuse_object(cursor, "ALTER")
    if_exists = cursor.take("IF", "EXISTS")
    cursor.take("ONLY")
    name = cursor.qualified_name(database)
    cursor.take("*")
    if cursor.take("RENAME"):
        return AlterTable(name, (_rename(cursor),), if_exists)
    actions = [_alter_action(cursor)]
    while cursor.take(","):
        actions.append(_alter_action(cursor))
    return AlterTable(name, tuple(actions), if_exists)


def _rename(cursor: Cursor) -> AlterAction:
    if cursor.take("TO"):
        return RenameTable(cursor.name())
    if cursor.at("CONSTRAINT"):
        cursor.refuse("ALTER TABLE RENAME CONSTRAINT")
    cursor.take("COLUMN")
    old = cursor.name()
    cursor.expect("TO")
    return RenameColumn(old, cursor.name())


def _alter_action(cursor: Cursor) -> AlterAction:
    if cursor.take("ADD"):
        if cursor.at("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "EXCLUDE"):
            cursor.refuse_at()
        cursor.take("COLUMN")
        if_not_exists = cursor.take("IF", "NOT", "EXISTS")
        position = cursor.token.start + 1
        column = column_definition(cursor)
        if column.primary_key:
            raise Unsupported(f"a key on the column at position {position} is not supported", position=position)
        return AddColumn(column, if_not_exists)
    if cursor.take("DROP"):
        if cursor.at("CONSTRAINT"):
            cursor.refuse("ALTER TABLE DROP CONSTRAINT")
        cursor.take("COLUMN")
        if_exists = cursor.take("IF", "EXISTS")
        name = cursor.name()
        return DropColumn(name, if_exists, _cascade(cursor))
    cursor.refuse(f"ALTER TABLE {cursor.token.value}" if cursor.at(
        "ALTER", "SET", "RESET", "OWNER", "INHERIT", "NO", "CLUSTER", "ENABLE", "DISABLE", "VALIDATE", "ATTACH",
        "DETACH", "REPLICA", "FORCE", "OF", "NOT") else cursor.fail())

ANNOTATIONS = (Comment, CreateIndex, DropIndex)
"""What changes no rows."""

__all__ = [
    "ANNOTATIONS",
    "AddColumn", "AlterAction", "AlterTable", "ColumnDefinition", "Comment", "Commented", "Constant", "CreateIndex",
    "CreateSchema", "CreateTable", "DdlStatement", "DropColumn", "DropIndex", "DropSchema", "DropTable", "OnCommit",
    "RenameColumn", "RenameTable", "parse_ddl",
]
