"""The admin port, over HTTP."""
