"""The analyser as a whole: what it counts, where frames stand, what it takes without complaint.

What holds for any input is in `test_properties`; a second reading of all rules in `tests/reading`.
"""

from __future__ import annotations

import pytest

from tests.support import analyzed, error, facts_of, header, line, request, result, trace, update


def test_what_is_counted() -> None:
    """Frames, bytes without newlines, logs, losses, damage, the end."""
    data = (
        header(labels={"k": "v"})
        + line(t=1, **{"from": "client"}, text="noise é")
        + b'{"t":2,"from":"agent","base64":"//8="}\n'
        + b'{"t":3,"from":"agent","frame":{"a":1}}\n'
        + line(t=4, log="x")
        + line(t=5, gap={"frames": 3, "bytes": 70, "reason": "full"})
        + line(t=6, gap={"frames": 1, "bytes": 7, "reason": "full"})
        + b"garbage\n"
        + line(t=99, end={"exit_code": None, "signal": 15})
        + b'{"torn'
    )
    found = analyzed(data)[0].trace
    assert (found.frames_client, found.frames_agent) == (1, 2)
    assert (found.bytes_client, found.bytes_agent) == (len("noise é".encode()), 2 + 7)
    assert (found.odd_client, found.odd_agent, found.last_log) == (1, 2, "x")
    assert (found.logs, found.lost_frames, found.lost_bytes) == (1, 4, 77)
    assert (found.damaged, found.torn_bytes) == (1, 6)
    assert (found.complete, found.exit_code, found.signal, found.duration_ns) == (True, None, 15, 99)
    assert found.labels == '{"k":"v"}'


def test_frames_know_their_place() -> None:
    """A response has its request's method, frame and session; noise has a kind of its own."""
    _, frames = analyzed(
        trace(
            ("client", request(1, "session/prompt", sessionId="s")),
            ("agent", result(1)),
            ("agent", [1]),
            ("agent", 5),
        )
        + b""
    )
    assert [(one.kind, one.method, one.answers, one.session_id) for one in frames] == [
        ("request", "session/prompt", None, "s"),
        ("response", "session/prompt", 1, "s"),
        ("invalid", None, None, None),
        ("invalid", None, None, None),
    ]


@pytest.mark.slow
def test_memory_does_not_grow_with_chunks() -> None:
    """Ten thousand chunks leave one number behind."""
    frames = [("agent", update("s", "agent_message_chunk", content={"text": "x" * 50}))] * 10_000
    found = facts_of(*frames)
    assert [(one.kind, one.count) for one in found.updates] == [("agent_message_chunk", 10_000)]


def test_numbers_that_fit_no_machine_word() -> None:
    """In ids, usage, error codes, versions, times of the footer: read, kept, never an exception."""
    big = 10**40
    found, _ = analyzed(
        trace(
            ("client", {"id": big, "method": "a", "params": []}),
            ("agent", {"id": big, "result": {}, "method": None}),
            ("agent", update("s", "usage_update", used=big, size=-big)),
            ("client", request(0, "initialize")),
            ("agent", result(0, protocolVersion=big)),
            ("client", request(1, "x")),
            ("agent", error(1, big)),
        )
        + line(t=9, gap={"frames": big, "bytes": big})
        + line(t=9, end={"exit_code": big, "signal": -big})
        + line(t=big, log="late")
    )
    assert found.exchanges[0].id == str(big)
    assert str(big) in (found.sessions[0].usage or "")
    assert found.exchanges[2].error_code is None


def test_odd_initializations_are_no_trouble() -> None:
    """Errors, wrong types, absent members."""
    found = facts_of(
        ("client", request(0, "initialize", clientInfo={"name": 5, "version": "1"})),
        ("agent", error(0, -32000)),
        ("client", request(1, "initialize", clientInfo="me")),
        ("agent", result(1, protocolVersion="one", agentInfo=[])),
    )
    assert (found.trace.protocol_version, found.trace.client_name, found.trace.agent_name) == (
        None,
        None,
        None,
    )
