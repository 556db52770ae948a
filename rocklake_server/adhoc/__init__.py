"""SELECTs that the server's own operators do not run, in an embedded DuckDB over the transaction's own view.

Trees are rewritten node by node from what is declared here and in ``plan``; never text of a client, files or writes.
"""
