"""What is said if no call of a model was recorded: what was seen, and what to do."""

from __future__ import annotations

import pytest

from acp_trace.model.exchange import ModelExchanges
from acp_trace.model.journal import Journal
from acp_trace.model.secrets import Secrets
from acp_trace.model.seen_traffic import SeenTraffic
from acp_trace.model.wire.events import Body, BodyEnd, Event, RequestHead
from tests.replay.facing import entries
from tests.support import header, line


@pytest.mark.parametrize(
    ("seen", "said", "advice"),
    [
        (SeenTraffic(), "no model calls were recorded (no requests): ", "--model-base URL"),
        (SeenTraffic(24), "no model calls were recorded (24 requests): ", "--model-all"),
        (SeenTraffic(0, 1), "no model calls were recorded (1 connection refused): ", "certificate"),
        (
            SeenTraffic(1, 2),
            "no model calls were recorded (1 request, 2 connections refused): ",
            "certificate",
        ),
    ],
)
def test_words(seen: SeenTraffic, said: str, advice: str) -> None:
    """One line."""
    assert str(seen).startswith(said)
    assert advice in str(seen)
    assert "\n" not in str(seen)


def test_a_trace_says_it_later() -> None:
    """Requests, and connections that could not be read, whether they were refused or left alone since."""
    notes = [
        {"refused": "unknown ca", "host": "h"},
        {"unread": True, "host": "h"},
        {"failed": "away", "host": "h"},
    ]
    lines = [
        header(),
        line(t=1, model={"exchange": 1, "request": {"method": "GET", "host": "h", "path": "/"}}),
    ]
    lines += [line(t=2, model={"connection": note}) for note in notes]
    reader = ModelExchanges()
    for entry in entries(b"".join(lines)):
        reader.feed(entry)
    assert reader.seen == SeenTraffic(1, 2)


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize(
    ("head", "body", "calls"),
    [
        (RequestHead(1, "POST", "/v1/messages", "h", (), "h2"), b"{}", 1),
        (RequestHead(1, "POST", "/own", "h", (), "h2"), b'{"model":"m","messages":[]}', 1),
        (RequestHead(1, "POST", "/telemetry", "h", (), "h2"), b'{"events":[]}', 0),
        (RequestHead(1, "GET", "/", "h", (), "h2"), b"", 0),
    ],
)
def test_the_journal_counts_calls(head: RequestHead, body: bytes, calls: int, *, everything: bool) -> None:
    """By their path or their body, whatever else is recorded."""
    journal = Journal(Secrets({}), everything=everything)
    events: list[Event] = [head, Body(1, "agent", body), BodyEnd(1, "agent"), BodyEnd(1, "provider")]
    for event in events:
        for _ in journal.take(event):
            pass
    assert (journal.requests, journal.calls) == (1, calls)
