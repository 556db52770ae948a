"""The ``rocklake`` command: one module per subcommand in ``commands``."""
