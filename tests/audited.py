"""What the audit log says, as it stands in a log that is written for people."""

from __future__ import annotations

import re

from rocklake_server.telemetry import AUDIT_LOGGER

_LINE = re.compile(rf"^\S+ \[info *\] (.*) \[{re.escape(AUDIT_LOGGER)}\](?: request=\S+)?$", re.MULTILINE)


def audited(log: str) -> list[str]:
    """The messages of audit records, oldest first."""
    return _LINE.findall(log)
