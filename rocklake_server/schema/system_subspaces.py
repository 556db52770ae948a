"""Key spaces beside the declared relations: their first bytes, and the names that are used within them.

A first byte is permanent. One that goes out of use moves to ``RETIRED_TAGS`` and is never given away again.
"""

from __future__ import annotations

RETIRED_ROWS = 0xFB
"""Rows that SQL DELETE removed: commit sequence, then the row's own key."""

INDEXES = 0xFC
"""Secondary indexes over ducklake_data_file and ducklake_delete_file; the next byte tells which."""

DYNAMIC_RELATIONS = 0xFD
"""Inlined and user relations: relation id, one byte for the kind, then the key fields."""

COUNTERS = 0xFE
"""Counters that mirror the ids which clients used: the rest of the key is the counter's name."""

SYSTEM = 0xFF
"""The server's own keys: the rest of the key is a name; a name with ids after it ends with 00 00."""

RESERVED_TAGS = frozenset({RETIRED_ROWS, INDEXES, DYNAMIC_RELATIONS, COUNTERS, SYSTEM})
RETIRED_TAGS: frozenset[int] = frozenset()

INDEX_REGISTERED_AT = 0x01
"""snapshot_id, table_id, data_file_id: the files that a snapshot registered."""

INDEX_VISIBLE_AT = 0x02
"""table_id, end_snapshot (7FFFFFFFFFFFFFFF while not ended), data_file_id: a table's files by their end."""

INDEX_FILE_TABLE = 0x03
"""data_file_id; the value holds its table_id."""

INDEX_DELETE_FILE = 0x04
"""delete_file_id; the value holds its table_id and data_file_id."""

INDEX_FIELDS = {
    INDEX_REGISTERED_AT: ("registered_at", ("snapshot_id", "table_id", "data_file_id")),
    INDEX_VISIBLE_AT: ("visible_at", ("table_id", "end_snapshot", "data_file_id")),
    INDEX_FILE_TABLE: ("file_table", ("data_file_id",)),
    INDEX_DELETE_FILE: ("delete_file", ("delete_file_id",)),
}
"""The name of each index, and of the fields of its keys."""

KIND_INLINED_DATA = 0x01
KIND_INLINED_DELETE = 0x02
KIND_USER = 0x03

COUNTER_SNAPSHOT = "next_snapshot_id"
COUNTER_CATALOG = "next_catalog_id"
COUNTER_FILE = "next_file_id"
COUNTER_COLUMN = "column_id_{table_id}"
COUNTER_NAMES = frozenset({COUNTER_SNAPSHOT, COUNTER_CATALOG, COUNTER_FILE, COUNTER_COLUMN})

SYSTEM_WRITER_EPOCH = "writer-epoch"
SYSTEM_OPENED_AT = "opened-at"
"""The commit sequence that the present writer epoch began with."""

SYSTEM_RETAIN_FROM = "retain-from"
SYSTEM_FORMAT_VERSION = "catalog-format-version"
SYSTEM_COMMIT_SEQUENCE = "commit-sequence"
SYSTEM_NEXT_ROW = "next-row"
"""The number of rows that ever got a ctid in this lake."""

SYSTEM_NEXT_RELATION = "next-relation"
"""Above every relation id ever used."""

SYSTEM_STORED_BYTES = "stored-bytes"
"""What the keys and values of rows, retired rows and indexes take."""

SYSTEM_AUDIT = "audit"
"""Keyed by commit sequence: who changed the lake from outside of SQL, when and how. A text in JSON."""

SYSTEM_PIN = "pin"
"""Keyed by the sequence of the commit that made it: a snapshot that gc keeps, and why. A text in JSON."""

SYSTEM_COMMIT_TIME = "commit-time"
"""Keyed by commit sequence: a time, in microseconds since 2000, when that commit was the newest."""

SYSTEM_DROPPED = "dropped"
"""Keyed by relation id: the definition of a dropped relation whose retired rows are still there."""

SYSTEM_RELATION = "relation"
"""Keyed by relation id: the definition of one relation."""

SYSTEM_SCHEMA_COMMENT = "schema-comment"
SYSTEM_DATABASE_COMMENT = "database-comment"
"""What COMMENT ON SCHEMA said of the lake's schema, and in the lake of schema public COMMENT ON DATABASE of the
database. Texts; an empty one says that there is none, where a default would be shown."""

CATALOG_FORMAT_VERSION = 1

SYSTEM_NUMBERS = frozenset({
    SYSTEM_WRITER_EPOCH, SYSTEM_OPENED_AT, SYSTEM_RETAIN_FROM, SYSTEM_FORMAT_VERSION, SYSTEM_COMMIT_SEQUENCE,
    SYSTEM_NEXT_ROW, SYSTEM_NEXT_RELATION, SYSTEM_STORED_BYTES,
})
"""System keys without ids, whose values are numbers."""

SYSTEM_TEXTS = frozenset({SYSTEM_SCHEMA_COMMENT, SYSTEM_DATABASE_COMMENT})
"""System keys without ids, whose values are texts."""

SYSTEM_BY_ID = frozenset({SYSTEM_AUDIT, SYSTEM_PIN, SYSTEM_COMMIT_TIME, SYSTEM_DROPPED, SYSTEM_RELATION})
"""System keys with one id."""
