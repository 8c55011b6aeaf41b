"""Linking two tables about the same persons through what their columns can mean."""
