"""Faults of the world around the program (kill -9, full disks) and load, while traffic flows; see run.py."""
