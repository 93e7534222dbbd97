"""Counting."""

from __future__ import annotations

from acp_trace.redact.report import RedactionReport, Row


def test_rows_count_replacements_and_different_secrets() -> None:
    """In the order that is asked for; a rule that did nothing is left out, unless it is to be told."""
    report = RedactionReport()
    report.add("b", "<secret:1>")
    report.add("b", "<secret:1>")
    report.add("b", None)
    report.add("a", "<secret:2>")
    assert report.rows(("a", "b", "c", "d"), always=("d",)) == [
        Row("a", 1, 1),
        Row("b", 3, 1),
        Row("d", 0, 0),
    ]
