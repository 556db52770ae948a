"""Text forms of dates, times and intervals as PostgreSQL prints them: DateStyle ISO, IntervalStyle postgres, UTC.

Days and microseconds count from 2000-01-01. The calendar is the proleptic Gregorian one; year 0 prints as 1 BC.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Protocol

from rocklake_server.errors import DatetimeOverflow

MICROS_PER_SECOND = 1_000_000
MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND
DATE_MINUS_INFINITY, DATE_INFINITY = -(1 << 31), (1 << 31) - 1
TIMESTAMP_MINUS_INFINITY, TIMESTAMP_INFINITY = -(1 << 63), (1 << 63) - 1
DAY_FIRST = -2_451_545
"""4714-11-24 BC, Julian day 0."""
DATE_DAY_LAST = 2_145_031_948
"""5874897-12-31."""

class ZoneRules(Protocol):
    """A time zone."""

    def east_at(self, moment: int) -> int: ...


_EPOCH_ORDINAL = date(2000, 1, 1).toordinal()
_PROLEPTIC_FIRST, _PROLEPTIC_LAST = 1 - _EPOCH_ORDINAL, date(9999, 12, 31).toordinal() - _EPOCH_ORDINAL
_DAYS_PER_ERA = 146_097
"""400 years."""
_MARCH_ERA_START = 730_425
"""Days from 0000-03-01 to 2000-01-01."""


def civil_from_days(days: int) -> tuple[int, int, int]:
    """(year, month, day) of a day number; the year counts astronomically (0 is 1 BC).

    Years are taken from 1 March, so that the leap day is a year's last and month lengths follow a linear rule.
    """
    era, day_of_era = divmod(days + _MARCH_ERA_START, _DAYS_PER_ERA)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year_of_era + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def days_from_civil(year: int, month: int, day: int) -> int:
    """The inverse of ``civil_from_days``; the day must exist."""
    if month <= 2:
        year -= 1
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * _DAYS_PER_ERA + day_of_era - _MARCH_ERA_START


TIMESTAMP_FIRST, TIMESTAMP_END = DAY_FIRST * MICROS_PER_DAY, days_from_civil(294_277, 1, 1) * MICROS_PER_DAY


def check_date(days: int) -> int:
    """``days`` itself. Raises 22008 outside PostgreSQL's calendar; the infinities are inside."""
    if DAY_FIRST <= days <= DATE_DAY_LAST or days in (DATE_MINUS_INFINITY, DATE_INFINITY):
        return days
    raise DatetimeOverflow("date out of range")


def check_timestamp(micros: int) -> int:
    """``micros`` itself. Raises 22008 outside PostgreSQL's calendar; the infinities are inside."""
    if TIMESTAMP_FIRST <= micros < TIMESTAMP_END or micros in (TIMESTAMP_MINUS_INFINITY, TIMESTAMP_INFINITY):
        return micros
    raise DatetimeOverflow("timestamp out of range")


def _date_text(days: int) -> tuple[str, str]:
    """The date and its era suffix."""
    if _PROLEPTIC_FIRST <= days <= _PROLEPTIC_LAST:
        return date.fromordinal(days + _EPOCH_ORDINAL).isoformat(), ""
    year, month, day = civil_from_days(days)
    return f"{year if year > 0 else 1 - year:04d}-{month:02d}-{day:02d}", "" if year > 0 else " BC"


def encode_date(days: int) -> str:
    """``2026-11-30``, ``0044-03-15 BC``, ``infinity``."""
    if days in (DATE_INFINITY, DATE_MINUS_INFINITY):
        return "infinity" if days > 0 else "-infinity"
    text, era = _date_text(days)
    return text + era


def encode_time(micros: int) -> str:
    """``03:53:02.43425``; trailing zeros of the fraction are left out."""
    seconds, fraction = divmod(micros, MICROS_PER_SECOND)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    text = f"{hour:02d}:{minute:02d}:{second:02d}"
    return f"{text}.{fraction:06d}".rstrip("0") if fraction else text


def timestamp_encoder(zone: str) -> Callable[[int], str]:
    """Encoder with ``zone`` after the time: ``+00`` for timestamptz, nothing for timestamp."""

    def encode(micros: int) -> str:
        if micros in (TIMESTAMP_INFINITY, TIMESTAMP_MINUS_INFINITY):
            return "infinity" if micros > 0 else "-infinity"
        days, micros_of_day = divmod(micros, MICROS_PER_DAY)
        text, era = _date_text(days)
        return f"{text} {encode_time(micros_of_day)}{zone}{era}"

    return encode


def timestamp_encoder_in(zone: ZoneRules) -> Callable[[int], str]:
    """Encoder of timestamptz in a zone."""

    def encode(micros: int) -> str:
        if micros in (TIMESTAMP_INFINITY, TIMESTAMP_MINUS_INFINITY):
            return "infinity" if micros > 0 else "-infinity"
        east = zone.east_at(micros)
        days, micros_of_day = divmod(micros + east * MICROS_PER_SECOND, MICROS_PER_DAY)
        text, era = _date_text(days)
        return f"{text} {encode_time(micros_of_day)}{offset_text(east)}{era}"

    return encode


def offset_text(east: int) -> str:
    """``+05:30``, ``-03``: seconds east of UTC."""
    minutes, second = divmod(abs(east), 60)
    hour, minute = divmod(minutes, 60)
    zone = f"{'-' if east < 0 else '+'}{hour:02d}"
    if minute or second:
        zone += f":{minute:02d}"
    return f"{zone}:{second:02d}" if second else zone


def encode_timetz(value: tuple[int, int]) -> str:
    """``03:53:02+05:30``; the stored zone counts seconds west of UTC."""
    micros, west = value
    return encode_time(micros) + offset_text(-west)


def encode_interval(value: tuple[int, int, int]) -> str:
    """IntervalStyle postgres: ``1 year 2 mons -3 days +04:05:06.789``; zero is ``00:00:00``."""
    months, days, micros = value
    years, months = (months // 12, months % 12) if months >= 0 else (-(-months // 12), -(-months % 12))
    parts: list[str] = []
    negative = False
    for amount, unit in ((years, "year"), (months, "mon"), (days, "day")):
        if amount:
            parts.append(f"{'+' if negative and amount > 0 else ''}{amount} {unit}{'' if amount == 1 else 's'}")
            negative = amount < 0
    if micros or not parts:
        parts.append(("-" if micros < 0 else "+" if negative else "") + encode_time(abs(micros)))
    return " ".join(parts)


def micros_rounder(precision: int) -> Callable[[int], int]:
    """Round half away from zero to ``precision`` (0 … 6) decimal places of a second."""
    unit: int = 10 ** (6 - precision)
    half = unit // 2

    def rounded(micros: int) -> int:
        if micros >= 0:
            return (micros + half) // unit * unit
        return -((half - micros) // unit * unit)

    return rounded
