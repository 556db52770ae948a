"""The registry of statement writers: what the generator may choose from, and how often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.differential.lake import Lake

Writer = Callable[[Random, Lake], str]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A writer of one kind of statement; ``needs`` names the part of the lake that must not be empty."""

    kind: str
    weight: float
    needs: str
    in_transaction: bool
    alone: bool
    write: Writer

    def fits(self, lake: Lake, *, in_transaction: bool, alone: bool) -> bool:
        """Whether it may come next; ``alone``: no client has a transaction open."""
        if (in_transaction and not self.in_transaction) or (self.alone and not alone):
            return False
        return not self.needs or bool(getattr(lake, self.needs))


RECIPES: list[Recipe] = []


def recipe(
    kind: str, weight: float, *, needs: str = "", in_transaction: bool = True, alone: bool = False
) -> Callable[[Writer], Writer]:
    """Registers a writer. ``in_transaction`` tells whether the statement may stand in an explicit transaction.

    ``alone`` marks what drops relations: PostgreSQL waits, with a table lock, for every transaction that has read one.
    """

    def register(write: Writer) -> Writer:
        RECIPES.append(Recipe(kind, weight, needs, in_transaction, alone, write))
        return write

    return register
