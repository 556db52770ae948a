"""Random DuckLake workloads, run by a real DuckDB on PostgreSQL and on our server, and compared.

``statements`` is the notation of a workload, ``lake`` the generator's model of what exists, ``values`` the types;
``definitions``, ``changes``, ``reads`` and ``maintenance`` each write statements; ``generator`` strings them together;
``sides`` runs them, ``shrinking`` finds the few that matter. ``python -m tests.differential --help`` is the program.
"""
