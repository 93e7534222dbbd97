"""Connections that say nothing do not keep others out."""

from __future__ import annotations

import subprocess
import sys

import pytest

from acp_trace.gate import crowds
from acp_trace.gate.crowds import WaitingRoom, places


def test_who_has_waited_longest_goes() -> None:
    """Those that have left do not count."""
    ended: list[str] = []
    room = WaitingRoom(2)
    first = room.enter(lambda: ended.append("first"))
    room.enter(lambda: ended.append("second"))
    room.leave(first)
    room.enter(lambda: ended.append("third"))
    assert ended == []
    room.enter(lambda: ended.append("fourth"))
    assert ended == ["second"]


def test_an_end_happens_once() -> None:
    """One that was ended may leave; an empty room has nobody to end."""
    ended: list[str] = []
    room = WaitingRoom(1)
    place = room.enter(lambda: ended.append("one"))
    room.end_oldest()
    room.end_oldest()
    room.leave(place)
    assert ended == ["one"]


def test_as_many_files_as_the_user_may_have() -> None:
    """The limit grows, and is never lowered; in a process of its own, because a limit stays."""
    resource = pytest.importorskip("resource")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    words = (
        "import resource as r; from acp_trace.gate.crowds import allow_many_files as a\n"
        "h = r.getrlimit(r.RLIMIT_NOFILE)[1]; r.setrlimit(r.RLIMIT_NOFILE, (200, h)); a()\n"
        "assert r.getrlimit(r.RLIMIT_NOFILE)[1] == h; print(r.getrlimit(r.RLIMIT_NOFILE)[0])"
    )
    run = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert int(run.stdout) == 200 if 0 <= hard <= 200 else int(run.stdout) > 200


def test_half_of_the_files_are_for_those_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """If all files were held by connections that wait, nobody else could connect."""
    for limit, expected in ((-1, 512), (20_000, 512), (256, 128), (1, 1)):
        monkeypatch.setattr(crowds, "_limits", lambda limit=limit: (limit, limit))
        assert places(512) == expected
