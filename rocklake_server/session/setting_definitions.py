"""One row per setting: its default, and what values it takes. A value that would be without effect is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.limits import IDENTIFIER_BYTES_MAX, INDEX_KEYS_MAX
from rocklake_server.pgformat.durations import UNITS_MS
from rocklake_server.pgformat.zones import Zone, found_zone, hours_zone

SERVER_VERSION = "15.0 (RockLake)"
SERVER_VERSION_NUM = "150000"

MESSAGE_LEVELS = ("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error")

SYSTEM_RELATIONS_LISTED = "rocklake.system_relations"
"""Whether pg_class and pg_attribute have the system relations, too: on for psql, off for clients that read all of
both, as DuckDB does when it attaches."""

_INTEGER_MAX = 2**31 - 1
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
    amount = round(float(found[1]) * UNITS_MS[found[2] or "ms"])
    if not 0 <= amount <= _INTEGER_MAX:
        raise ValueError
    return str(amount)


def _shortest_floats(value: str) -> str:
    """Numbers are printed with as many digits as it takes to read them back, which is what 1 to 3 ask for."""
    if not 1 <= int(value) <= 3:
        raise ValueError
    return str(int(value))


def _choice(*choices: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value.lower() not in choices:
            raise ValueError
        return value.lower()

    return check


def _message_level(value: str) -> str:
    level = "debug2" if value.lower() == "debug" else value.lower()
    if level not in MESSAGE_LEVELS:
        raise ValueError
    return level


def _utf8(value: str) -> str:
    """Only letters and digits of an encoding's name count, as in PostgreSQL; asyncpg puts it in quotes."""
    if "".join(filter(str.isalnum, value.lower())) not in ("utf8", "unicode"):
        raise ValueError
    return "UTF8"


def zone_of_setting(value: str) -> tuple[str, Zone | None]:
    """(name as it is shown, zone), ``None`` for UTC. Raises ValueError."""
    if value.lower() in ("default", "local", "0", "+00", "+00:00"):
        return "UTC", None
    found = hours_zone(value) or _shown_hours(value) or found_zone(value)
    if found is None:
        raise ValueError
    return found


def _shown_hours(value: str) -> tuple[str, Zone | None] | None:
    """``<+02>-02``, as a number of hours is shown."""
    found = re.fullmatch(r"<([+-][0-9]{2})>[+-][0-9]{2}", value)
    return None if found is None else hours_zone(found[1])


def _zone(value: str) -> str:
    return zone_of_setting(value)[0]


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
        Setting("timezone", "UTC", _zone, reported=True),
        Setting("integer_datetimes", "on", reported=True, fixed=True),
        Setting("standard_conforming_strings", "on", _choice("on"), reported=True),
        Setting("default_transaction_isolation", "read committed", _choice(*_ISOLATIONS)),
        Setting("default_transaction_deferrable", "off", _boolean),
        Setting("transaction_isolation", "read committed", _choice(*_ISOLATIONS)),
        Setting("transaction_read_only", "off", _boolean),
        Setting("transaction_deferrable", "off", _boolean),
        Setting("password_encryption", "scram-sha-256", _choice("scram-sha-256")),
        Setting("search_path", '"$user", public', _search_path),
        Setting("statement_timeout", "0", _duration_ms, unit_ms=True),
        Setting("lock_timeout", "0", _duration_ms, unit_ms=True),
        Setting("idle_in_transaction_session_timeout", "0", _duration_ms, unit_ms=True),
        Setting("idle_session_timeout", "0", _duration_ms, unit_ms=True),
        Setting("extra_float_digits", "1", _shortest_floats),
        Setting("bytea_output", "hex", _choice("hex")),
        Setting("client_min_messages", "notice", _message_level),
        Setting("lc_messages", "C", _choice("c", "en_us.utf-8", "en_us.utf8", "c.utf-8")),
        Setting("lc_collate", "C", fixed=True),
        Setting("lc_ctype", "C", fixed=True),
        Setting("row_security", "on", _boolean),
        Setting("synchronous_commit", "on", _choice("on")),
        Setting("jit", "off", _boolean),
        Setting("default_table_access_method", "heap", _choice("heap")),
        Setting("max_identifier_length", str(IDENTIFIER_BYTES_MAX), fixed=True),
        Setting("max_index_keys", str(INDEX_KEYS_MAX), fixed=True),
        Setting("block_size", "8192", fixed=True),
        Setting("escape_string_warning", "on", _boolean),
        Setting("quote_all_identifiers", "off", _choice("off")),
        Setting("enable_seqscan", "on", _boolean),
        Setting(SYSTEM_RELATIONS_LISTED, "off", _boolean),
    )
}

TRANSACTION_MODES = {
    f"transaction_{mode}": f"default_transaction_{mode}" for mode in ("isolation", "read_only", "deferrable")
}
"""Settings that are the running transaction's modes; without a transaction, those that the next one starts with."""

REPORTED_NAMES = {"datestyle": "DateStyle", "intervalstyle": "IntervalStyle", "timezone": "TimeZone"}
"""How ParameterStatus and SHOW spell names."""


def checked_value(setting: Setting, value: str) -> str:
    """The value in its one spelling. Raises InvalidParameterValue."""
    try:
        return setting.check(value)
    except ValueError:
        raise InvalidParameterValue(f'invalid value for parameter "{setting.name}": "{value[:64]}"') from None
