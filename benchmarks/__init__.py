"""Side-by-side measurements of this server and a PostgreSQL, driven by a real DuckDB."""
