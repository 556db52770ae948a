"""From a statement that the plan's own operators refuse to one that the embedded engine runs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from rocklake_server.adhoc.emission import Emitter
from rocklake_server.adhoc.engine import EngineRows, load
from rocklake_server.adhoc.functions import EngineFunctions
from rocklake_server.adhoc.inputs import Loading
from rocklake_server.adhoc.queries import Queries
from rocklake_server.adhoc.rows import names_of_rows
from rocklake_server.adhoc.statement import Input, Statement
from rocklake_server.adhoc.values import argument, engine_type
from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import CatalogError, StatementTooComplex, TooManyColumns, Unsupported
from rocklake_server.limits import COLUMNS_MAX
from rocklake_server.pacing import in_slices
from rocklake_server.pgformat.zones import Zone, session_zone
from rocklake_server.plan.dispatch import label
from rocklake_server.plan.expressions import Env
from rocklake_server.plan.model import Context, Outcome, ResultColumn
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import TEXT, ColumnType
from rocklake_server.sql.parse import parse_tree
from rocklake_server.sql.statements import Query, QueryKind

KEPT_STATEMENTS_MAX = 256
"""Rewritten statements that are kept, the least recently used dropped first."""

KEPT_CHARACTERS_MAX = 16_384
"""Longer texts are rewritten each time."""


@dataclass(frozen=True, slots=True, eq=False)
class EnginePlan:
    """A statement for the embedded engine; holds no transaction."""

    text: str
    columns: tuple[ResultColumn, ...]
    parameters: tuple[ColumnType, ...]
    out: Emitter
    inputs: tuple[Input, ...]
    relations: tuple[tuple[str | None, str, Relation], ...]
    writes: bool = False

    def valid(self, view: TransactionView) -> bool:
        """Whether every name still means the relation that the text was made for."""
        for schema, name, relation in self.relations:
            try:
                found = view.resolve(schema, name)
            except CatalogError:
                return False
            if found is not relation and found != relation:
                return False
        return True

    async def base_scan(self, _view: TransactionView) -> None:
        return None

    async def run(self, context: Context) -> Outcome:
        """Raises what computing the first rows raises."""
        await load()
        env = Env((), context)
        arguments = await in_slices(lambda: {
            name: argument(node.value(env), node.type) for name, node in self.out.parameters.items()
        })  # fmt: skip
        functions = EngineFunctions(self.out.functions, self.out.folds, env, orders_numerics=self.out.orders_numerics)
        loading = Loading(env)
        tables = {wanted.name: await loading.table(wanted) for wanted in self.inputs}
        kinds = [column.type for column in self.columns]
        rows = await EngineRows.opened(self.text, arguments, kinds, tables, functions.add_to)
        return Outcome("SELECT", stream=rows)


_Key: TypeAlias = tuple[str, str, tuple[int, ...], Zone | None]
_kept: OrderedDict[_Key, EnginePlan] = OrderedDict()


def known_plan(query: Query, view: TransactionView, parameter_types: Sequence[ColumnType]) -> EnginePlan | None:
    """The plan of a text that the engine ran before, if it still holds."""
    if not _kept or query.kind is not QueryKind.SELECT or len(query.text) > KEPT_CHARACTERS_MAX:
        return None
    key = _key(query, view, parameter_types)
    plan = _kept.get(key)
    if plan is None or not plan.valid(view):
        return None
    _kept.move_to_end(key)
    return plan


def engine_plan(query: Query, view: TransactionView, parameter_types: Sequence[ColumnType] = ()) -> EnginePlan:
    """A SELECT for the embedded engine. Raises Unsupported naming what is not on the lists of what is rewritten, and
    the errors of PostgreSQL's analysis."""
    if query.kind is not QueryKind.SELECT:
        raise Unsupported(f"{query.kind.value} of this kind is not supported")
    try:
        plan = _rewritten(parse_tree(query.text), view, parameter_types)
    except RecursionError:
        raise StatementTooComplex.default() from None
    if len(query.text) <= KEPT_CHARACTERS_MAX:
        while len(_kept) >= KEPT_STATEMENTS_MAX:
            _kept.popitem(last=False)
        _kept[_key(query, view, parameter_types)] = plan
    return plan


def _key(query: Query, view: TransactionView, parameter_types: Sequence[ColumnType]) -> _Key:
    return query.text, view.database, tuple(kind.oid for kind in parameter_types), session_zone()


def _rewritten(tree: exp.Expr, view: TransactionView, parameter_types: Sequence[ColumnType]) -> EnginePlan:
    if not isinstance(tree, exp.Query | exp.Values):
        raise Unsupported(f"the statement {label(tree)} is not supported")
    statement = Statement.over(view, parameter_types)
    statement.row_names = names_of_rows(tree)
    found = Queries(statement).query(tree, None).settled()
    if len(found.outputs) > COLUMNS_MAX:
        raise TooManyColumns(f"target lists can have at most {COLUMNS_MAX} entries")
    for output in found.outputs:
        engine_type(output.type)
    text = found.text()
    types = statement.lowering.parameter_types
    return EnginePlan(
        text,
        tuple(ResultColumn(output.name, output.type, output.table_oid, output.attnum) for output in found.outputs),
        tuple(types.found.get(number, TEXT) for number in range(1, types.highest + 1)),
        statement.out,
        tuple(statement.inputs),
        tuple({(schema, name): (schema, name, relation)
               for schema, name, relation in statement.lowering.relations}.values()),
    )
