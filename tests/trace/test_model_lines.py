"""Blocks of an agent's traffic with its model become entries of their own, and nothing else changes by them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acp_trace.trace.capture_layout import CLIENT, MODEL_HEAD, MODEL_REQUEST, MODEL_RESPONSE
from acp_trace.trace.entries import EntryKind
from acp_trace.trace.parse import Parser
from tests.support import analyzed, cancelled_by_request, line, trace
from tests.trace.capturing import block, capture, cut, rendered

_FRAME = b'{"jsonrpc":"2.0","method":"x"}\n'
_BLOCKS = (
    block(MODEL_HEAD, b'{"request":{"method":"GET"}}', 10, 7),
    block(CLIENT, _FRAME[:9], 20),
    block(MODEL_REQUEST, "grüße".encode(), 15, 7),
    block(MODEL_RESPONSE, b"\xc3", 30, 7),
    block(MODEL_HEAD, b'{"proxy":{"died":true}}', 35),
    block(CLIENT, _FRAME[9:], 40),
    block(MODEL_HEAD, b"no JSON", 50, 7),
    block(MODEL_HEAD, b"[]", 50, 7),
    block(MODEL_RESPONSE, b"", 50, 7),
    block(7, b"a stream of later", 50, 7),
    block(CLIENT, b"of another connection\n", 50, 7),
)
_LINES = [
    b'{"t":10,"model":{"exchange":7,"request":{"method":"GET"}}}',
    '{"t":20,"model":{"exchange":7,"t":15,"sent":"grüße"}}'.encode(),
    b'{"t":30,"model":{"exchange":7,"received_base64":"ww=="}}',
    b'{"t":35,"model":{"proxy":{"died":true}}}',
    b'{"t":40,"from":"client","frame":{"jsonrpc":"2.0","method":"x"}}',
]


@pytest.mark.parametrize("size", [1, 3, 50, 1 << 20])
def test_one_entry_for_each_block(size: int) -> None:
    """At its place, also inside of a line of a side, with its own time if it comes late.

    What says nothing, and what is not known, is left out.
    """
    data = capture(*_BLOCKS)
    lines = rendered(*cut(data, [size] * (len(data) // size))).splitlines()
    assert lines[1:-1] == _LINES
    kinds = [entry.kind for entry in Parser().feed(b"\n".join(lines) + b"\n")]
    assert kinds == [EntryKind.HEADER, *[EntryKind.MODEL] * 4, EntryKind.FRAME, EntryKind.END]


def test_the_analysis_is_the_same_with_them_and_without() -> None:
    """Whatever is between the frames: only how many requests were seen is told."""
    plain = trace(*cancelled_by_request())
    lines = plain.splitlines(keepends=True)
    model = line(t=0, model={"exchange": 1, "received": "x"})
    mixed = b"".join([lines[0], *(each + model for each in lines[1:-1]), lines[-1]])
    (facts, frames), (plain_facts, plain_frames) = analyzed(mixed), analyzed(plain)
    assert (facts.trace.model_requests, plain_facts.trace.model_requests) == (1, None)
    without = replace(facts, trace=replace(facts.trace, model_requests=None, model_refused=None))
    assert (without, frames) == (plain_facts, plain_frames)
