"""An agent that floods: it ends, and its verdict takes time for what came, not for what came times that."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from acp_trace.replay.conversation.engine import Conversation, Options
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.peer_state import PeerState
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import read
from acp_trace.replay.settings import Settings
from acp_trace.replay.timeouts import SECOND
from acp_trace.replay.verdict.verdict import ReplayVerdict, judge_run
from acp_trace.trace.entries import Entry
from tests.replay.facing import entries
from tests.support import END, cancelled_by_request, error, header, line, request, result, trace, update

_Frames = list[tuple[str, Any]]
_OPTION = {"optionId": "a", "name": "a", "kind": "allow_once"}
_START: _Frames = [
    ("client", request(0, "initialize", protocolVersion=1)),
    ("agent", result(0, protocolVersion=1)),
    ("client", request(1, "session/new", cwd="/w")),
    ("agent", result(1, sessionId="s")),
    ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
]
_RECORDED = entries(trace(*_START, ("agent", result(2, stopReason="end_turn"))))

#: What the flood consists of: a message for each number.
_FLOODS: dict[str, Callable[[int], dict[str, Any]]] = {
    "files, each another one": lambda n: request(n, "fs/read_text_file", sessionId="s", path=f"/w/{n}"),
    "one file again and again": lambda n: request(n, "fs/read_text_file", sessionId="s", path="/w/a"),
    "files to write": lambda n: request(n, "fs/write_text_file", sessionId="s", path=f"/w/{n}", content="x"),
    "permissions": lambda n: request(
        n, "session/request_permission", sessionId="s", toolCall={"toolCallId": f"c{n}"}, options=[_OPTION]
    ),
    "terminals": lambda n: request(n, "terminal/create", sessionId="s", command="x", args=[str(n)]),
    "methods that nobody knows": lambda n: request(n, f"_x/{n}", sessionId="s"),
    "one id again and again": lambda _: request(7, "fs/read_text_file", sessionId="s", path="/w/a"),
    "sessions that nobody opened": lambda n: request(n, "fs/read_text_file", sessionId=f"s{n}", path="/w/a"),
    "tool calls": lambda n: update("s", "tool_call", toolCallId=f"c{n}", title=f"t{n}"),
    "chunks": lambda _: update("s", "agent_message_chunk", content={"type": "text", "text": "x"}),
    "titles": lambda n: update("s", "session_info_update", title=f"t{n}"),
    "answers to nothing": lambda n: result(1000 + n),
}


def _flooded(count: int, make: Callable[[int], dict[str, Any]]) -> tuple[list[Entry], list[Incident]]:
    """The live run with so many of these messages in its turn, and what the player noticed."""
    talk = Conversation(
        plan(read(_RECORDED), "client"), Rewriter(), Patience(SECOND, 6, 1000, SECOND), Options()
    )
    said: _Frames = [*_START]
    talk.begin(0)
    list(talk.due(0))
    for sender, message in _START:
        if sender == "agent":
            talk.receive(json.dumps(message).encode(), 0)
            list(talk.due(0))
    for number in range(count):
        message = make(number)
        said.append(("agent", message))
        talk.receive(json.dumps(message).encode(), 0)
        list(talk.due(0))
        if "method" in message and "id" in message:
            said.append(("client", error(message["id"], -32601, "no")))
    said.append(("agent", result(2, stopReason="end_turn")))
    return entries(trace(*said, id="20261120T130501Z-000001")), talk.incidents


def _judged(count: int, make: Callable[[int], dict[str, Any]]) -> ReplayVerdict:
    live, incidents = _flooded(count, make)
    return judge_run(_RECORDED, live, incidents, Settings(), died=False, steps=3, sent=3)


def _steps(work: Callable[[], object]) -> Counter[str]:
    """Lines of Python that it executes, by folders of the package."""
    steps: Counter[str] = Counter()

    def lines(frame: FrameType) -> Callable[[FrameType, str, Any], Any] | None:
        path = Path(frame.f_code.co_filename)
        if "acp_trace" not in path.parts:
            return None
        folder = path.parent.name

        def line(_frame: FrameType, event: str, _arg: object) -> Any:
            steps[folder] += event == "line"
            return line

        return line

    before = sys.gettrace()  # the one that measures coverage
    sys.settrace(lambda frame, _event, _arg: lines(frame))
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("flood", _FLOODS)
def test_twice_as_much_takes_twice_as_long(flood: str) -> None:
    """Twice the messages take no more than 2.5 times the steps (four, were it quadratic), anywhere."""
    make = _FLOODS[flood]
    small, large = (_steps(partial(_judged, count, make)) for count in (100, 200))
    assert {"replay", "compare", "analyze"} <= set(large)
    assert {
        folder: (steps, large[folder]) for folder, steps in small.items() if large[folder] > 2.5 * steps
    } == {}


def test_what_is_told_of_a_flood() -> None:
    """Each request once: what the player noticed and what the comparison found are one."""
    found = _judged(50, _FLOODS["files, each another one"]).comparison.divergences
    assert [one.code for one in found] == ["request-extra"] * 50
    assert all("the recording has no" in one.message for one in found), found[0].message


@pytest.mark.parametrize("before", [0, 1])
def test_noise_follows_from_its_flood(before: int) -> None:
    """Also if the client sends something meanwhile: which of the two is first is chance."""
    noise = [line(t=t, **{"from": "agent"}, text="no message") for t in (5, 9)]
    asked = line(t=7, **{"from": "client"}, frame=_START[0][1])
    run = [header(id="20261120T130501Z-000001"), *noise[:before], asked, *noise[before:], line(t=11, end=END)]
    flood = Incident("flood", "far more messages arrived than were recorded")
    found = judge_run(_RECORDED, entries(b"".join(run)), [flood], Settings(), died=True, steps=3, sent=1)
    told = {one.code: one.consequence_of for one in found.comparison.failing}
    assert told["noise"] is not None


def test_a_flood_is_over() -> None:
    """At so many messages after a step, however many bytes they are; a step counts anew."""
    patience = Patience(SECOND, 6, 1000, SECOND)
    peer = PeerState(plan(read(_RECORDED), "client"), patience.most)
    peer.on_step(0)
    for _ in range(2):
        count = 0
        while not patience.is_flooded(peer):
            peer.on_line(0, 1, sound=True)
            count += 1
        assert 20_000 < count < 100_000
        peer.on_step(0)
        assert not patience.is_flooded(peer)


def test_an_agent_that_says_much_is_no_flood() -> None:
    """Ten thousand chunks, where three were recorded."""
    frames = entries(trace(*cancelled_by_request()))
    patience = Patience(SECOND, len(frames), 1000, SECOND)
    peer = PeerState(plan(read(frames), "client"), patience.most)
    for _ in range(10_000):
        peer.on_line(0, 100, sound=True)
    assert not patience.is_flooded(peer)
