"""The audit log: one record of logger ``rocklake.audit`` for each login, change of a role, grant, drop, excise, copy.

The message is ``event key=value ...``, on one line whatever a client sends; the same facts are the record's ``audit``
attribute, for formatters that write JSON. Records are written whatever the log level is. No password and no verifier
is ever among them.
"""

from __future__ import annotations

import json
import logging
import re

from rocklake_server.telemetry import AUDIT_LOGGER

_PLAIN = re.compile(r"[A-Za-z0-9_.:/@*+-]+")
_logger = logging.getLogger(AUDIT_LOGGER)

Fact = str | int | float | bool | None


def audit(event: str, **facts: Fact) -> None:
    """Write one record. Facts that are ``None`` are left out."""
    known = {name: value for name, value in facts.items() if value is not None}
    shown = " ".join(f"{name}={_shown(value)}" for name, value in known.items())
    _logger.info("%s %s", event, shown, extra={"event": event, "audit": known})


def _shown(value: Fact) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text)
