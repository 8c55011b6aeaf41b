"""Spark: sessions of our own, those that were handed in, and Spark Connect."""
