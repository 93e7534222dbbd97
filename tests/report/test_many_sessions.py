"""A trace with very many sessions: what is printed, and kept of each, stays small."""

from __future__ import annotations

import tracemalloc

import pytest
from rich.console import Console

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.report.text.show import Page, show
from acp_trace.trace.parse import Parser
from tests.support import facts_of, request, result, trace

#: Measured: 6.2 kB. It was 9.0.
_MOST_BYTES = 7500


def _opened(count: int) -> list[tuple[str, object]]:
    choices = [{"value": one, "name": one} for one in ("build", "plan")]
    option = {"id": "mode", "name": "Mode", "type": "select", "currentValue": "build", "options": choices}
    said: list[tuple[str, object]] = []
    for number in range(count):
        said.append(("client", request(number, "session/new", cwd="/w")))
        said.append(("agent", result(number, sessionId=f"s{number}", configOptions=[option])))
    return said


def _lines(count: int) -> int:
    console = Console(width=100, record=True, quiet=True)
    show(console, Page(facts_of(*_opened(count)), [], False, 100, False, []))
    return console.export_text().count("\n")


def test_the_screen_does_not_grow_with_the_sessions() -> None:
    """Each section shows the first of them, and says how many more there are."""
    assert _lines(100) == _lines(300)


@pytest.mark.slow
def test_a_session_in_which_nothing_happens_takes_little_memory() -> None:
    """A hundred thousand of them took a gigabyte."""
    entries = Parser().feed(trace(*_opened(500)))
    analyzer = Analyzer()
    tracemalloc.start()
    try:
        for entry in entries:
            analyzer.feed(entry)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken / 500 < _MOST_BYTES
