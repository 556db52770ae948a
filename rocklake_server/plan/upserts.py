"""INSERT .. ON CONFLICT: rows whose primary key is taken change the row that holds it, or are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rocklake_server.catalog.view import Bounds, Match, Row
from rocklake_server.errors import CardinalityViolation, NotNullViolation, SerializationFailure, UniqueViolation
from rocklake_server.pacing import checked, in_slices
from rocklake_server.plan.expressions import Env, Expr
from rocklake_server.plan.model import Outcome
from rocklake_server.plan.operators import Operator, bind_all, collected, prepare
from rocklake_server.plan.returning import Returning
from rocklake_server.plan.writes import Assignments, changer, completed
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value

_Primary = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class OnTaken:
    """What becomes of a row whose primary key is taken; ``assignments`` of ``None`` leave it out.

    Assignments and conditions see the row that holds the key, ctid included, followed by the proposed one.
    """

    assignments: Assignments | None
    conditions: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Upsert:
    """INSERT .. ON CONFLICT of rows that are already converted to the types of ``indexes``."""

    relation: Relation
    indexes: tuple[int, ...]
    source: Operator
    taken: OnTaken
    returning: Returning | None = None

    async def run(self, env: Env) -> Outcome:
        """Raises what an insert raises, CardinalityViolation for two rows of one key to update, and
        SerializationFailure when the key's row was committed after this transaction's picture."""
        rows = await collected(self.source, env)
        proposed = await in_slices(lambda: completed(self.relation, self.indexes, rows))
        assignments = self.taken.assignments
        await prepare([*self.taken.conditions, *(value for _index, value in assignments or ())], env)
        if self.returning is not None:
            await self.returning.prepare(env)
        holders = await self._holders(env, proposed)
        fresh, changes, order = await in_slices(lambda: self._sorted_out(env, proposed, holders))
        if self.returning is None:
            return Outcome(f"INSERT 0 {await self._write(env, fresh, changes, None, None)}")
        inserted: list[Row] = []
        changed: list[Row] = []
        tag = f"INSERT 0 {await self._write(env, fresh, changes, inserted, changed)}"
        parts = (iter(changed), iter(inserted))
        return await self.returning.outcome(tag, [next(parts[is_fresh]) for is_fresh in order], env)

    def _sorted_out(
        self, env: Env, proposed: Sequence[Row], holders: Mapping[_Primary, Match]
    ) -> tuple[list[Row], list[tuple[Match, Row]], list[bool]]:
        """(rows to insert, rows to change, of each of both in the order of ``proposed`` whether it is to insert)."""
        assignments = self.taken.assignments
        change = changer(assignments or (), len(self.relation.columns), env)
        keeps = bind_all(self.taken.conditions, env)
        fresh: list[Row] = []
        changes: list[tuple[Match, Row]] = []
        written: set[_Primary] = set()
        order: list[bool] = []
        for row in checked(proposed):
            primary = self._primary(row)
            holder = holders.get(primary)
            if primary not in written and holder is None:
                fresh.append(row)
                order.append(True)
                written.add(primary)
                continue
            self._check_required(row)
            if assignments is None:
                continue
            if holder is None or primary in written:
                raise CardinalityViolation("the DO UPDATE of an INSERT cannot affect row a second time")
            joined = holder.row + row
            if keeps is None or keeps(joined):
                changes.append((holder, change(joined)))
                order.append(False)
                written.add(primary)
        return fresh, changes, order

    async def _write(
        self,
        env: Env,
        fresh: Sequence[Row],
        changes: Sequence[tuple[Match, Row]],
        inserted: list[Row] | None,
        changed: list[Row] | None,
    ) -> int:
        view = env.need().view
        try:
            count = await view.insert(self.relation, fresh, inserted)
        except UniqueViolation:
            raise SerializationFailure.update() from None
        return count + await view.update(self.relation, changes, changed)

    def _primary(self, row: Row) -> _Primary:
        return tuple([row[index] for index in self.relation.primary_key])

    async def _holders(self, env: Env, proposed: Sequence[Row]) -> dict[_Primary, Match]:
        """The visible rows that hold a key of ``proposed``."""
        wanted = await in_slices(lambda: {self._primary(row) for row in checked(proposed)})
        if not wanted or not self.relation.primary_key:
            return {}
        values = {
            index: frozenset({row[index] for row in proposed} - {None}) for index in self.relation.primary_key
        }
        chunks = await env.need().view.chunks(self.relation, Bounds(values))
        return await in_slices(lambda: {
            primary: Match(key, row)
            for chunk in chunks
            for key, row in zip(chunk.keys, checked(chunk.rows), strict=True)
            if (primary := self._primary(row)) in wanted
        })

    def _check_required(self, row: Row) -> None:
        """A row that is left out meets the constraints all the same."""
        for index, column in enumerate(self.relation.columns):
            if row[index] is None and not column.nullable:
                raise NotNullViolation.of(self.relation.name, column.name)
