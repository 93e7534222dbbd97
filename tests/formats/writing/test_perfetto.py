"""Chrome's JSON of trace events, without a consumer: what its rules ask for."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given as any_of
from hypothesis import strategies as st

from acp_trace.formats.writing.lanes import MOST, in_lanes
from acp_trace.formats.writing.slices import Slice
from tests.formats.writing.exporting import given, without_times, written
from tests.support import request, result, trace, update


def _events(file: bytes) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(written("perfetto", given(file)))["traceEvents"]
    return events


def test_what_never_ended_has_no_end() -> None:
    """An open turn and its open request begin, and nothing says when they were over."""
    events = _events(trace(("client", request(1, "session/prompt", sessionId="s", prompt=[])), end=False))
    open_ = [
        (event["ph"], event["name"], "dur" in event)
        for event in events
        if event.get("cat") in ("turn", "request")
    ]
    assert open_ == [("B", "turn 0", False), ("B", "session/prompt", False)]


def test_a_message_at_the_beginning_of_a_slice_has_a_length() -> None:
    """Else Speedscope does not close that slice. Other messages take no time: one at the end would stand out of it."""
    events = _events(
        trace(
            ("client", request(1, "session/prompt", sessionId="s", prompt=[])),
            ("agent", result(1, stopReason="end_turn")),
        )
    )
    took = {
        event["name"]: event["dur"]
        for event in events
        if event.get("cat") == "message" and event["ph"] == "X"
    }
    assert took.pop("send session/prompt") == 0.001
    assert len(took) == 2
    assert set(took.values()) == {0}


def test_tool_calls_that_overlap_are_on_two_tracks() -> None:
    """Two tools that run at once do not look like one inside the other."""

    def tool(id_: str, status: str) -> tuple[str, dict[str, Any]]:
        return "agent", update("s", "tool_call_update", toolCallId=id_, status=status)

    events = _events(
        trace(
            ("client", request(1, "session/prompt", sessionId="s", prompt=[])),
            *(
                tool(*each)
                for each in (("a", "pending"), ("b", "pending"), ("a", "completed"), ("b", "completed"))
            ),
            ("agent", result(1, stopReason="end_turn")),
        )
    )
    tids = {event["name"]: event["tid"] for event in events if event.get("cat") == "tool call"}
    assert len(set(tids.values())) == 2


def test_updates_are_counted_by_seconds() -> None:
    """Seconds without updates are 0."""
    chunk = update("s", "agent_message_chunk", content={"type": "text", "text": "a"})
    events = _events(trace(*[("agent", chunk)] * 2, step=2_500_000_000))
    counts = [(event["ts"], event["args"]) for event in events if event["ph"] == "C"]
    key = "updates a second"
    assert counts == [(2e6, {key: 1}), (3e6, {key: 0}), (5e6, {key: 1}), (6e6, {key: 0})]


def test_without_times_says_so() -> None:
    """Whoever exports learns that the axis is not time."""
    untimed = without_times("opencode-story")
    about = json.loads(written("perfetto", untimed))["otherData"]
    assert untimed.notes == [about["times"]] == ["the trace has no times: one frame is drawn as 1 ms"]


@any_of(st.lists(st.tuples(st.integers(0, 20), st.none() | st.integers(0, 20))))
def test_lanes_hold_what_nests(times: list[tuple[int, int | None]]) -> None:
    """Whatever overlaps, no lane has two slices that overlap in part, and all slices have one."""
    slices = [
        Slice("agent", None, "", "", start, None if length is None else start + length)
        for start, length in times
    ]
    lanes: dict[int, list[tuple[float, float]]] = {}
    for each, lane in in_lanes(slices):
        assert lane is not None
        span = each.start, float("inf") if each.end is None else each.end
        for start, end in lanes.setdefault(lane, []):
            assert end <= span[0] or (start <= span[0] and span[1] <= end)
        lanes[lane].append(span)
    assert sum(map(len, lanes.values())) == len(slices)


def test_lanes_end() -> None:
    """A hostile trace gets no more tracks than anybody can look at."""
    slices = [Slice("agent", None, "", "", n, n + 1000) for n in range(MOST + 5)]
    assert [lane for _, lane in in_lanes(slices)][-6:] == [MOST - 1] + [None] * 5
