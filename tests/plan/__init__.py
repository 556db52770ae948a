"""Tests of plans: expressions, queries and writes over an in-memory transaction, compared with a real PostgreSQL."""
