"""The functions that a statement adds to the engine: expressions of the plan, over columns in batches."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from typing import Any

from rocklake_server.adhoc.emission import NUMERIC_KEY, Fold, Function
from rocklake_server.adhoc.engine import EngineRows
from rocklake_server.adhoc.numeric_keys import numeric_key
from rocklake_server.adhoc.values import engine_type, from_arrow, to_arrow
from rocklake_server.errors import CatalogError, OutOfMemory, QueryCanceled
from rocklake_server.limits import ENGINE_VALUE_BYTES_MAX
from rocklake_server.pacing import checked, in_slices
from rocklake_server.pgformat.zones import enter_zone, session_zone
from rocklake_server.plan.applications import Contextual
from rocklake_server.plan.expressions import Env, Expr
from rocklake_server.schema.types import NUMERIC, TEXT, ColumnType, Value, array_of

ROWS_PER_TURN = 32
"""Rows after which the thread lets others have the interpreter."""

SESSION_WAIT_S = 0.5
"""How often a thread that waits for the event loop looks whether its statement is still wanted."""

Compute = Callable[[Any], Value]
Rows = list[tuple[Any, ...]]


def _asks_session(node: Expr) -> bool:
    return isinstance(node, Contextual) or any(_asks_session(child) for child in node.children)


class EngineFunctions:
    """Everything that one statement's text calls. Made in the event loop, used in the engine's thread."""

    def __init__(self, functions: Sequence[Function], folds: Sequence[Fold], env: Env, *,
                 orders_numerics: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._zone = session_zone()
        self._made: list[tuple[str, Compute, tuple[ColumnType, ...], ColumnType, bool]] = [
            (function.name, function.expression.bind(env), function.arguments, function.expression.type,
             _asks_session(function.expression))
            for function in functions
        ]
        self._made += [
            (fold.name, _folding(fold), (array_of(fold.element),), fold.result, False) for fold in folds
        ]
        if orders_numerics:
            self._made.append((NUMERIC_KEY, lambda row: None if row[0] is None else numeric_key(row[0]), (NUMERIC,),
                               TEXT, False))

    def add_to(self, rows: EngineRows, connection: Any) -> None:
        """Make them known to ``connection``; what they raise is kept with ``rows``."""
        for name, compute, kinds, result, asks_session in self._made:
            connection.create_function(
                name, self._callable(rows, compute, kinds, result, asks_session=asks_session),
                [engine_type(kind) for kind in kinds], engine_type(result), type="arrow", null_handling="special")

    async def _over_session(self, compute: Compute, content: Rows) -> list[Value]:
        enter_zone(self._zone)
        return await in_slices(lambda: [compute(row) for row in checked(content)])

    def _callable(self, rows: EngineRows, compute: Compute, kinds: Sequence[ColumnType], result: ColumnType, *,
                  asks_session: bool) -> Callable[..., Any]:
        def over_session(content: Rows) -> list[Value]:
            """On the event loop, to which the session's state belongs."""
            answer = asyncio.run_coroutine_threadsafe(self._over_session(compute, content), self._loop)
            while not rows.interrupted:
                try:
                    return answer.result(SESSION_WAIT_S)
                except TimeoutError:
                    continue
            answer.cancel()
            raise QueryCanceled("canceling statement due to user request")

        def call(*arrays: Any) -> Any:
            enter_zone(self._zone)
            try:
                content = list(zip(*(from_arrow(array, kind) for array, kind in zip(arrays, kinds, strict=True)),
                                   strict=True))
                values = over_session(content) if asks_session else _computed(rows, compute, content)
                return to_arrow(values, result)
            except CatalogError as problem:
                rows.problem = rows.problem or problem
                raise

        parameters = [Parameter(f"a{position}", Parameter.POSITIONAL_ONLY) for position in range(len(kinds))]
        # the engine counts parameters by it
        setattr(call, "__signature__", Signature(parameters))  # noqa: B010
        return call


def _computed(rows: EngineRows, compute: Compute, content: Rows) -> list[Value]:
    values: list[Value] = []
    room = ENGINE_VALUE_BYTES_MAX
    for position, row in enumerate(content):
        if position % ROWS_PER_TURN == 0:
            if rows.interrupted:
                raise QueryCanceled("canceling statement due to user request")
            time.sleep(0)
        value = compute(row)
        if isinstance(value, str | bytes | tuple):
            room -= len(value)
            if room < 0:
                raise OutOfMemory("out of memory: a function makes values that are too long together")
        values.append(value)
    return values


def _folding(fold: Fold) -> Compute:
    def compute(row: Sequence[Any]) -> Value:
        listed = row[0] or ()
        value: Value = fold.fold([(item,) for item in listed if fold.keeps_null or item is not None])
        return value

    return compute
