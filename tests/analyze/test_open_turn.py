"""A turn that never ended: its time until the end of the trace is split as that of a turn that did."""

from __future__ import annotations

from acp_trace.analyze.facts import Turn
from acp_trace.analyze.open_turn import until_end
from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, call, permit, prompt, stop, up, words
from tests.support import END, analyzed, header, line

_S = 1_000_000_000
_TOOL = up("tool_call", toolCallId="c", title="ls", status="in_progress")


def _until_end(said: list[Said], end_s: int) -> Turn:
    """The first turn of a trace with a frame each second; its prompt is frame 5."""
    lines = [header()]
    for number, (sender, message) in enumerate(said, 1):
        lines.append(line(t=number * _S, **{"from": sender}, frame=message))
    found = analyzed(b"".join([*lines, line(t=end_s * _S, end=END)]))[0]
    return until_end(found.turns[0], found)


def _parts(turn: Turn) -> list[int]:
    parts = (turn.before_output_ns, turn.tools_ns, turn.permissions_ns, turn.requests_ns, turn.rest_ns)
    assert sum(part or 0 for part in parts) == turn.duration_ns
    return [(part or 0) // _S for part in parts]


def test_the_parts_reach_to_the_end() -> None:
    """Each moment belongs to one part, whatever is still open."""
    read = call(1, "fs/read_text_file", sessionId="s", path="/a")
    command = call(1, "terminal/wait_for_exit", sessionId="s", terminalId="t")
    begun = [*start(), prompt(1)]
    assert _parts(_until_end(begun, 25)) == [20, 0, 0, 0, 0]
    assert _parts(_until_end([*begun, words()], 25)) == [1, 0, 0, 0, 19]
    assert _parts(_until_end([*begun, words(), _TOOL], 25)) == [1, 18, 0, 0, 1]
    assert _parts(_until_end([*begun, words(), _TOOL, permit(0)], 25)) == [1, 1, 17, 0, 1]
    assert _parts(_until_end([*begun, words(), read], 25)) == [1, 0, 0, 18, 1]
    assert _parts(_until_end([*begun, words(), command], 25)) == [1, 18, 0, 0, 1]
    done = up("tool_call_update", toolCallId="c", status="completed")
    assert _parts(_until_end([*begun, words(), _TOOL, done], 25)) == [1, 1, 0, 0, 18]


def test_a_turn_that_ended_stays_as_it_is() -> None:
    """Its parts are known."""
    turn = _until_end([*start(), prompt(1), words(), stop(1)], 25)
    assert (turn.duration_ns, _parts(turn)) == (2 * _S, [1, 0, 0, 0, 1])
