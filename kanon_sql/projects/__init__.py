"""Releases inside projects of other tools: the files that are written there, and the checks that they ask for."""
