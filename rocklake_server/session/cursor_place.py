"""Where a cursor stands among its rows, and what FETCH and MOVE do to that.

Source: PostgreSQL manual, FETCH. A cursor stands before the first row, on a row, or behind the last one; it goes there
when it is asked for more rows than follow, not with the last row itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rocklake_server.errors import ObjectNotInPrerequisiteState
from rocklake_server.sql.statements import Direction, Fetch


@dataclass(slots=True)
class CursorPlace:
    """``row`` counts from 1; 0 is before the first, ``count`` + 1 behind the last. ``backward`` tells whether the
    cursor may turn back."""

    count: int
    backward: bool = True
    row: int = 0

    @property
    def is_on_row(self) -> bool:
        return 0 < self.row <= self.count

    def forward(self, wanted: int | None) -> range:
        """The indexes of the next ``wanted`` rows (``None``: of all), where the cursor stands afterwards."""
        start = self.row
        if wanted is None or start + wanted > self.count:
            self.row = self.count + 1
        else:
            self.row = start + wanted
        return range(start, min(self.row, self.count))

    def back(self, wanted: int | None) -> range:
        """As ``forward``, for the rows before. Raises ObjectNotInPrerequisiteState for a cursor of NO SCROLL."""
        self._require_backward()
        start = min(self.row - 1, self.count)
        self.row = 0 if wanted is None else max(self.row - wanted, 0)
        return range(start - 1, max(self.row - 2, -1), -1)

    def fetch(self, asked: Fetch) -> Sequence[int]:
        """The indexes of the rows that FETCH returns and MOVE counts. Raises ObjectNotInPrerequisiteState."""
        count = asked.count
        match asked.direction:
            case Direction.ABSOLUTE:
                return self._absolute(count or 0)
            case Direction.RELATIVE if count:
                return self._relative(count)
            case Direction.FORWARD | Direction.BACKWARD if count is None or count != 0:
                ahead = asked.direction is Direction.FORWARD
                if count is not None and count < 0:
                    ahead, count = not ahead, -count
                return self.forward(count) if ahead else self.back(count)
            case _:
                return self._again(asked)

    def _again(self, asked: Fetch) -> Sequence[int]:
        """The row on which the cursor stands. To return it is to go back to it."""
        if not self.is_on_row:
            return ()
        if asked.rows:
            self._require_backward()
        return (self.row - 1,)

    def _relative(self, count: int) -> Sequence[int]:
        if count > 0:
            if count > 1:
                self.forward(count - 1)
            return self.forward(1)
        if count < -1:
            self.back(-count - 1)
        return self.back(1)

    def _absolute(self, number: int) -> Sequence[int]:
        """A number below 0 counts from the end."""
        if number < 0:
            self.forward(None)
            return self._relative(number)
        if self.row and number <= self.row:
            self._require_backward()
        self.row = min(max(number - 1, 0), self.count + 1)
        return self.forward(1) if number else ()

    def _require_backward(self) -> None:
        if not self.backward:
            raise ObjectNotInPrerequisiteState(
                "cursor can only scan forward", hint="Declare it with SCROLL option to enable backward scan."
            )
