"""The frame list: times beside the frames, ranges, times and turns as filters, joined chunks, columns by width."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from acp_trace.report import chunk_runs, units
from acp_trace.report.chunk_runs import ChunkRun, joined
from acp_trace.report.filters import BadFilter, Filter, is_ranges, ranges, time_ns
from acp_trace.report.frame_rows import FrameRow, Timer
from acp_trace.report.json.frames import entry_row, run_row
from acp_trace.report.selection import NoSuchTurn, TurnSpan, turn_span
from acp_trace.report.text import frame_list
from acp_trace.trace.entries import BETWEEN, Entry
from acp_trace.trace.parse import Parser
from tests.http_story import http_trace
from tests.support import analyzed, line, request, result, trace, update

MS = 1_000_000


def _chunk(text: str, session: str = "s", kind: str = "agent_message_chunk", **more: Any) -> tuple[str, Any]:
    return "agent", update(session, kind, content={"type": "text", "text": text}, **more)


def _rows(*frames: tuple[str, Any]) -> list[FrameRow]:
    return _frames(Timer().rows(analyzed(trace(*frames, step=40 * MS))[1]))


def _frames(rows: Iterable[object]) -> list[FrameRow]:
    return [row for row in rows if isinstance(row, FrameRow)]


def _conversation() -> list[tuple[str, Any]]:
    """Two turns of `s`, one of `t`, and a frame of nobody."""
    return [
        ("client", request(1, "session/prompt", sessionId="s", prompt=[])),
        _chunk("a"),
        ("client", request(2, "session/prompt", sessionId="t", prompt=[])),
        _chunk("b", "t"),
        ("agent", "noise"),
        ("agent", result(1, stopReason="end_turn")),
        ("agent", result(2, stopReason="end_turn")),
        ("client", request(3, "session/prompt", sessionId="s", prompt=[])),
    ]


def test_times_beside_a_frame() -> None:
    """Since the frame before; of a response since its request, also when others came between."""
    rows = _rows(*_conversation())
    assert [row.since_previous_ns for row in rows] == [None, *[40 * MS] * 7]
    assert {row.frame.frame: row.latency_ns for row in rows if row.latency_ns} == {6: 200 * MS, 7: 160 * MS}
    printed = frame_list.line(rows[5], 140).plain.split()
    assert printed[:7] == ["6", "0.240", "40.0ms", "◂", "res", "#1", "session/prompt"]
    assert "200ms" in printed


def test_ranges_and_times_as_they_are_spelled() -> None:
    """Numbers, ranges, lists of them; units, or bare seconds. What means nothing is refused."""
    assert ranges(["12", "#3", "10-20", "#7-#9", "30-", "1,4-5"]) == [
        (12, 12), (3, 3), (10, 20), (7, 9), (30, None), (1, 1), (4, 5),
    ]  # fmt: skip
    for word in ("", "x", "0", "9-3", "-4", "1--2", "1,,2"):
        with pytest.raises(BadFilter):
            ranges([word])
    assert [is_ranges(word) for word in ("#1", "1-2", "1-", "#1,3-4")] == [True] * 4
    assert [is_ranges(word) for word in ("123456", "last~2", "20261120T130501Z-7f3a9c", "-", "a-b")] == [
        False
    ] * 5
    assert [time_ns(word) for word in ("1.5s", "1.5", "200ms", "2min")] == [
        1_500 * MS, 1_500 * MS, 200 * MS, 120_000 * MS,
    ]  # fmt: skip
    for word in ("", "s", "-1s", "1h", "2026-11-20"):
        with pytest.raises(BadFilter):
            time_ns(word)


def test_ranges_times_and_turns_filter() -> None:
    """They add up with the others, and reading ends where nothing more can come."""
    rows = _rows(*_conversation())

    def numbers(**wanted: Any) -> list[int]:
        return [row.frame.frame for row in _frames(Filter(**wanted).of(rows))]

    assert numbers(numbers=[(2, 3), (7, None)]) == [2, 3, 7, 8]
    assert numbers(numbers=[(2, 7)], sender="client") == [3]
    assert numbers(since_ns=120 * MS, until_ns=200 * MS) == [3, 4, 5]
    assert numbers(around=5, context=1) == [4, 5, 6]
    assert numbers(around=5, context=0) == [5]
    facts = analyzed(trace(*_conversation()))[0]
    assert numbers(turn=turn_span(facts, 0, "s")) == [1, 2, 5, 6]
    assert numbers(turn=turn_span(facts, 0, "t")) == [3, 4, 5, 7]
    assert numbers(turn=turn_span(facts, 1)) == [8]  # one session alone has it; it is still open

    def endless() -> Any:
        yield from rows
        raise AssertionError("read too far")

    assert len(list(Filter(numbers=[(2, 3), (5, 7)], turn=TurnSpan("s", 1, 6)).of(endless()))) == 3


def test_a_turn_that_is_not_there() -> None:
    """Which sessions have it, or how many there are."""
    facts = analyzed(trace(*_conversation()))[0]
    for number, session, says in (
        (0, None, "2 sessions have a turn 0: say which (S1.0, S2.0)"),
        (4, None, "there is no turn 4: the last one is turn 1"),
        ("S1.4", None, "there is no turn S1.4: the last one is turn S1.1"),
        ("S1.0", "t", "there is no turn of a session S1"),
        ("S3.0", None, "there is no session S3: this trace has S1 to S2"),
        ("S0.0", None, "S0.0 is not a turn, such as 0 or S2.0"),
        ("x\n", None, "x\\n is not a turn, such as 0 or S2.0"),
        (0, "u", "there is no turn of a session u"),
    ):
        with pytest.raises(NoSuchTurn) as caught:
            turn_span(facts, number, session)
        assert str(caught.value) == says


def test_chunks_are_joined() -> None:
    """Those of one message, whatever comes beside it; that stands behind the run."""
    thought = "agent_thought_chunk"
    rows = _rows(
        _chunk("hm", kind=thought), _chunk("m", kind=thought),
        _chunk("a"), _chunk("x", "t"), _chunk("b"), _chunk("y", "t"),
        ("agent", update("s", "usage_update", used=1, size=2)),
        _chunk("c"), _chunk("d", messageId="2"), _chunk("e", messageId="2"),
        ("agent", update("s", "agent_message_chunk", content={"type": "image"})),
        _chunk("f"),
    )  # fmt: skip
    made = list(joined(rows))
    texts = [one.text if isinstance(one, ChunkRun) else one.frame.update for one in made]
    assert texts == ["hmm", "abc", "xy", "usage_update", "de", "agent_message_chunk", "f"]
    run = made[1]
    assert isinstance(run, ChunkRun)
    assert (run.chunks, run.duration_ns, run.first.frame.frame, run.last.frame.frame) == (3, 200 * MS, 3, 8)
    assert run.size == sum(rows[at].frame.size for at in (2, 4, 7))
    row = run_row(run)
    assert (row["frame"], row["last_frame"], row["chunks"], row["text"]) == (3, 8, 3, "abc")
    assert "message" not in row
    assert frame_list.run_line(run, 140).plain.endswith('×3 "abc"')
    of_messages = joined(Filter(update="agent_message_chunk").of(rows))  # what is hidden changes no run
    assert [one.text for one in of_messages if isinstance(one, ChunkRun)] == ["abc", "xy", "de", "f"]


def test_a_run_holds_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message of any length is several runs, and none is longer than a piece too much."""
    monkeypatch.setattr(chunk_runs, "LONGEST", 10)
    made = list(joined(_rows(*[_chunk("x" * 4)] * 10)))
    assert [one.chunks for one in made if isinstance(one, ChunkRun)] == [3, 3, 3, 1]


def test_what_waits_behind_a_run_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that goes on for long is several runs: nothing waits for ever."""
    monkeypatch.setattr(chunk_runs, "ROWS", 3)
    beside = [_chunk("a", "s"), *[("agent", update("t", "usage_update"))] * 4, _chunk("b", "s")]
    made = joined(_rows(*beside))
    assert ["".join(one.pieces) if isinstance(one, ChunkRun) else "·" for one in made] == [*"a····b"]
    monkeypatch.setattr(chunk_runs, "HELD", 3)
    sessions = [_chunk(text, session) for text, session in zip("abcdab", "stuvst", strict=True)]
    assert [one.text for one in joined(_rows(*sessions)) if isinstance(one, ChunkRun)] == [*"abcd", "a", "b"]


def _entries(*lines: bytes) -> list[Entry]:
    return [entry for entry in Parser().feed(b"".join(lines)) if entry.kind in BETWEEN]


def test_logs_and_gaps_between_frames() -> None:
    """Shown where they lie, unless a filter asks for what only frames have; harmless, without colours."""
    log, gap = _entries(
        line(t=90 * MS, log="\x1b[31mno\x1b[0m \x1b]0;x"),
        line(t=100 * MS, gap={"frames": 3, "bytes": 912, "reason": "No space"}),
    )
    rows = [*_rows(*_conversation())]
    mixed: list[FrameRow | Entry] = [*rows[:2], log, gap, *rows[2:]]

    def between(**wanted: Any) -> int:
        return sum(isinstance(row, Entry) for row in Filter(**wanted).of(mixed))

    assert between() == 2
    assert [between(**{name: "*"}) for name in ("method", "update", "session", "sender")] == [0] * 4
    assert (between(logs=False), between(logs=True, method="x"), between(grep="no"), between(grep="No")) == (
        0,
        2,
        1,
        1,
    )
    assert (between(numbers=[(1, 3)]), between(numbers=[(1, 2)]), between(numbers=[(3, None)])) == (2, 0, 0)
    assert (between(turn=TurnSpan("s", 1, 6), session="s"), between(since_ns=95 * MS)) == (2, 1)
    for width in (60, 140):
        text = frame_list.entry_line(log, width).plain
        assert text.endswith("stderr: no \\e]0;x")
        assert text.split()[0] == "0.090"
    assert frame_list.entry_line(gap, None).plain.endswith("gap: 3 frames, 912 B not recorded: No space")
    assert entry_row(log, "t") == {"trace_id": "t", "t_ns": 90 * MS, "log": "\x1b[31mno\x1b[0m \x1b]0;x"}
    assert entry_row(gap)["gap"] == {"frames": 3, "bytes": 912, "reason": "No space"}


@pytest.mark.parametrize("width", [60, 76, 80, 100, 110, 122, 140])
def test_streams_have_a_column_of_their_own(width: int) -> None:
    """Where frames have several, and there is room beside the gist."""
    row = _frames(Timer().rows(analyzed(http_trace())[1]))[5]
    heading = frame_list.heading(width, streamed=True).plain
    assert width - heading.index("gist") >= 12
    assert "stream" not in frame_list.heading(width).plain
    text = frame_list.line(row, width).plain
    if width >= 68:
        assert text[: heading.index("stream") + 6].endswith("     4")
    else:
        assert "stream" not in heading
    assert text[heading.index("gist") :] == '"hi"'


@pytest.mark.parametrize("width", [60, 80, 100, 110, 122, 140])
def test_columns_stand_below_their_headings(width: int) -> None:
    """At any width, and the gist has room."""
    rows = _rows(*_conversation())
    heading = frame_list.heading(width).plain
    assert len(heading) <= width
    at = heading.index("gist")
    assert width - at >= 12
    text = frame_list.line(rows[5], width).plain
    assert text[at:] == "end_turn"
    assert text[: heading.index("took") + 4].endswith("200ms")
    assert ("size" in heading, "after" in heading) == (width >= 96, width >= 76)
    noise = frame_list.line(rows[4], width).plain
    assert ("◂ bad" if width >= 110 else "◂ not JSON-RPC") in noise


@pytest.mark.parametrize(
    ("ns", "text"),
    [(-5, "0µs"), (412_000, "412µs"), (48 * MS, "48.0ms"), (3_100 * MS, "3.10s"), (725_000 * MS, "12m05s"),
     (7_380_000 * MS, "2h03m"), (3_599_999 * MS, "1h00m")],
)  # fmt: skip
def test_brief_times_fit_their_column(ns: int, text: str) -> None:
    """Six characters at most."""
    assert units.brief(ns) == text
    assert len(text) <= 6


def test_the_frame_that_is_sought_stands_out() -> None:
    """Its number has a sign, and the line is bold; the columns stay where they are."""
    (row, *_) = _rows(*_conversation())
    plain, sought = (frame_list.line(row, 100, is_sought=each) for each in (False, True))
    assert sought.plain == plain.plain.replace(" 1 ", "›1 ", 1)
    assert any("bold" in str(span.style) for span in sought.spans)
