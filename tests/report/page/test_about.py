"""What is known of a trace as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from acp_trace.report.page.about import document, process_end
from tests.report.story import story
from tests.support import analyzed, trace

_TRACE = analyzed(trace())[0].trace


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "exit 0"),
        ({"exit_code": 3}, "exit 3"),
        ({"exit_code": None, "signal": 1}, "ended by its client, signal 1 (SIGHUP)"),
        ({"exit_code": None, "signal": 15, "client_left": True}, "ended by its client, signal 15 (SIGTERM)"),
        ({"exit_code": None, "signal": 11, "client_left": True}, "ended by SIGSEGV, the client left first"),
        ({"exit_code": None, "signal": 250}, "ended by signal 250"),
        ({"exit_code": None, "signal": 9, "aborted": "timeout"}, "ended by acp-trace: nothing happened for too long"),
        ({"exit_code": None}, "exit code unknown"),
        ({"exit_code": None, "error": "no such file"}, "could not be started"),
        ({"complete": False}, "incomplete"),
    ],
)  # fmt: skip
def test_an_end_is_named(changed: dict[str, Any], words: str) -> None:
    """Signals by their names."""
    assert process_end(replace(_TRACE, **changed), live=False) == words


def test_a_live_trace_has_no_end() -> None:
    """Whatever its file says so far."""
    assert process_end(_TRACE, live=True) == "still running"


def test_the_line_says_who_what_and_how_it_ended() -> None:
    """In words that need nothing added."""
    made = document(story(), live=False)
    assert (made["client"], made["agent"], made["mood"]) == ("Editor 1", "Agent 2", "bad")
    assert made["verdict"].startswith("! ")
    assert (made["end"], made["frames"]) == ("exit 0", "29 frames · ")
    rows = dict(made["rows"])
    assert rows["Sessions"] == "1, with 2 turns"
    assert "Lost" not in rows


def test_a_session_that_was_only_named_is_not_counted() -> None:
    """It was not opened here."""
    facts = story()
    named = replace(facts.sessions[0], session_id="other", opened_by="unknown")
    rows = dict(document(replace(facts, sessions=[*facts.sessions, named]), live=False)["rows"])
    assert rows["Sessions"] == "1, with 2 turns; 1 named that was not opened here"
    turns = [*facts.turns, replace(facts.turns[0], session_id="other")]
    rows = dict(document(replace(facts, sessions=[*facts.sessions, named], turns=turns), live=False)["rows"])
    assert rows["Sessions"] == "1, with 2 turns; 1 named that was not opened here, with 1 turn"
