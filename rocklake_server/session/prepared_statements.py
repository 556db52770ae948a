"""PREPARE and EXECUTE: prepared statements as SQL makes and runs them. Those of Parse are the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rocklake_server.errors import DatatypeMismatch, SyntaxProblem, Unsupported
from rocklake_server.pgformat.text import session_text_decoder
from rocklake_server.plan.casts import converter
from rocklake_server.plan.type_rules import assignable
from rocklake_server.schema.types import TEXT, ColumnType, Value
from rocklake_server.session.statements import SHOWN_CHARACTERS_MAX, Prepared, Registry
from rocklake_server.sql import statements as sql

if TYPE_CHECKING:
    from rocklake_server.session.runner import StatementRunner


async def prepare(runner: StatementRunner, registry: Registry, statement: sql.Prepare, made_us: int) -> None:
    """Raises what planning raises, UndefinedObject for a type, DuplicatePreparedStatement."""
    oids: tuple[int, ...] = ()
    if statement.types:
        nulls = ", ".join(f"CAST(NULL AS {written})" for written in statement.types)
        plan, _ = await runner.planned(sql.Query(f"SELECT {nulls}", sql.QueryKind.SELECT))
        if len(plan.columns or ()) != len(statement.types):
            raise SyntaxProblem("syntax error in the types of a prepared statement's parameters")
        oids = tuple(column.type.oid for column in plan.columns or ())
    plan, _ = await runner.planned(statement.query, oids)
    registry.add_statement(Prepared(
        statement.name, statement.query, oids, runner.shown[:SHOWN_CHARACTERS_MAX], plan.parameters, made_us,
        from_sql=True,
    ))


def prepared_query(registry: Registry, name: str) -> tuple[Prepared, sql.Query]:
    """The query that EXECUTE of ``name`` runs. Raises UndefinedPreparedStatement, Unsupported."""
    prepared = registry.statement(name)
    if not isinstance(prepared.statement, sql.Query):
        raise Unsupported("EXECUTE of a statement other than SELECT, INSERT, UPDATE and DELETE is not supported")
    return prepared, prepared.statement


async def argument_values(
    runner: StatementRunner, statement: sql.ExecutePrepared, wanted: Sequence[ColumnType]
) -> tuple[Value, ...]:
    """The arguments of EXECUTE as values of the parameters' types. Raises SyntaxProblem, DatatypeMismatch, and what
    evaluating and converting them raises."""
    values: Sequence[Value] = ()
    types: Sequence[ColumnType] = ()
    if statement.arguments is not None:
        query = sql.Query(f"VALUES ({statement.arguments})", sql.QueryKind.SELECT)
        plan, context = await runner.planned(query)
        (values,) = (await runner.all_rows(query, plan, context)).rows
        types = [column.type for column in plan.columns or ()]
    if len(values) != len(wanted):
        raise SyntaxProblem(
            f'wrong number of parameters for prepared statement "{statement.name}"',
            detail=f"Expected {len(wanted)} parameters but got {len(values)}.",
        )
    numbered = enumerate(zip(values, types, wanted, strict=True), 1)
    return tuple(_converted(number, value, given, target) for number, (value, given, target) in numbered)


def _converted(number: int, value: Value, given: ColumnType, target: ColumnType) -> Value:
    """An argument as it is assigned. A text may be a literal of any type."""
    if given.oid == TEXT.oid:
        found: Value = None if value is None else session_text_decoder(target)(str(value))
        return found
    if not assignable(given, target):
        raise DatatypeMismatch(
            f"parameter ${number} of type {given.name} cannot be coerced to the expected type {target.name}",
            hint="You will need to rewrite or cast the expression.",
        )
    convert = converter(given, target, explicit=False)
    return value if value is None or convert is None else convert(value)
