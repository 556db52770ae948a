"""SET, SHOW and RESET. Unknown names are refused, but for names with a dot, as in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rocklake_server.errors import FixedSetting, UndefinedObject, Unsupported
from rocklake_server.pgformat.durations import with_unit
from rocklake_server.pgformat.zones import Zone, enter_zone
from rocklake_server.session.setting_definitions import (
    MESSAGE_LEVELS,
    REPORTED_NAMES,
    SETTINGS,
    TRANSACTION_MODES,
    checked_value,
    zone_of_setting,
)


@dataclass(frozen=True, slots=True)
class _Savepoint:
    name: str
    values: dict[str, str]
    local: dict[str, str]
    modes: dict[str, str]


class Timeouts(NamedTuple):
    """In seconds; ``None`` is for ever."""

    statement_s: float | None
    lock_s: float | None
    idle_s: float | None
    idle_in_block_s: float | None


_TIMEOUTS = ("statement_timeout", "lock_timeout", "idle_session_timeout", "idle_in_transaction_session_timeout")


class Settings(Mapping[str, str]):
    """A session's values by lower-cased name. Changes made in a transaction that rolls back are undone; SET LOCAL ends
    with it."""

    def __init__(self, startup: Mapping[str, str], facts: Mapping[str, str] | None = None) -> None:
        """``startup`` are the client's own defaults, ``facts`` values of fixed settings. Raises what ``checked``
        raises."""
        self._defaults = {name: setting.default for name, setting in SETTINGS.items()} | dict(facts or {})
        self._defaults |= {name: self.checked(name, value) for name, value in startup.items()}
        self._values: dict[str, str] = {}
        self._local: dict[str, str] = {}
        self._before: dict[str, str] | None = None
        self._modes: dict[str, str] = {}
        self._savepoints: list[_Savepoint] = []
        self._told: dict[str, str] = {}
        self._flags: dict[str, bool] = {}
        self._mode_defaults: dict[str, str] = {}
        self._dirty = True
        self._zone: Zone | None = None
        self._zone_known = False
        self.timeouts = self._current_timeouts()

    def __getitem__(self, name: str) -> str:
        if name in TRANSACTION_MODES and name not in self._modes:
            name = TRANSACTION_MODES[name]
        for values in (self._modes, self._local, self._values, self._defaults):
            if name in values:
                return values[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._defaults, *self._values}))

    def __len__(self) -> int:
        return len({*self._defaults, *self._values})

    def value(self, name: str) -> str:
        """Raises UndefinedObject."""
        try:
            return self[name]
        except KeyError:
            raise UndefinedObject(f'unrecognized configuration parameter "{name}"') from None

    def shown(self, name: str) -> str:
        """The value as SHOW prints it: times with a unit. Raises UndefinedObject."""
        value = self.value(name)
        if name in SETTINGS and SETTINGS[name].unit_ms:
            return with_unit(int(value))
        return value

    def shows(self, severity: str) -> bool:
        """Whether the client wants to be told notices of ``severity``."""
        if severity == "INFO":
            return True
        return MESSAGE_LEVELS.index(severity.lower()) >= MESSAGE_LEVELS.index(self["client_min_messages"])

    def _current_timeouts(self) -> Timeouts:
        return Timeouts(*[int(self[name]) / 1000 or None for name in _TIMEOUTS])

    def is_on(self, name: str) -> bool:
        """Of a setting that is on or off."""
        known = self._flags.get(name)
        if known is None:
            known = self._flags[name] = self[name] == "on"
        return known

    def use_zone(self) -> None:
        """Let the running task plan, read and print in this session's time zone."""
        if not self._zone_known:
            self._zone, self._zone_known = zone_of_setting(self["timezone"])[1], True
        enter_zone(self._zone)

    def _changed(self) -> None:
        """What follows from values follows from the new ones."""
        self.timeouts = self._current_timeouts()
        self._flags.clear()
        self._mode_defaults.clear()
        self._zone_known = False

    def set(self, name: str, value: str, *, local: bool = False) -> None:
        """Raises what ``checked`` raises."""
        value = self.checked(name, value)
        self._dirty = self._dirty or (name in SETTINGS and SETTINGS[name].reported)
        if local:
            self._local[name] = value
        else:
            self._local.pop(name, None)
            self._values[name] = value
        self._changed()

    @staticmethod
    def checked(name: str, value: str) -> str:
        """``value`` as it is kept. Raises UndefinedObject, InvalidParameterValue, FixedSetting."""
        setting = SETTINGS.get(name)
        if setting is None and "." not in name:
            raise UndefinedObject(f'unrecognized configuration parameter "{name}"')
        if setting is None:
            return value
        if setting.fixed:
            raise FixedSetting(f'parameter "{name}" cannot be changed')
        return checked_value(setting, value)

    def reset(self, name: str | None) -> None:
        """RESET name, or RESET ALL for ``None``. Raises UndefinedObject."""
        if name is None:
            if self._values or self._local:
                self._values.clear()
                self._local.clear()
                self._changed()
                self._dirty = True
            return
        if name in TRANSACTION_MODES:
            raise Unsupported(f'parameter "{name}" cannot be reset')
        if name not in SETTINGS and name not in self._values:
            raise UndefinedObject(f'unrecognized configuration parameter "{name}"')
        self._values.pop(name, None)
        self._local.pop(name, None)
        self._changed()
        self._dirty = True

    @property
    def has_reports(self) -> bool:
        """Whether ``take_reports`` may have something."""
        return self._dirty

    def take_reports(self) -> dict[str, str]:
        """What ParameterStatus has to tell since the last call, under the names that clients know."""
        self._dirty = False
        now = {REPORTED_NAMES.get(n, n): self[n] for n, setting in SETTINGS.items() if setting.reported}
        changed = {name: value for name, value in now.items() if self._told.get(name) != value}
        self._told = now
        return changed

    def begin(self) -> None:
        """At the start of a transaction."""
        self._before = dict(self._values)
        if not self._mode_defaults:
            self._mode_defaults.update((mode, self[default]) for mode, default in TRANSACTION_MODES.items())
        self._modes = self._mode_defaults.copy()

    def mode(self, name: str) -> str:
        """A mode of the running transaction."""
        return self._modes[name]

    def set_mode(self, name: str, value: str) -> None:
        """Show ``value`` as the running transaction's mode."""
        self._modes[name] = value

    def savepoint(self, name: str) -> None:
        self._savepoints.append(_Savepoint(name, dict(self._values), dict(self._local), dict(self._modes)))

    def release(self, name: str) -> None:
        """Forget the savepoint and all after it; the changes stay."""
        del self._savepoints[self._depth(name) :]

    def rollback_to(self, name: str) -> None:
        """Undo what was set since the savepoint, which stays."""
        depth = self._depth(name)
        del self._savepoints[depth + 1 :]
        point = self._savepoints[depth]
        self._values, self._local, self._modes = dict(point.values), dict(point.local), dict(point.modes)
        self._changed()
        self._dirty = True

    def _depth(self, name: str) -> int:
        return max(depth for depth, point in enumerate(self._savepoints) if point.name == name)

    def end(self, *, committed: bool) -> None:
        """At the end of a transaction."""
        if self._local:
            self._dirty = self._dirty or any(name in SETTINGS and SETTINGS[name].reported for name in self._local)
            self._local.clear()
            self._changed()
        self._modes = {}
        self._savepoints.clear()
        if not committed and self._before is not None and self._values != self._before:
            self._values = self._before
            self._changed()
            self._dirty = True
        self._before = None
