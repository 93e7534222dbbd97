"""The items of the timeline as data, and how the terminal and the page render them."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from acp_trace.analyze.facts import Exchange, Facts, ModelCall, SessionEvent
from acp_trace.report.page.timeline import lanes
from acp_trace.report.statements.status import Status
from acp_trace.report.statements.timeline import timeline_items
from acp_trace.report.text.timeline import timeline
from tests.analyze.model_side import facts
from tests.handmade import made, trace
from tests.reading.talk import prompt, refuse, stop, up

_S = 1_000_000_000


def _event(kind: str, **given: Any) -> SessionEvent:
    row = {"session_id": "s", "turn": 0, "frame": 5, "t_ns": _S, "kind": kind, "text": "words"}
    return made(SessionEvent, **{**row, **given})


@pytest.mark.parametrize(
    ("event", "item"),
    [
        (_event("notice", status="error"), ("notice", "words", "error", Status.FAILED, False)),
        (_event("notice", status="info"), ("notice", "words", "info", None, False)),
        (_event("compaction", status="failed", took_ns=9), ("compaction", "words", "failed", Status.FAILED, True)),
        (_event("compaction", status="in_progress"), ("compaction", "words", "in_progress, unfinished", Status.OPEN, True)),
        (_event("elicitation", status="accept", took_ns=9), ("asked", "question: words", "accept", None, True)),
        (_event("elicitation", status="open"), ("asked", "question: words", "never answered", Status.FAILED, True)),
        (_event("message", turn=None), ("message", '"words"', "between turns", None, False)),
        (_event("silence", took_ns=_S), ("silent", "nothing came after #5, in a message", "", Status.OPEN, True)),
        (_event("plan", text="\x1b[1m"), ("plan", "\\e[1m", "", None, True)),
    ],
)  # fmt: skip
def test_an_event_is_an_item(event: SessionEvent, item: tuple[object, ...]) -> None:
    """In words that are safe, with how it stands."""
    (made_item,) = timeline_items(trace("t", event))
    assert (made_item.name, made_item.what, made_item.how, made_item.status, made_item.is_part) == item


def test_of_the_plans_of_a_turn_the_last_is_shown() -> None:
    """Unless all are asked for."""
    found = trace("t", _event("plan"), _event("plan", frame=7), _event("plan", frame=9, turn=1))
    assert [item.frame for item in timeline_items(found)] == [7, 9]
    assert [item.frame for item in timeline_items(found, all_=True)] == [5, 7, 9]


def test_what_an_error_says_stands_beside_what_was_asked_for() -> None:
    """The cause is in its data."""
    refused = made(Exchange, session_id="s", frame=3, sender="client", method="session/load", outcome="error",
                   error_code=-32603, error_message="m", error_data="no such file")  # fmt: skip
    (item,) = timeline_items(trace("t", refused))
    assert (item.what, item.how, item.status) == ("m: no such file", "error -32603", Status.FAILED)


def _silent() -> Facts:
    """A turn of 30 s, 20 s of which nothing comes in the middle of a message."""
    said = [
        (t, up("agent_message_chunk", content={"type": "text", "text": f"w{t} "}))
        for t in (100, 200, 300, 20_300)
    ]
    usage = up("usage_update", used=7, size=9)
    return facts((50, prompt(1)), *said, (20_400, usage), (30_000, stop(1)), end_ms=30_000)


def test_silence_and_usage_on_screen() -> None:
    """Silence is a line below the turn, its tokens stand behind where its time went."""
    out = StringIO()
    Console(file=out, width=120).print(timeline(_silent(), 120, all_=False, live=False))
    lines = out.getvalue().splitlines()
    (silent,) = [line for line in lines if "  silent" in line]
    assert "nothing came after #8, in a message" in silent
    assert silent.endswith("20.0 s")
    assert any("writing 200 ms (4 chunks)" in line and "context 7 of 9" in line for line in lines)


def test_silence_and_usage_on_the_page() -> None:
    """Silence is a bar among the agent's, the other events are marks."""
    made_lanes = {lane.name: lane.items for lane in lanes(_silent()) if lane.session}
    (silent,) = made_lanes["agent"]
    assert (silent.kind, silent.start, silent.end) == ("silence", 300_000_000, 20_300_000_000)
    assert [(mark.kind, mark.label, mark.words) for mark in made_lanes["marks"]] == [
        ("usage", "Usage", "context 7 of 9")
    ]


def test_a_turn_that_failed_says_why() -> None:
    """Below it."""
    found = facts((50, prompt(1)), (60, refuse(1, -32000, "no key")), end_ms=100)
    out = StringIO()
    Console(file=out, width=120).print(timeline(found, 120, all_=False, live=False))
    assert any("no key" in line for line in out.getvalue().splitlines())


@pytest.mark.parametrize("text", ["100 tokens in, 20 out · context 5 of 9", "context 5 of 9"])
def test_the_tokens_of_a_turn_are_those_of_its_calls(text: str) -> None:
    """An agent may count its last call alone; the page's table of tokens has all of them."""
    counted = {"input_tokens_total": 150, "output_tokens_total": 30, "cached_tokens": 0}
    calls = [made(ModelCall, call=number, session_id="s", turn=0, **counted) for number in (1, 2)]
    found = trace("t", _event("usage", text=text), *calls)
    assert [item.what for item in timeline_items(found)] == ["300 tokens in, 60 out · context 5 of 9"]
