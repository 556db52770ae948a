"""Fields of dates, times and intervals: extract and date_part.

Source: PostgreSQL manual, Date/Time Functions and Operators. A timestamptz is looked at on the session's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from rocklake_server.errors import InvalidParameterValue, Unsupported
from rocklake_server.pgformat.datetimes import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    civil_from_days,
    days_from_civil,
)
from rocklake_server.pgformat.zones import Zone
from rocklake_server.plan.moments import Interval, infinite
from rocklake_server.plan.overloads import Overload
from rocklake_server.schema.types import (
    DATE,
    DOUBLE,
    INTERVAL,
    NUMERIC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    ColumnType,
    Value,
)

Part: TypeAlias = "Decimal | int | None"

_UNIX_DAYS = 10_957
_HOUR_US, _MINUTE_US = 3600 * MICROS_PER_SECOND, 60 * MICROS_PER_SECOND
_YEAR_SECONDS = 31_557_600
"""365.25 days, which an interval's year counts in epoch."""

_SINGULAR = {
    "years": "year", "y": "year", "yr": "year", "yrs": "year", "mons": "month", "mon": "month", "months": "month",
    "days": "day", "d": "day", "hours": "hour", "h": "hour", "hr": "hour", "hrs": "hour", "minutes": "minute",
    "m": "minute", "min": "minute", "mins": "minute", "seconds": "second", "s": "second", "sec": "second",
    "secs": "second", "millisecond": "milliseconds", "ms": "milliseconds", "msec": "milliseconds",
    "microsecond": "microseconds", "us": "microseconds", "usec": "microseconds", "weeks": "week", "w": "week",
    "quarters": "quarter", "qtr": "quarter", "decades": "decade", "dec": "decade", "centuries": "century",
    "c": "century", "cent": "century", "millenniums": "millennium", "millennia": "millennium", "mil": "millennium",
}


def unit_name(text: str) -> str:
    unit = text.lower()
    return _SINGULAR.get(unit, unit)


def iso_week(days: int) -> tuple[int, int]:
    """(ISO year, week)."""
    thursday = days - weekday(days) + 3
    year = civil_from_days(thursday)[0]
    return year, (thursday - days_from_civil(year, 1, 1)) // 7 + 1


def weekday(days: int) -> int:
    """0 is Monday; 2000-01-01 was a Saturday."""
    return (days + 5) % 7


def _century(year: int) -> int:
    return (year + 99) // 100 if year > 0 else -((99 - (year - 1)) // 100)


def _millennium(year: int) -> int:
    return (year + 999) // 1000 if year > 0 else -((999 - (year - 1)) // 1000)


def _date_part(unit: str, days: int) -> int | None:
    """A field of a calendar day; ``None`` for a unit that is none."""
    year, month, day = civil_from_days(days)
    shown_year = year if year > 0 else year - 1
    match unit:
        case "year":
            return shown_year
        case "month":
            return month
        case "day":
            return day
        case "quarter":
            return (month - 1) // 3 + 1
        case "dow":
            return (weekday(days) + 1) % 7
        case "isodow":
            return weekday(days) + 1
        case "doy":
            return days - days_from_civil(year, 1, 1) + 1
        case "week":
            return iso_week(days)[1]
        case "isoyear":
            found = iso_week(days)[0]
            return found if found > 0 else found - 1
        case "decade":
            return year // 10
        case "century":
            return _century(year)
        case "millennium":
            return _millennium(year)
    return None


_GROWING = frozenset({"year", "decade", "century", "millennium", "isoyear", "epoch"})
_CLOCK_UNITS = frozenset({"hour", "minute", "second", "milliseconds", "microseconds"})
_DAY_UNITS = frozenset({"month", "day", "quarter", "dow", "isodow", "doy", "week"})


def _clock_part(unit: str, micros: int) -> Part:
    """A field of a time of day (or of an interval's time, which may be negative)."""
    size, sign = abs(micros), -1 if micros < 0 else 1
    of_minute = sign * (size % _MINUTE_US)
    match unit:
        case "hour":
            return sign * (size // _HOUR_US)
        case "minute":
            return sign * (size % _HOUR_US // _MINUTE_US)
        case "second":
            return Decimal(of_minute).scaleb(-6)
        case "milliseconds":
            return Decimal(of_minute).scaleb(-3)
        case "microseconds":
            return of_minute
    return None


def refused_unit(unit: str, kind: ColumnType) -> Exception:
    known = unit in _GROWING | _CLOCK_UNITS | _DAY_UNITS | _OFFSET_UNITS | {"julian"}
    if known:
        return Unsupported(f'unit "{unit}" not supported for type {kind.name}')
    return InvalidParameterValue(f'unit "{unit}" not recognized for type {kind.name}')


def _of_timestamp(kind: ColumnType) -> Callable[[str, int], Part]:
    def part(text: str, moment: int) -> Part:
        unit = unit_name(text)
        if unit not in _GROWING | _CLOCK_UNITS | _DAY_UNITS:
            raise refused_unit(unit, kind)
        if infinite(moment):
            return (Decimal("Infinity") if moment > 0 else Decimal("-Infinity")) if unit in _GROWING else None
        if unit == "epoch":
            return Decimal(moment + _UNIX_DAYS * MICROS_PER_DAY).scaleb(-6)
        days, micros = divmod(moment, MICROS_PER_DAY)
        return _clock_part(unit, micros) if unit in _CLOCK_UNITS else _date_part(unit, days)

    return part


_OFFSET_UNITS = frozenset({"timezone", "timezone_hour", "timezone_minute"})


def _of_instant(zone: Zone | None) -> Callable[[str, int], Part]:
    """A field of what a place's clock shows, its offset, or the seconds since 1970."""
    on_clock = _of_timestamp(TIMESTAMPTZ)

    def part(text: str, moment: int) -> Part:
        unit = unit_name(text)
        if unit in _OFFSET_UNITS:
            return None if infinite(moment) else _offset_part(unit, 0 if zone is None else zone.east_at(moment))
        return on_clock(text, moment if zone is None or unit == "epoch" else zone.local(moment))

    return part


def _offset_part(unit: str, east: int) -> int:
    size, sign = abs(east), -1 if east < 0 else 1
    match unit:
        case "timezone_hour":
            return sign * (size // 3600)
        case "timezone_minute":
            return sign * (size % 3600 // 60)
    return east


def _of_date(text: str, days: int) -> Part:
    unit = unit_name(text)
    if unit not in _GROWING | _DAY_UNITS:
        raise refused_unit(unit, DATE)
    if days in (DATE_INFINITY, DATE_MINUS_INFINITY):
        return (Decimal("Infinity") if days > 0 else Decimal("-Infinity")) if unit in _GROWING else None
    return (days + _UNIX_DAYS) * 86_400 if unit == "epoch" else _date_part(unit, days)


def _of_time(text: str, micros: int) -> Part:
    unit = unit_name(text)
    if unit == "epoch":
        return Decimal(micros).scaleb(-6)
    if unit not in _CLOCK_UNITS:
        raise refused_unit(unit, TIME)
    return _clock_part(unit, micros)


def _of_interval(text: str, interval: Interval) -> Part:
    unit = unit_name(text)
    months, days, micros = interval
    years, rest = towards_zero(months, 12)
    match unit:
        case "year":
            return years
        case "month":
            return rest
        case "day":
            return days
        case "quarter":
            return rest // 3 + 1 if rest >= 0 else -(-rest // 3) + 1
        case "decade":
            return towards_zero(years, 10)[0]
        case "century":
            return towards_zero(years, 100)[0]
        case "millennium":
            return towards_zero(years, 1000)[0]
        case "epoch":
            seconds = years * _YEAR_SECONDS + (rest * 30 + days) * 86_400
            return Decimal(seconds * MICROS_PER_SECOND + micros).scaleb(-6)
    if unit not in _CLOCK_UNITS:
        raise refused_unit(unit, INTERVAL)
    return _clock_part(unit, micros)


def towards_zero(value: int, unit: int) -> tuple[int, int]:
    quotient = abs(value) // unit * (1 if value >= 0 else -1)
    return quotient, value - quotient * unit


def _numeric(part: Callable[[str, Any], Part]) -> Callable[[str, Any], Value]:
    def extracted(unit: str, value: Any) -> Value:
        found = part(unit, value)
        return Decimal(found) if isinstance(found, int) else found

    return extracted


def _double(part: Callable[[str, Any], Part]) -> Callable[[str, Any], Value]:
    def extracted(unit: str, value: Any) -> Value:
        found = part(unit, value)
        return None if found is None else float(found)

    return extracted


_of_instant_in_utc = _of_instant(None)
_PARTS: tuple[tuple[ColumnType, Callable[[str, Any], Part]], ...] = (
    (TIMESTAMP, _of_timestamp(TIMESTAMP)), (DATE, _of_date),
    (TIME, _of_time), (INTERVAL, _of_interval),
)


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "extract": (
        Overload((TEXT, TIMESTAMPTZ), NUMERIC, _numeric(_of_instant_in_utc),
                 in_zone=lambda zone: _numeric(_of_instant(zone))),
        *(Overload((TEXT, kind), NUMERIC, _numeric(part)) for kind, part in _PARTS),
    ),
    "date_part": (
        Overload((TEXT, TIMESTAMPTZ), DOUBLE, _double(_of_instant_in_utc),
                 in_zone=lambda zone: _double(_of_instant(zone))),
        *(Overload((TEXT, kind), DOUBLE, _double(part)) for kind, part in _PARTS),
    ),
}
