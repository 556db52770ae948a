"""The ratios of a run as an SVG: one bar for each case, PostgreSQL as a line, targets and floors as marks."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from benchmarks.results import Result

WIDTH = 920
NAMES_WIDTH = 330
VALUES_WIDTH = 60
ROW_HEIGHT = 22
BAR_HEIGHT = 12
TOP = 64
RATIO_MAX = 1.5
"""Longer bars are cut there; their number still says what they are."""

INK, FAINT, GRID = "#24292f", "#6e7781", "#d8dee4"
AHEAD, BEHIND, TARGET, FLOOR = "#2f81f7", "#d29922", "#cf222e", "#24292f"
FONT = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"


def svg(results: Sequence[Result]) -> str:
    """Cases whose figure is better when it is greater are left out: their ratio reads the other way round."""
    shown = [result for result in results if not result.at_least]
    height = TOP + ROW_HEIGHT * len(shown) + 16
    root = ElementTree.Element("svg", {
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {height}", "width": str(WIDTH),
        "height": str(height), "font-family": FONT, "font-size": "12", "role": "img",
    })
    _element(root, "title", text="Time of each case, RockLake / PostgreSQL")
    _element(root, "rect", width=WIDTH, height=height, fill="#ffffff")
    _text(root, 16, 22, "Time of each case, RockLake / PostgreSQL (shorter is faster)", size=15, colour=INK)
    _legend(root)
    for ratio in (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5):
        is_even = ratio == 1.0
        _element(root, "line", x1=_x(ratio), x2=_x(ratio), y1=TOP - 6, y2=height - 12,
                 stroke=FAINT if is_even else GRID, stroke_width=1.5 if is_even else 1)
        _text(root, _x(ratio), TOP - 10, f"{ratio:g}", colour=FAINT, anchor="middle", size=10)
    for row, result in enumerate(shown):
        _bar(root, TOP + ROW_HEIGHT * row, result)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _bar(root: ElementTree.Element, top: float, result: Result) -> None:
    middle = top + ROW_HEIGHT / 2
    _text(root, NAMES_WIDTH - 10, middle + 4, result.name, colour=INK, anchor="end")
    _element(root, "rect", x=_x(0), y=middle - BAR_HEIGHT / 2, width=_x(result.ratio) - _x(0), height=BAR_HEIGHT, rx=2,
             fill=AHEAD if result.ratio <= 1 else BEHIND)
    if result.floor_ratio is not None:
        _element(root, "circle", cx=_x(result.floor_ratio), cy=middle, r=3, fill=FLOOR, stroke="#ffffff")
    if result.target is not None:
        _element(root, "line", x1=_x(result.target), x2=_x(result.target), y1=middle - 9, y2=middle + 9,
                 stroke=TARGET, stroke_width=2)
    _text(root, WIDTH - VALUES_WIDTH + 10, middle + 4, f"{result.ratio:.2f}", colour=INK)


def _legend(root: ElementTree.Element) -> None:
    top = 42
    _element(root, "line", x1=_x(0.5), x2=_x(0.5), y1=top - 12, y2=top + 2, stroke=TARGET, stroke_width=2)
    _text(root, _x(0.5) + 8, top, "target", colour=FAINT, size=11)
    _element(root, "circle", cx=_x(0.75), cy=top - 5, r=3, fill=FLOOR)
    _text(root, _x(0.75) + 8, top, "the client's own share", colour=FAINT, size=11)


def _x(ratio: float) -> float:
    span = WIDTH - NAMES_WIDTH - VALUES_WIDTH
    return round(NAMES_WIDTH + span * min(max(ratio, 0.0), RATIO_MAX) / RATIO_MAX, 1)


def _text(root: ElementTree.Element, x: float, y: float, text: str, *, colour: str, anchor: str = "start",
          size: int = 12) -> None:
    _element(root, "text", text=text, x=x, y=y, fill=colour, text_anchor=anchor, font_size=size)


def _element(root: ElementTree.Element, tag: str, *, text: str | None = None, **attributes: object) -> None:
    element = ElementTree.SubElement(root, tag, {
        name.replace("_", "-"): f"{value:g}" if isinstance(value, float) else str(value)
        for name, value in attributes.items()
    })
    element.text = text
