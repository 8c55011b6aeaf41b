"""Multidimensional recoding: each class of rows has a generalization of its own."""
