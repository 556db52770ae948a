"""Fixtures that every test folder may use."""

pytest_plugins = ["tests.postgres"]
