"""How findings are collected: some are listed each time, some counted; all in the order of their frames."""

from __future__ import annotations

import pytest

from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.findings.collector import Findings
from acp_trace.trace.encode import gap
from tests.reading.talk import ask, prompt
from tests.support import END, analyzed, header, line, trace

#: Listed each time, counted in a session, counted in the trace.
_EACH, _SESSION, _TRACE = "not-json", "option-malformed", "blank-line"


def _said(found: Findings) -> list[tuple[str, int, str | None, int]]:
    return [(one.code, one.frame, one.session_id, one.count) for one in found.all()]


def test_the_examples_are_what_they_say() -> None:
    """The table decides what is counted."""
    assert [CODES[code].once for code in (_EACH, _SESSION, _TRACE)] == [None, "session", "trace"]


def test_a_finding_takes_its_severity_from_the_table() -> None:
    """And everything else from who says it."""
    found = Findings()
    found.say(_TRACE, "agent", 3, "s", "an empty line")
    (one,) = found.all()
    assert (one.code, one.severity, one.blame, one.frame, one.message) == (
        _TRACE,
        "note",
        "agent",
        3,
        "an empty line",
    )


def test_most_are_listed_each_time() -> None:
    """Whatever they are about."""
    found = Findings()
    for frame in (1, 2):
        found.say(_EACH, "agent", frame, None, "x")
    assert _said(found) == [(_EACH, 1, None, 1), (_EACH, 2, None, 1)]


def test_some_are_counted_by_session_blame_and_what_they_are_about() -> None:
    """The first one stands, with its frame and message."""
    found = Findings()
    for frame, blame, session, about in (
        (1, "agent", "s", "a"),
        (2, "agent", "t", "a"),
        (3, "client", "s", "a"),
        (4, "agent", "s", "b"),
        (5, "agent", "s", "a"),
    ):
        found.say(_SESSION, blame, frame, session, f"message {frame}", about)
    assert _said(found) == [
        (_SESSION, 1, "s", 2),
        (_SESSION, 2, "t", 1),
        (_SESSION, 3, "s", 1),
        (_SESSION, 4, "s", 1),
    ]
    assert found.all()[0].message == "message 1"


def test_some_are_counted_in_the_whole_trace() -> None:
    """Whatever the session; and several may be said at once."""
    found = Findings()
    found.say(_TRACE, "agent", 1, "s", "x")
    found.say(_TRACE, "agent", 2, "t", "x", count=3)
    assert _said(found) == [(_TRACE, 1, "s", 4)]


def test_all_come_in_the_order_of_their_frames() -> None:
    """Some are said late, about an earlier frame; of one frame the first said comes first."""
    found = Findings()
    for frame, code in ((5, _EACH), (2, _TRACE), (5, "batch"), (1, _EACH)):
        found.say(code, "agent", frame, None, "x")
    assert [(frame, code) for code, frame, _, _ in _said(found)] == [
        (1, _EACH),
        (2, _TRACE),
        (5, _EACH),
        (5, "batch"),
    ]


def test_fresh_ones_are_given_once() -> None:
    """Of counted ones only the first is news."""
    found = Findings()
    found.say(_EACH, "agent", 1, None, "x")
    found.say(_TRACE, "agent", 2, None, "x")
    assert [one.code for one in found.fresh()] == [_EACH, _TRACE]
    found.say(_TRACE, "agent", 3, None, "x")
    found.say(_EACH, "agent", 4, None, "x")
    assert [one.frame for one in found.fresh()] == [4]
    assert found.fresh() == []


def test_a_copy_for_the_end_leaves_the_original() -> None:
    """What holds only if nothing more comes is said to the copy, counts included."""
    found = Findings()
    found.say(_TRACE, "agent", 1, None, "x")
    copy = found.at_end()
    copy.say(_TRACE, "agent", 2, None, "x")
    copy.say(_EACH, "agent", 3, None, "x")
    assert (_said(found), _said(copy)) == (
        [(_TRACE, 1, None, 1)],
        [(_TRACE, 1, None, 2), (_EACH, 3, None, 1)],
    )
    found.say(_TRACE, "agent", 4, None, "x")
    assert _said(copy)[0] == (_TRACE, 1, None, 2)


def test_what_is_said_because_something_is_missing_is_a_note_where_frames_are() -> None:
    """What was said before the gap stays, what does not rest on an absence too; the message says why."""
    found = Findings()
    found.say("unknown-session", "agent", 1, "s", "before")
    found.doubt = "frames were lost"
    copy = found.at_end()
    copy.say("never-answered", "agent", 2, "s", "after")
    copy.say(_EACH, "agent", 3, "s", "after")
    assert [(one.severity, one.message) for one in copy.all()] == [
        ("error", "before"),
        ("note", "after; but frames were lost"),
        ("error", "after"),
    ]


def test_a_gap_and_a_trace_without_an_end_make_doubt() -> None:
    """A prompt without a response: an error of the agent, unless the response may have been lost."""
    frames = [ask(0, "initialize"), prompt(1)]
    whole = trace(*frames)
    lost = b"".join(
        [whole.removesuffix(line(t=3000, end=END)), gap(2500, 1, 50, "full"), line(t=3000, end=END)]
    )
    for file, severity, why in (
        (whole, "error", ""),
        (lost, "note", "frames were lost"),
        (trace(*frames, end=False), "note", "the trace has no end"),
    ):
        found = [one for one in analyzed(file)[0].findings if one.code == "never-answered"]
        assert {one.severity for one in found} == {severity}
        assert all(one.message.endswith(why) for one in found)
    assert len(analyzed(header() + gap(1, 1, 1, "full") + line(t=2, end=END))[0].findings) == 0


def test_a_long_message_is_cut() -> None:
    """One line of a finding is not a place for a whole frame."""
    found = Findings()
    found.say(_EACH, "agent", 1, None, "x" * 5000)
    assert len(found.all()[0].message) < 1000


def test_a_code_that_is_not_in_the_table_cannot_be_said() -> None:
    """The table is complete because nothing else is possible."""
    with pytest.raises(KeyError):
        Findings().say("no-such-code", "agent", 1, None, "x")
