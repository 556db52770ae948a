"""Many DuckDB processes write one lake; afterwards its history must be exactly what they were told.

``writer`` is one of the processes, ``running`` starts them and collects their journals, ``checking`` holds the lake
against the journals. ``python -m tests.history`` runs it for as long as wanted.
"""
