"""The agent that tries a client: lines in, lines out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.conform.behaviours import BEHAVIOURS, BY_NAME, Behaviour
from acp_trace.conform.evidence import UNKNOWN_UPDATE
from acp_trace.conform.scripted_agent import FaultyAgent, ScriptedAgent
from acp_trace.replay.faults.agents import AGENTS, agent
from tests.conform.traces import failed
from tests.support import line, request, result

SECOND = 1_000_000_000


class Talk:
    """An agent with a session, and what it said to the last line."""

    def __init__(self, name: str, **capabilities: Any) -> None:
        self.agent = ScriptedAgent(BY_NAME[name])
        self.tell(request(0, "initialize", protocolVersion=1, clientCapabilities=capabilities))
        (answer,) = self.tell(request(1, "session/new", cwd="/w"))
        self.session = answer["result"]["sessionId"]

    def tell(self, message: dict[str, Any], now: int = 0) -> list[dict[str, Any]]:
        """What the agent says to a message."""
        return [json.loads(line) for line in self.agent.receive(json.dumps(message).encode(), now)]

    def prompt(self) -> list[dict[str, Any]]:
        """What it says to a prompt."""
        return self.tell(request(2, "session/prompt", sessionId=self.session))


def test_a_usual_turn() -> None:
    """Updates, then the answer."""
    *updates, answer = Talk("normal").prompt()
    assert [each["params"]["update"]["sessionUpdate"] for each in updates] == [
        "agent_message_chunk",
        "tool_call",
        "tool_call_update",
        "agent_message_chunk",
    ]
    assert (answer["id"], answer["result"]) == (2, {"stopReason": "end_turn"})


def test_it_waits_for_the_answer_to_its_request() -> None:
    """And then goes on."""
    talk = Talk("permission")
    asked = talk.prompt()[-1]
    assert asked["method"] == "session/request_permission"
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": {"outcome": "cancelled"}}}
    assert talk.tell(answer)[-1]["result"] == {"stopReason": "end_turn"}


def test_files_only_if_the_client_has_them() -> None:
    """In the directory of the session."""
    assert Talk("files").prompt()[-1]["id"] == 2
    asked = Talk("files", fs={"readTextFile": True}).prompt()[-1]
    assert asked["method"] == "fs/read_text_file"
    assert asked["params"]["path"] == "/w/acp-trace-conform.txt"


def test_a_turn_that_is_cancelled() -> None:
    """It holds until then, and not for ever."""
    talk = Talk("cancel")
    talk.prompt()
    assert talk.agent.is_marked
    assert talk.agent.wake() == 10 * SECOND
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": talk.session}}
    assert talk.tell(cancel)[-1]["result"] == {"stopReason": "cancelled"}

    talk = Talk("cancel")
    talk.prompt()
    assert json.loads(talk.agent.due(10 * SECOND)[-1])["result"] == {"stopReason": "end_turn"}


def test_the_odd_ones() -> None:
    """An unknown update, an unknown request, an error, an early end."""
    assert Talk("unknown-update").prompt()[0]["params"]["update"]["sessionUpdate"] == UNKNOWN_UPDATE
    assert Talk("unknown-request").prompt()[-1]["method"] == "acp_trace/unknown"
    assert Talk("error").prompt()[-1]["error"]["code"] == -32603
    talk = Talk("early-end")
    assert [each.get("id") for each in talk.prompt()] == [None]
    assert talk.agent.exit_code == 0


def test_the_option_and_what_it_does_not_have() -> None:
    """A value that it offers is set; anything else is an error."""
    talk = Talk("normal")
    params = {"sessionId": talk.session, "configId": "model", "value": "big"}
    (answer,) = talk.tell(request(3, "session/set_config_option", **params))
    assert answer["result"]["configOptions"][0]["currentValue"] == "big"
    (answer,) = talk.tell(request(4, "session/set_config_option", **{**params, "value": "huge"}))
    assert answer["error"]["code"] == -32602
    (answer,) = talk.tell(request(5, "session/load", sessionId=talk.session))
    assert answer["error"]["code"] == -32601


@pytest.mark.parametrize("each", BEHAVIOURS, ids=lambda each: each.name)
def test_what_it_says_is_the_protocol(each: Behaviour) -> None:
    """But for what is odd on purpose: a client is tried with a healthy agent."""
    from acp_trace.conform.evidence import evidence
    from acp_trace.conform.judge import judge
    from acp_trace.trace.parse import Parser
    from tests.support import trace

    agent, frames = ScriptedAgent(each), []
    asks: list[tuple[str, dict[str, Any]]] = [
        ("initialize", {"protocolVersion": 1}),
        ("session/new", {}),
        ("session/prompt", {"prompt": []}),
    ]
    for id_, (method, params) in enumerate(asks):
        named = {"sessionId": "acp-trace-session-1"} if method == "session/prompt" else {}
        queue = [request(id_, method, **params, **named)]
        while queue:
            frames.append(("client", queue.pop()))
            lines = agent.receive(json.dumps(frames[-1][1]).encode(), 0)
            said = [json.loads(line) for line in (*lines, *agent.due(20 * SECOND))]
            frames += [("agent", message) for message in said]
            queue += [
                {"jsonrpc": "2.0", "id": m["id"], "result": {"outcome": {"outcome": "cancelled"}}}
                for m in said
                if "method" in m and "id" in m
            ]
    conformance = judge([evidence("a", Parser().feed(trace(*frames)))], "agent")
    odd = {
        "unknown-update": {"ACP-SCHEMA-001", "ACP-PROMPT-002"},
        "unknown-request": {"ACT-ERRORS-001"},
        "early-end": {"ACT-ANSWER-001"},
    }
    assert failed(conformance) <= odd.get(each.name, set())


def _talked(name: str, cancels: bool) -> tuple[Any, Any]:
    """A usual client and this agent: the facts of their trace, and what is judged of the client."""
    from acp_trace.conform.evidence import LABEL, evidence
    from acp_trace.conform.judge import judge
    from acp_trace.trace.parse import Parser
    from tests.support import END, header

    agent, lines, now = FaultyAgent(BY_NAME[name]), [header(labels={LABEL: name})], 0
    asks: list[tuple[str, dict[str, Any]]] = [
        ("initialize", {"protocolVersion": 1, "clientInfo": {"name": "test", "version": "1"}}),
        ("session/new", {"cwd": "/w", "mcpServers": []}),
        ("session/prompt", {"sessionId": "acp-trace-session-1", "prompt": [{"type": "text", "text": "go"}]}),
    ]

    def note(sender: str, **what: Any) -> None:
        lines.append(line(t=now + len(lines) * SECOND, **{"from": sender}, **what))

    def tell(message: dict[str, Any]) -> None:
        note("client", frame=message)
        agent.receive(json.dumps(message).encode(), now)

    for id_, (method, params) in enumerate(asks):
        tell(request(id_, method, **params))
        if cancels and method == "session/prompt":
            for text in agent.due(now).splitlines():
                note("agent", frame=json.loads(text))
            tell({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": params["sessionId"]}})
        answered = False
        while True:
            for text in agent.due(now).split(b"\n")[:-1]:
                said = json.loads(text) if text.startswith(b"{") else {}
                note("agent", **({"frame": said} if said else {"text": text.decode()}))
                answered |= said.get("id") == id_ and "method" not in said
                if "method" in said and "id" in said:
                    tell(result(said["id"], outcome={"outcome": "selected", "optionId": "acp-trace-allow"}))
            if (wake := agent.wake()) is None:
                break
            now = max(wake, now)
        if not answered:
            break
    lines.append(line(t=now + len(lines) * SECOND, end=END))
    made = evidence("a", Parser().feed(b"".join(lines)))
    return made.facts, judge([made], "client")


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("agent:ignores-cancel", {"cancel-other-stop-reason"}),
        ("agent:answers-after-cancel", {"cancel-other-stop-reason"}),
        ("agent:fails-cancel", {"cancel-error"}),
        ("agent:silent", {"never-answered"}),
        ("agent:updates-before-session", {"update-before-session"}),
        ("agent:string-ids", set()),
        ("agent:noisy", {"not-json"}),
        ("agent:ends-at-once", {"not-json", "never-answered"}),
    ],
)
def test_agents_that_went_wrong(name: str, codes: set[str]) -> None:
    """Each breaks what its recording breaks; a usual client is not blamed for any of it."""
    facts, conformance = _talked(name, BY_NAME[name].turn == BY_NAME["cancel"].turn)
    assert {each.code for each in facts.findings if each.blame == "agent"} == codes
    assert failed(conformance) == set()


def test_each_agent_has_a_behaviour() -> None:
    """And only those that `mock` can act as are taken there."""
    assert {row.behaviour for row in AGENTS.values()} <= set(BY_NAME)
    assert agent("agent:silent", in_mock=True).excused >= {"never-answered"}
    for name, why in (("agent:string-ids", "is for `conform"), ("agent:silnt", "did you mean agent:silent")):
        with pytest.raises(ValueError, match=why):
            agent(name, in_mock=True)
