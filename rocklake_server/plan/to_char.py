"""to_char of timestamps: the patterns that need no locale.

Source: PostgreSQL manual, Data Type Formatting Functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from rocklake_server.errors import Unsupported
from rocklake_server.pgformat.datetimes import MICROS_PER_DAY, civil_from_days, days_from_civil

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_NAME_WIDTH = 9
"""Names are padded to the longest one's length, unless FM says otherwise."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A timestamp's fields as patterns ask for them."""

    days: int
    micros: int

    @property
    def civil(self) -> tuple[int, int, int]:
        return civil_from_days(self.days)

    @property
    def day_of_week(self) -> int:
        """0 is Sunday."""
        return (self.days + 6) % 7

    @property
    def day_of_year(self) -> int:
        return self.days - days_from_civil(self.civil[0], 1, 1) + 1

    @property
    def hour(self) -> int:
        return self.micros // 3_600_000_000

    @property
    def iso(self) -> tuple[int, int]:
        thursday = self.days - (self.days + 5) % 7 + 3
        year = civil_from_days(thursday)[0]
        return year, (thursday - days_from_civil(year, 1, 1)) // 7 + 1


Field = Callable[[Moment], str]


def _number(width: int, value: Callable[[Moment], int]) -> tuple[Field, Field]:
    """(padded with zeros, under FM)."""
    return (lambda moment: f"{value(moment):0{width}}"), (lambda moment: str(value(moment)))


def _name(names: tuple[str, ...], index: Callable[[Moment], int], case: Callable[[str], str]) -> tuple[Field, Field]:
    def plain(moment: Moment) -> str:
        return case(names[index(moment)])

    return (lambda moment: plain(moment).ljust(_NAME_WIDTH)), plain


def _short(names: tuple[str, ...], index: Callable[[Moment], int], case: Callable[[str], str]) -> tuple[Field, Field]:
    def plain(moment: Moment) -> str:
        return case(names[index(moment)][:3])

    return plain, plain


def _same(field: Field) -> tuple[Field, Field]:
    return field, field


def _month(moment: Moment) -> int:
    return moment.civil[1] - 1


def _weekday(moment: Moment) -> int:
    return moment.day_of_week


def _year(moment: Moment) -> int:
    year = moment.civil[0]
    return year if year > 0 else 1 - year


def _half(am: str, pm: str) -> tuple[Field, Field]:
    return _same(lambda moment: pm if moment.hour >= 12 else am)


_PATTERNS: dict[str, tuple[Field, Field]] = {
    "YYYY": _number(4, _year), "YYY": _number(3, lambda m: _year(m) % 1000), "YY": _number(2, lambda m: _year(m) % 100),
    "Y": _number(1, lambda m: _year(m) % 10), "IYYY": _number(4, lambda m: m.iso[0]),
    "IW": _number(2, lambda m: m.iso[1]),
    "MM": _number(2, lambda m: m.civil[1]), "DD": _number(2, lambda m: m.civil[2]),
    "DDD": _number(3, lambda m: m.day_of_year), "D": _number(1, lambda m: m.day_of_week + 1),
    "ID": _number(1, lambda m: m.day_of_week or 7), "Q": _number(1, lambda m: _month(m) // 3 + 1),
    "WW": _number(2, lambda m: (m.day_of_year - 1) // 7 + 1), "W": _number(1, lambda m: (m.civil[2] - 1) // 7 + 1),
    "HH24": _number(2, lambda m: m.hour), "HH12": _number(2, lambda m: (m.hour - 1) % 12 + 1),
    "HH": _number(2, lambda m: (m.hour - 1) % 12 + 1), "MI": _number(2, lambda m: m.micros // 60_000_000 % 60),
    "SS": _number(2, lambda m: m.micros // 1_000_000 % 60), "MS": _number(3, lambda m: m.micros // 1000 % 1000),
    "US": _number(6, lambda m: m.micros % 1_000_000), "SSSS": _number(1, lambda m: m.micros // 1_000_000),
    "AM": _half("AM", "PM"), "PM": _half("AM", "PM"), "am": _half("am", "pm"), "pm": _half("am", "pm"),
    "MONTH": _name(_MONTHS, _month, str.upper), "Month": _name(_MONTHS, _month, str),
    "month": _name(_MONTHS, _month, str.lower), "MON": _short(_MONTHS, _month, str.upper),
    "Mon": _short(_MONTHS, _month, str), "mon": _short(_MONTHS, _month, str.lower),
    "DAY": _name(_DAYS, _weekday, str.upper), "Day": _name(_DAYS, _weekday, str),
    "day": _name(_DAYS, _weekday, str.lower), "DY": _short(_DAYS, _weekday, str.upper),
    "Dy": _short(_DAYS, _weekday, str), "dy": _short(_DAYS, _weekday, str.lower),
}
_IN_ANY_CASE = frozenset(name for name in _PATTERNS if name.upper() == name and name.lower() not in _PATTERNS)
_TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*)"|(FM)?(' + "|".join(sorted(_PATTERNS, key=len, reverse=True)) + r")(TH|th)?|(.)",
    re.DOTALL,
)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> tuple[Field | str, ...]:
    """Raises Unsupported for a pattern that asks for anything else."""
    parts: list[Field | str] = []
    for quoted, fill, name, suffix, other in _TOKEN.findall(_normalised(pattern)):
        if suffix:
            raise Unsupported(f"to_char with {suffix} is not supported")
        if name:
            parts.append(_PATTERNS[name][1 if fill else 0])
        elif other and other.isascii() and other.isalpha() and other != "T":
            raise Unsupported(f'to_char with a pattern that has "{other}" is not supported')
        else:
            parts.append(other or quoted.replace('\\"', '"'))
    return tuple(parts)


def _normalised(pattern: str) -> str:
    """Patterns of numbers may be written in small letters; text in quotes stays."""
    pieces = re.split(r'("(?:[^"\\]|\\.)*")', pattern)
    names = "|".join(sorted(_IN_ANY_CASE, key=len, reverse=True))
    words = re.compile("|".join([*sorted(set(_PATTERNS) - _IN_ANY_CASE, key=len, reverse=True), f"(?i:{names})"]))
    return "".join(
        piece if number % 2 else words.sub(lambda found: found[0] if found[0] in _PATTERNS else found[0].upper(), piece)
        for number, piece in enumerate(pieces)
    )


def timestamp_to_char(moment: int, pattern: str) -> str | None:
    """``to_char(timestamp, pattern)``; NULL for the infinities. Raises Unsupported."""
    if abs(moment) >= 2**63 - 1 or not pattern:
        return None
    days, micros = divmod(moment, MICROS_PER_DAY)
    shown = Moment(days, micros)
    return "".join(part if isinstance(part, str) else part(shown) for part in _compiled(pattern))
