"""What is reported of an error in reading the traffic: its kind, and where it was raised. Pure.

Never its message: libraries quote in it what they could not read, and that may be the head with the key.
"""

from __future__ import annotations

import os
import traceback


def described(error: Exception) -> str:
    """Return an error in words that quote nothing: `KeyError in feed, http1.py:70`."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return type(error).__name__
    last = frames[-1]
    return f"{type(error).__name__} in {last.name}, {os.path.basename(last.filename)}:{last.lineno}"


def unquoted(message: str) -> str:
    """Return the message of a library without what it quotes: after a colon, or in brackets."""
    return message.partition(":")[0].partition("(")[0].strip()
