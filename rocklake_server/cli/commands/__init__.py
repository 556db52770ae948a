"""Subcommands: each module defines ``register(app)``, found by listing this folder."""
