"""What a client does with the steps of a script, and what it says came of each: without a process or a clock."""

from __future__ import annotations

import itertools
import json
import uuid
from typing import Any

import pytest

from acp_trace.replay.timeouts import QUIET_MOST_NS, SECOND
from acp_trace.replay.written.client import WrittenClient
from acp_trace.replay.written.form import conversation
from acp_trace.replay.written.profiles import PROFILES
from tests.support import REPOSITORY, error, frames_in, request, result, update

_OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
_PERMISSION = {"sessionId": "s", "toolCall": {"toolCallId": "t", "title": "Write"}, "options": _OPTIONS}


def notify(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


CHUNK = update("s", "agent_message_chunk", content={"type": "text", "text": "on"})


class Played:
    """A client that is not strict, and the time, which goes on only as it is told to."""

    def __init__(self, *steps: Any, strict: bool = False, client: str = "", **more: Any) -> None:
        self.now = 1000 * SECOND
        written = conversation({"steps": list(steps), **more, **({"as": client} if client else {})})
        self.client = WrittenClient(written, "/w", {}, 60 * SECOND, strict=strict)
        self.client.begin(self.now)

    def due(self) -> list[Any]:
        """What is sent now: methods and ids of requests, or whole messages."""
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

    def answered(self, *results: Any) -> list[Any]:
        """What is sent when each of these was answered, one after the other: a result, or a whole response."""
        sent = self.due()
        for given in results:
            (asked,) = [message for message in sent if "id" in message]
            self.hears(
                given if isinstance(given, dict) and "jsonrpc" in given else result(asked["id"], **given)
            )
            sent = self.later() if self.client.wake() is not None else []
        return sent

    @property
    def statuses(self) -> list[str]:
        return [f"{each.step.shown}: {each.status}" for each in self.client.outcomes]


OPENED = ({"protocolVersion": 1}, {"sessionId": "s"})


def test_each_step_becomes_its_message() -> None:
    """With the id of its session, and what stands beside it."""
    play = Played(
        {"new": "a", "cwd": "/there", "mcp_servers": [{"name": "m", "command": "c", "args": [], "env": []}]},
        {"set_mode": "plan"},
        {"set_option": "fast", "value": True},
        {"set_option": "model", "value": "x"},
        {"fork": "a", "as": "b"},
        {"close": "b"},
        {"load": "zzz"},
        {"list": True},
        {"request": "_x/y", "params": {"of": ["${a}", "${no}"]}},
        booleans=True,
    )
    (first,) = play.due()
    assert first["params"]["clientCapabilities"]["session"] == {"configOptions": {"boolean": {}}}
    sent = []
    answer: dict[str, Any]
    for answer in (
        *OPENED,
        {},
        {"configOptions": []},
        {"configOptions": []},
        {"sessionId": "s2"},
        {},
        {},
        {},
        {},
    ):
        sent.append(first)
        play.hears(result(first["id"], **answer))
        (first,) = play.later() or [None]
    assert [(each["method"], each["params"]) for each in sent[1:]] == [
        (
            "session/new",
            {"cwd": "/there", "mcpServers": [{"name": "m", "command": "c", "args": [], "env": []}]},
        ),
        ("session/set_mode", {"sessionId": "s", "modeId": "plan"}),
        (
            "session/set_config_option",
            {"sessionId": "s", "configId": "fast", "value": True, "type": "boolean"},
        ),
        ("session/set_config_option", {"sessionId": "s", "configId": "model", "value": "x"}),
        ("session/fork", {"sessionId": "s", "cwd": "/w", "mcpServers": []}),
        ("session/close", {"sessionId": "s2"}),
        ("session/load", {"sessionId": "zzz", "cwd": "/w", "mcpServers": []}),
        ("session/list", {}),
        ("_x/y", {"of": ["s", "${no}"]}),
    ]
    assert play.client.closed
    assert all(each.status == "done" for each in play.client.outcomes)


def test_a_session_may_have_more_directories_and_a_longer_prompt() -> None:
    """A directory is seen from the session's; of the prompt, an addition."""
    play = Played({"new": "a", "additional_directories": [".", "sub", "/x"], "system_prompt": "Be brief."})
    (new,) = play.answered({"protocolVersion": 1})
    assert new["params"]["additionalDirectories"] == ["/w", "/w/sub", "/x"]
    text = {"type": "text", "text": "Be brief."}
    assert new["params"]["systemPrompt"] == {"mode": "append", "content": [text]}


def test_a_refusal_is_told_and_the_next_step_follows() -> None:
    """What needs the session that was refused is left out, and no other session is taken for it."""
    play = Played({"new": "a"}, {"prompt": "x"}, {"close": "a"}, {"list": True})
    play.answered({"protocolVersion": 1})
    play.hears(error(1, -32000, "Log in"))
    assert [message["method"] for message in play.later()] == ["session/list"]
    assert play.statuses == [
        "request initialize: done", "new a: refused", "prompt “x”: skipped", "close a: skipped", "list: unanswered",
    ]  # fmt: skip
    assert play.client.outcomes[1].why == "Log in (-32000)"
    assert (play.client.failure, play.client.is_answered) == (None, False)


def test_an_agent_of_another_version_is_left() -> None:
    """What would be said is of version 1."""
    play = Played({"new": "a"})
    play.answered({"protocolVersion": 2})
    assert play.client.failure == "the agent speaks protocol 2, not 1"


def test_a_script_may_begin_with_initialize_itself() -> None:
    """Then that is what is sent, and its answer may be any."""
    play = Played({"request": "initialize", "params": {"protocolVersion": 99}}, {"send": "{"})
    (first,) = play.due()
    assert first["params"] == {"protocolVersion": 99}
    play.hears(error(0, -32602, "No"))
    assert [*play.client.due(play.client.wake() or 0)] == [b"{\n"]
    assert play.client.failure is None


def test_two_turns_at_once() -> None:
    """A step that does not wait leaves its turn open; an update belongs to the turn of its session."""
    play = Played(
        {"new": "a"}, {"new": "b"}, {"prompt": "x", "session": "a", "wait": False}, {"prompt": "y"},
        {"cancel": True, "session": "a", "after": "2 updates"}, {"list": True},
    )  # fmt: skip
    (x,) = play.answered(*OPENED, {"sessionId": "s2"})[:1]
    assert (x["params"]["sessionId"], x["params"]["prompt"][0]["text"]) == ("s", "x")
    (y,) = play.later() or play.due()
    assert y["params"]["sessionId"] == "s2"
    assert play.hears(update("s2", "tool_call")) == []
    assert play.hears(CHUNK) == []
    assert play.hears(CHUNK) == [notify("session/cancel", sessionId="s")]
    play.hears(result(y["id"], stopReason="end_turn"))
    assert play.client.wake() is None  # what comes after both waits for both
    play.hears(result(x["id"], stopReason="cancelled"))
    assert [message["method"] for message in play.later()] == ["session/list"]
    assert play.client.stops == ["end_turn", "cancelled"]


def test_a_cancel_after_some_time() -> None:
    """It wakes up for that; one that comes too late is left out."""
    play = Played(
        {"prompt": "x"}, {"cancel": True, "after": "200ms", "by": "request"}, {"cancel": True, "after": "1s"}
    )
    (prompt,) = play.answered(*OPENED)
    sent_at = play.now
    assert play.due() == []
    assert play.later() == [notify("$/cancel_request", requestId=prompt["id"])]
    assert play.now == sent_at + SECOND // 5
    play.hears(error(prompt["id"], -32800, "Cancelled"))
    play.later()
    assert play.statuses[-3:] == ["prompt “x”: refused", "cancel: done", "cancel: skipped"]


def test_a_cancel_at_a_permission_comes_before_its_answer() -> None:
    """Which then is cancelled, as the protocol has it."""
    play = Played({"prompt": "x"}, {"cancel": True, "after": "permission"}, permission="allow_once")
    play.answered(*OPENED)
    assert play.hears(request(9, "session/request_permission", **_PERMISSION)) == [
        notify("session/cancel", sessionId="s"),
        result(9, outcome={"outcome": "cancelled"}),
    ]


def test_a_permission_without_an_answer_is_rejected() -> None:
    """If the client need not be strict; what cannot even be rejected is cancelled, and noted."""
    play = Played({"prompt": "x"})
    play.answered(*OPENED)
    (answer,) = play.hears(request(9, "session/request_permission", **_PERMISSION))
    assert answer["result"]["outcome"] == {"outcome": "selected", "optionId": "no"}
    (answer,) = play.hears(
        request(9, "session/request_permission", **{**_PERMISSION, "options": _OPTIONS[:1]})
    )
    assert answer["result"]["outcome"] == {"outcome": "cancelled"}
    asked = "the agent asked for a permission (Write) and offered allow_once"
    assert play.client.notes == [f"{asked}: no `permission` is given for this request, so it was cancelled"]


def test_it_may_leave_at_once() -> None:
    """Whatever is open."""
    play = Played({"prompt": "x", "wait": False}, {"pause": "2s"}, {"disconnect": True})
    play.answered(*OPENED)
    begun = play.now
    while not play.client.closed:
        play.later()
    assert play.now >= begun + 2 * SECOND
    assert play.statuses[-3:] == ["prompt “x”: unanswered", "pause 2s: done", "disconnect: done"]


def test_a_form_is_filled_in() -> None:
    """As its schema allows; the client says that it can."""
    play = Played({"prompt": "x"}, elicitation="accept")
    (first,) = play.due()
    assert first["params"]["clientCapabilities"]["elicitation"] == {"form": {}}
    schema = {
        "type": "object",
        "required": ["name", "size", "sure", "colour", "tags", "mail"],
        "properties": {
            "name": {"type": "string", "minLength": 12},
            "size": {"type": "integer", "minimum": 3},
            "sure": {"type": "boolean"},
            "colour": {"type": "string", "oneOf": [{"const": "red", "title": "Red"}]},
            "tags": {"type": "array", "minItems": 2, "items": {"enum": ["a", "b", "c"]}},
            "mail": {"type": "string", "format": "email"},
            "more": {"type": "string"},
        },
    }
    (answer,) = play.hears(request(5, "elicitation/create", mode="form", requestedSchema=schema))
    assert answer["result"] == {
        "action": "accept",
        "content": {
            "name": "acp-trace---", "size": 3, "sure": True, "colour": "red", "tags": ["a", "b"],
            "mail": "someone@example.com",
        },
    }  # fmt: skip
    (page,) = play.hears(request(6, "elicitation/create", mode="url", url="https://x/"))
    assert page["result"] == {"action": "decline"}


@pytest.mark.parametrize(
    ("client", "trace"), [("acpx", "opencode-acpx.jsonl"), ("acpx", "ts-sdk-agent-acpx.jsonl")]
)
def test_it_may_act_as_another_client(client: str, trace: str) -> None:
    """What it says is what the recording has, to the id."""
    frames = [entry for entry in frames_in(REPOSITORY / "sample_traces" / trace) if entry["from"] == "client"]
    assert Played({"prompt": "x"}, client=client).due() == [frames[0]["frame"]]


@pytest.mark.parametrize("client", PROFILES)
def test_each_profile_can_be_played(client: str) -> None:
    """It does what it announces, and nothing else; ids go on from the first one."""
    written = conversation({"prompts": ["x"], "elicitation": "accept", "as": client})
    can = PROFILES[client].initialize.get("clientCapabilities", {})
    assert (written.files, written.terminals) == ("fs" in can, can.get("terminal", False))
    assert written.elicitation == ("accept" if "elicitation" in can else None)
    assert written.booleans == ("session" in can)
    play = Played({"prompt": "x"}, client=client)
    (first,) = play.due()
    play.hears(result(first["id"], protocolVersion=1))
    assert [first["id"], play.later()[0]["id"]] == [PROFILES[client].id(number) for number in (0, 1)]


def test_a_client_whose_ids_are_uuids() -> None:
    """All differ; the same script has the same ones again."""
    ids = [PROFILES["zed"].id(number) for number in range(50)]
    assert len({uuid.UUID(str(id_)) for id_ in ids}) == 50
    assert ids == [PROFILES["zed"].id(number) for number in range(50)]
    (first,) = Played({"prompt": "x"}, client="zed").due()
    assert (first["id"], first["params"]["clientInfo"]["name"]) == (ids[0], "zed")


def _ms(seconds: float) -> int:
    return int(seconds * SECOND)


def test_it_keeps_the_tempo_of_another_client() -> None:
    """The session and the first prompt do not wait until it is quiet; later prompts do."""
    play = Played({"prompt": "x"}, {"prompt": "y"}, client="jetbrains")
    begun = play.now
    (first,) = play.due()
    play.hears(result(first["id"], protocolVersion=1))
    (new,) = play.later()
    assert (new["method"], play.now - begun) == ("session/new", _ms(0.009))
    play.hears(result(new["id"], sessionId="s"))
    play.hears(CHUNK)
    (prompt,) = play.later()
    assert (prompt["method"], play.now - begun) == ("session/prompt", _ms(0.022))
    play.hears(result(prompt["id"], stopReason="end_turn"))
    play.later()
    assert play.now - begun == _ms(0.022) + QUIET_MOST_NS


def test_it_takes_its_time_to_answer_and_notices_a_cancel_meanwhile() -> None:
    """The answer to a permission comes late; by then the turn may be cancelled, and the answer with it."""
    for steps in ((), ({"cancel": True, "after": "2ms"},)):
        play = Played({"prompt": "x"}, *steps, client="acpx", permission="allow_once")
        play.answered({"protocolVersion": 1}, {"sessionId": "s"})
        assert play.hears(request(7, "session/request_permission", **_PERMISSION)) == []
        sent = play.later()
        if steps:
            assert [each["method"] for each in sent] == ["session/cancel"]
            sent = play.later()
        outcome = {"outcome": "cancelled"} if steps else {"outcome": "selected", "optionId": "yes"}
        assert sent == [result(7, outcome=outcome)]


@pytest.mark.parametrize("method", [*PROFILES["acpx"].pauses_ns, *PROFILES["acpx"].answers_ns])
def test_the_tempo_is_that_of_the_recordings(method: str) -> None:
    """Of the samples of acpx: none is quicker than all of them, or slower."""
    seen = []
    for sample in sorted((REPOSITORY / "sample_traces").glob("*-acpx.jsonl")):
        frames = frames_in(sample)
        for before, frame in itertools.pairwise(frames):
            asked = before["frame"].get("method") == method and "id" in before["frame"]
            if frame["from"] == "client" and (asked or frame["frame"].get("method") == method):
                seen.append(frame["t"] - before["t"])
    profile = PROFILES["acpx"]
    assert min(seen) <= {**profile.pauses_ns, **profile.answers_ns}[method] <= max(seen)
