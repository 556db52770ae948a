"""One client's conversation: messages in, messages out. Knows neither sockets nor bytes on disk."""
