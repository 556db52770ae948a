"""What a session keeps beside its transaction, and what savepoints do to it."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


class Follower(Protocol):
    """Something that is undone when a transaction, or what it did since a savepoint, is rolled back."""

    def savepoint(self, name: str) -> None: ...

    def release(self, name: str) -> None: ...

    def rollback_to(self, name: str) -> None: ...

    def end(self, *, committed: bool) -> None: ...


class Savepoints(Generic[T]):
    """The open savepoints by name, each with what has to be known to go back to it. The names exist."""

    def __init__(self) -> None:
        self._open: list[tuple[str, T]] = []

    def add(self, name: str, state: T) -> None:
        self._open.append((name, state))

    def release(self, name: str) -> None:
        """Forget the savepoint and all after it."""
        del self._open[self._depth(name) :]

    def back_to(self, name: str) -> T:
        """What was known at the savepoint, which stays; those after it are forgotten."""
        depth = self._depth(name)
        del self._open[depth + 1 :]
        return self._open[depth][1]

    @property
    def innermost(self) -> T | None:
        return self._open[-1][1] if self._open else None

    def clear(self) -> None:
        self._open.clear()

    def _depth(self, name: str) -> int:
        return max(depth for depth, (known, _) in enumerate(self._open) if known == name)
