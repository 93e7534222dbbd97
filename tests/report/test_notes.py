"""Which notes people are shown."""

from __future__ import annotations

from acp_trace.compare.result import Comparison
from acp_trace.replay.incidents import Incident
from acp_trace.report.notes import shown
from tests.compare.conversation import Edit, drop
from tests.replay.test_verdict import same, verdict

_OUTSIDE = Incident("agent-outside", "it was recorded elsewhere")
_MISSING = Incident("files-missing", "a.txt")


def codes(edit: Edit, *incidents: Incident) -> tuple[list[str], list[str]]:
    """The notes that people are shown, and all that there are."""
    found: Comparison = verdict(edit, *incidents).comparison
    return [note.code for note in shown(found)], [note.code for note in found.notes]


def test_where_the_agent_started_is_told_only_if_it_matters() -> None:
    """If something differs, or a file is not there. Documents have it in any case."""
    assert codes(same, _OUTSIDE) == ([], ["agent-outside"])
    assert codes(drop("plan"), _OUTSIDE) == (["agent-outside"], ["agent-outside"])
    assert "agent-outside" in codes(same, _OUTSIDE, _MISSING)[0]
