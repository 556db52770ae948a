"""Every bound of the server, with its unit in its name."""

KEY_BYTES_MAX = 60 * 1024
"""Longest key; SlateDB itself stops at 65,535 bytes."""

CHUNK_ROWS_MAX = 2048
"""Rows in one chunk of an image; a chunk that grows past it is split in two."""

MESSAGE_BYTES_MAX = 1 << 30
"""Longest frontend message after startup; PostgreSQL's own bound."""

STARTUP_BYTES_MAX = 10_000
"""Longest startup message; PostgreSQL's own bound."""

GROUP_MEMBERS_MAX = 256
"""Transactions in one group commit."""

GROUP_BYTES_MAX = 8 * 1024 * 1024
"""Bytes in one group commit; a larger transaction is a group of its own."""

SEND_BUFFER_BYTES = 256 * 1024
"""Reply bytes that are gathered before the socket is drained."""

IDENTIFIER_BYTES_MAX = 1023
"""Longest identifier; longer ones are cut, as PostgreSQL cuts those of more than 63 bytes. SHOW max_identifier_length
tells clients."""

COLUMNS_MAX = 32_767
"""Columns of a relation: the wire counts them in an int16."""

CONNECTIONS_MAX_DEFAULT = 1000
"""Sessions that are served at the same time unless configured otherwise."""

LAKE_IDLE_S = 60.0
"""How long a lake stays open after its last transaction; the next one opens it again."""

LEASE_TIME_S_DEFAULT = 10.0
"""How long a server that died keeps others from its object store, unless configured otherwise."""

LEASE_TIME_S_MIN = 2.0
"""Shorter leases would run out in ordinary pauses of a store."""

STORE_START_TIMEOUT_S = 10.0
"""How long a start waits for a store that does not answer."""

LOSSES_IN_A_ROW_MAX = 2
"""Blocks that a session loses against others before its next one has a turn at the next snapshot row."""

SNAPSHOT_TURN_S_MAX = 1.0
"""How long such a turn lasts at most."""
