"""Procedures beside sessions: what operators do through the server."""
