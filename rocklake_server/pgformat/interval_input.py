"""Intervals from text (PostgreSQL manual, Interval Input): verbose, SQL-standard times, ISO 8601 with designators."""

from __future__ import annotations

import math
import re

from rocklake_server.errors import IntervalOverflow, InvalidDatetime
from rocklake_server.pgformat.datetimes import MICROS_PER_DAY, MICROS_PER_SECOND
from rocklake_server.pgformat.integers import SPACES

_TOKEN = re.compile(
    r"[ \t\n\v\f\r,]*(?:(?P<time>[+-]?[0-9]+:[0-9]+(?::[0-9]+)?(?:\.[0-9]*)?)"
    r"|(?P<months>[+-]?[0-9]+-[0-9]+)"
    r"|(?P<number>[+-](?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?<!\.(?=[a-z])))"
    r"|(?P<word>[a-z]+)|(?P<at>@))"
).match
_ISO_NUMBER = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_ISO = re.compile(rf"P(?=.)((?:{_ISO_NUMBER}[YMWD])*)(?:T((?:{_ISO_NUMBER}[HMS])*))?").fullmatch
_ISO_FIELD = re.compile(rf"({_ISO_NUMBER})([A-Z])")
_ISO_DATE_UNITS = {"Y": "year", "M": "mon", "W": "week", "D": "day"}
_ISO_TIME_UNITS = {"H": "hour", "M": "min", "S": "sec"}
_UNIT_NAMES = {
    "us": "us usec usecs usecond useconds microsecon microsecond microseconds",
    "ms": "ms msec msecs msecond mseconds millisecon millisecond milliseconds",
    "sec": "s sec secs second seconds",
    "min": "m min mins minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "d day days",
    "week": "w week weeks",
    "mon": "mon mons month months",
    "year": "y yr yrs year years",
    "decade": "dec decs decade decades",
    "century": "c cent century centuries",
    "millennium": "mil mils millennia millennium",
}
_UNITS = {name: unit for unit, names in _UNIT_NAMES.items() for name in names.split()}
_MICROS = {
    "us": 1, "ms": 1000, "sec": MICROS_PER_SECOND, "min": 60 * MICROS_PER_SECOND, "hour": 3600 * MICROS_PER_SECOND,
}
_SECOND_UNITS = ("sec", "ms", "us")
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"mon": 1, "year": 12, "decade": 120, "century": 1200, "millennium": 12_000}
_DAYS_PER_MONTH = 30


class _Sum:
    """Adds up fields; each unit may occur once."""

    __slots__ = ("days", "micros", "months", "seen")

    def __init__(self) -> None:
        self.months = self.days = self.micros = 0
        self.seen: set[str] = set()

    def claim(self, *units: str) -> bool:
        fresh = self.seen.isdisjoint(units)
        self.seen.update(units)
        return fresh

    def add_text(self, number: str, unit: str) -> bool:
        """A number as written; False when its unit is there already. Fractional seconds are all three units."""
        whole_text, _, fraction_text = number.partition(".")
        sign = -1 if number[0] == "-" else 1
        whole = int(whole_text) if whole_text.strip("+-") else 0
        self.add(whole, sign * float(f"0.{fraction_text}") if fraction_text else 0.0, unit)
        return self.claim(*(_SECOND_UNITS if unit == "sec" and fraction_text.strip("0") else (unit,)))

    def add(self, whole: int, fraction: float, unit: str) -> None:
        """Fractions of a year become months, of a month days (30 each), of a day microseconds."""
        if unit in _MICROS:
            self.micros += whole * _MICROS[unit]
            self._add_micros(fraction * _MICROS[unit])
        elif unit in _DAYS:
            self.days += whole * _DAYS[unit]
            self._add_days(fraction * _DAYS[unit])
        elif unit == "mon":
            self.months += whole
            self._add_days(fraction * _DAYS_PER_MONTH)
        else:
            self.months += whole * _MONTHS[unit] + round(fraction * _MONTHS[unit])

    def _add_days(self, amount: float) -> None:
        whole = math.trunc(amount)
        self.days += whole
        self._add_micros((amount - whole) * MICROS_PER_DAY)

    def _add_micros(self, amount: float) -> None:
        whole = math.trunc(amount)
        rest = amount - whole
        self.micros += whole + (1 if rest > 0.5 else -1 if rest < -0.5 else 0)

    def add_years_and_months(self, token: str, text: str) -> None:
        """``[-]years-months``."""
        years, _, months = token.lstrip("+-").partition("-")
        if int(months) >= 12:
            raise _overflow(text)
        self.months += (-1 if token[0] == "-" else 1) * (int(years) * 12 + int(months))

    def add_clock(self, token: str, text: str) -> None:
        """``[-]hours:minutes[:seconds]`` or ``minutes:seconds.fraction``."""
        sign = -1 if token[0] == "-" else 1
        clock, _, fraction = token.lstrip("+-").partition(".")
        fields = [int(field) for field in clock.split(":")]
        if len(fields) == 2:
            fields = [0, *fields] if fraction else [*fields, 0]
        hours, minutes, seconds = fields
        micros = round(float("0." + fraction) * 1e6) if fraction else 0
        # As in PostgreSQL, fractions of fields to the right of the clock that reached the micros are lost.
        self.micros = sign * (((hours * 60 + minutes) * 60 + seconds) * MICROS_PER_SECOND + micros)
        if minutes > 59 or seconds > 60:
            raise _overflow(text)

    def result(self, text: str) -> tuple[int, int, int]:
        limit = 1 << 31
        if not (-limit <= self.months < limit and -limit <= self.days < limit
                and -(1 << 63) <= self.micros < 1 << 63):
            raise _overflow(text)
        return self.months, self.days, self.micros


def _syntax(text: str) -> InvalidDatetime:
    return InvalidDatetime(f'invalid input syntax for type interval: "{text}"')


def _overflow(text: str) -> IntervalOverflow:
    return IntervalOverflow(f'interval field value out of range: "{text}"')


def decode_interval(text: str) -> tuple[int, int, int]:
    """(months, days, microseconds). Raises 22007 and 22015."""
    stripped = text.strip(SPACES)
    if len(stripped) > 255:
        raise _syntax(text)
    iso = _ISO(stripped)
    if iso is not None:
        total = _Sum()
        for part, units in zip(iso.groups(""), (_ISO_DATE_UNITS, _ISO_TIME_UNITS), strict=True):
            for number, designator in _ISO_FIELD.findall(part):
                # PostgreSQL splits the binary number here, so that the fraction carries its rounding error.
                value = float(number)
                total.add(math.trunc(value), value - math.trunc(value), units[designator])
        return total.result(text)
    return _verbose(text, _tokens(text, stripped.lower()))


def _tokens(text: str, lowered: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    position = 0
    while position < len(lowered):
        match = _TOKEN(lowered, position)
        if match is None or match.lastgroup is None:
            raise _syntax(text)
        tokens.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    return tokens


def _verbose(text: str, tokens: list[tuple[str, str]]) -> tuple[int, int, int]:
    """Fields from right to left, so that a unit is known before its number.

    A last number without a unit counts seconds, one before a time counts days.
    """
    total = _Sum()
    ago = bool(tokens) and tokens[-1] == ("word", "ago")
    unit = None if ago else "sec"
    pending = False  # a unit word still waits for its number
    for kind, token in reversed(tokens[:-1] if ago else tokens):
        if kind == "number":
            if unit is None or not total.add_text(token, unit):
                raise _syntax(text)
            unit, pending = None, False
        elif pending:
            raise _syntax(text)
        elif kind == "word":
            if token not in _UNITS:
                raise _syntax(text)
            unit, pending = _UNITS[token], True
        elif kind == "time":
            if not total.claim("hour", "min", *_SECOND_UNITS):
                raise _syntax(text)
            total.add_clock(token, text)
            unit = "day"
        elif kind == "months":
            if not total.claim("mon"):
                raise _syntax(text)
            total.add_years_and_months(token, text)
            unit = None
    if pending or not total.seen:
        raise _syntax(text)
    if ago:
        total.months, total.days, total.micros = -total.months, -total.days, -total.micros
    return total.result(text)
