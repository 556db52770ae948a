"""Fixtures of the tests of procedures."""

from __future__ import annotations

from tests.catalog.retention.conftest import tiny_commits

__all__ = ["tiny_commits"]
