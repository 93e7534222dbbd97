"""Faults put into the code on purpose; see run.py."""
