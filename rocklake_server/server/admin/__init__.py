"""The admin port: metrics, health and status over HTTP, for those who watch the server."""
