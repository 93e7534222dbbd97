"""Workflow commands of a comparison: where GitHub shows them."""

from __future__ import annotations

from dataclasses import replace

from acp_trace.compare.result import Comparison
from acp_trace.report.ci.diff_annotations import workflow_commands
from acp_trace.report.ci.places import Place
from tests.compare.conversation import changed, instead, put
from tests.reading.talk import stop

OTHER = changed(instead("stop 1", stop(3, "refusal")))
#: A line that only the second trace has.
MORE = changed(put("found", ("agent", "oops")))
LINES = {number: number + 100 for number in range(1, 100)}


def _told(found: Comparison, *places: Place) -> list[str]:
    """Each command up to its text."""
    return [
        line.partition("::")[2].partition("::")[0] for line in workflow_commands(found, places, all_=False)
    ]


def _line(found: Comparison) -> int:
    """The line of the frame in the second trace."""
    event = found.failing[0].got_event
    assert event is not None
    return LINES[event.frame]


def test_the_second_trace_is_where_it_is_shown() -> None:
    """It is what was got."""
    places = Place("a.jsonl", "a.jsonl", LINES), Place("b.jsonl", "b.jsonl", LINES)
    assert _told(OTHER, *places) == [f"error file=b.jsonl,line={_line(OTHER)},title=stop-reason"]


def test_the_recording_stands_in_for_a_live_run_without_a_file() -> None:
    """A replay's second trace is in the store: the line is that of what was expected."""
    expected = OTHER.failing[0].expected_event
    assert expected is not None
    places = Place("a.jsonl", "a.jsonl", LINES), Place("20261120T130501Z-7f3a9c")
    assert _told(OTHER, *places) == [f"error file=a.jsonl,line={LINES[expected.frame]},title=stop-reason"]


def test_what_only_the_live_run_has_is_shown_where_it_came() -> None:
    """At the last event that both have."""
    first = MORE.failing[0]
    assert (first.code, first.expected_event) == ("noise", None)
    assert first.common_expected is not None
    places = Place("a.jsonl", "a.jsonl", LINES), Place("20261120T130501Z-7f3a9c")
    assert _told(MORE, *places) == [
        f"error file=a.jsonl,line={LINES[first.common_expected.frame]},title=noise"
    ]


def test_what_was_accepted_is_a_notice() -> None:
    """After `replay --update` a workflow shows what changed, and no error but a budget that is exceeded."""
    budget = replace(OTHER.failing[0], code="over-budget")
    found = replace(OTHER, divergences=[*OTHER.divergences, budget])
    lines = workflow_commands(found, [Place("a"), Place("b")], all_=False, accepted=True)
    assert sorted(line.partition("::")[2].split(" ")[0:2] for line in lines) == [
        ["error", "title=over-budget::turn"],
        ["notice", "title=stop-reason::turn"],
    ]


def test_without_files_there_is_no_place() -> None:
    """Ids and standard input are no files."""
    assert _told(OTHER, Place("last~1"), Place("last")) == ["error title=stop-reason"]
