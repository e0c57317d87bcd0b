"""Data sets that are prepared once and kept in TFF's own SQLite form."""
