"""Sessions are S1, S2 … in the order in which the trace first names them; while it is read, and in the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.trace.parse import Parser
from tests.proxied import proxied
from tests.reading.talk import answer, ask, hello, opened, prompt, stop, up, words
from tests.support import TRACES, facts_of, trace


def test_the_order_is_that_of_the_first_frames() -> None:
    """Also of a session that is only named, and of a fork, whose id its response gives."""
    found = facts_of(
        *hello(),
        words("named"),
        *opened("b"),
        ask(9, "session/fork", sessionId="b", cwd="/w"),
        *opened("a"),
        answer(9, sessionId="fork"),
        *(one for session in "ab" for one in (prompt(session, session), stop(session))),
    )
    names = [(session.name, session.session_id) for session in found.sessions]
    assert names == [("S1", "named"), ("S2", "b"), ("S3", "a"), ("S4", "fork")]


def _names_match(file: bytes) -> None:
    analyzer, parser = Analyzer(), Parser()
    last = 0
    for entry in parser.feed(file):
        analyzer.feed(entry)
        names = analyzer.session_names()
        assert len(names) >= last
        last = len(names)
    found = {session.session_id: session.name for session in analyzer.facts().sessions}
    assert analyzer.session_names() == found
    late = Analyzer()
    for entry in Parser().feed(file):
        late.feed(entry)
    assert late.session_names() == found, "asked for once, when all is read"


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_names_stay_while_a_trace_grows(path: Path) -> None:
    """Of real agents, and of the sessions behind a proxy too."""
    file = path.read_bytes()
    _names_match(file)
    _names_match(proxied([*Parser().feed(file)], is_plain=True))


def test_two_sessions_in_one_batch_keep_their_order() -> None:
    """They have the same frame."""
    updates = [up("plan", session, entries=[])[1] for session in ("z", "y")]
    file = trace(*hello(), ("agent", updates))
    _names_match(file)
    assert [session.session_id for session in facts_of(*hello(), ("agent", updates)).sessions] == ["z", "y"]
