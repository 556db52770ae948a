"""The server over real sockets: drivers, limits, cancellation, and clients that misbehave."""
