"""Runs sqllogictest files in DuckDB's dialect with a real DuckDB against a DuckLake catalog server.

``python -m tests.conformance`` is the command; our own files are in ``files``, and a checkout of DuckLake's own suite
can be given instead. One process per file: ``worker`` runs it, ``orchestrator`` starts, times and judges the workers.
The worker's modules import the standard library, duckdb and pyarrow only, because they also run in the environment of
another DuckDB version.
"""
