"""An ordered key-value store behind one narrow protocol. Knows bytes, not tables."""
