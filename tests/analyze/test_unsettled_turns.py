"""Turns that never ended: the time until the end of the trace is split as that of a turn that did."""

from __future__ import annotations

from dataclasses import asdict

from acp_trace.analyze.facts import Facts, UnsettledTurn
from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, call, permit, prompt, stop, up, words
from tests.support import END, analyzed, header, line

_S = 1_000_000_000
_TOOL = up("tool_call", toolCallId="c", title="ls", status="in_progress")


def _facts(said: list[Said], end_s: int) -> Facts:
    """Of a trace with a frame each second; the first prompt is frame 5."""
    lines = [header()]
    for number, (sender, message) in enumerate(said, 1):
        lines.append(line(t=number * _S, **{"from": sender}, frame=message))
    return analyzed(b"".join([*lines, line(t=end_s * _S, end=END)]))[0]


def _unsettled(said: list[Said]) -> UnsettledTurn:
    """The only one of a trace that lasts 25 seconds."""
    (turn,) = _facts(said, 25).unsettled_turns
    return turn


def _parts(turn: UnsettledTurn) -> list[int]:
    """First output, tools, permissions, requests, writing, rest (s)."""
    parts = [part for name, part in asdict(turn).items() if name.endswith("_ns") and name != "open_ns"]
    assert sum(parts) == turn.open_ns
    return [part // _S for part in parts]


def test_the_parts_reach_to_the_end() -> None:
    """Each moment belongs to one part, whatever is still open."""
    read = call(1, "fs/read_text_file", sessionId="s", path="/a")
    command = call(1, "terminal/wait_for_exit", sessionId="s", terminalId="t")
    begun = [*start(), prompt(1)]
    more = [*begun, words(), words(), words()]
    done = up("tool_call_update", toolCallId="c", status="completed")
    assert _parts(_unsettled(begun)) == [20, 0, 0, 0, 0, 0]
    assert _parts(_unsettled([*begun, words()])) == [1, 0, 0, 0, 0, 19]
    assert _parts(_unsettled(more)) == [1, 0, 0, 0, 2, 17]
    assert _parts(_unsettled([*begun, words(), _TOOL])) == [1, 18, 0, 0, 0, 1]
    assert _parts(_unsettled([*begun, words(), _TOOL, permit(0)])) == [1, 1, 17, 0, 0, 1]
    assert _parts(_unsettled([*begun, words(), read])) == [1, 0, 0, 18, 0, 1]
    assert _parts(_unsettled([*begun, words(), command])) == [1, 18, 0, 0, 0, 1]
    assert _parts(_unsettled([*begun, words(), _TOOL, done])) == [1, 1, 0, 0, 0, 18]


def test_a_turn_that_ended_is_not_among_them() -> None:
    """Its parts are its own; one that never ended has none there."""
    found = _facts([*start(), prompt(1), words(), words(), stop(1), prompt(2)], 25)
    assert [(turn.duration_ns, turn.writing_ns, turn.chunks) for turn in found.turns] == [
        (3 * _S, _S, 2),
        (None, None, 0),
    ]
    assert [(turn.turn, turn.frame, turn.open_ns) for turn in found.unsettled_turns] == [(1, 9, 16 * _S)]


def test_a_prompt_after_the_end_was_open_for_no_time() -> None:
    """Times of a damaged trace go back."""
    lines = [header()]
    for number, (sender, message) in enumerate([*start(), prompt(1)], 1):
        lines.append(line(t=(9 - number) * _S, **{"from": sender}, frame=message))
    (turn,) = analyzed(b"".join(lines))[0].unsettled_turns
    assert turn.open_ns == 4 * _S
    assert sum(_parts(turn)) == 4
