"""Logging, set up once. Records go to standard error, one line each; users' data is never among them."""

from __future__ import annotations

import logging
import sys

LEVELS = ("debug", "info", "warning", "error")

AUDIT_LOGGER = "rocklake.audit"
"""Its records are written whatever the level is; see ``auth.audit``."""


def configure_logging(level: str) -> None:
    """``level`` is one of LEVELS, and does not silence the audit log."""
    logging.basicConfig(
        level=level.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s", force=True
    )
    logging.getLogger(AUDIT_LOGGER).setLevel(logging.INFO)
