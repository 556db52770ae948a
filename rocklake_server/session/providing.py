"""Planning and running what may ask for schemas that its transaction has not looked at yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rocklake_server.catalog.view import Absent, TransactionView
from rocklake_server.plan.model import Context, Outcome, Plan

Answer = TypeVar("Answer")


async def answer_of(view: TransactionView, ask: Callable[[], Answer]) -> Answer:
    """What ``ask``, which changes nothing, answers once the transaction has looked at all that it asks about."""
    while True:
        try:
            return ask()
        except Absent as absent:
            await view.provide(absent)


async def outcome_of(plan: Plan, context: Context) -> Outcome:
    """What the plan answers. It runs again after each look: a plan asks before it changes anything. Raises what the
    plan raises."""
    while True:
        try:
            return await plan.run(context)
        except Absent as absent:
            await context.view.provide(absent)
