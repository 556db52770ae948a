"""RockLake: a DuckLake catalog server over SlateDB. The layers and the import rule are in ARCHITECTURE.md."""
