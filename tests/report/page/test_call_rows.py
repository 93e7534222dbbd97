"""Calls of the model as rows."""

from __future__ import annotations

from dataclasses import replace

from acp_trace.report.page.call_rows import call_rows
from acp_trace.store.sources import FileSource
from tests.support import REPOSITORY


def test_a_row_says_what_a_call_cost_and_how_it_ended() -> None:
    """In words; what failed is odd, and a call of no turn has none."""
    source = FileSource(REPOSITORY / "sample_traces" / "gemini-model.jsonl")
    facts = source.facts()
    source.close()
    rows = call_rows(facts)
    assert [row[0] for row in rows] == list(range(1, 9))
    assert [row[-1] for row in rows].count(True) == sum(call.aborted for call in facts.model_calls)
    calls = [replace(facts.model_calls[0], turn=None, error="no", retry_of=7, status=None)]
    (row,) = call_rows(replace(facts, model_calls=calls))
    assert (row[1], row[3][-2:], row[4]) == (0, ["–", "error · retry of 7"], True)
