"""Runs a module of this package as a program, with the Python of this process. Imports next to nothing.

`-E` and `-P` protect it from a client's variables, such as PYTHONHOME, and files of the working directory.
"""

from __future__ import annotations

import sys


def module(name: str, *words: str) -> list[str]:
    """Return the command that runs a module with these words."""
    return [sys.executable, "-EP", "-m", name, *words]
