"""Formats of files: each reads and writes its own, by the names of kanon_sql.settings.formats."""
