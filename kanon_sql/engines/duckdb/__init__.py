"""DuckDB inside this process, and connections of it that were handed in."""
