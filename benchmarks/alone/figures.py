"""A measured figure beside the most, or the least, that it may be."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Figure:
    """``target`` is the most that ``value`` may be, or the least when ``at_least``; ``None`` for what is only shown.
    ``details`` are other numbers of the same measurement, by what they are."""

    name: str
    value: float
    unit: str
    target: float | None = None
    at_least: bool = False
    details: dict[str, float] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "met": self.met}


def shown(value: float) -> str:
    """Three digits, or all of a whole number."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


HEADING = f"{'case':64s} {'figure':>10s} {'':12s} {'target':>8s}"


def line(figure: Figure) -> str:
    """One line of the table that is printed, with its details below."""
    target = "" if figure.target is None else f"{'≥' if figure.at_least else '≤'} {figure.target:g}"
    verdict = "" if figure.met in (None, True) else "  missed"
    details = "".join(f"\n    {name}: {shown(value)}" for name, value in figure.details.items())
    return f"{figure.name:64s} {shown(figure.value):>10s} {figure.unit:12s} {target:>8s}{verdict}{details}"
