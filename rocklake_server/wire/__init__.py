"""The server's side of PostgreSQL's frontend/backend protocol 3.0, without I/O: bytes in, typed messages out,
typed messages in, bytes out. What a message looks like, who may send it when and how long it may be is
decided here; what it means never is: no SQL, no catalog, no sockets, no clocks."""
