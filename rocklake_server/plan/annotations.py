"""COMMENT ON, CREATE INDEX and DROP INDEX: from the statement's data to calls on the transaction."""

from __future__ import annotations

from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import (
    DependentObjects,
    DuplicateTable,
    TooManyColumns,
    UndefinedColumn,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
    Unsupported,
    WrongObjectType,
)
from rocklake_server.limits import IDENTIFIER_BYTES_MAX, INDEX_KEYS_MAX
from rocklake_server.plan.lowering.targets import writes_to
from rocklake_server.plan.model import Notice, Outcome
from rocklake_server.plan.system.indexes import named_index
from rocklake_server.schema.annotations import column_commented, commented, index_commented, without_index
from rocklake_server.schema.model import IndexKey, Relation
from rocklake_server.sql.definitions import Comment, Commented, CreateIndex, DropIndex
from rocklake_server.sql.names import QualifiedName

Annotation = Comment | CreateIndex | DropIndex


def _relation(view: TransactionView, name: QualifiedName) -> Relation | None:
    try:
        return view.resolve(name.schema, name.name)
    except (UndefinedTable, UndefinedSchema):
        return None


def owner_of_index(view: TransactionView, name: QualifiedName) -> Relation | None:
    """The relation that has an index of that name, its primary key's included."""
    found = named_index(view, name.schema, name.name)
    return None if found is None else found[0]


def writes_annotation(view: TransactionView, statement: Annotation) -> bool:
    """Whether the statement changes what is stored: notes about temporary tables are the session's own."""
    if isinstance(statement, Comment) and statement.kind in (Commented.SCHEMA, Commented.DATABASE):
        return True
    names = statement.names if isinstance(statement, DropIndex) else (
        statement.table if isinstance(statement, CreateIndex) else statement.name,)
    owners = [_relation(view, name) or owner_of_index(view, name) for name in names]
    return any(owner is None or writes_to(owner) for owner in owners)


async def run_annotation(view: TransactionView, statement: Annotation) -> Outcome:
    """Raises the errors that PostgreSQL has for names that are not there or are of another kind."""
    if isinstance(statement, Comment):
        await _comment(view, statement)
        return Outcome("COMMENT")
    if isinstance(statement, CreateIndex):
        return await _create_index(view, statement)
    return await _drop_index(view, statement)


async def _comment(view: TransactionView, statement: Comment) -> None:
    name, text = statement.name, statement.text
    if statement.kind is Commented.SCHEMA:
        await view.comment_on_schema(name.name, text)
    elif statement.kind is Commented.DATABASE:
        if name.name != view.database:
            raise Unsupported("COMMENT ON DATABASE of another database than the session's is not supported")
        await view.comment_on_database(text)
    elif statement.kind is Commented.INDEX:
        owner = owner_of_index(view, name)
        if owner is None:
            view.resolve(name.schema, name.name)
            raise WrongObjectType(f'"{name.name}" is not an index')
        await view.annotate(owner, index_commented(owner, name.name, text))
    else:
        relation = _relation(view, name)
        if relation is None and owner_of_index(view, name) is not None:
            raise WrongObjectType(f'"{name.name}" is not a table')
        relation = view.resolve(name.schema, name.name) if relation is None else relation
        noted = commented(relation, text) if statement.column is None else column_commented(
            relation, statement.column, text)
        await view.annotate(relation, noted)


async def _create_index(view: TransactionView, statement: CreateIndex) -> Outcome:
    table = statement.table
    relation = view.resolve(table.schema, table.name)
    if len(statement.columns) > INDEX_KEYS_MAX:
        raise TooManyColumns(f"cannot use more than {INDEX_KEYS_MAX} columns in an index")
    keys: list[IndexKey] = []
    for column in statement.columns:
        if column.name not in relation.index:
            raise UndefinedColumn(f'column "{column.name}" does not exist')
        live = relation.columns[relation.index[column.name]]
        keys.append(IndexKey(live.number, column.descending, column.nulls_first))
    name = _chosen_name(view, relation, [column.name for column in statement.columns]) if (
        statement.name is None) else statement.name
    try:
        await view.create_index(relation, name, keys)
    except DuplicateTable:
        if not statement.if_not_exists:
            raise
        return Outcome("CREATE INDEX", notices=(Notice(f'relation "{name}" already exists, skipping', "42P07"),))
    notice = Notice(f'index "{name}" is recorded and listed; queries do not need it and do not use it')
    return Outcome("CREATE INDEX", notices=(notice,))


def _chosen_name(view: TransactionView, relation: Relation, columns: list[str]) -> str:
    """As PostgreSQL chooses: table_column_idx, the longer part cut, with a number where it is taken."""
    head, middle = relation.name, "_".join(columns)
    for number in range(10_000):
        tail = f"idx{number or ''}"
        room = IDENTIFIER_BYTES_MAX - len(tail) - 2
        while len(head.encode()) + len(middle.encode()) > room:
            if len(head.encode()) > len(middle.encode()):
                head = head[:-1]
            else:
                middle = middle[:-1]
        name = f"{head}_{middle}_{tail}"
        wanted = QualifiedName(relation.schema, name)
        if _relation(view, wanted) is None and owner_of_index(view, wanted) is None:
            return name
    raise DuplicateTable(f'relation "{head}_{middle}_idx" already exists')


async def _drop_index(view: TransactionView, statement: DropIndex) -> Outcome:
    notices: list[Notice] = []
    for name in statement.names:
        owner = owner_of_index(view, name)
        if owner is None:
            if _relation(view, name) is not None:
                raise WrongObjectType(f'"{name.name}" is not an index')
            if not statement.if_exists:
                raise UndefinedObject(f'index "{name.name}" does not exist')
            notices.append(Notice(f'index "{name.name}" does not exist, skipping'))
        elif owner.primary_key and name.name == owner.key_name:
            raise DependentObjects(
                f"cannot drop index {name.name} because constraint {name.name} on table {owner.name} requires it",
                hint=f"You can drop constraint {name.name} on table {owner.name} instead.",
            )
        else:
            await view.annotate(owner, without_index(owner, name.name))
    return Outcome("DROP INDEX", notices=tuple(notices))
