"""SET, SHOW and RESET: one row per setting. Unknown names are refused, but for names with a dot, as in PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from rocklake_server.errors import FixedSetting, InvalidParameterValue, UndefinedObject, Unsupported
from rocklake_server.limits import KEY_BYTES_MAX

SERVER_VERSION = "15.0 (RockLake)"
SERVER_VERSION_NUM = "150000"

_UNITS_MS = {"us": 0.001, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_BOOLEANS = {
    **dict.fromkeys(("on", "true", "yes", "1", "t", "y"), "on"),
    **dict.fromkeys(("off", "false", "no", "0", "f", "n"), "off"),
}


def _any(value: str) -> str:
    return value


def _boolean(value: str) -> str:
    try:
        return _BOOLEANS[value.lower()]
    except KeyError:
        raise ValueError from None


def _duration_ms(value: str) -> str:
    """A time as PostgreSQL takes it, in milliseconds unless a unit follows."""
    found = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*", value)
    if found is None:
        raise ValueError
    amount = round(float(found[1]) * _UNITS_MS[found[2] or "ms"])
    if amount < 0:
        raise ValueError
    return str(amount)


def _integer(value: str) -> str:
    return str(int(value))


def _choice(*choices: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value.lower() not in choices:
            raise ValueError
        return value.lower()

    return check


def _utf8(value: str) -> str:
    """Only letters and digits of an encoding's name count, as in PostgreSQL; asyncpg puts it in quotes."""
    if "".join(filter(str.isalnum, value.lower())) not in ("utf8", "unicode"):
        raise ValueError
    return "UTF8"


def _utc(value: str) -> str:
    """Times are shown in UTC; other zones are refused, so that no time is ever shown wrongly."""
    if value.lower() not in ("utc", "etc/utc", "gmt", "zulu", "0", "+00", "+00:00", "default", "local"):
        raise ValueError
    return "UTC"


def _iso_dates(value: str) -> str:
    """The one output style, and the one order in which ambiguous dates are read."""
    if not {part.strip().lower() for part in value.split(",")} <= {"iso", "mdy", "us", "default"}:
        raise ValueError
    return "ISO, MDY"


def _search_path(value: str) -> str:
    """Names without a schema are always those of ``public``: under another path they would be wrong answers."""
    if not {part.strip().strip('"') for part in value.split(",")} <= {"", "$user", "public", "pg_catalog", "pg_temp"}:
        raise ValueError
    return value


@dataclass(frozen=True, slots=True)
class Setting:
    """``reported`` settings are told to the client at the start and when they change; ``fixed`` ones cannot be set."""

    name: str
    default: str
    check: Callable[[str], str] = _any
    reported: bool = False
    fixed: bool = False
    unit_ms: bool = False


MESSAGE_LEVELS = ("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error")
_ISOLATIONS = ("read uncommitted", "read committed", "repeatable read", "serializable")

SETTINGS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting("server_version", SERVER_VERSION, reported=True, fixed=True),
        Setting("server_version_num", SERVER_VERSION_NUM, fixed=True),
        Setting("server_encoding", "UTF8", reported=True, fixed=True),
        Setting("client_encoding", "UTF8", _utf8, reported=True),
        Setting("application_name", "", reported=True),
        Setting("default_transaction_read_only", "off", _boolean, reported=True),
        Setting("in_hot_standby", "off", reported=True, fixed=True),
        Setting("is_superuser", "on", reported=True, fixed=True),
        Setting("session_authorization", "rocklake", reported=True, fixed=True),
        Setting("datestyle", "ISO, MDY", _iso_dates, reported=True),
        Setting("intervalstyle", "postgres", _choice("postgres"), reported=True),
        Setting("timezone", "UTC", _utc, reported=True),
        Setting("integer_datetimes", "on", reported=True, fixed=True),
        Setting("standard_conforming_strings", "on", _choice("on"), reported=True),
        Setting("default_transaction_isolation", "read committed", _choice(*_ISOLATIONS)),
        Setting("default_transaction_deferrable", "off", _boolean),
        Setting("transaction_isolation", "read committed", _choice(*_ISOLATIONS)),
        Setting("transaction_read_only", "off", _boolean),
        Setting("transaction_deferrable", "off", _boolean),
        Setting("search_path", '"$user", public', _search_path),
        Setting("statement_timeout", "0", _duration_ms, unit_ms=True),
        Setting("lock_timeout", "0", _duration_ms, unit_ms=True),
        Setting("idle_in_transaction_session_timeout", "0", _duration_ms, unit_ms=True),
        Setting("idle_session_timeout", "0", _duration_ms, unit_ms=True),
        Setting("extra_float_digits", "1", _integer),
        Setting("bytea_output", "hex", _choice("hex")),
        Setting("client_min_messages", "notice", _choice(*MESSAGE_LEVELS)),
        Setting("lc_messages", "C", _choice("c", "en_us.utf-8", "en_us.utf8", "c.utf-8")),
        Setting("lc_collate", "C", fixed=True),
        Setting("lc_ctype", "C", fixed=True),
        Setting("row_security", "on", _boolean),
        Setting("synchronous_commit", "on", _choice("on")),
        Setting("jit", "off", _boolean),
        Setting("default_table_access_method", "heap", _choice("heap")),
        Setting("max_identifier_length", str(KEY_BYTES_MAX), fixed=True),
        Setting("max_index_keys", "32", fixed=True),
        Setting("block_size", "8192", fixed=True),
        Setting("escape_string_warning", "on", _boolean),
        Setting("quote_all_identifiers", "off", _choice("off")),
        Setting("enable_seqscan", "on", _boolean),
    )
}

TRANSACTION_MODES = {
    f"transaction_{mode}": f"default_transaction_{mode}" for mode in ("isolation", "read_only", "deferrable")
}
"""Settings that are the running transaction's modes; without a transaction, those that the next one starts with."""

REPORTED_NAMES = {"datestyle": "DateStyle", "intervalstyle": "IntervalStyle", "timezone": "TimeZone"}


@dataclass(frozen=True, slots=True)
class _Savepoint:
    name: str
    values: dict[str, str]
    local: dict[str, str]
    modes: dict[str, str]


class Settings(Mapping[str, str]):
    """A session's values by lower-cased name. Changes made in a transaction that rolls back are undone; SET LOCAL ends
    with it."""

    def __init__(self, startup: Mapping[str, str]) -> None:
        self._defaults = {name: setting.default for name, setting in SETTINGS.items()}
        for name, value in startup.items():
            if name in SETTINGS and not SETTINGS[name].fixed:
                self._defaults[name] = _checked(SETTINGS[name], value)
        self._values: dict[str, str] = {}
        self._local: dict[str, str] = {}
        self._before: dict[str, str] | None = None
        self._modes: dict[str, str] = {}
        self._savepoints: list[_Savepoint] = []
        self._told: dict[str, str] = {}
        self._dirty = True

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
        if name in SETTINGS and SETTINGS[name].unit_ms and value != "0":
            return _with_unit(int(value))
        return value

    def shows(self, severity: str) -> bool:
        """Whether the client wants to be told notices of ``severity``."""
        if severity == "INFO":
            return True
        return MESSAGE_LEVELS.index(severity.lower()) >= MESSAGE_LEVELS.index(self["client_min_messages"])

    def milliseconds(self, name: str) -> int:
        return int(self[name])

    def set(self, name: str, value: str, *, local: bool = False) -> None:
        """Raises what ``checked`` raises."""
        value = self.checked(name, value)
        self._dirty = self._dirty or (name in SETTINGS and SETTINGS[name].reported)
        if local:
            self._local[name] = value
        else:
            self._local.pop(name, None)
            self._values[name] = value

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
        return _checked(setting, value)

    def reset(self, name: str | None) -> None:
        """RESET name, or RESET ALL for ``None``. Raises UndefinedObject."""
        self._dirty = True
        if name is None:
            self._values.clear()
            self._local.clear()
            return
        if name in TRANSACTION_MODES:
            raise Unsupported(f'parameter "{name}" cannot be reset')
        if name not in SETTINGS and name not in self._values:
            raise UndefinedObject(f'unrecognized configuration parameter "{name}"')
        self._values.pop(name, None)
        self._local.pop(name, None)

    def take_reports(self) -> dict[str, str]:
        """What ParameterStatus has to tell since the last call, under the names that clients know."""
        if not self._dirty:
            return {}
        self._dirty = False
        now = {REPORTED_NAMES.get(n, n): self[n] for n, setting in SETTINGS.items() if setting.reported}
        changed = {name: value for name, value in now.items() if self._told.get(name) != value}
        self._told = now
        return changed

    def begin(self) -> None:
        """At the start of a transaction."""
        self._before = dict(self._values)
        self._modes = {mode: self[default] for mode, default in TRANSACTION_MODES.items()}

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
        self._dirty = True

    def _depth(self, name: str) -> int:
        return max(depth for depth, point in enumerate(self._savepoints) if point.name == name)

    def end(self, *, committed: bool) -> None:
        """At the end of a transaction."""
        self._dirty = self._dirty or any(name in SETTINGS and SETTINGS[name].reported for name in self._local)
        self._local.clear()
        self._modes = {}
        self._savepoints.clear()
        if not committed and self._before is not None and self._values != self._before:
            self._values = self._before
            self._dirty = True
        self._before = None


def _checked(setting: Setting, value: str) -> str:
    try:
        return setting.check(value)
    except ValueError:
        raise InvalidParameterValue(f'invalid value for parameter "{setting.name}": "{value[:64]}"') from None


def _with_unit(milliseconds: int) -> str:
    for unit in ("d", "h", "min", "s"):
        if milliseconds % _UNITS_MS[unit] == 0:
            return f"{milliseconds // int(_UNITS_MS[unit])}{unit}"
    return f"{milliseconds}ms"
