"""How long a lake keeps what was: pins, the boundary below which snapshots expire, and what goes with them."""
