"""One module per statement family: each turns its syntax tree into operators or a write. Registered in ``dispatch``."""
