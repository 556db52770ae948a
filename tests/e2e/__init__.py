"""Whole-system tests: real DuckDB, psycopg and psql clients against a running server."""
