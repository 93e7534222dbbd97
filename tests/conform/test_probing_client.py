"""The client that says a probe: lines in, lines out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.conform.probes import PROBES, Probe, steps
from acp_trace.conform.probing_client import ProbingClient

SECOND = 1_000_000_000
WORDS = {"cwd": "/w", "prompt": "Go {session}", "prompt0": "Go {session}", "cancel_prompt": "Count"}
MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask"}, {"id": "code"}]}
OPTIONS = [
    {
        "id": "model",
        "currentValue": "a",
        "options": [{"name": "G", "options": [{"value": "a"}, {"value": "b"}]}],
    }
]


def probe(name: str) -> Probe:
    """The probe of this name."""
    return next(each for each in PROBES if each.name == name)


class Talk:
    """A client and what it says, as messages; time goes on by itself while nothing is asked."""

    def __init__(self, name: str, **session: Any) -> None:
        self.client = ProbingClient(steps(probe(name), 1), WORDS, 60 * SECOND)
        self.client.begin(0)
        self.now = 0
        self.session = {"sessionId": "s", **session}
        self.said: list[dict[str, Any]] = []
        self.take(self.client.due(0))

    def take(self, lines: Any) -> None:
        """Notes lines of the client."""
        self.said += [json.loads(line) for line in lines if line.endswith(b"}\n")]

    def hear(self, **message: Any) -> None:
        """The agent says something."""
        self.take(self.client.receive(json.dumps({"jsonrpc": "2.0", **message}).encode(), self.now))
        self.take(self.client.due(self.now))

    def answer(self, message: dict[str, Any]) -> None:
        """The agent answers as agents do."""
        results = {"initialize": {"protocolVersion": 1}, "session/new": self.session}
        self.hear(id=message["id"], result=results.get(message["method"], {"stopReason": "end_turn"}))

    def all(self) -> list[str]:
        """The methods that it says, to the end."""
        at = 0
        while not self.client.closed:
            if at < len(self.said):
                if "id" in self.said[at] and "method" in self.said[at]:
                    self.answer(self.said[at])
                at += 1
            else:
                wake = self.client.wake()
                assert wake is not None
                self.now = wake
                self.take(self.client.due(self.now))
        return [message.get("method", "") for message in self.said]


def test_ids_of_both_types() -> None:
    """Numbers and strings in turn: an agent has to give both back."""
    talk = Talk("sessions")
    talk.all()
    assert {type(message["id"]) for message in talk.said} == {int, str}


def test_what_is_not_offered_is_left_out() -> None:
    """A mode and an option are set, and set back, only if the session has another one."""
    new = ["initialize", "session/new", "session/new"]
    assert Talk("sessions").all() == new
    talk = Talk("sessions", modes=MODES, configOptions=OPTIONS)
    assert talk.all() == [*new, *["session/set_mode"] * 2, *["session/set_config_option"] * 2]
    assert [message["params"].get("modeId", message["params"].get("value")) for message in talk.said[3:]] == [
        "code",
        "ask",
        "b",
        "a",
    ]


def test_the_text_of_a_user_is_sent_as_it_is() -> None:
    """Nothing in it is replaced."""
    talk = Talk("prompt")
    talk.all()
    assert talk.said[-1]["params"] == {"sessionId": "s", "prompt": [{"type": "text", "text": "Go {session}"}]}


def cancelling() -> Talk:
    """A talk in the middle of a turn that is to be cancelled."""
    talk = Talk("cancel")
    for number in (0, 1):
        talk.answer(talk.said[number])
    assert talk.said[-1]["method"] == "session/prompt"
    return talk


def test_a_cancel_waits_for_the_first_output() -> None:
    """Or for some seconds, if there is none; a turn that is over is not cancelled."""
    talk = cancelling()
    talk.hear(method="session/update", params={"sessionId": "s", "update": {"sessionUpdate": "usage_update"}})
    assert talk.said[-1]["method"] == "session/prompt"
    talk.hear(
        method="session/update", params={"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk"}}
    )
    assert talk.said[-1] == {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
    assert talk.client.deadline == 30 * SECOND

    talk = cancelling()
    assert talk.client.wake() == 5 * SECOND
    talk.take(talk.client.due(5 * SECOND))
    assert talk.said[-1]["method"] == "session/cancel"


def test_permissions() -> None:
    """Granted once; after a cancel, cancelled. Whatever else the agent asks is refused."""
    talk = cancelling()
    options = [{"optionId": "no", "kind": "reject_once"}, {"optionId": "yes", "kind": "allow_once"}]
    ask = {"method": "session/request_permission", "params": {"options": options}}
    talk.hear(id=7, **ask)
    assert talk.said[-1]["result"] == {"outcome": {"outcome": "selected", "optionId": "yes"}}
    talk.hear(id=8, method="fs/read_text_file", params={})
    assert talk.said[-1]["error"]["code"] == -32601
    talk.hear(method="session/update", params={"sessionId": "s", "update": {"sessionUpdate": "tool_call"}})
    talk.hear(id=9, **ask)
    assert talk.said[-1]["result"] == {"outcome": {"outcome": "cancelled"}}


@pytest.mark.parametrize("method", ["initialize", "session/new"])
def test_without_a_session_it_is_over(method: str) -> None:
    """An error there ends the conversation, and not others."""
    talk = Talk("prompt")
    if method == "session/new":
        talk.answer(talk.said[0])
    talk.hear(id=talk.said[-1]["id"], error={"code": -32000, "message": "Log in"})
    assert talk.client.closed
    assert talk.client.answered[method] is False


def test_how_long_it_waits() -> None:
    """For an answer as long as it was told; while it waits for nothing, for nothing."""
    talk = Talk("initialize")
    assert talk.client.deadline == 60 * SECOND
    assert talk.client.waits() == "the answer to initialize"
    talk.answer(talk.said[0])
    assert talk.client.closed
    after: int | None = talk.client.deadline
    assert after is None


@pytest.mark.parametrize("each", PROBES, ids=lambda each: each.name)
def test_each_probe_comes_to_its_end(each: Probe) -> None:
    """With an agent that answers everything."""
    methods = Talk(each.name, modes=MODES).all()
    assert methods[0] == "initialize"
    assert each.about
