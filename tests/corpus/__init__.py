"""The corpus of statements that DuckDB was seen to send, one folder per client line, and the test that runs it."""
