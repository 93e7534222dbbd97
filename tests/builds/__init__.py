"""Builds: versions, the search, the grid, and the two commands."""
