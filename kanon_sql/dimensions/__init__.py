"""Quasi-identifiers as dimensions: their values in an order, along which partitions are cut."""
