"""Functions of dates, times and intervals, one row each; datetime_fields has those that take a field out.

Source: PostgreSQL manual, Date/Time Functions and Operators. A timestamptz is looked at on the session's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
from rocklake_server.pgformat.zones import Zone, zone_named
from rocklake_server.plan import datetime_fields
from rocklake_server.plan.applications import Contextual
from rocklake_server.plan.datetime_fields import refused_unit, towards_zero, unit_name, weekday
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

_UNIX_DAYS = 10_957
_HOUR_US, _MINUTE_US = 3600 * MICROS_PER_SECOND, 60 * MICROS_PER_SECOND


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
            raise refused_unit(unit, kind)
        return check_timestamp(days * MICROS_PER_DAY)

    return truncate


def _truncate_in(zone: Zone) -> Callable[[str, int], int]:
    """On the clock of a place; hours and less keep the offset that they have."""
    truncate = _truncate_timestamp(TIMESTAMPTZ)

    def truncated(text: str, moment: int) -> int:
        found = truncate(text, zone.local(moment))
        if infinite(moment):
            return found
        if unit_name(text) in _CLOCK_STEPS:
            return check_timestamp(found - zone.east_at(moment) * MICROS_PER_SECOND)
        return zone.moment(found)

    return truncated


def _truncate_named(text: str, moment: int, name: str) -> int:
    zone = zone_named(name)
    return _truncate_timestamp(TIMESTAMPTZ)(text, moment) if zone is None else _truncate_in(zone)(text, moment)


def _truncate_interval(text: str, interval: Interval) -> Interval:
    unit = unit_name(text)
    months, days, micros = interval
    if unit in _CLOCK_STEPS:
        return months, days, towards_zero(micros, _CLOCK_STEPS[unit])[0] * _CLOCK_STEPS[unit]
    step = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12_000}.get(unit)
    if unit == "day":
        return months, days, 0
    if step is None:
        raise refused_unit(unit, INTERVAL)
    return towards_zero(months, step)[0] * step, 0, 0


def age(later: int, earlier: int, *, swapped: bool | None = None) -> Interval:
    """The difference in years, months, days and time, as a calendar counts it. ``swapped`` tells which is the later one
    where the clocks' times do not. Raises DatetimeOverflow."""
    if infinite(later) or infinite(earlier):
        raise DatetimeOverflow("cannot subtract infinite timestamps")
    swapped = later < earlier if swapped is None else swapped
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


def _age_today(context: Any, moment: int | None) -> Interval | None:
    return None if moment is None else age(context.view.now_us // MICROS_PER_DAY * MICROS_PER_DAY, moment)


def _age_of_clock_in(zone: Zone) -> Callable[[Any, int | None], Interval | None]:
    def since(context: Any, local: int | None) -> Interval | None:
        today = zone.local(context.view.now_us) // MICROS_PER_DAY * MICROS_PER_DAY
        return None if local is None else age(today, local)

    return since


def _age_in(zone: Zone) -> Callable[[int, int], Interval]:
    return lambda later, earlier: age(zone.local(later), zone.local(earlier), swapped=later < earlier)


def _age_today_in(zone: Zone) -> Callable[[Any, int | None], Interval | None]:
    def since(context: Any, moment: int | None) -> Interval | None:
        if moment is None:
            return None
        midnight = zone.moment(zone.local(context.view.now_us) // MICROS_PER_DAY * MICROS_PER_DAY)
        return _age_in(zone)(midnight, moment)

    return since


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


def _on_clock(name: str, moment: int) -> int:
    zone = zone_named(name)
    return moment if zone is None else zone.local(moment)


def _from_clock(name: str, local: int) -> int:
    zone = zone_named(name)
    return local if zone is None else zone.moment(local)


def _east_of(offset: Interval) -> int:
    """Microseconds. Raises InvalidParameterValue."""
    if offset[0] or offset[1]:
        raise InvalidParameterValue("interval time zone must not include months or days")
    return towards_zero(offset[2], MICROS_PER_SECOND)[0] * MICROS_PER_SECOND


def _moved(moment: int, by: int) -> int:
    return moment if infinite(moment) else check_timestamp(moment + by)




FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    **datetime_fields.FUNCTIONS,
    "date_trunc": (
        Overload((TEXT, TIMESTAMPTZ), TIMESTAMPTZ, _truncate_timestamp(TIMESTAMPTZ), in_zone=_truncate_in),
        Overload((TEXT, TIMESTAMPTZ, TEXT), TIMESTAMPTZ, _truncate_named, any_zone=True),
        Overload((TEXT, TIMESTAMP), TIMESTAMP, _truncate_timestamp(TIMESTAMP)),
        Overload((TEXT, INTERVAL), INTERVAL, _truncate_interval),
    ),
    "date_bin": tuple(Overload((INTERVAL, kind, kind), kind, _bin, any_zone=True) for kind in (TIMESTAMPTZ, TIMESTAMP)),
    "age": (
        Overload((TIMESTAMPTZ, TIMESTAMPTZ), INTERVAL, age, in_zone=_age_in),
        Overload((TIMESTAMP, TIMESTAMP), INTERVAL, age),
        Overload((TIMESTAMPTZ,), INTERVAL, _age_today, Contextual, in_zone=_age_today_in),
        Overload((TIMESTAMP,), INTERVAL, _age_today, Contextual, in_zone=_age_of_clock_in),
    ),
    "make_date": (Overload((INTEGER, INTEGER, INTEGER), DATE, _make_date),),
    "make_time": (Overload((INTEGER, INTEGER, DOUBLE), TIME, _make_time),),
    "make_timestamp": (
        Overload((INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, DOUBLE), TIMESTAMP, _make_timestamp),
    ),
    "to_timestamp": (Overload((DOUBLE,), TIMESTAMPTZ, _from_unix),),
    "to_char": (
        Overload((TIMESTAMPTZ, TEXT), TEXT, timestamp_to_char,
                 in_zone=lambda zone: lambda moment, pattern: timestamp_to_char(zone.local(moment), pattern)),
        Overload((TIMESTAMP, TEXT), TEXT, timestamp_to_char),
        *(Overload((kind, TEXT), TEXT, _refuse_to_char(kind)) for kind in (NUMERIC, DOUBLE, INTERVAL)),
    ),
    "justify_hours": (Overload((INTERVAL,), INTERVAL, justify_hours),),
    "justify_days": (Overload((INTERVAL,), INTERVAL, justify_days),),
    "isfinite": (
        Overload((TIMESTAMPTZ,), BOOLEAN, lambda moment: not infinite(moment), any_zone=True),
        Overload((TIMESTAMP,), BOOLEAN, lambda moment: not infinite(moment)),
        Overload((DATE,), BOOLEAN, lambda days: days not in (DATE_INFINITY, DATE_MINUS_INFINITY)),
        Overload((INTERVAL,), BOOLEAN, lambda _interval: True),
    ),
    "timezone": (
        Overload((TEXT, TIMESTAMPTZ), TIMESTAMP, _on_clock, any_zone=True),
        Overload((TEXT, TIMESTAMP), TIMESTAMPTZ, _from_clock),
        Overload((INTERVAL, TIMESTAMPTZ), TIMESTAMP, lambda offset, moment: _moved(moment, _east_of(offset)),
                 any_zone=True),
        Overload((INTERVAL, TIMESTAMP), TIMESTAMPTZ, lambda offset, moment: _moved(moment, -_east_of(offset))),
    ),
    "localtimestamp": (
        Overload((), TIMESTAMP, lambda context: context.view.now_us, Contextual,
                 in_zone=lambda zone: lambda context: zone.local(context.view.now_us)),
    ),
    "make_interval": (
        Overload((INTEGER,) * 6 + (DOUBLE,), INTERVAL,
                 lambda years=0, months=0, weeks=0, days=0, hours=0, minutes=0, seconds=0.0: checked_interval(
                     years * 12 + months, weeks * 7 + days,
                     hours * _HOUR_US + minutes * _MINUTE_US + round(seconds * MICROS_PER_SECOND)), optional=7),
    ),
}


