"""PostgreSQL's value formats: text, binary, COPY streams and ordering, one codec per column type. No SQL, no I/O."""
