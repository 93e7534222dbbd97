"""How many bytes of one connection are handled before the others get their turn. Pure.

A few bytes can mean much work: thousands of empty frames, or compressed heads. A loop that handles everything
received on one connection keeps every other one waiting for that long.
"""

from __future__ import annotations

#: The longest time for the bytes of one turn (s), and the fewest bytes of a turn.
_LONG_S, _LEAST = 0.01, 1024


class Share:
    """The size of a connection's turns, in bytes: `size` at first, and never more than `most`."""

    def __init__(self, most: int, size: int = _LEAST) -> None:
        self._most = most
        self.size = min(size, most)

    def took(self, seconds: float) -> bool:
        """Set the size of the next turn. `seconds`: what this one took. Return whether that was too long."""
        if seconds > _LONG_S:
            self.size = max(self.size // 4, _LEAST)
            return True
        if seconds < _LONG_S / 4:
            self.size = min(self.size * 2, self._most)
        return False
