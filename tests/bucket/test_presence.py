"""Which traces a place has: what is asked of it, and that no name is missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_trace.places import layout, packing
from acp_trace.places.place import SharedPlace
from acp_trace.team.bucket.presence import ONE_BY_ONE, Presence
from tests.bucket.server import S3Server
from tests.bucket.test_places import opened, pushed, states
from tests.support import header

_LINES = header()
_MANY = 3 * ONE_BY_ONE


def _key(second: int, agent: str = "opencode") -> str:
    return layout.key(f"20261120T13{second // 60:02}{second % 60:02}Z-7f3a9c", agent)


def _filled(address: str, seconds: range) -> SharedPlace:
    """A place with a trace of each of these seconds."""
    place, packed = opened(address), b"".join(packing.packed([_LINES]))
    for second in seconds:
        place.put(_key(second), packed)
    return place


@pytest.mark.parametrize("step", [1, -1], ids=["oldest first", "newest first"])
def test_each_is_found(place: str, step: int) -> None:
    """Every other one is there, as many as are asked for, in whichever order."""
    presence = Presence(_filled(place, range(0, _MANY, 2)))
    asked = range(_MANY)[::step]
    assert [second for second in asked if presence.has(_key(second), [_LINES])] == [
        second for second in asked if second % 2 == 0
    ]
    assert not presence.has(_key(0, "gemini"), [_LINES])


def test_what_is_listed_of_a_day(s3_server: S3Server, bucket: str) -> None:
    """The names from the first trace on that is not asked for by itself: those of that agent alone."""
    presence = Presence(_filled(bucket, range(_MANY)))
    for second in range(ONE_BY_ONE):
        presence.has(_key(second), [_LINES])
    s3_server.forget()
    assert all(presence.has(_key(second), [_LINES]) for second in range(_MANY - 2, _MANY))
    assert s3_server.requests == {"GET": 1}
    [listed] = s3_server.sent.values()
    s3_server.forget()
    assert all(presence.has(_key(second), [_LINES]) for second in range(_MANY - 4, _MANY))
    assert s3_server.requests == {"HEAD": 2, "GET": 2}  # those before the list are asked for by themselves
    s3_server.forget()
    assert len(list(opened(bucket).names(layout.prefix("2026-11-20")))) == _MANY
    assert max(s3_server.sent.values()) > 10 * listed


def test_who_may_only_list(s3_server: S3Server, bucket: str) -> None:
    """All names are listed then, whatever is asked for first."""
    place = _filled(bucket, range(0, _MANY, 2))
    s3_server.denied.add("HEAD")
    presence = Presence(place)
    assert [presence.has(_key(second), [_LINES]) for second in (20, 3, 2, 0)] == [True, False, True, True]


def test_who_may_list_from_now_on(s3_server: S3Server, bucket: str) -> None:
    """Rights that are lost on the way lose no name."""
    presence = Presence(_filled(bucket, range(_MANY)))
    assert all(presence.has(_key(second), [_LINES]) for second in range(10, 10 + ONE_BY_ONE + 1))
    s3_server.denied.add("HEAD")
    assert presence.has(_key(0), [_LINES])


def test_many_in_a_directory(tmp_path: Path) -> None:
    """Each is looked at, however many there are: another trace of that name is not taken for it."""
    presence = Presence(_filled(str(tmp_path), range(_MANY)))
    other = header().replace(b"2026-11-20T13:05:01", b"2026-11-20T13:05:59")
    assert other != _LINES
    for second in range(_MANY):
        assert presence.has(_key(second), [_LINES])
        with pytest.raises(ValueError, match="another trace with this id"):
            presence.has(_key(second), [other])


def test_a_second_push_of_many(place: str, tmp_path: Path) -> None:
    """Sends nothing."""
    files = [tmp_path / f"20261120T1300{second:02}Z-7f3a9c.jsonl" for second in range(_MANY)]
    for file in files:
        file.write_bytes(header().replace(b"20261120T130501Z-7f3a9c", file.stem.encode()))
    assert states(pushed(opened(place), files)) == {"pushed"}
    assert states(pushed(opened(place), files)) == {"there"}
