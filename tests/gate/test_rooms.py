"""The room of a listener: whoever has most must go when there is no more."""

from __future__ import annotations

import pytest

from acp_trace.gate import rooms
from acp_trace.gate.rooms import Room, RoomPlace

_REQUEST = rooms._REQUEST


def entered(room: Room, gone: list[str], name: str, size: int) -> RoomPlace:
    """A request of so many bytes."""
    place = room.enter(lambda: gone.append(name))
    place.add(size)
    return place


def test_who_has_most_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if that is the one that asks for more; among equals, the oldest. What left makes room."""
    gone: list[str] = []
    monkeypatch.setattr(rooms, "_REQUEST", 0)
    room = Room(100_000)
    first = entered(room, gone, "first", 60_000)
    small = entered(room, gone, "small", 10)
    entered(room, gone, "second", 30_000)
    assert gone == []
    small.add(20_000)
    assert gone == ["first"]
    first.add(90_000)  # its connection only has to notice
    entered(room, gone, "giant", 80_000)
    assert gone == ["first", "giant"]
    small.leave()
    entered(room, gone, "third", 30_000)
    entered(room, gone, "fourth", 50_000)
    assert gone == ["first", "giant", "fourth"]
    entered(room, gone, "fifth", 30_000)
    entered(room, gone, "sixth", 30_000)
    assert gone == ["first", "giant", "fourth", "second"]


def test_what_was_dealt_with_makes_room() -> None:
    """Nothing is counted twice, and nothing stays behind."""
    gone: list[str] = []
    room = Room(10 * _REQUEST)
    place = entered(room, gone, "socket", 0)
    for _ in range(20):
        place.add(5 * _REQUEST)
        place.add(-5 * _REQUEST)
    assert (gone, room.taken) == ([], _REQUEST)
    place.leave()
    place.leave()
    assert room.taken == 0


def test_requests_without_bytes_take_room() -> None:
    """Thousands of streams of HTTP/2 can be open on one connection."""
    gone: list[str] = []
    room = Room(10 * _REQUEST)
    for number in range(12):
        entered(room, gone, str(number), 0)
    assert gone == ["0", "1"]
