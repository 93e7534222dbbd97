"""Runs a module of this package as a program, with the Python of this process. Imports next to nothing.

With `-E` and `-P`, neither a client's variable, such as PYTHONHOME, nor a file of the working directory
breaks it.
"""

from __future__ import annotations

import sys


def module(name: str, *words: str) -> list[str]:
    """Return the command that runs a module with these words."""
    return [sys.executable, "-EP", "-m", name, *words]
