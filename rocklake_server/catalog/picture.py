"""Whether the roots that a transaction reads are of one moment, although it took them one after another.

A root is the newest of its lake from when it is published until the next one is. Those of several lakes are one picture
if each was published before the first of them was taken.
"""

from __future__ import annotations

from rocklake_server.catalog.root import PUBLICATIONS


class Picture:
    """``touched`` are the schemas whose rows were read or written."""

    def __init__(self) -> None:
        self.touched: set[str] = set()
        self._entered: dict[str, int] = {}
        self._first_entered: int | None = None
        self._last_published = 0

    def enter(self, schema: str) -> None:
        """The schema's newest root is taken now."""
        self._entered[schema] = PUBLICATIONS.newest

    def touch(self, schema: str, published: int) -> None:
        """``published`` is the number of the schema's root."""
        self.touched.add(schema)
        entered = self._entered.get(schema, 0)
        known = self._first_entered
        self._first_entered = entered if known is None else min(known, entered)
        self._last_published = max(self._last_published, published)

    @property
    def is_torn(self) -> bool:
        return self._first_entered is not None and self._last_published > self._first_entered

    def copy(self) -> Picture:
        """For one that reads the same roots."""
        other = Picture()
        other.touched, other._entered = set(self.touched), dict(self._entered)
        other._first_entered, other._last_published = self._first_entered, self._last_published
        return other
