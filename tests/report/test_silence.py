"""The longest time without a frame: when, how long, and who owed an answer meanwhile."""

from __future__ import annotations

from dataclasses import fields
from itertools import accumulate
from pathlib import Path

import pytest

from acp_trace.report.json.report import document
from acp_trace.report.page.answers import answers
from acp_trace.report.selection import select
from acp_trace.report.statements import silence
from tests.commands import Commands
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


def _said(file: bytes, *, live: bool = False) -> str | None:
    longest = silence.longest(analyzed(file)[0], live=live)
    return None if longest is None else silence.sentence(longest)


@pytest.mark.parametrize(
    ("said", "at", "words"),
    [
        ([prompt(1), words(), stop(1)], 5, "until #6; the agent owed the answer to session/prompt #5"),
        ([prompt(1), stop(1), prompt(2)], 6, "until #7; no answer was pending"),
        (
            [prompt(1), _ASKED, reply(7, outcome={"outcome": "cancelled"}), stop(1)],
            6,
            "until #7; the client owed the answer to session/request_permission #6",
        ),
        ([prompt(1)], 5, "to the end; the agent owed the answer to session/prompt #5"),
    ],
)
def test_who_owed_an_answer(said: list[Said], at: int, words: str) -> None:
    """Whoever was asked last: an agent that asks its client waits for that."""
    file = _trace([*_START, *said], {at: 6.0})
    told = f"6.00 s from {at / 1000:.3f} s {words}"
    assert _said(file) == told
    lines = answers(analyzed(file)[0])[0].lines
    assert [line.text for line in lines if "silence" in line.text] == [f"longest silence: {told}"]


def test_what_programs_read() -> None:
    """The JSON names the same requests; a part of a trace has no longest silence of its own."""
    found, _ = analyzed(_trace([*_START, prompt(1), words(), stop(1)], {5: 6.0}))
    told = document(found).silence
    assert told is not None
    assert [each.name for each in fields(told)] == [
        "t_ns",
        "duration_ns",
        "until_frame",
        "owed",
        "model_call",
    ]
    assert (told.t_ns, told.duration_ns, told.until_frame) == (5_000_000, 6_000_000_000, 6)
    assert [(each.side, each.frame, each.method) for each in told.owed] == [("agent", 5, "session/prompt")]
    assert document(select(found, session="s")).silence is None


def test_show_says_it(commands: Commands, tmp_path: Path) -> None:
    """In its first lines, of a file and of a trace in the store alike."""
    file = tmp_path / "t.jsonl"
    file.write_bytes(_trace([*_START, prompt(1), stop(1)], {5: 6.0}))
    told = "Longest silence: 6.00 s from 0.005 s until #6; the agent owed the answer to session/prompt #5."
    assert told in " ".join(commands.passes("show", str(file)).split())
    commands.passes("import", str(file))
    assert told in " ".join(commands.passes("show", "last").split())


def test_what_comes_after_the_last_frame() -> None:
    """It counts only if an answer was owed; and a live trace has no end yet."""
    assert _said(_trace([*_START, prompt(1), stop(1)], {6: 6.0})) is None
    idle = _said(_trace([*_START, prompt(1), stop(1)], {5: 2.0, 6: 6.0}))
    owed = "the agent owed the answer to session/prompt #5"
    assert idle == f"2.00 s from 0.005 s until #6; {owed}; after the last frame, 6.00 s until the end"
    assert _said(_trace([*_START, prompt(1)], {5: 6.0}), live=True) is None


def test_a_request_that_hangs_is_why() -> None:
    """Without a turn, the answer names it and for how long it was open."""
    file = _trace([*hello(), ask(2, "session/new", cwd="/w", mcpServers=[])], {3: 13.0})
    slow = answers(analyzed(file)[0])[0]
    assert slow.answer == "No turn was recorded. The agent did not answer session/new, open for 13.0 s."
    assert (slow.mood, slow.lines[-1].text) == ("bad", "initialize: 1.00 ms")
    assert "session/new: 13.0 s, not answered" in [line.text for line in slow.lines]
