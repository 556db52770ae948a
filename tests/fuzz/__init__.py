"""Any bytes from a client or a store: an error at most, soon, and never one of the server's own."""
