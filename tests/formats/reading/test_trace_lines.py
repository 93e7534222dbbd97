"""A log of another tool as a trace: what its header says, and that nothing is made up."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading.log import Log, Said, Sent, Unused
from acp_trace.formats.reading.trace_lines import traces
from acp_trace.trace.entries import SENT, EntryKind
from acp_trace.trace.parse import Parser
from tests.support import analyzed, request, result

ASKED, ANSWERED = (json.dumps(item).encode() for item in (request(0, "initialize"), result(0)))


def written(log: Log) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The header and the lines of the trace of a log."""
    (trace,) = traces([log], "tool")
    header, *lines = map(json.loads, trace.data.splitlines())
    assert header["id"] == trace.id
    return header, lines


def test_a_log_without_times() -> None:
    """No `t`, no `started_at`, no footer, and an id from the lines."""
    header, lines = written(Log([Sent(ASKED, "client"), Said(b"hm"), Sent(ANSWERED, None), Sent(b"x", None)]))
    assert header.pop("id").startswith("imported-")
    assert header.pop("recorder")["name"] == "acp-trace"
    assert header == {
        "acp_trace": 1,
        "transport": "unknown",
        "agent": {},
        "origin": "imported",
        "imported": {
            "format": "tool",
            "times": False,
            "directions": "inferred",
            "bytes": "rewritten",
            "order": "recorded",
            "unused": 1,
        },
    }
    assert lines == [
        {"from": "client", "frame": json.loads(ASKED)},
        {"log": "hm"},
        {"from": "agent", "frame": json.loads(ANSWERED)},
    ]


def test_a_log_with_everything() -> None:
    """All that a log can say of itself."""
    log = Log(
        [Sent(ASKED, "client", 0), Sent(b"noise", "agent", 1_500)],
        [Unused("line 3", "is not JSON")],
        started_ns=1_763_150_232_975_000_000,
        argv=("agent", "acp"),
        cwd="/w",
        transport="stdio",
        labels={"session": "s", "tool_version": "1.2"},
        verbatim=True,
        ordered=False,
        lacks=("client_responses",),
    )
    header, lines = written(log)
    assert header["id"].startswith("20251114T195712Z-")
    assert header["started_at"] == "2025-11-14T19:57:12.975000Z"
    assert (header["transport"], header["labels"]) == ("stdio", {"session": "s"})
    assert header["agent"] == {"argv": ["agent", "acp"], "cwd": "/w"}
    assert header["imported"] == {
        "format": "tool",
        "tool_version": "1.2",
        "times": True,
        "directions": "recorded",
        "bytes": "verbatim",
        "order": "unknown",
        "unused": 1,
        "lacks": ["client_responses"],
    }
    assert lines == [
        {"t": 0, "from": "client", "frame": json.loads(ASKED)},
        {"t": 1500, "from": "agent", "text": "noise"},
    ]


def test_a_log_that_begins_in_the_middle() -> None:
    """What may come before `initialize` is no sign of it."""
    update = b'{"jsonrpc":"2.0","method":"session/update"}'
    for messages, expected in (
        ([ASKED], None),
        ([b"noise", update, ASKED], None),
        ([ANSWERED, ASKED], ["client_responses", "beginning"]),
        ([b'{"id":5,"method":"session/prompt"}'], ["client_responses", "beginning"]),
    ):
        lacks = ("client_responses",) if expected else ()
        header, _ = written(Log([Sent(item, "agent") for item in messages], lacks=lacks))
        assert header["imported"].get("lacks") == expected


def test_the_same_log_is_the_same_trace() -> None:
    """Ids depend on the messages; connections of one file with equal messages have ids of their own."""
    log = Log([Sent(ASKED, "client")])
    first, second = traces([log, log], "tool")
    assert traces([log], "tool")[0] == first
    assert first.id != second.id
    assert traces([Log([Sent(ANSWERED, "agent")])], "tool")[0].id != first.id


def test_a_message_on_several_lines_is_one_frame() -> None:
    """White space between the parts of a message is not kept then."""
    _, (line,) = written(Log([Sent(json.dumps(request(0, "initialize"), indent=1).encode(), "client")]))
    assert line["frame"] == request(0, "initialize")


MESSAGES = st.binary(max_size=40) | st.sampled_from([ASKED, ANSWERED, b'"\\ud800"', b"[\n]", b"[" * 3000])
SIDES = st.sampled_from(["client", "agent", None])


@given(
    st.lists(st.builds(Sent, MESSAGES, SIDES) | st.builds(Said, MESSAGES)),
    st.none() | st.integers(),
    st.none() | st.integers(-5, 1 << 70),
)
def test_any_log_is_a_trace(messages: list[Sent | Said], started: int | None, t: int | None) -> None:
    """It is parsed without damage, frame by frame, and analysed."""
    log = Log([item._replace(t=t) for item in messages], started_ns=started)
    (trace,) = traces([log], "tool")
    entries = Parser().feed(trace.data)
    assert entries[0].kind is EntryKind.HEADER
    assert [entry.problem for entry in entries if entry.problem] == []
    found = [(entry.sender, entry.kind is EntryKind.LOG) for entry in entries[1:]]
    assert found == [(getattr(item, "sender", None), isinstance(item, Said)) for item in trace.log.messages]
    assert all(entry.kind in SENT or entry.kind is EntryKind.LOG for entry in entries[1:])
    analyzed(trace.data)
