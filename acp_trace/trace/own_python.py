"""How a module of this package runs as a program: with the Python of this process. Imports next to nothing.

`-E` and `-P`: no variable of a client's, such as PYTHONHOME, and no file of the working directory breaks it.
"""

from __future__ import annotations

import sys


def module(name: str, *words: str) -> list[str]:
    """Return the command that runs a module with these words."""
    return [sys.executable, "-EP", "-m", name, *words]
