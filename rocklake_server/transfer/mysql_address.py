"""Where a MySQL database is: the text that DuckDB takes behind ``ducklake:mysql:``, or a URL."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from rocklake_server.errors import InvalidParameterValue

_PAIR = re.compile(r'\s*([A-Za-z_]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s"=]*)(?:\s+|$)')
_NAMES = {
    "host": "host", "user": "user", "passwd": "password", "password": "password", "db": "database",
    "database": "database", "port": "port", "socket": "unix_socket", "unix_socket": "unix_socket", "ssl_ca": "ssl_ca",
    "ssl_cert": "ssl_cert", "ssl_key": "ssl_key", "ssl_mode": "ssl_mode",
}  # fmt: skip
_SSL_MODES: dict[str, dict[str, Any]] = {
    "disabled": {"ssl_disabled": True}, "preferred": {}, "required": {"ssl": {"verify_mode": "none"}},
    "verify_ca": {"ssl_verify_cert": True}, "verify_identity": {"ssl_verify_cert": True, "ssl_verify_identity": True},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MySQLAddress:
    """Options by the names that the driver gives them. Prints without the password."""

    options: dict[str, str] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> MySQLAddress:
        """``host=… user=… password=… database=… port=…``, values with spaces in double quotes, or
        ``//user:password@host:port/database``. Raises InvalidParameterValue, also when no database is named."""
        options = _of_url(text) if text.startswith("//") else _of_pairs(text)
        if not options.get("database"):
            raise InvalidParameterValue("the MySQL address names no database; add database=NAME")
        if not options.get("port", "0").isdecimal():
            raise InvalidParameterValue("the port of the MySQL address is no number")
        if options.get("ssl_mode", "preferred").lower() not in _SSL_MODES:
            raise InvalidParameterValue(f"ssl_mode of the MySQL address is none of {', '.join(_SSL_MODES)}")
        return cls(options)

    def arguments(self) -> dict[str, Any]:
        """For the driver."""
        arguments: dict[str, Any] = {name: value for name, value in self.options.items() if value}
        arguments |= _SSL_MODES[arguments.pop("ssl_mode", "preferred").lower()]
        if "port" in arguments:
            arguments["port"] = int(arguments["port"])
        return arguments


def _of_pairs(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    position = 0
    while position < len(text.rstrip()):
        found = _PAIR.match(text, position)
        if found is None:
            raise InvalidParameterValue("a MySQL address is written as host=… user=… database=…, or as a URL")
        name = _NAMES.get(found[1].lower())
        if name is None:
            raise InvalidParameterValue(f'"{found[1]}" is no part of a MySQL address; write {", ".join(_NAMES)}')
        if name in options:
            raise InvalidParameterValue(f"the MySQL address has more than one {name}")
        options[name] = re.sub(r"\\(.)", r"\1", found[2][1:-1]) if found[2].startswith('"') else found[2]
        position = found.end()
    return options


def _of_url(text: str) -> dict[str, str]:
    try:
        parts = urlsplit(f"mysql:{text}")
        port = parts.port
    except ValueError:
        raise InvalidParameterValue("the MySQL address is no URL") from None
    if parts.query or parts.fragment:
        raise InvalidParameterValue("a MySQL URL has no options; write host=… user=… database=… instead")
    options = {"host": parts.hostname, "user": parts.username, "password": parts.password,
               "database": parts.path.lstrip("/"), "port": None if port is None else str(port)}  # fmt: skip
    return {name: unquote(value) for name, value in options.items() if value}
