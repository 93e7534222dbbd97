"""Agents that stream a message while a tool is at work: which requests of the tool cut it is chance, and not told."""

from __future__ import annotations

import pytest

from tests.compare.conversation import codes, compared
from tests.reading.talk import Said, prompt, stop
from tests.replay.lines import START, asks, chunk, may, now, picks, tool
from tests.support import trace


def _turn(*texts: str) -> bytes:
    """A turn with a text at each of five places: before and after the call began, behind each request, at the end."""
    said: list[list[Said]] = [[chunk(text)] if text else [] for text in texts]
    first, beside, after_permission, after_terminal, last = said
    create = [
        asks(8, "terminal/create", command="ls", args=[]),
        ("client", {"jsonrpc": "2.0", "id": 8, "result": {"terminalId": "t"}}),
    ]
    return trace(*START, prompt(1), *first, tool(), *beside, may(7), picks(7), *after_permission,
                 now("c", "in_progress"), *create, *after_terminal, now("c", "completed"), *last, stop(1))  # fmt: skip


_BESIDE = _turn("I ", "call a tool.", "", "", "Done.")
_WORDY = _turn("Let ", "me think", "about that", "step by step", "That is all.")


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        (_BESIDE, _WORDY, []),  # fast-agent with a model that says more
        (_WORDY, _BESIDE, []),
        # an agent whose message ends before the tool begins
        (_turn("I call a tool.", "", "", "", ""), _WORDY, ["message-extra"] * 2),
        # what comes after the tool is another message
        (_turn("I ", "call a tool.", "", "", ""), _WORDY, ["message-extra"]),
        (_WORDY, _turn("I ", "call a tool.", "", "", ""), ["message-missing"]),
        # nothing is left of it
        (_BESIDE, _turn("", "", "", "", "Done."), ["message-missing"]),
    ],
)
def test_a_message_beside_a_tool(expected: bytes, actual: bytes, told: list[str]) -> None:
    """It is one, from where it began to the end of the tool call."""
    assert codes(compared(expected, actual)) == told
