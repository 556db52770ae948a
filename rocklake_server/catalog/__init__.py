"""The MVCC engine: roots, images, transactions, commits. Knows rows and keys, never SQL text or the wire."""
