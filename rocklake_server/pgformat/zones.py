"""Time zones: what the offset from UTC is at an instant, and at a time on the clocks of a place.

Source: PostgreSQL manual, Time Zones, and its rule for clock times that a change skips or repeats. Names and rules are
those of the IANA database, from the system or from the package tzdata. Moments are microseconds since 2000-01-01 UTC,
local times microseconds since 2000-01-01 00:00 on the clock; the infinities stay what they are.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from rocklake_server.errors import InvalidParameterValue, Unsupported
from rocklake_server.pacing import KEEPS_CONTEXT
from rocklake_server.pgformat.datetimes import (
    MICROS_PER_SECOND,
    TIMESTAMP_INFINITY,
    TIMESTAMP_MINUS_INFINITY,
    check_timestamp,
)

_ZERO = datetime(2000, 1, 1)
_ZERO_UTC = datetime(2000, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_CYCLE_S = 146_097 * 86_400
"""400 years, after which the calendar and with it every rule of a zone comes again."""

_RULED_FROM_S, _RULED_TO_S = -1998 * 31_556_952, 7000 * 31_556_952
"""Between the first year that Python has, before which clocks showed what they did then, and one that is far away."""

_UTC_NAMES = {name.lower(): name for name in ("UTC", "Etc/UTC", "GMT", "Etc/GMT", "Zulu", "Etc/Zulu", "UCT", "Etc/UCT")}
_POSIX = re.compile(r"(?:utc|gmt)([+-])([0-9]{1,2})(?::([0-5][0-9]))?", re.ASCII).fullmatch
_HOURS = re.compile(r"([+-]?)([0-9]{1,2})", re.ASCII).fullmatch
_OFFSET_HOURS_MAX = 15
_NAME_CHARACTERS_MAX = 255
_SHOWN_CHARACTERS = 64
_NO_PLACES = ("posix/", "right/", "localtime", "posixrules", "factory")


@dataclass(frozen=True, slots=True, eq=False)
class Zone:
    """A zone whose offset is not always 0. ``name`` is as SHOW prints it."""

    name: str
    rules: tzinfo = field(repr=False)

    def east_at(self, moment: int) -> int:
        """Seconds east of UTC at a moment that is finite."""
        instant = _ZERO_UTC + timedelta(seconds=_ruled(moment // MICROS_PER_SECOND))
        return _seconds(instant.astimezone(self.rules))

    def east_on_clock(self, local: int) -> int:
        """Seconds east of UTC when the clock shows ``local``. Where a change skips it, that before the change; where
        one repeats it, that after the change."""
        shown = _ZERO + timedelta(seconds=_ruled(local // MICROS_PER_SECOND))
        first = shown.replace(tzinfo=self.rules)
        return min(_seconds(first), _seconds(first.replace(fold=1)))

    def local(self, moment: int) -> int:
        """What the clock shows at a moment. Raises DatetimeOverflow."""
        if moment in (TIMESTAMP_INFINITY, TIMESTAMP_MINUS_INFINITY):
            return moment
        return check_timestamp(moment + self.east_at(moment) * MICROS_PER_SECOND)

    def moment(self, local: int) -> int:
        """When the clock shows ``local``. Raises DatetimeOverflow."""
        if local in (TIMESTAMP_INFINITY, TIMESTAMP_MINUS_INFINITY):
            return local
        return check_timestamp(local - self.east_on_clock(local) * MICROS_PER_SECOND)


def _ruled(seconds: int) -> int:
    """A time that has the same offset and lies within the years that Python has."""
    if seconds > _RULED_TO_S:
        return seconds - (seconds - _RULED_TO_S + _CYCLE_S - 1) // _CYCLE_S * _CYCLE_S
    return max(seconds, _RULED_FROM_S)


def _seconds(time: datetime) -> int:
    offset = time.utcoffset()
    return 0 if offset is None else offset // _SECOND


SESSION_ZONE: ContextVar[Zone | None] = ContextVar("SESSION_ZONE", default=None)
"""The zone of the session for which something is planned, read or printed; ``None`` is UTC."""


def session_zone() -> Zone | None:
    return SESSION_ZONE.get()


def enter_zone(zone: Zone | None) -> None:
    """Let what the running task and its computations do be done for a session in ``zone``."""
    if SESSION_ZONE.get() is not zone:
        SESSION_ZONE.set(zone)
        KEEPS_CONTEXT.set(zone is not None)


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones()}


def found_zone(name: str) -> tuple[str, Zone | None] | None:
    """(the name as it is spelled, the zone), which is ``None`` for UTC; ``None`` for a name that is no zone's."""
    return _found(name) if len(name) <= _NAME_CHARACTERS_MAX else None


@lru_cache(maxsize=1024)
def _found(name: str) -> tuple[str, Zone | None] | None:
    lowered = name.lower()
    if lowered in _UTC_NAMES:
        return _UTC_NAMES[lowered], None
    posix = _POSIX(lowered)
    if posix is not None:  # POSIX counts westwards
        east = _offset(posix[2], posix[3], negative=posix[1] == "+")
        return None if east is None else (name.upper(), _fixed(name.upper(), east) if east else None)
    if lowered.startswith(_NO_PLACES):
        return None
    try:
        if "/" in name:
            return name, Zone(name, ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    spelled = _names().get(lowered)
    return None if spelled is None else (spelled, Zone(spelled, ZoneInfo(spelled)))


def _offset(hours: str, minutes: str | None, *, negative: bool) -> int | None:
    seconds = int(hours) * 3600 + int(minutes or 0) * 60
    return None if int(hours) > _OFFSET_HOURS_MAX else -seconds if negative else seconds


def _fixed(name: str, east: int) -> Zone:
    return Zone(name, timezone(timedelta(seconds=east)))


def hours_zone(text: str) -> tuple[str, Zone | None] | None:
    """A number of hours east of UTC, as SET TIME ZONE takes it."""
    found = _HOURS(text)
    east = None if found is None else _offset(found[2], None, negative=found[1] == "-")
    if found is None or east is None:
        return None
    sign, opposite = ("-", "+") if found[1] == "-" else ("+", "-")
    return _of_hours(f"<{sign}{int(found[2]):02}>{opposite}{int(found[2]):02}", east)


@lru_cache(maxsize=64)
def _of_hours(name: str, east: int) -> tuple[str, Zone | None]:
    return name, _fixed(name, east) if east else None


def zone_named(name: str) -> Zone | None:
    """The zone that AT TIME ZONE means; ``None`` is UTC. Raises InvalidParameterValue for a name that is no zone's and
    Unsupported for an abbreviation or offset, which need PostgreSQL's own list."""
    found = found_zone(name)
    if found is not None and (found[1] is None or "/" in name or _POSIX(name.lower()) is not None):
        return found[1]
    if name.lower() in _ALSO_UTC:
        return None
    if found is not None and (len(name) > _ABBREVIATION_CHARACTERS_MAX or not name.isalpha()):
        return found[1]
    if found is None and ("/" in name or len(name) > _ABBREVIATION_CHARACTERS_MAX) and not _is_offset(name):
        raise InvalidParameterValue(f'time zone "{name[:_SHOWN_CHARACTERS]}" not recognized')
    raise Unsupported(f'time zone "{name[:_SHOWN_CHARACTERS]}" is not supported: use a name like Europe/Berlin',
                      hint="Abbreviations and offsets are not supported.")


_ALSO_UTC = frozenset({"z", "+00", "00", "+00:00", "0"})
_ABBREVIATION_CHARACTERS_MAX = 5


def _is_offset(name: str) -> bool:
    return name[:1] in ("+", "-", "<") or name[:1].isdigit() or any(map(str.isdigit, name))
