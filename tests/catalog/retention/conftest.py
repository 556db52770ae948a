"""Fixtures of the tests of retention."""

from __future__ import annotations

import pytest

from rocklake_server.catalog.retention import offline_commits, online_commits


@pytest.fixture
def tiny_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each group of rows is a commit of its own."""
    monkeypatch.setattr(offline_commits, "GROUP_BYTES_MAX", 1)
    monkeypatch.setattr(online_commits, "ONLINE_COMMIT_BYTES_MAX", 1)
