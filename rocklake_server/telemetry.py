"""Logging, set up once. Records go to standard error, one line each; users' data is never among them."""

from __future__ import annotations

import logging
import sys

LEVELS = ("debug", "info", "warning", "error")


def configure_logging(level: str) -> None:
    """``level`` is one of LEVELS."""
    logging.basicConfig(
        level=level.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s", force=True
    )
