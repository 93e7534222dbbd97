"""What a written client says, when, and when it gives up: as a conversation, without a process or a clock."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.replay.conversation.engine import Serve
from acp_trace.replay.timeouts import FLOOD_BYTES, QUIET_MOST_NS, SECOND
from acp_trace.replay.written import conversation
from acp_trace.replay.written.client import WrittenClient
from tests.support import error, request, result, update

_PERMISSION = {
    "sessionId": "s",
    "toolCall": {"toolCallId": "t", "title": "Write a.txt"},
    "options": [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ],
}
CHUNK = update("s", "agent_message_chunk", content={"type": "text", "text": "on"})


class Played:
    """A client and the time, which goes on only as it is told to."""

    def __init__(self, *prompts: Any, serve: dict[str, Serve] | None = None, **more: Any) -> None:
        self.now = 1000 * SECOND
        written = conversation({"prompts": list(prompts), **more})
        self.client = WrittenClient(written, "/w", serve or {}, 60 * SECOND)
        self.client.begin(self.now)

    def due(self) -> list[Any]:
        """What is sent now."""
        return [json.loads(line) for line in self.client.due(self.now)]

    def hears(self, message: Any) -> list[Any]:
        """What is sent at once when the agent says this."""
        return [json.loads(line) for line in self.client.receive(json.dumps(message).encode(), self.now)]

    def later(self) -> list[Any]:
        """What is sent when it looks again by itself."""
        wake = self.client.wake()
        assert wake is not None
        self.now = max(wake, self.now)
        return self.due()

    def opened(self) -> Any:
        """The first prompt, after a session was opened."""
        self.due()
        self.hears(result(0, protocolVersion=1))
        self.later()
        self.hears(result(1, sessionId="s"))
        (prompt,) = self.later()
        return prompt


def test_it_says_one_thing_after_the_other() -> None:
    """Each when the one before is answered; then it is over."""
    play = Played("Hello", "Go on")
    (first,) = play.due()
    assert (first["id"], first["method"], first["params"]["protocolVersion"]) == (0, "initialize", 1)
    assert play.due() == []
    assert play.hears(result(0, protocolVersion=1)) == []
    (second,) = play.later()
    assert second == request(1, "session/new", cwd="/w", mcpServers=[])
    play.hears(result(1, sessionId="s"))
    (third,) = play.later()
    assert third == request(2, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "Hello"}])
    play.hears(result(2, stopReason="end_turn"))
    (fourth,) = play.later()
    assert fourth["params"]["prompt"][0]["text"] == "Go on"
    assert (play.client.is_answered, play.client.stops) == (False, ["end_turn"])
    play.hears(result(3, stopReason="refusal"))
    assert (play.client.is_answered, play.client.closed) == (True, False)
    assert play.later() == []
    assert (play.client.closed, play.client.failure) == (True, None)
    assert play.client.stops == ["end_turn", "refusal"]


def test_it_waits_until_the_agent_is_quiet() -> None:
    """What comes after a turn's answer comes before the next prompt; but an agent may talk for ever."""
    play = Played("Hello")
    play.opened()
    play.hears(result(2, stopReason="end_turn"))
    answered = play.now
    while play.now < answered + SECOND:
        assert play.due() == []
        assert (play.client.closed, play.client.failure) == (False, None)
        play.now += QUIET_MOST_NS // 2
        play.hears(CHUNK)
    assert play.due() == []
    assert play.client.closed


@pytest.mark.parametrize(("files", "terminals"), [(False, False), (True, False), (False, True)])
def test_it_can_do_what_the_conversation_can_answer(files: bool, terminals: bool) -> None:
    """And says nothing else of itself."""
    (first,) = Played("x", files=files, terminals=terminals).due()
    fs = {"readTextFile": files, "writeTextFile": files}
    assert first["params"]["clientCapabilities"] == {"fs": fs, "terminal": terminals}


def test_messages_and_updates_of_tools_are_counted() -> None:
    """Not thoughts, usage, or other sessions; the cancel is sent once."""
    play = Played({"text": "x", "cancel_after": 2})
    play.opened()
    for message in (
        update("s", "agent_thought_chunk"),
        update("s", "usage_update"),
        update("other", "tool_call"),
        update("s", "tool_call"),
    ):
        assert play.hears(message) == []
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
    assert play.hears(CHUNK) == [cancel]
    assert play.hears(CHUNK) == []
    play.hears(result(2, stopReason="cancelled"))
    play.later()
    assert play.client.failure is None


def test_a_cancel_may_come_at_once() -> None:
    """Directly behind the prompt."""
    play = Played({"text": "x", "cancel_after": 0}, "y")
    play.due()
    play.hears(result(0, protocolVersion=1))
    play.later()
    play.hears(result(1, sessionId="s"))
    assert [message["method"] for message in play.later()] == ["session/prompt", "session/cancel"]
    play.hears(result(2, stopReason="cancelled"))
    assert [message["method"] for message in play.later()] == ["session/prompt"]


def test_a_turn_that_ends_before_its_cancel_is_no_recording() -> None:
    """It would be one of something else."""
    play = Played({"text": "x", "cancel_after": 2})
    play.opened()
    play.hears(CHUNK)
    play.hears(result(2, stopReason="end_turn"))
    assert play.client.closed
    assert play.client.failure == (
        "prompt 1 ended after 1 text chunks, tool calls and tool-call updates, before it could be cancelled (cancel_after = 2)"
    )


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("allow_once", {"outcome": "selected", "optionId": "yes"}),
        ("no", {"outcome": "selected", "optionId": "no"}),
        ("Reject", {"outcome": "selected", "optionId": "no"}),
        ("cancelled", {"outcome": "cancelled"}),
    ],
)
def test_a_permission_is_answered_by_kind_id_or_name(answer: str, outcome: dict[str, str]) -> None:
    """Every time, if there is one answer."""
    play = Played("x", permission=answer)
    play.opened()
    for number in (0, "a"):
        asked = request(number, "session/request_permission", **_PERMISSION)
        assert play.hears(asked) == [result(number, outcome=outcome)]
    assert play.client.failure is None


def test_answers_are_given_in_their_order_and_a_turn_may_have_its_own() -> None:
    """Those of the conversation go on after it."""
    play = Played("a", {"text": "b", "permission": "cancelled"}, "c", permission=["yes", "no"])
    play.opened()
    given = []
    for number in (2, 3, 4):
        (answer,) = play.hears(request(number, "session/request_permission", **_PERMISSION))
        given.append(answer["result"]["outcome"].get("optionId"))
        play.hears(result(number, stopReason="end_turn"))
        play.later()
    assert given == ["yes", None, "no"]


@pytest.mark.parametrize(
    ("permission", "why"),
    [
        ({}, "no `permission` is given for this request"),
        ({"permission": []}, "no `permission` is given for this request"),
        ({"permission": "allow_always"}, "`permission` 'allow_always' is none of these"),
    ],
)
def test_a_permission_without_an_answer_is_no_recording(permission: dict[str, Any], why: str) -> None:
    """The agent gets an answer all the same."""
    play = Played("x", **permission)
    play.opened()
    asked = request(0, "session/request_permission", **_PERMISSION)
    assert play.hears(asked) == [result(0, outcome={"outcome": "cancelled"})]
    assert play.client.failure == (
        f"the agent asked for a permission (Write a.txt) and offered allow_once, reject_once: {why}"
    )
    assert play.client.closed


def test_a_permission_of_a_cancelled_turn_is_cancelled() -> None:
    """As the protocol has it, whatever is written."""
    play = Played({"text": "x", "cancel_after": 0}, permission="allow_once")
    play.due()
    play.hears(result(0, protocolVersion=1))
    play.later()
    play.hears(result(1, sessionId="s"))
    play.later()
    asked = request(0, "session/request_permission", **_PERMISSION)
    assert play.hears(asked) == [result(0, outcome={"outcome": "cancelled"})]


@pytest.mark.parametrize("options", [None, [], "x", [1], [{"kind": "allow_once"}]])
def test_odd_options_are_none(options: Any) -> None:
    """Nothing is raised, and the agent gets its answer."""
    play = Played("x", permission="allow_once")
    play.opened()
    asked = request(0, "session/request_permission", sessionId="s", toolCall=None, options=options)
    assert play.hears(asked) == [result(0, outcome={"outcome": "cancelled"})]
    assert play.client.failure is not None


def test_requests_are_served_or_refused() -> None:
    """What takes time is answered when it is there."""
    there: list[dict[str, Any]] = []
    serve: dict[str, Serve] = {
        "fs/read_text_file": lambda _, params: {"content": "hi"} if params.get("path") == "/w/a" else None,
        "terminal/wait_for_exit": lambda _, __: lambda: there[0] if there else None,
    }
    play = Played("x", serve=serve)
    play.opened()
    assert play.hears(request(0, "fs/read_text_file", path="/w/a")) == [result(0, content="hi")]
    (refused,) = play.hears(request(1, "fs/read_text_file", path="/x"))
    assert refused["error"]["code"] == -32602
    (unknown,) = play.hears(request(2, "fs/write_text_file"))
    assert unknown["error"] == {"code": -32601, "message": "this client has no fs/write_text_file"}
    assert play.hears(request(3, "terminal/wait_for_exit")) == []
    assert play.later() == []
    assert play.client.deadline == play.client._asked_at + 600 * SECOND
    there.append({"exitCode": 0})
    assert play.later() == [result(3, exitCode=0)]
    assert play.client.deadline == play.now + 60 * SECOND


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([error(0, -32000, "Log in")], "the agent refused initialize: Log in (-32000)"),
        ([result(0, protocolVersion=2)], "the agent speaks protocol 2, not 1"),
        ([result(0)], "the agent speaks protocol null, not 1"),
        ([result(0, protocolVersion=1), result(1)], "the agent's answer to session/new has no sessionId"),
        (
            [result(0, protocolVersion=1), result(1, sessionId="s"), error(2, -1, "x")],
            "the agent refused prompt 1: x (-1)",
        ),
    ],
)
def test_an_agent_that_refuses(answers: list[Any], why: str) -> None:
    """What was to be recorded cannot be."""
    play = Played("Hello")
    play.due()
    for answer in answers:
        play.hears(answer)
        if answer is not answers[-1]:
            play.later()
    assert (play.client.failure, play.client.closed) == (why, True)


def test_an_agent_may_not_be_silent_for_long_nor_take_for_ever() -> None:
    """A minute without a word, ten for a turn; it is said what was waited for."""
    play = Played("Hello")
    play.opened()
    begun = play.now
    assert play.client.deadline == begun + 60 * SECOND
    play.now += 59 * SECOND
    play.hears(CHUNK)
    assert play.client.deadline == play.now + 60 * SECOND
    play.now = begun + 590 * SECOND
    play.hears(CHUNK)
    assert play.client.deadline == begun + 600 * SECOND
    assert play.client.waits() == "the answer to prompt 1"


def test_a_flood_is_too_much() -> None:
    """Counted from the client's last message on."""
    play = Played("Hello")
    play.opened()
    assert not play.client.is_flooded
    play.client.receive(b'"' + b"x" * FLOOD_BYTES, play.now)
    assert play.client.is_flooded


def test_what_is_no_message_is_passed_over() -> None:
    """It is in the trace; an answer to nothing, and one that comes twice, too."""
    play = Played("Hello")
    play.opened()
    for line in (
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"jsonrpc":"2.0","id":7,"result":{}}',
        b'{"id":"2","result":{}}',
    ):
        assert play.client.receive(line, play.now) == []
    assert play.due() == []
    play.hears(result(2, stopReason="end_turn"))
    play.hears(result(2, stopReason="refusal"))
    assert play.client.stops == ["end_turn"]
