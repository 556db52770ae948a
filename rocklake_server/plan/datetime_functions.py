"""Functions of dates, times and intervals, one row each.

Source: PostgreSQL manual, Date/Time Functions and Operators. The time zone is UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from rocklake_server.errors import DatetimeOverflow, InvalidParameterValue, Unsupported
from rocklake_server.pgformat.datetimes import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    check_date,
    check_timestamp,
    civil_from_days,
    days_from_civil,
)
from rocklake_server.plan.applications import Contextual
from rocklake_server.plan.moments import (
    Interval,
    checked_interval,
    date_to_timestamp,
    infinite,
    justify_days,
    justify_hours,
    month_length,
)
from rocklake_server.plan.overloads import Overload
from rocklake_server.plan.to_char import timestamp_to_char
from rocklake_server.schema.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
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


def _refused(unit: str, kind: ColumnType) -> Exception:
    known = unit in _GROWING | _CLOCK_UNITS | _DAY_UNITS | {"julian", "timezone", "timezone_hour", "timezone_minute"}
    if known:
        return Unsupported(f'unit "{unit}" not supported for type {kind.name}')
    return InvalidParameterValue(f'unit "{unit}" not recognized for type {kind.name}')


def _of_timestamp(kind: ColumnType) -> Callable[[str, int], Part]:
    def part(text: str, moment: int) -> Part:
        unit = unit_name(text)
        if unit not in _GROWING | _CLOCK_UNITS | _DAY_UNITS:
            raise _refused(unit, kind)
        if infinite(moment):
            return (Decimal("Infinity") if moment > 0 else Decimal("-Infinity")) if unit in _GROWING else None
        if unit == "epoch":
            return Decimal(moment + _UNIX_DAYS * MICROS_PER_DAY).scaleb(-6)
        days, micros = divmod(moment, MICROS_PER_DAY)
        return _clock_part(unit, micros) if unit in _CLOCK_UNITS else _date_part(unit, days)

    return part


def _of_date(text: str, days: int) -> Part:
    unit = unit_name(text)
    if unit not in _GROWING | _DAY_UNITS:
        raise _refused(unit, DATE)
    if days in (DATE_INFINITY, DATE_MINUS_INFINITY):
        return (Decimal("Infinity") if days > 0 else Decimal("-Infinity")) if unit in _GROWING else None
    return (days + _UNIX_DAYS) * 86_400 if unit == "epoch" else _date_part(unit, days)


def _of_time(text: str, micros: int) -> Part:
    unit = unit_name(text)
    if unit == "epoch":
        return Decimal(micros).scaleb(-6)
    if unit not in _CLOCK_UNITS:
        raise _refused(unit, TIME)
    return _clock_part(unit, micros)


def _of_interval(text: str, interval: Interval) -> Part:
    unit = unit_name(text)
    months, days, micros = interval
    years, rest = _towards_zero(months, 12)
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
            return _towards_zero(years, 10)[0]
        case "century":
            return _towards_zero(years, 100)[0]
        case "millennium":
            return _towards_zero(years, 1000)[0]
        case "epoch":
            seconds = years * _YEAR_SECONDS + (rest * 30 + days) * 86_400
            return Decimal(seconds * MICROS_PER_SECOND + micros).scaleb(-6)
    if unit not in _CLOCK_UNITS:
        raise _refused(unit, INTERVAL)
    return _clock_part(unit, micros)


def _towards_zero(value: int, unit: int) -> tuple[int, int]:
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


_PARTS: tuple[tuple[ColumnType, Callable[[str, Any], Part]], ...] = (
    (TIMESTAMPTZ, _of_timestamp(TIMESTAMPTZ)), (TIMESTAMP, _of_timestamp(TIMESTAMP)), (DATE, _of_date),
    (TIME, _of_time), (INTERVAL, _of_interval),
)


def _truncate_days(unit: str, days: int) -> int | None:
    year, month, _day = civil_from_days(days)
    match unit:
        case "day":
            return days
        case "week":
            return days - weekday(days)
        case "month":
            return days_from_civil(year, month, 1)
        case "quarter":
            return days_from_civil(year, (month - 1) // 3 * 3 + 1, 1)
        case "year":
            return days_from_civil(year, 1, 1)
        case "decade":
            return days_from_civil(year // 10 * 10, 1, 1)
        case "century":
            return days_from_civil((year - 1) // 100 * 100 + 1, 1, 1)
        case "millennium":
            return days_from_civil((year - 1) // 1000 * 1000 + 1, 1, 1)
    return None


_CLOCK_STEPS = {"microseconds": 1, "milliseconds": 1000, "second": MICROS_PER_SECOND, "minute": _MINUTE_US,
                "hour": _HOUR_US}


def _truncate_timestamp(kind: ColumnType) -> Callable[[str, int], int]:
    def truncate(text: str, moment: int) -> int:
        unit = unit_name(text)
        if unit in _CLOCK_STEPS:
            return moment if infinite(moment) else moment // _CLOCK_STEPS[unit] * _CLOCK_STEPS[unit]
        days = None if infinite(moment) else _truncate_days(unit, moment // MICROS_PER_DAY)
        if infinite(moment) and _truncate_days(unit, 0) is not None:
            return moment
        if days is None:
            raise _refused(unit, kind)
        return check_timestamp(days * MICROS_PER_DAY)

    return truncate


def _truncate_interval(text: str, interval: Interval) -> Interval:
    unit = unit_name(text)
    months, days, micros = interval
    if unit in _CLOCK_STEPS:
        return months, days, _towards_zero(micros, _CLOCK_STEPS[unit])[0] * _CLOCK_STEPS[unit]
    step = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12_000}.get(unit)
    if unit == "day":
        return months, days, 0
    if step is None:
        raise _refused(unit, INTERVAL)
    return _towards_zero(months, step)[0] * step, 0, 0


def age(later: int, earlier: int) -> Interval:
    """The difference in years, months, days and time, as a calendar counts it. Raises DatetimeOverflow."""
    if infinite(later) or infinite(earlier):
        raise DatetimeOverflow("cannot subtract infinite timestamps")
    swapped = later < earlier
    first, second = (earlier, later) if swapped else (later, earlier)
    (first_day, first_time), (second_day, second_time) = divmod(first, MICROS_PER_DAY), divmod(second, MICROS_PER_DAY)
    year, month, day = civil_from_days(first_day)
    other_year, other_month, other_day = civil_from_days(second_day)
    micros = first_time - second_time
    days, months = day - other_day, (year - other_year) * 12 + month - other_month
    if micros < 0:
        micros, days = micros + MICROS_PER_DAY, days - 1
    borrowed = (year, month) if swapped else (other_year, other_month)
    while days < 0:
        days, months = days + month_length(*borrowed), months - 1
    return (-months, -days, -micros) if swapped else (months, days, micros)


def _make_date(year: int, month: int, day: int) -> int:
    shown = year if year > 0 else year + 1
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= month_length(shown, month):
        raise DatetimeOverflow(f"date field value out of range: {year}-{month:02}-{day:02}")
    return check_date(days_from_civil(shown, month, day))


def _make_time(hour: int, minute: int, second: float) -> int:
    if not (0 <= hour <= 24 and 0 <= minute < 60 and 0 <= second <= 60):
        raise DatetimeOverflow(f"time field value out of range: {hour}:{minute:02}:{second:02g}")
    micros = hour * _HOUR_US + minute * _MINUTE_US + round(second * MICROS_PER_SECOND)
    if micros > MICROS_PER_DAY:
        raise DatetimeOverflow(f"time field value out of range: {hour}:{minute:02}:{second:02g}")
    return micros


def _make_timestamp(year: int, month: int, day: int, hour: int, minute: int, second: float) -> int:
    return check_timestamp(_make_date(year, month, day) * MICROS_PER_DAY + _make_time(hour, minute, second))


def _from_unix(seconds: float) -> int:
    if seconds in (float("inf"), float("-inf")):
        return date_to_timestamp(DATE_INFINITY if seconds > 0 else DATE_MINUS_INFINITY)
    if seconds != seconds:
        raise DatetimeOverflow("timestamp cannot be NaN")
    return check_timestamp(round((seconds - _UNIX_DAYS * 86_400) * MICROS_PER_SECOND))


def _bin(stride: Interval, moment: int, origin: int) -> int:
    if stride[0]:
        raise Unsupported("timestamps cannot be binned into intervals containing months or years")
    step = stride[1] * MICROS_PER_DAY + stride[2]
    if step <= 0:
        raise DatetimeOverflow("stride must be greater than zero")
    return moment if infinite(moment) else origin + (moment - origin) // step * step


def _refuse_to_char(kind: ColumnType) -> Callable[[Value, str], Value]:
    def refuse(_value: Value, _pattern: str) -> Value:
        raise Unsupported(f"to_char() of {kind.name} is not supported")

    return refuse


_UTC = frozenset({"utc", "gmt", "etc/utc", "zulu", "z", "+00", "00", "+00:00", "uct"})


def _in_zone(zone: str, moment: int) -> int:
    if zone.lower() not in _UTC:
        raise Unsupported(f'time zone "{zone}" is not supported: times are in UTC')
    return moment


def _at_midnight(context: Any) -> int:
    moment: int = context.view.now_us
    return moment // MICROS_PER_DAY * MICROS_PER_DAY


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "extract": tuple(Overload((TEXT, kind), NUMERIC, _numeric(part)) for kind, part in _PARTS),
    "date_part": tuple(Overload((TEXT, kind), DOUBLE, _double(part)) for kind, part in _PARTS),
    "date_trunc": (
        Overload((TEXT, TIMESTAMPTZ), TIMESTAMPTZ, _truncate_timestamp(TIMESTAMPTZ)),
        Overload((TEXT, TIMESTAMP), TIMESTAMP, _truncate_timestamp(TIMESTAMP)),
        Overload((TEXT, INTERVAL), INTERVAL, _truncate_interval),
    ),
    "date_bin": tuple(Overload((INTERVAL, kind, kind), kind, _bin) for kind in (TIMESTAMPTZ, TIMESTAMP)),
    "age": (
        Overload((TIMESTAMPTZ, TIMESTAMPTZ), INTERVAL, age), Overload((TIMESTAMP, TIMESTAMP), INTERVAL, age),
        *(Overload((kind,), INTERVAL, lambda context, moment: None if moment is None
                   else age(_at_midnight(context), moment), Contextual) for kind in (TIMESTAMPTZ, TIMESTAMP)),
    ),
    "make_date": (Overload((INTEGER, INTEGER, INTEGER), DATE, _make_date),),
    "make_time": (Overload((INTEGER, INTEGER, DOUBLE), TIME, _make_time),),
    "make_timestamp": (
        Overload((INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, DOUBLE), TIMESTAMP, _make_timestamp),
    ),
    "to_timestamp": (Overload((DOUBLE,), TIMESTAMPTZ, _from_unix),),
    "to_char": (
        Overload((TIMESTAMPTZ, TEXT), TEXT, timestamp_to_char), Overload((TIMESTAMP, TEXT), TEXT, timestamp_to_char),
        *(Overload((kind, TEXT), TEXT, _refuse_to_char(kind)) for kind in (NUMERIC, DOUBLE, INTERVAL)),
    ),
    "justify_hours": (Overload((INTERVAL,), INTERVAL, justify_hours),),
    "justify_days": (Overload((INTERVAL,), INTERVAL, justify_days),),
    "isfinite": (
        Overload((TIMESTAMPTZ,), BOOLEAN, lambda moment: not infinite(moment)),
        Overload((TIMESTAMP,), BOOLEAN, lambda moment: not infinite(moment)),
        Overload((DATE,), BOOLEAN, lambda days: days not in (DATE_INFINITY, DATE_MINUS_INFINITY)),
        Overload((INTERVAL,), BOOLEAN, lambda _interval: True),
    ),
    "timezone": (
        Overload((TEXT, TIMESTAMPTZ), TIMESTAMP, _in_zone), Overload((TEXT, TIMESTAMP), TIMESTAMPTZ, _in_zone),
    ),
    "localtimestamp": (Overload((), TIMESTAMP, lambda context: context.view.now_us, Contextual),),
    "make_interval": (
        Overload((INTEGER,) * 6 + (DOUBLE,), INTERVAL,
                 lambda years=0, months=0, weeks=0, days=0, hours=0, minutes=0, seconds=0.0: checked_interval(
                     years * 12 + months, weeks * 7 + days,
                     hours * _HOUR_US + minutes * _MINUTE_US + round(seconds * MICROS_PER_SECOND)), optional=7),
    ),
}


