"""How many modules one request of the peer passes, from its line to its answer: few enough to follow it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import acp_trace.replay
from tests.reading.talk import Said, prompt, reply, stop
from tests.replay.lines import START, may, picks, reads, tool
from tests.replay.playbook import Playbook, recorded

_REPLAY = Path(acp_trace.replay.__file__).parent
#: Nothing is decided there: messages of a recording, steps of a plan, and three that count what comes.
_DATA = {"recording", "steps", "turn_progress", "client_progress", "patience"}


@contextmanager
def passed() -> Iterator[set[str]]:
    """The modules of the engine in which a function is entered meanwhile."""
    modules: set[str] = set()

    def enter(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(_REPLAY):
            modules.add(path.stem)

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        yield modules
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize(
    ("request_", "response"),
    [(reads(7, "/w/a"), reply(7, content="A")), (may(7, "t"), picks(7, "yes"))],
    ids=["fs/read_text_file", "session/request_permission"],
)
def test_a_request_passes_few_modules(request_: Said, response: Said) -> None:
    """Six with the player, which reads the line and writes the answer; beside data."""
    with Playbook(recorded(*START, prompt(1), tool("t"), request_, response, stop(1))) as book:
        book(*START, prompt(1), tool("t"))
        with passed() as modules:
            book(request_, response)
        book(stop(1))
    modules -= _DATA
    assert modules == {"engine", "inbound_requests", "peer_state", "rewriting", "scheduler"}
