"""What a run of the side-by-side benchmark found, as its JSON holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

JSON_INDENT = 1


@dataclass(frozen=True, slots=True)
class Result:
    """One case. ``ours`` and ``theirs`` are medians in ``unit``; ``floor`` is the client's own share of ours.
    ``target`` is the most that ours / theirs may be, or the least when ``at_least``; ``None`` for what is only shown.
    ``bound`` says what the case cannot be faster than."""

    name: str
    unit: str
    rounds: int
    ours: float
    theirs: float
    floor: float | None = None
    target: float | None = None
    at_least: bool = False
    bound: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def floor_ratio(self) -> float | None:
        """What the ratio would be if our server answered at once."""
        return None if self.floor is None else self.floor / self.theirs

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.ratio >= self.target if self.at_least else self.ratio <= self.target

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "ratio": round(self.ratio, 4), "met": self.met}

    @classmethod
    def of(cls, data: Mapping[str, object]) -> Result:
        """From what ``as_json`` made. Raises TypeError when a field is missing."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in data.items() if name in names})  # type: ignore[arg-type]
