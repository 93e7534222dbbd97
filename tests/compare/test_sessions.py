"""Several sessions in one trace: which is which, and what is told of those that are not there."""

from __future__ import annotations

import pytest

from tests.compare.conversation import codes, compared
from tests.reading.talk import Said, answer, ask, cancel, hello, opened, prompt, refuse, stop, up, words
from tests.subagents import announces
from tests.support import trace

_TWO = [*hello(), *opened("s"), *opened("t")]


def _turn(id: int, session: str) -> list[Said]:
    return [prompt(id, session), words(session), stop(id)]


def _opens(how: str, session: str, *history: Said, **result: str) -> list[Said]:
    return [ask(how, how, sessionId=session, cwd="/w"), *history, answer(how, **result)]


def _told(ours: list[Said], theirs: list[Said]) -> list[str]:
    return codes(compared(trace(*ours), trace(*theirs)))


def test_sessions_go_on_side_by_side() -> None:
    """In any order, one after the other or both at once; and each is opened when it is needed."""
    at_once = [prompt(1, "s"), prompt(2, "t"), words("t"), words("s"), stop(2), stop(1)]
    serial = [*hello(), *opened("s"), *_turn(1, "s"), *opened("t"), *_turn(2, "t")]
    assert _told([*_TWO, *at_once], serial) == []
    assert _told(serial, [*_TWO, *_turn(2, "t"), *_turn(1, "s")]) == []


def test_a_cancel_of_another_session() -> None:
    """Each turn is told for itself."""
    both = [*_TWO, prompt(1, "s"), prompt(2, "t")]
    ours = [*both, cancel("s"), stop(1, "cancelled"), stop(2)]
    theirs = [*both, cancel("t"), stop(1), stop(2, "cancelled")]
    assert sorted(_told(ours, theirs)) == [
        "notification-extra", "notification-missing", "stop-reason", "stop-reason",
    ]  # fmt: skip


def _user(session: str) -> Said:
    return up("user_message_chunk", session=session, content={"type": "text", "text": "go"})


@pytest.mark.parametrize("how", ["session/load", "session/resume", "session/fork"])
def test_another_session_is_opened_again(how: str) -> None:
    """The session is part of what is asked for; of one that only the disk knows, the name is an id."""
    result = {"sessionId": "u"} if how == "session/fork" else {}
    ours, theirs = ([*_TWO, *_opens(how, session, **result)] for session in "st")
    assert _told(ours, theirs) == ["request-params"]
    assert _told(ours, ours) == []
    old, older = ([*hello(), *_opens(how, session, **result)] for session in ("s", "other"))
    assert _told(old, older) == []


def test_one_of_several_is_not_opened_again() -> None:
    """By the names of the sessions, where something is missing: so the others keep their counterparts."""
    ours, theirs = (
        [*hello(), *(said for one in names for said in _opens("session/load", one, words(one)))]
        for names in ("stu", "su")
    )
    (missing,) = compared(trace(*ours), trace(*theirs)).failing
    assert (missing.code, missing.expected_event and missing.expected_event.frame) == ("request-missing", 6)


def _said(text: str, session: str = "s") -> Said:
    return up("agent_message_chunk", session=session, content={"type": "text", "text": text})


@pytest.mark.parametrize("how", ["session/load", "session/fork"])
@pytest.mark.parametrize(
    ("before", "repeated", "told"),
    [
        ("one two ", "one two ", []),  # as Kilo keeps what it had said
        ("", "", []),
        ("one two three ", "one two ", ["content-differs"]),
        ("one ", "one three ", ["content-differs"]),
    ],
)
def test_history_of_a_cancelled_turn(how: str, before: str, repeated: str, told: list[str]) -> None:
    """How far it got is chance, and so is what is repeated of it; everything else is compared."""

    def made(said: str, repeated: str) -> bytes:
        chunk = [_said(said)] if said else []
        turns = [
            prompt(1, "s"),
            cancel("s"),
            *chunk,
            stop(1, "cancelled"),
            prompt(2, "s"),
            _said("one more"),
            stop(2),
        ]
        result = {"sessionId": "u"} if how == "session/fork" else {}
        history = _said(f"At first. {repeated}one more", "u" if result else "s")
        return trace(*hello(), *opened("s"), *turns, *_opens(how, "s", history, **result))

    here = made("one ", "one ")
    found = compared(here, made(before, repeated), "content")
    assert codes(found) == told, [each.message for each in found.failing]
    assert codes(compared(here, made("one ", "one ").replace(b"At first", b"Later"), "content")) == [
        "content-differs"
    ]


def test_history_of_a_cancelled_turn_in_other_messages() -> None:
    """The same text is compared as ever: how many messages it was is not what a cancel decides."""
    turn = [prompt(1, "s"), cancel("s"), _said("one "), stop(1, "cancelled")]

    def made(*ids: str) -> bytes:
        chunks = [
            up("agent_message_chunk", messageId=id, content={"type": "text", "text": "x"}) for id in ids
        ]
        return trace(*hello(), *opened("s"), *turn, *_opens("session/load", "s", *chunks))

    assert codes(compared(made("a", "a"), made("a", "b"), "content")) == ["content-differs"]


def test_history_that_is_lost() -> None:
    """What a load replays is compared as messages: there, or not."""
    said = _user("s"), words()
    ours, theirs = ([*hello(), *_opens("session/load", "s", *history)] for history in (said, ()))
    assert _told(ours, theirs) == ["message-missing", "message-missing"]
    assert _told(ours, [*hello(), *_opens("session/load", "s", *said, *said)]) == []


def test_a_session_that_is_opened_anew_and_one_that_is_loaded() -> None:
    """How it is opened differs, once, and so does its history; its turns are compared."""
    new = [*hello(), *opened("a"), *_turn(1, "a")]
    for how in ("session/load", "session/resume"):
        history = (_user("b"), words("b")) if how == "session/load" else ()
        loaded = [*hello(), *_opens(how, "b", *history)]
        for one, other in ((new, [*loaded, *_turn(1, "b")]), ([*loaded, *_turn(1, "b")], new)):
            (found,) = compared(trace(*one), trace(*other)).failing
            ways = ["session/new", how] if one is new else [how, "session/new"]
            assert (found.code, found.expected, found.got) == ("request-extra", *ways)
            assert found.message == f"the session is opened by {ways[1]} instead of {ways[0]}"
        other = [*loaded, *_turn(1, "b")[:-1], stop(1, "refusal")]
        assert "stop-reason" in _told(new, other)


def test_sessions_that_nobody_opened() -> None:
    """A trace may begin late: they belong together in their order, and what is too much is told."""
    one, two = [*hello(), *_turn(1, "s")], [*hello(), *_turn(1, "x"), *_turn(2, "y")]
    assert _told(one, [*hello(), *_turn(1, "x")]) == []
    assert _told(one, two) == ["session-extra"]
    assert _told(two, one) == ["session-missing"]


def test_a_session_that_nobody_opened_beside_one_that_was_only_tried() -> None:
    """Which the client asks for in vain: neither is taken for the other, whatever comes first."""
    probe = [prompt("x", "no-such"), refuse("x", -32602)]
    for name in ("no-such", "none-such"):
        tried = [prompt("x", name), refuse("x", -32602)]
        for start, end in (([*_TWO, words("nobody")], []), (_TWO, [words("nobody")])):
            two = [*start, *tried, *_turn(1, "s"), *end]
            one = [*_TWO, *probe, *_turn(1, "s")]
            for ours, theirs, code in ((one, two, "session-extra"), (two, one, "session-missing")):
                (divergence,) = compared(trace(*ours), trace(*theirs)).failing
                assert (divergence.code, divergence.session_id) == (code, "nobody")
    assert _told([*_TWO, *probe], [*_TWO, words("nobody")]) == ["session-extra", "session-missing"]


def test_sessions_that_nobody_opened_by_their_names() -> None:
    """Before their order: one that is there no longer does not move the others."""
    ours = [*hello(), *_turn(1, "x"), prompt(2, "y"), words("y"), stop(2, "refusal")]
    assert _told(ours, [*hello(), prompt(2, "y"), words("y"), stop(2, "refusal")]) == ["session-missing"]


def test_a_session_of_a_subagent() -> None:
    """Its agent announces it, so it is not one that nobody opened."""
    plain = [*_TWO, prompt(1), words(), stop(1)]
    more = [*_TWO, prompt(1), announces("s", "child"), words("child"), words(), stop(1)]
    told = {
        each.code: each.message
        for ours, theirs in ((plain, more), (more, plain))
        for each in compared(trace(*ours), trace(*theirs)).failing
    }
    assert told["session-extra"] == "an additional session of a subagent"
    assert told["session-missing"] == "a session of a subagent is missing"
