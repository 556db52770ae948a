"""Tests of the value formats: round trips, and differences to a real PostgreSQL."""
