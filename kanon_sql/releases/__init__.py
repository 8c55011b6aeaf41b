"""Releases over time: two releases joined, and the ledger of those that were made."""
