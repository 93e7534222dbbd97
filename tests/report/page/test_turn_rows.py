"""Where the time of each turn went, as rows."""

from __future__ import annotations

from acp_trace.report.page.turn_rows import turn_rows
from tests.report.story import story


def test_a_turn_has_its_parts_and_the_cancel_that_ended_it() -> None:
    """The longest one has the widest bar."""
    made = turn_rows(story())
    first, second = made["rows"]
    assert (first[0], first[3], first[4], first[-1]) == ("Turn 0", "cancelled by", 12, "100.00%")
    assert (second[1], second[3], second[5]) == (2, "end_turn despite", "And on")
    assert len(first[7]) == len(made["legend"]) == 6
    assert "permission" in first[8]
