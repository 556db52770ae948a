"""Sessions against what a client sees: message sequences, over in-memory stores."""
