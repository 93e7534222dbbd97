"""HTTP/2 as it goes past: streams beside each other, heads in parts, padding, trailers, resets."""

from __future__ import annotations

import pytest

pytest.importorskip("hpack")

from hyperframe.frame import ContinuationFrame, HeadersFrame, PingFrame, PushPromiseFrame, WindowUpdateFrame

from acp_trace.model.wire.events import Body, BodyEnd, Broken, RequestHead, ResponseHead
from acp_trace.model.wire.http2 import PREFACE
from acp_trace.trace import codings
from tests.model.wire.speaking import H2, Talk, heard, in_pieces, serialized

_AGENT, _PROVIDER = H2(), H2()
_ASK = ((":method", "POST"), (":path", "/v1/chat/completions"), (":authority", "api"), ("x-long", "v" * 300))
_PUSH = PushPromiseFrame(1, promised_stream_id=2, data=b"", flags=["END_HEADERS"])
#: What both say; heads refer back to earlier ones, so the order in which they are made counts.
_TALK: Talk = [
    ("agent", PREFACE + H2.settings() + _AGENT.head(1, *_ASK)),
    ("provider", H2.settings()),
    ("agent", H2.data(1, b"one", pad=7) + _AGENT.head(3, *_ASK, cut=5) + H2.data(1, b"!", ends=True)),
    ("provider", serialized(PingFrame(0), WindowUpdateFrame(0, window_increment=9), _PUSH)),
    ("agent", H2.data(3, b"", ends=True)),
    ("provider", _PROVIDER.head(3, (":status", "200"), ("server", "s")) + H2.data(3, b"3a")),
    ("provider", _PROVIDER.head(1, (":status", "429"), ("server", "s"), cut=1) + H2.data(1, b"1a", pad=200)),
    ("provider", H2.data(3, b"3b") + H2.data(1, b"", ends=True)),
    ("provider", _PROVIDER.head(3, ("grpc-status", "0"), ends=True)),
    ("agent", _AGENT.head(5, *_ASK, ends=True) + _AGENT.head(7, *_ASK, ends=True) + H2.reset(5)),
    ("provider", H2.data(5, b"late") + _PROVIDER.head(7, (":status", "200")) + H2.data(7, b"begun")),
    ("provider", b""),
    ("agent", b""),
]


@pytest.mark.parametrize("size", [1, 2, 5, 100, 1 << 20])
def test_streams_beside_each_other_in_any_pieces(size: int) -> None:
    """Each event is of its own exchange; pings, windows and promises are none."""
    events, tap = heard(in_pieces(_TALK, size))
    assert tap.unreadable is None
    asked = RequestHead(1, "POST", "/v1/chat/completions", "api", (("x-long", "v" * 300),), "h2")
    assert events == [
        asked,
        Body(1, "agent", b"one"),
        RequestHead(2, *(getattr(asked, name) for name in asked.__slots__[1:])),
        Body(1, "agent", b"!"),
        BodyEnd(1, "agent"),
        BodyEnd(2, "agent"),
        ResponseHead(2, 200, (("server", "s"),)),
        Body(2, "provider", b"3a"),
        ResponseHead(1, 429, (("server", "s"),)),
        Body(1, "provider", b"1a"),
        Body(2, "provider", b"3b"),
        BodyEnd(1, "provider"),
        BodyEnd(2, "provider"),
        RequestHead(3, *(getattr(asked, name) for name in asked.__slots__[1:])),
        BodyEnd(3, "agent"),
        RequestHead(4, *(getattr(asked, name) for name in asked.__slots__[1:])),
        BodyEnd(4, "agent"),
        Broken(3, "agent"),
        ResponseHead(4, 200, ()),
        Body(4, "provider", b"begun"),
        Broken(4, "provider"),
    ]


@pytest.mark.parametrize("size", [1, 9, 1 << 20])
def test_a_provider_may_send_its_settings_first(size: int) -> None:
    """As node does; what it says means something once the agent has spoken."""
    first: Talk = [("provider", H2.settings())]
    talk = [step for step in _TALK if step != first[0]]
    assert heard(in_pieces(first + talk, size))[0] == heard(_TALK)[0]


def test_frames_that_are_none_end_the_reading() -> None:
    """The exchanges that were open are broken, and it is said why."""
    talk: Talk = [
        ("agent", PREFACE + H2().head(1, *_ASK)),
        ("provider", b"\0\0\x08\x00\x00\0\0\0\x01" + b"\xff" * 8),
    ]
    wrong: Talk = [("provider", b"\0\0\x03\x01\x04\0\0\0\x01\xff\xff\xff")]  # a head that refers to nothing
    events, tap = heard(talk + wrong)
    assert tap.unreadable
    assert events[-1] == Broken(1, "provider", tap.unreadable)


def test_heads_that_stand_for_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte refers to a line that was said before: what all heads become is limited, and so is one block."""
    monkeypatch.setattr(codings, "FREE", 100_000)
    agent = H2()
    ask = (*_ASK[:3], *[("x", "v" * 3000)] * 20)
    talk: Talk = [("agent", PREFACE + H2.settings())]
    talk += [("agent", agent.head(n, *ask)) for n in range(1, 201, 2)]
    events, tap = heard(talk)
    assert tap.unreadable == "heads are more than 200 times as long as when compressed"
    written = sum(
        len(value) for event in events if isinstance(event, RequestHead) for _, value in event.headers
    )
    assert 50_000 < written <= 100_000 + 200 * sum(len(data) for _, data in talk)
    parts = [HeadersFrame(1, data=b"")] + [ContinuationFrame(1, data=bytes(16_000)) for _ in range(70)]
    _, tap = heard([("agent", PREFACE + serialized(*parts))])
    assert tap.unreadable == "a head is too long"
