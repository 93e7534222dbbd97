"""History that a fork, a load or a resume replays is not the work of a turn; each session knows its opening."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.inner_messages import INSIDE
from acp_trace.analyze.replays import Replays
from acp_trace.protocol import updates
from acp_trace.protocol.message import MessageKind
from acp_trace.story.reader import EventReader
from acp_trace.trace.parse import Parser
from tests.forks import forked, history
from tests.reading.talk import Said, answer, ask, opened, prompt, stop, up, words
from tests.support import TRACES, analyzed, facts_of, trace


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


def _reopens(method: str, *between: Said, **params: object) -> list[Said]:
    return [ask(5, method, sessionId="s", cwd="/w", mcpServers=[], **params), *between, answer(5)]


#: A conversation, and the frames of its history: all updates while a load, a fork or a resume that asks for it is
#: open; what a resume must not send, unless a turn is open.
_CASES: dict[str, tuple[list[Said], list[int]]] = {
    "load": (
        [*opened(), *_reopens("session/load", *history("s"), up("usage_update", used=1))],
        [4, 5, 6, 7, 8],
    ),
    "fork": (forked(), [4, 5, 6, 7]),
    "resume": (
        [*opened(), *_reopens("session/resume", *history("s"), up("usage_update", used=1))],
        [4, 5, 6, 7],
    ),
    "resume that asks": (
        [
            *opened(),
            *_reopens(
                "session/resume", *history("s"), up("usage_update", used=1), replayFrom={"type": "start"}
            ),
        ],
        [4, 5, 6, 7, 8],
    ),
    "resume in a turn": ([*opened(), prompt(1), *_reopens("session/resume", *history("s")), stop(1)], []),
    "load in a turn": (
        [*opened(), prompt(1), words(), *_reopens("session/load", *history("s")), words(), stop(1)],
        [6, 7, 8, 9],
    ),
    "resume after a turn": (
        [*opened(), prompt(1), stop(1), *_reopens("session/resume", *history("s")), words()],
        [6, 7, 8, 9],
    ),
}


@pytest.mark.parametrize(("said", "expected"), _CASES.values(), ids=list(_CASES))
def test_one_rule(said: list[Said], expected: list[int]) -> None:
    """The analyser, reports that read the frames again, and the story of a comparison have the same history."""
    assert sum(one.replayed for one in facts_of(*said).sessions) == len(expected)
    assert _by_frames(trace(*said)) == expected
    assert _by_story(trace(*said)) == _of_turn(trace(*said), expected)


@pytest.mark.parametrize("file", TRACES, ids=lambda path: path.stem)
def test_one_rule_in_real_recordings(file: Path) -> None:
    """Of the sessions of the connection itself: the frames inside of envelopes are not unwrapped here."""
    data = file.read_bytes()
    found, _ = analyzed(data)
    replayed = sum(one.replayed for one in found.sessions if not one.session_id.startswith(INSIDE))
    history = _by_frames(data)
    assert len(history) == replayed
    assert _by_story(data) == _of_turn(data, history)


def _of_turn(file: bytes, history: list[int]) -> list[int]:
    """Those of these frames that can be a turn's work."""
    kinds = {int(frame.frame): frame.update for frame in analyzed(file)[1]}
    return [frame for frame in history if kinds[frame] in updates.OF_TURN]


def _by_frames(file: bytes) -> list[int]:
    """The frames that are history for those who go through a trace again."""
    found, frames = analyzed(file)
    replays, history = Replays(found), []
    for frame in frames:
        if frame.sender == "client" and frame.kind is MessageKind.REQUEST:
            replays.request(frame.frame, frame.method, frame.session_id, frame.data)
        elif frame.kind is MessageKind.RESPONSE:
            replays.response(frame.answers)
        elif frame.update and replays.by(frame.session_id or "", frame.frame, frame.update) is not None:
            history.append(int(frame.frame))
    return history


def _by_story(file: bytes) -> list[int]:
    """The frames of a turn's work that are history in a comparison."""
    reader = EventReader(joins=False)
    for entry in Parser().feed(file):
        reader.feed(entry)
    return [
        each.frame for each in reader.story().events if each.where is not None and each.where.part == "replay"
    ]
