"""Relations to bytes: order-preserving keys and enveloped protobuf values. Knows nothing of MVCC."""
