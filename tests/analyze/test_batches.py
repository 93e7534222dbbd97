"""The messages of a batch are paired and judged like messages of their own (docs/findings.md, batch)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts, Finding
from acp_trace.protocol.message import MessageKind, batch
from acp_trace.trace.parse import Parser
from tests.support import TRACES, analyzed, facts_of, request, result, trace, update

_CANCEL = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}


def _begun(*frames: tuple[str, Any]) -> list[tuple[str, Any]]:
    return [
        ("client", request(0, "initialize", protocolVersion=1)),
        ("agent", result(0, protocolVersion=1)),
        ("client", request(1, "session/new")),
        ("agent", result(1, sessionId="s")),
        *frames,
    ]


def _found(made: Facts) -> list[tuple[str, str, str, int, str | None, int | None]]:
    return [
        (one.code, one.severity, one.blame, one.frame, one.path, one.consequence_of)
        for one in made.findings
        if one.code != "batch"
    ]


def _wrapped(file: bytes) -> bytes:
    """The same trace with each message in a batch of its own."""
    lines = []
    for text in file.splitlines():
        line = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        if bytes(line.get("frame", b""))[:1] == b"{":
            line["frame"] = msgspec.Raw(b"[" + bytes(line["frame"]) + b"]")
        lines.append(msgspec.json.encode(line))
    return b"\n".join(lines) + b"\n"


def _alone(finding: Finding) -> Finding:
    """The finding as it would be without the batch."""
    path = (finding.path or "").removeprefix("/0") or None
    return replace(finding, path=path, message=finding.message.replace("[0]", ""))


@pytest.mark.parametrize("file", TRACES, ids=lambda file: file.stem)
def test_a_recording_says_the_same_in_batches(file: Path) -> None:
    """Each message in an array of its own changes no fact."""
    alone, _ = analyzed(file.read_bytes())
    wrapped, frames = analyzed(_wrapped(file.read_bytes()))
    assert all(frame.kind is MessageKind.INVALID for frame in frames if frame.data[:1] == b"[")
    assert len([one for one in wrapped.findings if one.code == "batch"]) == len(
        [frame for frame in frames if frame.data[:1] == b"["]
    )
    said = [_alone(one) for one in wrapped.findings if one.code != "batch"]
    # What blames the receiver of a batch is a consequence of it: the rest of the row is the same.
    assert [(one.code, one.blame, one.frame, one.path, one.message) for one in said] == [
        (one.code, one.blame, one.frame, one.path, one.message) for one in alone.findings
    ]
    empty: dict[str, Any] = {"findings": []}
    assert replace(wrapped, trace=alone.trace, **empty) == replace(alone, **empty)


def test_requests_are_paired_with_the_answers_of_another_batch() -> None:
    """In any order, by their ids."""
    made = facts_of(
        *_begun(
            ("client", [request(2, "session/new"), request("2", "session/list")]),
            ("agent", [result("2", sessions=[]), result(2, sessionId="t")]),
        )
    )
    pairs = [(one.method, one.frame, one.response_frame, one.outcome) for one in made.exchanges[2:]]
    assert pairs == [("session/new", 5, 6, "result"), ("session/list", 5, 6, "result")]


def test_each_message_is_judged_at_its_own_place() -> None:
    """Also what is no message; a fault of one is none of another."""
    bad = update("s", "agent_message_chunk", content={"type": "text"})
    ok = update("s", "agent_message_chunk", content={"type": "text", "text": "a"})
    made = facts_of(
        *_begun(
            ("client", request(2, "session/prompt", sessionId="s")),
            ("agent", [ok, bad, ok, bad, 7, [], {"jsonrpc": "2.0"}]),
            ("agent", result(2, stopReason="end_turn")),
        )
    )
    path = "params/update/content/text"
    assert _found(made) == [
        ("payload-field-missing", "error", "agent", 6, f"/1/{path}", None),
        ("not-jsonrpc", "error", "agent", 6, "/4", None),
    ]
    assert [one.count for one in made.findings if one.code == "not-jsonrpc"] == [3]


def test_several_prompts_and_their_cancel_in_one_batch() -> None:
    """What is kept by the frame of a request is kept by its place here."""
    prompts = [request(number, "session/prompt", sessionId="s") for number in (2, 3)]
    made = facts_of(
        *_begun(
            ("client", [*prompts, _CANCEL]),
            ("agent", [result(number, stopReason="cancelled") for number in (2, 3)]),
        )
    )
    assert [(one.turn, one.frame, one.settled_frame, one.stop_reason) for one in made.turns] == [
        (0, 5, 6, "cancelled"),
        (1, 5, 6, "cancelled"),
    ]
    for facts in (made.turns, made.exchanges, made.findings):
        assert {type(one.frame) for one in facts} == {int}


def test_who_watches_hears_of_each_session_of_a_batch() -> None:
    """Once, when it comes."""
    prompts = [
        request(number, "session/prompt", sessionId=session) for number, session in ((5, "s"), (6, "t"))
    ]
    said = _begun(
        ("client", request(2, "session/new")), ("agent", result(2, sessionId="t")), ("client", prompts)
    )
    said.append(("agent", [result(number, stopReason="end_turn") for number in (5, 6)]))
    parser, analyzer, heard = Parser(), Analyzer(), []
    for entry in parser.feed(trace(*said)):
        if analyzer.feed(entry) is not None:
            heard += [(turn.frame, turn.session_id, turn.stop_reason) for turn in analyzer.fresh(None).turns]
    assert heard == [(7, "s", None), (7, "t", None), (7, "s", "end_turn"), (7, "t", "end_turn")]


def test_nobody_is_blamed_for_a_batch_that_it_need_not_read() -> None:
    """An agent of protocol 1 refuses the array, and answers none of the messages in it."""
    refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Invalid Request"}}
    made = facts_of(
        *_begun(
            ("client", request(2, "session/prompt", sessionId="s")),
            ("client", [_CANCEL, request(3, "session/set_mode", sessionId="s", modeId="a")]),
            ("agent", refusal),
            ("agent", update("s", "agent_message_chunk", content={"type": "text", "text": "on"})),
            ("agent", result(2, stopReason="end_turn")),
        )
    )
    blamed = [one for one in made.findings if one.blame == "agent"]
    assert [(one.code, one.severity, one.consequence_of) for one in blamed] == [
        ("never-answered", "note", 6),
        ("cancel-other-stop-reason", "note", 6),
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [(b"[]", 0), (b' \t[{"method":"a"}, 1]', 2), (b'[{"method":"\\ud800"}]', 1), (b"[[]]", 1)],
)
def test_arrays(text: bytes, count: int) -> None:
    """Anything in an array is an item, whatever it is."""
    assert len(batch(text) or []) == count


_MANY = b"[%s1]" % (b"1," * 1_000_001)
_OTHERS = [b"", b" ", b"{}", b"[", b"[1", b"[1]]", b"7", b"[\xff]", b"[" * 100_000, _MANY]


@pytest.mark.parametrize("text", _OTHERS, ids=lambda text: repr(text[:6]))
def test_other_texts(text: bytes) -> None:
    """What is no whole array is none, nor what would only fill the memory; it never raises."""
    assert batch(text) is None
