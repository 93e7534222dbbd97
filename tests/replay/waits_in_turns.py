"""What a player waits for in the middle of a turn, how long, and what it notes: a table, played without a process."""

from __future__ import annotations

from typing import NamedTuple

from acp_trace.trace.entries import Sender
from tests.reading.talk import Said, answer, ask, cancel, prompt, stop
from tests.replay.lines import chunk, now, tool


class Wait(NamedTuple):
    """`of`: the recorded turns. `before`: what goes over the line before the wait, `then`: after it."""

    own: Sender  #: who is played
    of: tuple[Said, ...]
    before: tuple[Said, ...]
    seconds: float
    then: tuple[Said, ...]
    codes: str = ""


def _error(frame: int) -> Said:
    told = f"session/cancel (#{frame} of the recording) did not come, so there is no answer to this session/prompt"
    return "agent", {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": f"acp-trace: {told}"}}


_MODE = ask(2, "session/set_mode", sessionId="s", modeId="code"), answer(2)
_CANCELLED = cancel(), stop(1, "cancelled")
_TEXT = chunk("One. "), chunk("Two. ")
_WORKS = tool(), now("c", "in_progress")
_SECOND = prompt(2), stop(2)

#: The timeout is 60 s.
WAITS = {
    # the client is played: `replay`
    "a text that is cancelled comes in other pieces": Wait(
        "client", (prompt(1), *_TEXT, *_CANCELLED), (prompt(1), chunk("O"), chunk("ne. Two. T")), 0, _CANCELLED),
    "a mode is set in the middle of a text": Wait(
        "client", (prompt(1), *_TEXT, *_MODE, stop(1)), (prompt(1), chunk("One. T"), chunk("wo. T")), 0, (*_MODE, stop(1))),
    "a second prompt in the middle of a text": Wait(
        "client", (prompt(1), *_TEXT, *_SECOND, stop(1)), (prompt(1), chunk("One. T"), chunk("wo. T")), 0, (*_SECOND, stop(1))),
    "a text that is cancelled gives way to a tool call": Wait(
        "client", (prompt(1), *_TEXT, *_CANCELLED), (prompt(1), chunk("1."), tool()), 0, _CANCELLED),
    "a text that is cancelled stays short, and the turn goes on": Wait(
        "client", (prompt(1), *_TEXT, *_CANCELLED), (prompt(1), chunk("1.")), 30, _CANCELLED, "stalled"),
    "a text that is cancelled stays short, and the turn is over": Wait(
        "client", (prompt(1), *_TEXT, *_CANCELLED), (prompt(1), chunk("1."), stop(1)), 0, (), "step-skipped"),
    "a text stays short in which a mode was set, and the turn is over": Wait(
        "client", (prompt(1), *_TEXT, *_MODE, stop(1)), (prompt(1), chunk("1."), stop(1)), 0, _MODE, "step-late"),
    "a tool call that is cancelled is not shown under way": Wait(
        "client", (prompt(1), *_WORKS, *_CANCELLED), (prompt(1), tool()), 30, _CANCELLED, "stalled"),
    # the agent is played: `mock`
    "a client leaves out a mode between two turns": Wait(
        "agent", (*_MODE, prompt(1), chunk(), stop(1)), (prompt(1),), 1, (chunk(), stop(1)), "stalled"),
    "a client leaves out a mode in a turn": Wait(
        "agent", (prompt(1), chunk(), *_MODE, chunk("2"), stop(1)), (prompt(1), chunk()), 1.5, (chunk("2"), stop(1)), "stalled"),
    "a client leaves out a prompt in a turn": Wait(
        "agent", (prompt(1), chunk(), prompt(2), stop(1), chunk("2"), stop(2)), (prompt(1), chunk()), 1.5, (stop(1),), "stalled"),
    "a client leaves out a cancel: its prompt gets an error": Wait(
        "agent", (prompt(1), chunk(), *_CANCELLED), (prompt(1), chunk()), 1.5, (_error(7),), "stalled"),
}  # fmt: skip
