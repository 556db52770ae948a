"""Rolling a lake back: a new snapshot that shows what an earlier one showed."""
