"""The longest time without a frame: when, how long, and who owed an answer meanwhile."""

from __future__ import annotations

from itertools import accumulate

import pytest

from acp_trace.report.page.answers import answers
from acp_trace.report.page.longest_silence import LongestSilence
from tests.reading.talk import Said, ask, call, hello, opened, prompt, reply, stop, words
from tests.support import END, analyzed, header, line

_START = [*hello(), *opened()]
_ASKED = call(7, "session/request_permission", sessionId="s", options=[])


def _trace(said: list[Said], waits: dict[int, float]) -> bytes:
    """A trace whose frames come each 1 ms after the last; `waits`: seconds before some, by their places."""
    seconds = [waits.get(at, 0.001) for at in range(len(said) + 1)]
    times = [int(after * 1e9) for after in accumulate(seconds)]
    frames = [
        line(t=t, **{"from": side}, frame=message) for t, (side, message) in zip(times, said, strict=False)
    ]
    return b"".join([header(), *frames, line(t=times[-1], end=END)])


def _said(file: bytes, *, live: bool = False, page: int = 3) -> str | None:
    facts, frames = analyzed(file)
    silence = LongestSilence(facts)
    for at in range(0, len(frames), page):
        silence.add(frames[at : at + page])
    told = silence.line(live=live)
    return None if told is None else told.text


@pytest.mark.parametrize("page", [1, 3, 100])
@pytest.mark.parametrize(
    ("said", "at", "words"),
    [
        ([prompt(1), words(), stop(1)], 5, "until #6; the agent owed the answer to session/prompt #5"),
        ([prompt(1), stop(1), prompt(2)], 6, "until #7; nobody owed an answer"),
        (
            [prompt(1), _ASKED, reply(7, outcome={"outcome": "cancelled"}), stop(1)],
            6,
            "until #7; the client owed the answer to session/request_permission #6",
        ),
        ([prompt(1)], 5, "to the end; the agent owed the answer to session/prompt #5"),
    ],
)
def test_who_owed_an_answer(said: list[Said], at: int, words: str, page: int) -> None:
    """Whoever was asked last: an agent that asks its client waits for that."""
    told = _said(_trace([*_START, *said], {at: 6.0}), page=page)
    assert told == f"longest silence: 6.00 s from {at / 1000:.3f} s {words}"


def test_what_comes_after_the_last_frame() -> None:
    """It counts only if an answer was owed; and a live trace has no end yet."""
    assert _said(_trace([*_START, prompt(1), stop(1)], {6: 6.0})) is None
    assert _said(_trace([*_START, prompt(1)], {5: 6.0}), live=True) is None


def test_a_request_that_hangs_is_why() -> None:
    """Without a turn, the answer names it and for how long it was open."""
    file = _trace([*hello(), ask(2, "session/new", cwd="/w", mcpServers=[])], {3: 13.0})
    slow = answers(analyzed(file)[0])[0]
    assert slow.answer == "No turn was recorded. The agent did not answer session/new, open for 13.0 s."
    assert (slow.mood, slow.lines[0].text) == ("bad", "session/new: 13.0 s, not answered")
