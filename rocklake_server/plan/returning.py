"""RETURNING: what a write answers of each row that it wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rocklake_server.catalog.view import Row
from rocklake_server.limits import ROWS_HELD_MAX
from rocklake_server.pacing import checked, in_slices
from rocklake_server.plan.expressions import Env, Expr
from rocklake_server.plan.model import Outcome, ResultColumn
from rocklake_server.plan.operators import computed, prepare, too_many_rows


@dataclass(frozen=True, slots=True)
class Returning:
    """``expressions`` see a row as it was written, or as it was removed, ctid included, followed by what UPDATE .. FROM
    joined to it. Their subqueries see what the statement saw."""

    columns: tuple[ResultColumn, ...]
    expressions: tuple[Expr, ...]

    async def prepare(self, env: Env) -> None:
        """To be called before anything is written."""
        await prepare(self.expressions, env)

    async def outcome(self, tag: str, written: Sequence[Row], env: Env) -> Outcome:
        """Raises what evaluation raises, and OutOfMemory."""
        if len(written) > ROWS_HELD_MAX:
            raise too_many_rows()
        bound = [expression.bind(env) for expression in self.expressions]

        def rows() -> list[Row]:
            return [tuple([item(row) for item in bound]) for row in checked(written)]

        return Outcome(tag, await (in_slices(rows) if env.waits else computed(rows, len(written))))
