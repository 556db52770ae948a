"""Procedures: what CALL runs. Declared once each, with arguments that the command line's options derive from too."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias, cast

from rocklake_server.auth.access import Access
from rocklake_server.auth.roles import Privilege
from rocklake_server.catalog.databases import Databases
from rocklake_server.errors import DatatypeMismatch, InvalidParameterValue, SyntaxProblem, UndefinedFunction
from rocklake_server.pgformat.text import session_text_decoder
from rocklake_server.plan.model import ResultColumn
from rocklake_server.schema.types import BY_OID, TEXT, ColumnType, Form, Value
from rocklake_server.sql.statements import Call, CallArgument

SCHEMA = "rocklake"
"""Where procedures are, and what else is the server's own in SQL."""


@dataclass(frozen=True, slots=True)
class Argument:
    """``name`` is SQL's, with low lines; on the command line it is an option with hyphens. ``least`` bounds a number.
    One that is not ``required`` and not given is ``default``."""

    name: str
    type: ColumnType
    help: str
    metavar: str = ""
    least: int | None = None
    required: bool = False
    default: Value = None

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")


@dataclass(frozen=True, slots=True)
class Column:
    """Of a procedure's rows. A text that ``is_json`` holds what the other types cannot."""

    name: str
    type: ColumnType
    is_json: bool = False


def json_column(name: str) -> Column:
    return Column(name, TEXT, is_json=True)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and in which database."""

    user: str
    database: str
    address: str | None = None

    def __str__(self) -> str:
        """For audit records."""
        return self.user if self.address is None else f"{self.user} from {self.address}"


Arguments: TypeAlias = Mapping[str, Value]
Facts: TypeAlias = Mapping[str, object]
"""A procedure's one row by column, as JSON has it."""

ROWS = "rows"
"""What the facts of a procedure with many rows have instead: the facts of each row."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """``run`` is given every argument. It commits by itself, in as many commits as it takes. ``needs`` is the privilege
    in the caller's database. One that ``only_reads`` is not remembered as a run."""

    name: str
    help: str
    arguments: tuple[Argument, ...]
    columns: tuple[Column, ...]
    run: Callable[[Databases, Caller, Arguments], Awaitable[Facts]]
    needs: Privilege = Privilege.ADMIN
    has_rows: bool = False
    only_reads: bool = False

    @property
    def result_columns(self) -> tuple[ResultColumn, ...]:
        return tuple(ResultColumn(column.name, column.type) for column in self.columns)

    def row(self, facts: Facts) -> tuple[Value, ...]:
        """The facts as the row that CALL answers."""
        return tuple(_shown(column, facts[column.name]) for column in self.columns)

    def rows(self, facts: Facts) -> tuple[tuple[Value, ...], ...]:
        """The facts as the rows that CALL answers: one, unless it ``has_rows``."""
        if not self.has_rows:
            return (self.row(facts),)
        return tuple(map(self.row, cast("Sequence[Facts]", facts[ROWS])))

    def facts(self, row: Sequence[object]) -> dict[str, object]:
        """The inverse of ``row``, of what a client read."""
        return {
            column.name: json.loads(value) if column.is_json and isinstance(value, str) else value
            for column, value in zip(self.columns, row, strict=True)
        }


def _shown(column: Column, value: object) -> Value:
    if column.is_json and value is not None:
        return json.dumps(value, ensure_ascii=False)
    assert value is None or isinstance(value, bool | int | float | str), column.name
    return value


Procedures: TypeAlias = Mapping[str, Procedure]
NO_PROCEDURES: Procedures = MappingProxyType({})


def require_may_call(access: Access, procedure: Procedure) -> None:
    """Procedures change what all clients see: they are for admins of the session's database, those that reach past it
    for superusers. Raises InsufficientPrivilege."""
    access.require(procedure.needs, f"CALL {SCHEMA}.{procedure.name}")


async def perform(
    databases: Databases, caller: Caller, procedure: Procedure, arguments: Arguments, schema: str
) -> Facts:
    """Run it, and remember the run unless it is a plan only. Raises what it raises."""
    if procedure.only_reads or arguments.get("apply") is False:
        return await procedure.run(databases, caller, arguments)
    with databases.runs.running(procedure.name, caller.database, schema, str(caller)) as run:
        run.facts = await procedure.run(databases, caller, arguments)
        return run.facts


def find_procedure(procedures: Procedures, call: Call) -> Procedure:
    """Raises UndefinedFunction."""
    name = call.procedure
    found = procedures.get(name.name) if name.schema == SCHEMA else None
    if found is None:
        known = ", ".join(f"{SCHEMA}.{known}" for known in sorted(procedures)) or "none"
        raise UndefinedFunction(f"procedure {name} does not exist", hint=f"There are: {known}.")
    return found


def parameter_types(procedure: Procedure, call: Call, declared: Sequence[int] = ()) -> tuple[ColumnType, ...]:
    """Of the client's $1, $2, …: each is an argument of its own. ``declared`` are the types that the client says it
    sends, 0 for one that it leaves open. Raises DatatypeMismatch, and as ``bound_arguments``."""
    types: dict[int, ColumnType] = {}
    for argument, given in _matched(procedure, call).items():
        if given.parameter is not None:
            oid = declared[given.parameter - 1] if given.parameter <= len(declared) else 0
            types[given.parameter] = _sent_type(argument, oid)
    if sorted(types) != list(range(1, len(types) + 1)):
        raise SyntaxProblem("parameters of a procedure are numbered from $1, and each is one argument")
    return tuple(types[number] for number in sorted(types))


def _sent_type(argument: Argument, oid: int) -> ColumnType:
    sent = BY_OID.get(oid, argument.type) if oid else argument.type
    if sent.form is Form.TEXT or (sent.form is argument.type.form and _element(sent) is _element(argument.type)):
        return sent
    raise DatatypeMismatch(f"argument {argument.name} is of type {argument.type.name}, not {sent.name}")


def _element(of: ColumnType) -> Form | None:
    return None if of.element is None else of.element.form


def bound_arguments(procedure: Procedure, call: Call, parameters: Sequence[Value] = ()) -> dict[str, Value]:
    """Every argument's value. Raises UndefinedFunction for one that is not there, is given twice or is missing,
    InvalidParameterValue for a number below its bound, and what reading a literal raises."""
    bound: dict[str, Value] = {argument.name: argument.default for argument in procedure.arguments}
    for argument, given in _matched(procedure, call).items():
        if given.parameter is not None:
            if given.parameter > len(parameters):
                raise SyntaxProblem(f"there is no parameter ${given.parameter}")
            bound[argument.name] = _parameter(argument, parameters[given.parameter - 1])
        elif given.literal is not None:
            bound[argument.name] = session_text_decoder(argument.type)(given.literal)
        else:
            bound[argument.name] = argument.default
    for argument in procedure.arguments:
        _check(procedure, argument, bound[argument.name])
    return bound


def _parameter(argument: Argument, value: Value) -> Value:
    """A client's parameter, which may be of another type that fits."""
    if value is None:
        return argument.default
    if isinstance(value, str) and argument.type is not TEXT:
        decoded: Value = session_text_decoder(argument.type)(value)
        return decoded
    return value


def _matched(procedure: Procedure, call: Call) -> dict[Argument, CallArgument]:
    by_name = {argument.name: argument for argument in procedure.arguments}
    matched: dict[Argument, CallArgument] = {}
    for position, given in enumerate(call.arguments):
        if given.name is None:
            if any(earlier.name is not None for earlier in call.arguments[:position]):
                raise SyntaxProblem("positional argument cannot follow named argument")
            argument = procedure.arguments[position] if position < len(procedure.arguments) else None
        else:
            argument = by_name.get(given.name)
        if argument is None:
            what = f"an argument {position + 1}" if given.name is None else f'an argument "{given.name}"'
            known = ", ".join(by_name)
            raise UndefinedFunction(f"procedure {SCHEMA}.{procedure.name} does not have {what}",
                                    hint=f"Its arguments are: {known}.")  # fmt: skip
        if argument in matched:
            raise SyntaxProblem(f'argument name "{argument.name}" used more than once')
        matched[argument] = given
    return matched


def _check(procedure: Procedure, argument: Argument, value: Value) -> None:
    if argument.required and value is None:
        raise InvalidParameterValue(f"procedure {SCHEMA}.{procedure.name} needs argument {argument.name}",
                                    hint=argument.help)  # fmt: skip
    if argument.least is not None and isinstance(value, int) and value < argument.least:
        raise InvalidParameterValue(f"argument {argument.name} is {value}; {argument.least} is the least")
