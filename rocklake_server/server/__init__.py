"""asyncio: every socket of the server is opened, read and written here."""
