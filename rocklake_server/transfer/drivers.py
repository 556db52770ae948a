"""The packages that other catalogs need. They are no part of a plain installation, since a server runs without them."""

from __future__ import annotations

import importlib
from typing import Any

from rocklake_server.errors import Unsupported

EXTRA = "catalogs"


def duckdb_driver() -> Any:
    """Raises Unsupported when the package is not installed."""
    return _driver("duckdb", "duckdb")


def postgres_driver() -> Any:
    """Raises Unsupported when the package is not installed."""
    return _driver("psycopg", "psycopg")


def mysql_driver() -> Any:
    """Raises Unsupported when the package is not installed."""
    driver = _driver("pymysql", "pymysql")
    importlib.import_module("pymysql.cursors")
    return driver


def _driver(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise Unsupported(
            f"this needs the Python package {package}, which is not installed here",
            hint=f"pip install 'rocklake-server[{EXTRA}]'",
        ) from None
