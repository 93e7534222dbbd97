"""In which words differences are told: as those saw them who look at the agent."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.facts import Cancellation
from acp_trace.compare.requests import cancels
from acp_trace.compare.result import Comparison
from acp_trace.normalize.pointers import shown_pair
from tests.compare.conversation import (
    Edit,
    base,
    both,
    changed,
    chunk,
    compared,
    config,
    drop,
    file,
    instead,
    put,
    sets,
    tool,
)
from tests.reading.talk import Said, answer, ask, call, refuse, reply, stop, up

_MODES = {"currentModeId": "ask", "availableModes": [{"id": one, "name": one} for one in ("ask", "code")]}
_SET_MODE = (ask("m", "session/set_mode", sessionId="s", modeId="code"), answer("m"))


def _messages(found: Comparison) -> list[str]:
    return [divergence.message for divergence in found.failing]


def _with_modes(*after: Said) -> Edit:
    """The conversation with legacy modes, one of which is set, and an option for the same."""
    option = {"id": "mode", "name": "Mode", "type": "select", "currentValue": "ask",
              "options": [{"value": one, "name": one} for one in ("ask", "code")]}  # fmt: skip
    session = answer("new s", sessionId="s", configOptions=[*config(), option], modes=_MODES)
    was_set = answer(2, configOptions=[*config("small"), option])
    return both(instead("session", session), instead("was set", was_set), put("was set", *after))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            instead("was set", answer(2, configOptions=config("large", choices="big small large"))),
            "set model=small is answered with large; option model at the end: small → large",
        ),
        (drop("was set", "set"), "session/set_config_option model small is no longer sent"),
        (
            put("stop 3", up("config_option_update", configOptions=config("big"))),
            "option model at the end: small → big",
        ),
        (instead("stop 1", stop(3, "refusal")), "turn 0: stopReason end_turn → refusal"),
        (instead("stop 1", refuse(3, -32603)), "session/prompt ends with error -32603 instead of end_turn"),
        (
            drop("stop 3"),
            "session/prompt gets no answer instead of end_turn",
        ),
        (
            instead("stop 1", refuse(3, -32603, "Internal error")),
            "session/prompt ends with error -32603 instead of end_turn: Internal error",
        ),
        (drop("closed"), "session/close gets no answer instead of a result"),
        (
            instead("commands", up("available_commands_update", availableCommands=[])),
            "no longer offered: commands plan, undo",
        ),
        (drop("title"), "title is never sent; in the expected trace, it is set"),
        (
            put("found", tool("c9", "completed", kind="think", title="Think")),
            'an additional tool call: think "Think"',
        ),
        (
            put("found", tool("c9", "in_progress"), tool("c9", "failed")),
            'updates "in_progress", "failed" for a tool call that was never announced',
        ),
        (
            instead("web", up("tool_call_update", toolCallId="c3", kind="search", title="Web")),
            'update "completed" for a tool call that was never announced (Web)',
        ),
        (
            instead("web end", tool("c3", "failed")),
            'tool call "Web" goes pending → failed instead of pending → completed',
        ),
        (put("web", up("plan", entries=[])), "an additional kind of update in turn 2: plan"),
        (
            put("found", call(9, "fs/read_text_file", sessionId="s", path="/w/c"), reply(9, content="")),
            "an additional fs/read_text_file /w/c is sent",
        ),
        (
            put("found", up("agent_message_chunk", session="t", content={"type": "text", "text": "x"})),
            "updates for a session that was never opened",
        ),
    ],
)
def test_a_message_says_what_happened(edit: Edit, message: str) -> None:
    """And not which of our words stands for it."""
    assert message in _messages(changed(edit))


def test_a_turn_without_end() -> None:
    """In draft 2 an update ends it, after the prompt was answered."""
    draft = instead("initialized", answer(0, protocolVersion=2, agentInfo={"name": "agent", "version": "1"}))
    idle = both(draft, put("stop 3", up("state_update", state="idle", stopReason="end_turn")))
    expected, actual = file(idle(base())), file(draft(base()))
    for traces, message in (
        ((expected, actual), "turn 2 does not end; in the expected trace, it ends with end_turn"),
        ((actual, expected), "turn 2 ends with end_turn; in the expected trace, it does not end"),
    ):
        assert message in _messages(compared(*traces))


def _mode_option(value: str) -> Said:
    option = {"id": "mode", "name": "Mode", "type": "select", "currentValue": value,
              "options": [{"value": one, "name": one} for one in ("ask", "code")]}  # fmt: skip
    return up("config_option_update", configOptions=[*config("small"), option])


_FAST = {"id": "fast", "name": "Fast", "type": "select", "currentValue": "on",
         "options": [{"value": one, "name": one} for one in ("on", "off")]}  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "actual", "message"),
    [
        (_with_modes(), lambda named: named, "session/new lists no `modes` any more"),
        (
            _with_modes(*_SET_MODE, _mode_option("code"), _mode_option("ask")),
            _with_modes(*_SET_MODE),
            "after set_mode code no update reports the new mode",
        ),
        (
            instead("was set", answer(2, configOptions=[*config("small"), _FAST])),
            lambda named: named,
            "no answer and no update lists option fast any more",
        ),
    ],
)
def test_modes(expected: Edit, actual: Edit, message: str) -> None:
    """Which some agents no longer have, or change without a word."""
    assert message in _messages(compared(file(expected(base())), file(actual(base()))))


def _cancel(outcome: str, settle_s: float | None, updates: int = 0, **more: Any) -> Cancellation:
    settle = None if settle_s is None else int(settle_s * 1e9)
    return Cancellation(
        session_id="s", kind="session/cancel", frame=86, t_ns=0, sender="client", target_frame=83,
        target_method="session/prompt", target_id="3", outcome=outcome, settled_frame=None, settle_ns=settle,
        quiesce_ns=None, updates_after_cancel=updates, late_updates=0, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("actual", "stop_reason", "ending", "message"),
    [
        (_cancel("completed", 0.5), "end_turn", "end_turn", "cancel obeyed after 500 ms, but stopReason is end_turn"),
        (
            _cancel("completed", 5.4, 60), "end_turn", "end_turn",
            "cancel not obeyed: it went on for 5.40 s and 60 updates, and stopReason is end_turn",
        ),
        (
            _cancel("error", 0.02), None, "error -32603 no",
            "cancel: error -32603 no after 20.0 ms; in the expected trace, cancelled after 100 ms",
        ),
        (
            _cancel("unanswered", None), None, "no answer",
            "cancel: session/prompt #83 was never answered; in the expected trace, cancelled after 100 ms",
        ),
        (
            _cancel("no_target", None), None, "end_turn",
            "cancel: there was nothing to cancel any more; in the expected trace, cancelled after 100 ms",
        ),
    ],
)  # fmt: skip
def test_a_cancel(actual: Cancellation, stop_reason: str | None, ending: str, message: str) -> None:
    """An agent that stops and says so wrongly is told apart from one that goes on."""
    expected = _cancel("cancelled", 0.1)
    assert cancels.sentence("cancel", expected, actual, stop_reason, ending) == message


_LONG = "word " * 60


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        (1, "1", ("1", '"1"')),
        ("a", "b", ("a", "b")),
        ("", "x", ('""', "x")),
        ("end", "end ", ('"end"', '"end "')),
        ("caf\u00e9", "cafe\u0301", ('"caf\\u00e9"', '"cafe\\u0301"')),
        ("a\u200bb", "ab", ('"a\\u200bb"', '"ab"')),
        (f"{_LONG}a", f"{_LONG}b", ("…word word word word a", "…word word word word b (from character 301 on)")),
        ([1, 2], [1, 3], ("[1,2]", "[1,3]")),
    ],
)  # fmt: skip
def test_the_difference_is_seen(expected: Any, actual: Any, shown: tuple[str, str]) -> None:
    """`X → X` says nothing."""
    assert shown_pair(expected, actual) == shown


def _messages_called(done: str, found: str) -> bytes:
    return file(
        both(
            instead("bye", chunk("Done", messageId=done)), instead("found", chunk("Found", messageId=found))
        )(base())
    )


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (("m1", "m1"), "m2 → m1"),
        (("m2", "m2"), "m2 stands for different things in the two traces"),
    ],
)
def test_an_id_of_another_thing_is_said_to_be_that(ids: tuple[str, str], message: str) -> None:
    """The same text on both sides, and yet another message."""
    (found,) = compared(_messages_called("m1", "m2"), _messages_called(*ids), "exact").failing
    assert found.message == f"agent_message_chunk /params/update/messageId: {message}"
    assert found.expected != found.got


def test_a_path_that_did_not_move_with_its_session() -> None:
    """It has the same text on both sides, but lies in the directory of only one of them."""
    text = file(instead("found", chunk("see /w/a.txt"))(base())).decode()
    moved = text.replace('"/w', '"/tmp/9')
    assert "see /w/a.txt" in moved
    found = [each.message for each in compared(text.encode(), moved.encode(), "exact").failing]
    assert found == ["agent_message_chunk /params/update/content/text: see ‹cwd›/a.txt → see /w/a.txt"]


def _two_sets(first: str, second: str) -> bytes:
    """Of the model to its value, and then to another, with their answers."""
    return file(
        both(
            instead("set", sets(9, "model", "big")),
            instead("was set", answer(9, configOptions=config(first))),
            put("was set", sets(2, "model", "small"), answer(2, configOptions=config(second))),
        )(base())
    )


@pytest.mark.parametrize(
    ("expected", "actual", "message"),
    [
        (("big", "small"), ("large", "small"), "set model=big is answered with large"),
        (
            ("large", "small"),
            ("big", "small"),
            "set model=big is applied; in the expected trace, it is answered with large",
        ),
        (
            ("big", "small"),
            ("large", "large"),
            "set model=small is answered with large; option model at the end: small → large",
        ),
    ],
)
def test_a_set_stands_beside_the_same_set(
    expected: tuple[str, str], actual: tuple[str, str], message: str
) -> None:
    """Also if it changed nothing in one of the traces, and the next one did."""
    (found,) = compared(_two_sets(*expected), _two_sets(*actual)).failing
    assert found.message == message
    assert found.expected_event is not None
    assert found.got_event is not None
    assert found.expected_event.frame == found.got_event.frame


def test_another_set_and_its_answer() -> None:
    """What is asked for is told by the request; the answer follows from it."""
    edit = both(
        instead("set", sets(2, "model", "big")), instead("was set", answer(2, configOptions=config("big")))
    )
    assert "session/set_config_option value: small → big" in _messages(changed(edit))
