"""What operators do with a lake: look inside, verify, repair. Reads snapshots of stores, and never SQL."""
