"""Every bound of the server, with its unit in its name."""

KEY_BYTES_MAX = 60 * 1024
"""Longest key; SlateDB itself stops at 65,535 bytes."""

CHUNK_ROWS_MAX = 2048
"""Rows in one chunk of an image; a chunk that grows past it is split in two."""

MESSAGE_BYTES_MAX = 256 * 1024 * 1024
"""Longest frontend message after startup, COPY field and COPY line. PostgreSQL takes 1 GiB; the longest statements that
DuckDB sends, those that register files or inline rows, have 10 to 30 MB."""

RECEIVED_BYTES_MAX = 1024 * 1024 * 1024
"""Bytes of messages that are not complete or not answered yet, of all clients together. The client that goes past it is
sent away."""

STARTUP_BYTES_MAX = 10_000
"""Longest startup message; PostgreSQL's own bound."""

PACKED_ROWS_MIN = 256
"""A chunk that is made with at least so many rows at once is packed."""

IMAGE_MEMORY_MIB_DEFAULT = 1024
"""What the loaded rows of all lakes may take in memory unless configured otherwise: a million data files with ten
million statistics take less than half of it. What was not used for longest is read from the store again when needed."""

UNPACKED_BYTES_MAX = 64 * 1024 * 1024
"""Rows of packed chunks that are kept as tuples, all lakes together."""

ENCODINGS_BYTES_MAX = 512 * 1024 * 1024
"""Encoded rows of chunks that are kept to be sent again, all lakes together: what lists the files of a table with a
million of them takes 150 MiB."""

GROUP_MEMBERS_MAX = 256
"""Transactions in one group commit."""

GROUP_BYTES_MAX = 8 * 1024 * 1024
"""Bytes in one group commit; a larger transaction is a group of its own."""

ONLINE_COMMIT_BYTES_MAX = 1024 * 1024
"""Bytes in one commit of an operator's command through a running server, which the commits of sessions wait for, and in
one write of a copy that it makes."""

ONLINE_ROWS_MAX = 20_000
"""Rows that an operator's command through a running server changes in one commit, where it must be one: about half a
second for which commits of sessions wait."""

MAINTENANCE_RUNS_MAX = 1000
"""Runs of procedures that a server remembers."""

RETRY_S_MAX = 60.0
"""How long snapshots are kept from gc that a transaction which lost may still ask about. With DuckLake's defaults its
last attempt is made after 12 seconds."""

ROWS_HELD_MAX = 10_000_000
"""Rows that one operator of a plan may hold at the same time: to sort, group or join them, or as the result."""

ADVISORY_LOCKS_MAX = 65_536
"""Advisory locks that are held at the same time, of all sessions together."""

NOTIFICATION_BYTES_MAX = 8000
"""A notification's payload is shorter, as in PostgreSQL."""

NOTIFICATIONS_WAITING_BYTES_MAX = 2 * 1024 * 1024
"""Notifications that wait for one session, or that a transaction will send. A session that lets more wait is ended."""

ENGINE_STATEMENTS_MAX = 3
"""Statements that the embedded engine runs at the same time; others wait for their turn."""

ENGINE_WAIT_S_MAX = 30.0
"""How long a statement waits for its turn at the embedded engine."""

ENGINE_RUN_S_MAX = 600
"""How long the embedded engine may compute until it has the next rows of a statement."""

ENGINE_MEMORY_BYTES_MAX = 256 * 1024 * 1024
"""Memory that one statement may take inside the embedded engine."""

ENGINE_INPUT_BYTES_MAX = 256 * 1024 * 1024
"""Bytes of the relations' columns that one statement gives to the embedded engine."""

ENGINE_VALUE_BYTES_MAX = 32 * 1024 * 1024
"""The longest text or list that one function makes for the embedded engine."""

JSON_CHARACTERS_MAX = 1024 * 1024
"""The longest json text that is read: that is one call, which nothing interrupts."""

JSON_COMPARISONS_MAX = 200_000
"""Pairs of values that one containment of jsonb compares."""

ENGINE_TEXT_CHARACTERS_MAX = 4_000_000
"""Characters that are written to make a statement for the embedded engine."""

SEND_BUFFER_BYTES = 256 * 1024
"""Reply bytes that are gathered before the socket is drained."""

IDENTIFIER_BYTES_MAX = 1023
"""Longest identifier; longer ones are cut, as PostgreSQL cuts those of more than 63 bytes. SHOW max_identifier_length
tells clients."""

COLUMNS_MAX = 32_767
"""Columns of a relation: the wire counts them in an int16."""

INDEX_KEYS_MAX = 32
"""Columns of an index, as in PostgreSQL. SHOW max_index_keys tells clients."""

CONNECTIONS_MAX_DEFAULT = 1000
"""Sessions that are served at the same time unless configured otherwise."""

BUSY_POLL_US_DEFAULT = 150
"""How long it is looked for the next message of a client on this machine before the server sleeps. Longer polling takes
the core that the client's own threads need on a small machine."""

BUSY_POLL_US_MAX = 10_000
"""The longest that can be configured."""

LAKE_IDLE_S = 60.0
"""How long a lake stays open after its last transaction; the next one opens it again."""

OPEN_LAKES_DEFAULT = 256
"""Lakes that are open at once unless configured otherwise; one that no transaction uses closes for another."""

SCHEMAS_ENTERED_MAX = 4
"""A transaction takes the roots of all schemas at once in a database of so many; of more, as it comes to them."""

ADMIN_HEAD_BYTES_MAX = 16 * 1024
"""Longest head of a request to the admin port."""

ADMIN_CONNECTIONS_MAX = 32
"""Connections to the admin port at the same time; more are closed at once."""

ADMIN_SILENCE_S_MAX = 60.0
"""How long a connection to the admin port may take for its next request, or to take an answer."""

READY_TIMEOUT_S = 2.0
"""How long the store may take to answer for the server to be ready."""

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

LINE_S_MAX = 0.4
"""How long a session that just wrote may expect to wait in line for the next snapshot row: DuckLake sleeps 0.1 s after
its first loss, tries again, and mostly loses more than once where many write."""

KEEPALIVE_IDLE_S = 60
KEEPALIVE_INTERVAL_S = 10
KEEPALIVE_PROBES = 5
"""A silent client is probed after a minute, and given up when five probes in a row are not answered."""

UNACKNOWLEDGED_MS_MAX = 110_000
"""How long bytes that were sent to a client may stay unacknowledged by its host: as long as probing takes."""

HALF_CLOSED_S_MAX = 5.0
"""How long a client that sends no more is still given for the answers to what it sent. One that was killed looks the
same, and must not keep its locks."""
