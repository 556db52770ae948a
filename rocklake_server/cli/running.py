"""Runs the asynchronous body of a command that ends by itself."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

import uvloop

from rocklake_server.telemetry import configure_logging

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of ``work``. Warnings of the engine go to standard error."""
    configure_logging("warning")
    return uvloop.run(work)
