"""History that a fork, a load or a resume replays is not the work of a turn; each session knows its opening."""

from __future__ import annotations

import pytest

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.replays import Replays
from tests.forks import forked, history
from tests.reading.talk import answer, ask, opened, prompt, stop, up, words
from tests.support import facts_of


def _replayed(found: Facts, session: str) -> tuple[int, list[tuple[str, bool, int | None]], list[str]]:
    (of,) = (one for one in found.sessions if one.session_id == session)
    calls = [(one.id, one.replayed, one.duration_ns) for one in found.tool_calls if one.session_id == session]
    return of.replayed, calls, [one.kind for one in found.session_events if one.session_id == session]


def test_history_of_a_fork() -> None:
    """OpenCode sends it before the answer, which is the first to say that the session is the fork's."""
    found = facts_of(*forked())
    assert _replayed(found, "copy") == (4, [("old", True, None), ("new", False, None)], [])
    (copy,) = (one for one in found.sessions if one.session_id == "copy")
    assert (copy.opened_frame, copy.opened_ns, copy.forked_from) == (3, 3_000, "s")


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_history_of_a_session_that_is_opened_again(method: str) -> None:
    """A resume must not send it, and some agents do: that is no work either."""
    found = facts_of(
        ask(1, method, sessionId="s", cwd="/w", mcpServers=[]),
        *history("s"),
        up("available_commands_update", availableCommands=[]),
        answer(1),
    )
    count, *others = _replayed(found, "s")
    assert (count, *others) == (5 if method == "session/load" else 4, [("old", True, None)], [])


def test_what_a_new_session_says_is_no_history() -> None:
    """An agent may greet its user before it answers session/new, also while it forks another session."""
    found = facts_of(
        *opened(),
        ask(1, "session/fork", sessionId="s", cwd="/w"),
        ask(2, "session/new", cwd="/w", mcpServers=[]),
        words("new"),
        answer(2, sessionId="new"),
        answer(1, sessionId="copy"),
        prompt(3, "copy"),
        words("copy"),
        stop(3),
    )
    assert _replayed(found, "new") == (0, [], ["message"])
    assert _replayed(found, "copy") == (0, [], [])


def test_a_session_that_no_fork_made_is_no_copy() -> None:
    """Once the fork is answered, nothing that comes is its history."""
    found = facts_of(
        *opened(),
        ask(1, "session/fork", sessionId="s", cwd="/w"),
        words("other"),
        answer(1, sessionId="copy"),
        up("tool_call", session="other", toolCallId="c", status="completed"),
    )
    assert [one.replayed for one in found.tool_calls] == [False]


def test_the_first_request_that_succeeds_opens_a_session() -> None:
    """One that failed did not."""
    found = facts_of(
        ask(1, "session/load", sessionId="s", cwd="/w", mcpServers=[]),
        ("agent", {"jsonrpc": "2.0", "id": 1, "error": {"code": -32002, "message": "gone"}}),
        ask(2, "session/resume", sessionId="s", cwd="/w", mcpServers=[]),
        answer(2),
        ask(3, "session/load", sessionId="s", cwd="/w", mcpServers=[]),
        answer(3),
    )
    (session,) = found.sessions
    assert (session.opened_by, session.opened_frame, session.forked_from) == ("session/resume", 3, None)


def test_facts_say_which_updates_are_history() -> None:
    """Those between a request and its answer, of the session that it opens; in a batch, with its answer."""
    replays = Replays(facts_of(*forked()))
    assert [replays.by("copy", frame) for frame in (3, 4, 7, 8, 10)] == [None, 3, 3, 3, None]
    assert replays.by("s", 5) is None
