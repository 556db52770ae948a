"""CREATE, ALTER and DROP: from the statement's data to calls on the transaction, with PostgreSQL's notices."""

from __future__ import annotations

from dataclasses import dataclass

from rocklake_server.catalog.view import ColumnDefinition, TransactionView
from rocklake_server.errors import (
    DuplicateColumn,
    DuplicateTable,
    InvalidTableDefinition,
    UndefinedColumn,
    UndefinedSchema,
    UndefinedTable,
    Unsupported,
    WrongObjectType,
)
from rocklake_server.plan.annotations import owner_of_index, run_annotation, writes_annotation
from rocklake_server.plan.casts import assign, cast
from rocklake_server.plan.compiler import literal
from rocklake_server.plan.expressions import Constant, Env, Expr
from rocklake_server.plan.lowering.targets import writes_to
from rocklake_server.plan.model import Context, Notice, Outcome
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import BOOLEAN, UNKNOWN, ColumnType, Value
from rocklake_server.sql import ddl
from rocklake_server.sql.names import QualifiedName


def default_value(column: ddl.ColumnDefinition) -> Value:
    """The DEFAULT of a column, evaluated. Raises what its conversion raises."""
    constant = column.default
    if constant is None or constant.text is None:
        return None
    node: Expr
    if constant.kind == "boolean":
        node = Constant(BOOLEAN, constant.text.lower() == "true")
    elif constant.kind == "number":
        node = literal(constant.text, is_string=False)
    else:
        node = Constant(UNKNOWN, constant.text)
    if constant.cast is not None:
        node = cast(node, constant.cast)
    return assign(node, column.type, column.name).value(Env(()))


def _definition(column: ddl.ColumnDefinition) -> ColumnDefinition:
    return ColumnDefinition(column.name, column.type, column.nullable, default_value(column))


@dataclass(frozen=True, slots=True)
class DdlPlan:
    """One CREATE, ALTER, DROP or COMMENT statement."""

    statement: ddl.DdlStatement
    view: TransactionView

    @property
    def columns(self) -> None:
        return None

    @property
    def parameters(self) -> tuple[ColumnType, ...]:
        return ()

    async def base_scan(self, _view: TransactionView) -> None:
        return None

    @property
    def writes(self) -> bool:
        statement = self.statement
        if isinstance(statement, ddl.CreateTable):
            return not statement.temporary
        if isinstance(statement, ddl.DropTable):
            return any(_is_stored(self.view, name) for name in statement.names)
        return writes_annotation(self.view, statement) if isinstance(statement, ddl.ANNOTATIONS) else True

    async def run(self, context: Context) -> Outcome:
        view, statement = context.view, self.statement
        if isinstance(statement, ddl.CreateTable):
            return await _create_table(view, statement)
        if isinstance(statement, ddl.CreateSchema):
            created = await view.create_schema(statement.name, if_not_exists=statement.if_not_exists)
            notice = Notice(f'schema "{statement.name}" already exists, skipping', "42P06")
            return Outcome("CREATE SCHEMA", notices=() if created else (notice,))
        if isinstance(statement, ddl.DropTable):
            return await _drop_table(view, statement)
        if isinstance(statement, ddl.DropSchema):
            return await _drop_schema(view, statement)
        if isinstance(statement, ddl.AlterTable):
            return await _alter_table(view, statement)
        return await run_annotation(view, statement)


def _is_stored(view: TransactionView, name: QualifiedName) -> bool:
    relation = _found(view, name)
    return relation is None or writes_to(relation)


def _found(view: TransactionView, name: QualifiedName) -> Relation | None:
    try:
        return view.resolve(name.schema, name.name)
    except (UndefinedTable, UndefinedSchema):
        return None


async def _create_table(view: TransactionView, statement: ddl.CreateTable) -> Outcome:
    name = statement.name
    seen: set[str] = set()
    for column in statement.columns:
        if column.name in seen:
            raise DuplicateColumn(f'column "{column.name}" specified more than once')
        seen.add(column.name)
    if statement.temporary and name.schema is not None and not name.schema.startswith("pg_temp"):
        raise InvalidTableDefinition("cannot create temporary relation in non-temporary schema")
    if statement.temporary and statement.on_commit is ddl.OnCommit.DELETE:
        raise Unsupported("ON COMMIT DELETE ROWS is not supported")
    if not statement.temporary and statement.on_commit is not ddl.OnCommit.PRESERVE:
        raise InvalidTableDefinition("ON COMMIT can only be used on temporary tables")
    created = await view.create_relation(
        None if statement.temporary else name.schema, name.name, [_definition(column) for column in statement.columns],
        statement.primary_key, if_not_exists=statement.if_not_exists, temporary=statement.temporary,
        on_commit_drop=statement.on_commit is ddl.OnCommit.DROP,
    )
    notice = Notice(f'relation "{name.name}" already exists, skipping', "42P07")
    return Outcome("CREATE TABLE", notices=() if created else (notice,))


async def _drop_table(view: TransactionView, statement: ddl.DropTable) -> Outcome:
    notices: list[Notice] = []
    relations: list[Relation] = []
    for name in statement.names:
        relation = _found(view, name)
        if relation is not None:
            relations.append(relation)
        elif owner_of_index(view, name) is not None:
            raise WrongObjectType(f'"{name.name}" is not a table')
        elif not statement.if_exists:
            raise UndefinedTable(f'table "{name.name}" does not exist')
        else:
            notices.append(Notice(f'table "{name.name}" does not exist, skipping'))
    for relation in relations:
        await view.drop_relation(relation)
    return Outcome("DROP TABLE", notices=tuple(notices))


async def _drop_schema(view: TransactionView, statement: ddl.DropSchema) -> Outcome:
    notices: list[Notice] = []
    for name in statement.names:
        if not await view.drop_schema(name, if_exists=statement.if_exists, cascade=statement.cascade):
            notices.append(Notice(f'schema "{name}" does not exist, skipping'))
    return Outcome("DROP SCHEMA", notices=tuple(notices))


async def _alter_table(view: TransactionView, statement: ddl.AlterTable) -> Outcome:
    name = statement.name
    if statement.if_exists and _found(view, name) is None:
        return Outcome("ALTER TABLE", notices=(Notice(f'relation "{name.name}" does not exist, skipping'),))
    notices: list[Notice] = []
    for action in statement.actions:
        relation = view.resolve(name.schema, name.name)
        notice = await _alter(view, relation, action)
        if notice is not None:
            notices.append(notice)
    return Outcome("ALTER TABLE", notices=tuple(notices))


async def _alter(view: TransactionView, relation: Relation, action: ddl.AlterAction) -> Notice | None:
    if isinstance(action, ddl.AddColumn):
        column = action.column
        if column.name in relation.index:
            message = f'column "{column.name}" of relation "{relation.name}" already exists'
            if not action.if_not_exists:
                raise DuplicateColumn(message)
            return Notice(f"{message}, skipping", "42701")
        if column.primary_key:
            raise Unsupported("ALTER TABLE ADD COLUMN with a key constraint is not supported")
        await view.add_column(relation, _definition(column))
    elif isinstance(action, ddl.DropColumn):
        if action.name not in relation.index:
            message = f'column "{action.name}" of relation "{relation.name}" does not exist'
            if not action.if_exists:
                raise UndefinedColumn(message)
            return Notice(f"{message}, skipping")
        await view.drop_column(relation, action.name)
    elif isinstance(action, ddl.RenameColumn):
        if action.name not in relation.index:
            raise UndefinedColumn(f'column "{action.name}" does not exist')
        if action.new_name in relation.index:
            raise DuplicateColumn(f'column "{action.new_name}" of relation "{relation.name}" already exists')
        await view.rename_column(relation, action.name, action.new_name)
    else:
        if _found(view, QualifiedName(relation.schema, action.new_name)) is not None:
            raise DuplicateTable(f'relation "{action.new_name}" already exists')
        await view.rename_relation(relation, action.new_name)
    return None
