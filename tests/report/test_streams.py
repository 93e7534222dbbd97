"""The streams of a trace over HTTP or WebSocket: the section of `show`."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from acp_trace.analyze.facts import NetworkStream
from acp_trace.report.text import streams
from acp_trace.report.text.show import Page, show
from tests.handmade import made, trace
from tests.http_story import http_trace, websocket_trace
from tests.support import analyzed

_MS = 1_000_000


def _stream(number: int, method: str = "GET", **given: Any) -> NetworkStream:
    usual = {"protocol": "HTTP/2", "path": "/acp", "status": 200, "t_ns": 0, "ended_by": "agent"}
    return made(NetworkStream, stream=number, method=method, **{**usual, "duration_ns": _MS, **given})


def _lines(*rows: NetworkStream, width: int = 140, **how: Any) -> list[str]:
    return streams.table(rows, width, **{"all_": False, **how}).plain.splitlines()


def _shown(file: bytes, *sections: str, width: int = 100) -> str:
    console = Console(width=width, force_terminal=False)
    with console.capture() as captured:
        show(console, Page(analyzed(file)[0], (), live=False, width=width, all_=False), sections)
    return captured.get()


def test_event_streams_and_trouble_have_a_row() -> None:
    """With the session, the frames, how long it was open, who ended it, and what went wrong."""
    _, heading, *rows, more = _shown(http_trace(), "streams").splitlines()
    assert heading.split() == ["stream", "at", "request", "status", "session", "frames", "open", "ended"]
    assert [" ".join(row.split()) for row in rows] == [
        "2 0.006 GET /acp 200 0 ▸ 1 ◂ 26.0ms by client",
        "4 0.013 GET /acp 200 S1 0 ▸ 2 ◂ 20.0ms by client",
        "6 0.021 POST /acp 404 s2 1 ▸ 0 ◂ 4.00ms by agent Unknown Acp-Session-Id",
        "7 0.026 POST /acp – 1 ▸ 0 ◂ 2.00ms by agent connection refused",
    ]
    assert more == " … and 4 more: show --section streams --all"


def test_the_heading_counts() -> None:
    """What there is of each kind."""
    counted = streams.counts(analyzed(http_trace())[0].streams).plain
    assert counted == "HTTP/1.1 · 5 messages · 2 event streams · 1 DELETE · 2 with trouble"
    assert streams.counts(analyzed(websocket_trace())[0].streams).plain == "1 WebSocket · 1 with trouble"
    assert streams.counts([_stream(1, "OPTIONS")]).plain == "HTTP/2 · 1 other"


def test_over_pipes_there_is_no_section() -> None:
    """Whoever asks for it is told so."""
    facts = trace("t")
    console = Console(width=100)
    with console.capture() as captured:
        page = Page(facts, (), live=False, width=100, all_=False)
        show(console, page)
        show(console, page, ["streams"])
    assert "Streams" not in captured.get()
    assert captured.get().endswith("no streams: this was not recorded over HTTP or WebSocket\n")


def test_the_head_names_the_network() -> None:
    """And nothing over pipes."""
    assert "protocol 1 over HTTP " in _shown(http_trace(), "overview")
    assert "protocol 1 over WebSocket" in _shown(websocket_trace(), "overview")


def test_what_is_open() -> None:
    """Of a live trace, and of one whose recorder died."""
    endless = _stream(1, ended_by=None, duration_ns=None)
    assert _lines(endless, live=True)[1].endswith("open")
    assert _lines(endless)[1].endswith("never ended")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"failed": "connection\nrefused\x1b[1m"}, "connection refused\\e[1m"),
        ({"close_code": 1011}, "close code 1011"),
        ({"unread": "content-encoding br"}, "not read: content-encoding br"),
        ({"status": 500, "body": "x" * 500}, f"{'x' * 199}…"),
    ],
)
def test_each_kind_of_trouble(given: dict[str, Any], says: str) -> None:
    """Made harmless, and not longer than a few lines."""
    stream = _stream(1, "POST", **given)
    assert streams.is_trouble(stream)
    text = "".join(line.strip() for line in _lines(stream, width=400)[1:])
    assert text.endswith(says)


@pytest.mark.parametrize("code", [None, 1000, 1001, 1005])
def test_a_close_is_not_trouble(code: int | None) -> None:
    """As both sides of a WebSocket usually end it."""
    assert not streams.is_trouble(_stream(1, protocol="WebSocket", close_code=code))


def test_many_are_cut_to_the_weightiest() -> None:
    """Those with trouble stay; all of them on request."""
    rows = [_stream(number, frames_agent=number) for number in range(1, 41)]
    rows[0] = _stream(1, status=503)
    shown = _lines(*rows)
    assert [int(line.split()[0]) for line in shown[1:-1]] == [1, *range(22, 41)]
    assert shown[-1] == " … and 20 more: show --section streams --all"
    assert len(_lines(*rows, all_=True)) == 41


@pytest.mark.parametrize("width", [40, 80, 140])
def test_it_fits(width: int) -> None:
    """Columns go before lines become longer than the terminal."""
    file = http_trace()
    assert max(map(len, _shown(file, "streams", width=width).splitlines()[1:])) <= width
