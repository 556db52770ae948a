"""SELECTs of the embedded engine: what they answer beside PostgreSQL, what is refused, and that others are served."""
