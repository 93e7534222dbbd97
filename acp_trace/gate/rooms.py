"""How many bytes all clients of a listener together may make it keep. Pure.

A limit for each body does not limit a hundred bodies together. If the room is full, the connection with the
largest request is closed, so a request is never closed for the sake of a larger one.
"""

from __future__ import annotations

from collections.abc import Callable

#: Bytes of a request beside its own: the server's objects. Measured with HTTP/2 streams: 14 kB.
_REQUEST = 1 << 14


class Room:
    """The room of a listener: `most` bytes. Not thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.taken = 0  #: bytes
        self._places: dict[RoomPlace, None] = {}  #: in the order in which they came

    def enter(self, end: Callable[[], object]) -> RoomPlace:
        """Return the place of a request. `end` ends it, and does not raise; its place is empty by then."""
        place = RoomPlace(self, end)
        self._places[place] = None
        place.add(_REQUEST)
        return place

    def add(self, place: RoomPlace, size: int) -> None:
        """Count `size` more bytes of a place. Ends the largest places until there is room."""
        if place not in self._places:  # ended: its connection just has not noticed yet
            return
        place.size += size
        self.taken += size
        while self.taken > self._most and self._places:
            largest = max(self._places, key=lambda each: each.size)
            self.remove(largest)
            largest.end()

    def remove(self, place: RoomPlace) -> None:
        """Stop counting a place."""
        if place in self._places:
            del self._places[place]
            self.taken -= place.size
            place.size = 0


class RoomPlace:
    """What is kept of one request, or of the messages on one WebSocket. Call `leave` at the end."""

    def __init__(self, room: Room, end: Callable[[], object]) -> None:
        self._room = room
        self.end = end
        self.size = 0  #: bytes

    def add(self, size: int) -> None:
        """Count `size` more bytes, or fewer if it is negative."""
        self._room.add(self, size)

    def leave(self) -> None:
        """Leave the room: the request is over."""
        self._room.remove(self)
