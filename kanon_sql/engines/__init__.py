"""Engines beside DuckDB that hold the rows: they count them, make the release and count that again."""
