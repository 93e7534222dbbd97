"""Formats of other tools: reading and writing. `data` has files in them, with a README of where each comes from."""
