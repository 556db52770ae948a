"""Arithmetic of dates, times, timestamps and intervals.

Source: PostgreSQL manual, Date/Time Functions and Operators. Months are added first, to the last day of a month that is
shorter; then days; then the time. A month that is cut counts 30 days, a day 24 hours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from rocklake_server.errors import DatetimeOverflow, DivisionByZero, IntervalOverflow
from rocklake_server.pgformat.datetimes import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    TIMESTAMP_INFINITY,
    TIMESTAMP_MINUS_INFINITY,
    check_timestamp,
    civil_from_days,
    days_from_civil,
)
from rocklake_server.pgformat.zones import Zone, session_zone
from rocklake_server.plan.applications import Strict
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.type_rules import MOMENTS, is_number
from rocklake_server.schema.types import DATE, DOUBLE, INTERVAL, TIME, TIMESTAMP, TIMESTAMPTZ, UNKNOWN, ColumnType

Interval: TypeAlias = tuple[int, int, int]

DAYS_PER_MONTH = 30
SECONDS_PER_DAY = 86_400
_INT32_MAX, _INT64_MAX = 2**31 - 1, 2**63 - 1


def infinite(moment: int) -> bool:
    return moment in (TIMESTAMP_INFINITY, TIMESTAMP_MINUS_INFINITY)


def month_length(year: int, month: int) -> int:
    following = (year + 1, 1) if month == 12 else (year, month + 1)
    return days_from_civil(*following, 1) - days_from_civil(year, month, 1)


def checked_interval(months: int, days: int, micros: int) -> Interval:
    """Raises IntervalOverflow."""
    if abs(months) > _INT32_MAX or abs(days) > _INT32_MAX or abs(micros) > _INT64_MAX:
        raise IntervalOverflow("interval out of range")
    return months, days, micros


def add_interval(moment: int, interval: Interval) -> int:
    """``timestamp + interval``. Raises DatetimeOverflow."""
    if infinite(moment):
        return moment
    months, days, micros = interval
    day, time = divmod(moment, MICROS_PER_DAY)
    if months:
        year, month, day_of_month = civil_from_days(day)
        year, month = divmod(year * 12 + month - 1 + months, 12)
        if abs(year) > 300_000:
            raise DatetimeOverflow("timestamp out of range")
        day = days_from_civil(year, month + 1, min(day_of_month, month_length(year, month + 1)))
    return check_timestamp((day + days) * MICROS_PER_DAY + time + micros)


def add_on_clock(zone: Zone, moment: int, interval: Interval) -> int:
    """``timestamptz + interval``: months and days on a place's calendar, then the time. Raises DatetimeOverflow."""
    months, days, micros = interval
    if (months or days) and not infinite(moment):
        moment = zone.moment(add_interval(zone.local(moment), (months, days, 0)))
    return add_interval(moment, (0, 0, micros))


def negated(interval: Interval) -> Interval:
    months, days, micros = interval
    return checked_interval(-months, -days, -micros)


def subtract_moments(left: int, right: int) -> Interval:
    """``timestamp - timestamp``: days and a time of the same sign. Raises DatetimeOverflow."""
    if infinite(left) or infinite(right):
        raise DatetimeOverflow("cannot subtract infinite timestamps")
    return justify_hours((0, 0, left - right))


def justify_hours(interval: Interval) -> Interval:
    months, days, micros = interval
    whole, rest = _truncated(micros, MICROS_PER_DAY)
    days += whole
    if days > 0 and rest < 0:
        days, rest = days - 1, rest + MICROS_PER_DAY
    elif days < 0 and rest > 0:
        days, rest = days + 1, rest - MICROS_PER_DAY
    return checked_interval(months, days, rest)


def justify_days(interval: Interval) -> Interval:
    months, days, micros = interval
    whole, rest = _truncated(days, DAYS_PER_MONTH)
    months += whole
    if months > 0 and rest < 0:
        months, rest = months - 1, rest + DAYS_PER_MONTH
    elif months < 0 and rest > 0:
        months, rest = months + 1, rest - DAYS_PER_MONTH
    return checked_interval(months, rest, micros)


def _truncated(value: int, unit: int) -> tuple[int, int]:
    """Quotient towards zero, and the rest."""
    quotient = abs(value) // unit
    quotient = quotient if value >= 0 else -quotient
    return quotient, value - quotient * unit


def add_intervals(left: Interval, right: Interval) -> Interval:
    return checked_interval(left[0] + right[0], left[1] + right[1], left[2] + right[2])


def _rounded_seconds(seconds: float) -> float:
    return round(seconds * MICROS_PER_SECOND) / MICROS_PER_SECOND


def _scaled(interval: Interval, scale: Callable[[int], float]) -> Interval:
    """Each field times a factor; what is left of months goes to days, what is left of days to the time."""
    try:
        months, days = int(scale(interval[0])), int(scale(interval[1]))
        month_days = _rounded_seconds((scale(interval[0]) - months) * DAYS_PER_MONTH)
        seconds = _rounded_seconds((scale(interval[1]) - days + month_days - int(month_days)) * SECONDS_PER_DAY)
        if abs(seconds) >= SECONDS_PER_DAY:
            days += int(seconds / SECONDS_PER_DAY)
            seconds -= int(seconds / SECONDS_PER_DAY) * SECONDS_PER_DAY
        micros = round(scale(interval[2]) + seconds * MICROS_PER_SECOND)
    except (ValueError, OverflowError):
        raise IntervalOverflow("interval out of range") from None
    return checked_interval(months, days + int(month_days), micros)


def multiply_interval(interval: Interval, factor: float) -> Interval:
    """``interval * double precision``. Raises IntervalOverflow."""
    return _scaled(interval, lambda field: field * factor)


def divide_interval(interval: Interval, divisor: float) -> Interval:
    """``interval / double precision``. Raises DivisionByZero, IntervalOverflow."""
    if divisor == 0:
        raise DivisionByZero("division by zero")
    return _scaled(interval, lambda field: field / divisor)


def date_to_timestamp(days: int) -> int:
    if days in (DATE_INFINITY, DATE_MINUS_INFINITY):
        return TIMESTAMP_INFINITY if days > 0 else TIMESTAMP_MINUS_INFINITY
    return check_timestamp(days * MICROS_PER_DAY)


def _clock(time: int, interval: Interval) -> int:
    return (time + interval[2]) % MICROS_PER_DAY


def _strict(kind: ColumnType, function: Callable[..., Any], *arguments: Expr) -> Expr:
    return Strict(kind, function, arguments)


def moment_arithmetic(symbol: str, left: Expr, right: Expr) -> Expr | None:
    """``left symbol right`` where one of them is a date, time or interval; ``None`` when there is no such operator."""
    if symbol in ("+", "-"):
        return _added(symbol, left, right)
    if symbol == "*" and is_number(left.type) and right.type.oid == INTERVAL.oid:
        left, right = right, left
    if left.type.oid != INTERVAL.oid or not (is_number(right.type) or right.type.oid == UNKNOWN.oid):
        return None
    factor = implicit(right, DOUBLE)
    if symbol == "*":
        return _strict(INTERVAL, multiply_interval, left, factor)
    return _strict(INTERVAL, divide_interval, left, factor) if symbol == "/" else None


def _added(symbol: str, left: Expr, right: Expr) -> Expr | None:
    if symbol == "+":
        if left.type.oid in (INTERVAL.oid, TIME.oid) and right.type.oid in MOMENTS:
            left, right = right, left
        if left.type.oid == INTERVAL.oid and right.type.oid == TIME.oid:
            left, right = right, left
        if left.type.oid == UNKNOWN.oid and right.type.oid in (TIMESTAMP.oid, TIMESTAMPTZ.oid):
            left, right = right, left
        if left.type.oid in (TIMESTAMP.oid, TIMESTAMPTZ.oid) and right.type.oid == UNKNOWN.oid:
            right = implicit(right, INTERVAL)
    first, second = left.type, right.type
    if symbol == "-" and first.oid in MOMENTS and second.oid in MOMENTS:
        kind = max(first, second, key=lambda moment: MOMENTS[moment.oid])
        if kind.oid == DATE.oid:
            return None
        return _strict(INTERVAL, subtract_moments, implicit(left, kind), implicit(right, kind))
    if second.oid == INTERVAL.oid:
        return _plus_interval(symbol, left, right)
    if first.oid == DATE.oid and second.oid == TIME.oid and symbol == "+":
        return _strict(TIMESTAMP, lambda days, time: date_to_timestamp(days) + time, left, right)
    if first.oid == second.oid == TIME.oid and symbol == "-":
        return _strict(INTERVAL, lambda later, earlier: (0, 0, later - earlier), left, right)
    return None


def _plus_interval(symbol: str, left: Expr, right: Expr) -> Expr | None:
    if symbol == "-":
        right = _strict(INTERVAL, negated, right)
    if left.type.oid == DATE.oid:
        return _strict(TIMESTAMP, add_interval, implicit(left, TIMESTAMP), right)
    if left.type.oid in MOMENTS:
        zone = session_zone() if left.type.oid == TIMESTAMPTZ.oid else None
        added = add_interval if zone is None else partial(add_on_clock, zone)
        return _strict(left.type.with_typmod(-1), added, left, right)
    if left.type.oid == INTERVAL.oid:
        return _strict(INTERVAL, add_intervals, left, right)
    return _strict(TIME, _clock, left, right) if left.type.oid == TIME.oid else None
