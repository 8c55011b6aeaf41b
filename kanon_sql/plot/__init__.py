"""Drawings of what was found: the lattice as SVG or Graphviz."""
