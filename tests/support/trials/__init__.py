"""Trials of what a run leaves, by the thousand: a part is a module with a `command`, which `scripts/faults` runs.

A part shares with its tests in tests/faults what makes a trial and what judges it; the command makes many of them.
"""
