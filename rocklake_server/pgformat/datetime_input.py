"""Dates and times from text (PostgreSQL manual, Date/Time Input): ISO 8601 and its relatives, session zone UTC.

Relative words (now, today) are refused: a decoder has no clock. Zones are offsets and names of places.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rocklake_server.errors import (
    CatalogError,
    DatetimeOverflow,
    InvalidDatetime,
    InvalidTimeZone,
    Unsupported,
)
from rocklake_server.pgformat.datetimes import (
    DATE_DAY_LAST,
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    DAY_FIRST,
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    TIMESTAMP_END,
    TIMESTAMP_FIRST,
    TIMESTAMP_INFINITY,
    TIMESTAMP_MINUS_INFINITY,
    days_from_civil,
)
from rocklake_server.pgformat.integers import SPACES
from rocklake_server.pgformat.zones import Zone, zone_named

_TIME = r"""
    (?: (?P<hour>[0-9]{1,2}) : (?P<minute>[0-9]{1,2}) (?: : (?P<second>[0-9]{1,2}) (?:\.(?P<fraction>[0-9]*))? )?
      | (?P<hour2>[0-9]{2}) (?P<minute2>[0-9]{2}) (?P<second2>[0-9]{2}) (?:\.(?P<fraction2>[0-9]*))? )
    (?: \s* (?P<half>am|pm) (?![a-z]) )?
"""
_END = r"""
    (?: \s* (?P<zone> [+-][0-9]{1,2} (?: (?: [0-9]{2} | :[0-9]{1,2} ) (?: :?[0-9]{2} )? )?
                    | [a-z][a-z_]*(?:/[a-z_/0-9+-]+)? (?<!bc)(?<!ad) ) )?
    (?: (?: \s+ | (?<=[0-9]) ) (?P<era>bc|ad) )?
"""
_DATE = r"""
    (?: (?P<year>[0-9]{3,}) (?P<sep>[-/]) (?P<month>[0-9]{1,2}) (?P=sep) (?P<day>[0-9]{1,2})
      | (?P<month3>[0-9]{1,2}) (?P<sep3>[-/]) (?P<day3>[0-9]{1,2}) (?P=sep3) (?P<year3>[0-9]{3,})
      | (?P<year2>[0-9]{4}) (?P<month2>[0-9]{2}) (?P<day2>[0-9]{2}) )
"""
_FLAGS = re.VERBOSE | re.ASCII
_STAMP = re.compile(
    rf"{_DATE} (?: (?: \s* t \s* | \s+ ) {_TIME} | \s+ (?=-) | (?!-) ) {_END}", _FLAGS
).fullmatch
_CLOCK = re.compile(rf"(?: {_DATE} (?: \s* t \s* | \s+ ) | t )? {_TIME} {_END}", _FLAGS).fullmatch
_OFFSET = re.compile(r"([+-])([0-9]{1,2})(?::?([0-9]{1,2})(?::?([0-9]{2}))?)?").fullmatch
_UTC_NAMES = ("z", "utc", "gmt", "ut", "zulu", "etc/utc")
_RELATIVE = ("now", "today", "tomorrow", "yesterday")
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ZONE_SECONDS_END = 16 * 3600
_UNIX_EPOCH_DAY = -10_957


@dataclass(frozen=True, slots=True)
class _Problem:
    """Builds the errors about one text of one type."""

    type_name: str
    text: str

    def syntax(self) -> CatalogError:
        return InvalidDatetime(f'invalid input syntax for type {self.type_name}: "{self.text}"')

    def field(self) -> CatalogError:
        return DatetimeOverflow(f'date/time field value out of range: "{self.text}"')

    def range(self, what: str) -> CatalogError:
        return DatetimeOverflow(f'{what} out of range: "{self.text}"')

    def word(self, word: str) -> CatalogError:
        if word in _RELATIVE:
            return Unsupported(f'date/time input "{word}" is not supported')
        return self.syntax()


def _days(match: re.Match[str], problem: _Problem) -> int:
    """The day number of the date part, which must be present."""
    year_text = match["year"] or match["year2"] or match["year3"]
    if len(year_text) > 9:
        raise problem.field()
    year = int(year_text)
    month = int(match["month"] or match["month2"] or match["month3"])
    day = int(match["day"] or match["day2"] or match["day3"])
    if year == 0:
        raise problem.field()
    if match["era"] == "bc":
        year = 1 - year
    if not 1 <= month <= 12 or day < 1:
        raise problem.field()
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if day > _MONTH_DAYS[month - 1] + leap:
        raise problem.field()
    return days_from_civil(year, month, day)


def _micros(match: re.Match[str], problem: _Problem) -> int:
    """Microseconds of the time part, 0 … 24 hours and a leap second; 0 without a time."""
    hour_text = match["hour"] or match["hour2"]
    if hour_text is None:
        return 0
    hour, minute = int(hour_text), int(match["minute"] or match["minute2"])
    second = int(match["second"] or match["second2"] or 0)
    fraction = match["fraction"] or match["fraction2"]
    micros = round(float("0." + fraction) * 1e6) if fraction else 0
    if match["half"]:
        if not 1 <= hour <= 12:
            raise problem.field()
        hour = hour % 12 + (12 if match["half"] == "pm" else 0)
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second or micros)):
        raise problem.field()
    return ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + micros


def _east(match: re.Match[str], problem: _Problem, local: int) -> int:
    """Seconds east of UTC of the zone part when the clock shows ``local``; 0 without one. Raises 22009, 22023 and
    22007."""
    zone = match["zone"]
    if zone is None or zone in _UTC_NAMES:
        return 0
    offset = _OFFSET(zone)
    if offset is None:
        if "/" not in zone:
            raise problem.syntax()
        found = zone_named(zone)
        return 0 if found is None else found.east_on_clock(local)
    hours, minutes, seconds = offset[2], int(offset[3] or 0), int(offset[4] or 0)
    east = (int(hours) * 60 + minutes) * 60 + seconds
    if int(hours) > 15 or minutes > 59 or seconds > 59 or east >= _ZONE_SECONDS_END:
        raise InvalidTimeZone(f'time zone displacement out of range: "{problem.text}"')
    return -east if offset[1] == "-" else east


def decode_date(text: str) -> int:
    """Days since 2000-01-01; a time after the date is read and dropped. Raises 22007, 22008."""
    problem = _Problem("date", text)
    lowered = text.strip(SPACES).lower()
    match = _STAMP(lowered)
    if match is None:
        if lowered in ("infinity", "-infinity"):
            return DATE_MINUS_INFINITY if lowered[0] == "-" else DATE_INFINITY
        if lowered == "epoch":
            return _UNIX_EPOCH_DAY
        raise problem.word(lowered)
    days = _days(match, problem)
    _east(match, problem, days * MICROS_PER_DAY + _micros(match, problem))
    if not DAY_FIRST <= days <= DATE_DAY_LAST:
        raise problem.range("date")
    return days


def timestamp_decoder(type_name: str, *, zoned: bool, zone: Zone | None = None) -> Callable[[str], int]:
    """Decoder to microseconds since 2000-01-01. Without ``zoned`` a zone in the text is read and dropped; with it, a
    text without one is in ``zone``."""

    def decode(text: str) -> int:
        problem = _Problem(type_name, text)
        lowered = text.strip(SPACES).lower()
        match = _STAMP(lowered)
        if match is None:
            if lowered in ("infinity", "-infinity"):
                return TIMESTAMP_MINUS_INFINITY if lowered[0] == "-" else TIMESTAMP_INFINITY
            if lowered == "epoch":
                return _UNIX_EPOCH_DAY * MICROS_PER_DAY
            raise problem.word(lowered)
        micros = _days(match, problem) * MICROS_PER_DAY + _micros(match, problem)
        east = _east(match, problem, micros)
        if zoned:
            if zone is not None and match["zone"] is None:
                east = zone.east_on_clock(micros)
            micros -= east * MICROS_PER_SECOND
        if not TIMESTAMP_FIRST <= micros < TIMESTAMP_END:
            raise problem.range("timestamp")
        return micros

    return decode


def _clock(text: str, type_name: str, *, needs_zone: bool = False) -> tuple[int, int]:
    """(microseconds since midnight, seconds east) of a time with an optional date before it. Raises Unsupported for one
    without a zone where that would be a session's."""
    problem = _Problem(type_name, text)
    lowered = text.strip(SPACES).lower()
    match = _CLOCK(lowered)
    if match is None or (match["era"] and not (match["year"] or match["year2"] or match["year3"])):
        raise problem.word(lowered)
    if needs_zone and match["zone"] is None:
        raise Unsupported("a time without its offset is supported in sessions in UTC only")
    dated = match["year"] or match["year2"] or match["year3"]
    days = _days(match, problem) if dated else 0
    micros = _micros(match, problem)
    if not dated and match["zone"] is not None and "/" in match["zone"]:
        raise problem.syntax()
    east = _east(match, problem, days * MICROS_PER_DAY + micros)
    if micros > MICROS_PER_DAY:
        raise problem.field()
    return micros, east


def decode_time(text: str) -> int:
    """Microseconds since midnight, 24:00:00 included. Raises 22007, 22008."""
    return _clock(text, "time")[0]


def decode_timetz(text: str) -> tuple[int, int]:
    """(microseconds since local midnight, seconds west of UTC). Raises 22007, 22008, 22009."""
    micros, east = _clock(text, "time with time zone")
    return micros, -east


def decode_timetz_in_zone(text: str) -> tuple[int, int]:
    """As ``decode_timetz``, for a session that is not in UTC."""
    micros, east = _clock(text, "time with time zone", needs_zone=True)
    return micros, -east
