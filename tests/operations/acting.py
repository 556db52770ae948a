"""A whole lake in an engine, and procedures called in it."""

from __future__ import annotations

from collections.abc import Mapping

from rocklake_server.operations.procedures import PROCEDURES
from rocklake_server.schema.types import Value
from rocklake_server.session.procedures import Caller, bound_arguments, find_procedure
from rocklake_server.sql.parse import parse_statement
from rocklake_server.sql.statements import Call
from rocklake_server.store.base import Store
from tests.catalog.engine import DATABASE, Engine
from tests.catalog.maintenance.whole_lake import DIRECTORY, build

ADA = Caller("ada", DATABASE)


async def whole_engine() -> Engine:
    engine = await Engine().open()
    await build(engine)
    return engine


def store_of(engine: Engine) -> Store:
    return engine.stores[DIRECTORY]


async def call(engine: Engine, text: str, *parameters: Value) -> Mapping[str, object]:
    """The row that ``CALL rocklake.<text>`` answers, by column."""
    statement = parse_statement(f"CALL rocklake.{text}")
    assert isinstance(statement, Call)
    procedure = find_procedure(PROCEDURES, statement)
    facts = await procedure.run(engine.databases, ADA, bound_arguments(procedure, statement, parameters))
    assert procedure.facts(procedure.row(facts)) == facts
    return facts
