"""Traces -> the status of each requirement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from acp_trace.analyze.facts import Cancellation, Finding
from acp_trace.conform.evidence import Evidence
from acp_trace.conform.judge import judge
from tests.conform.traces import begun, cancel, chunk, failed, of, prompt, seen
from tests.handmade import exchange, made, trace
from tests.support import error, request, result, update


def handmade(*findings: Finding, **given: Any) -> Evidence:
    """A trace of which only these findings are known."""
    answered = exchange("initialize", 1, frame=1, response_frame=2)
    return Evidence("a", trace("a", answered, *findings, protocol_version=1, frames_agent=1), **given)


def finding(code: str, severity: str = "error", frame: int = 2, **given: Any) -> Finding:
    """A finding that blames the agent, unless something else is said."""
    return made(Finding, code=code, severity=severity, frame=frame, count=1, **{"blame": "agent", **given})


DELETES: dict[str, Any] = {"sessionCapabilities": {"delete": {}}}


def test_a_conversation_without_faults() -> None:
    """What was exercised passes; what was not says so; what is not announced does not apply."""
    trace = seen([*begun(), prompt(), chunk(), ("agent", result(2, stopReason="end_turn"))])
    conformance = judge([trace], "agent")
    assert (failed(conformance), conformance.ok) == (set(), True)
    assert (conformance.name, conformance.version) == ("small", "1")
    status = {one.requirement.id: one.status for one in conformance.judged}
    assert status["ACP-PROMPT-001"] == status["ACP-INIT-004"] == "pass"
    assert status["ACP-CANCEL-001"] == status["ACP-EXT-001"] == "not-exercised"
    assert status["ACP-LOAD-001"] == "not-applicable"
    assert not any(one.requirement.version == 2 for one in conformance.judged)


def test_traces_of_two_versions() -> None:
    """Neither of them alone is named as the one that failed; a trace without names changes nothing."""
    old, new = seen([*begun(), prompt()]), seen([*begun(), prompt()])
    new = replace(new, facts=replace(new.facts, trace=replace(new.facts.trace, agent_version="2")))
    both = judge([old, new, old], "agent", ["not tried"])
    assert (both.name, both.version) == ("small", "1, 2")
    assert both.notes == (
        "the traces are of more than one agent, judged together: small 1, small 2",
        "not tried",
    )
    assert judge([old, old, handmade()], "agent").notes == ()
    assert (judge([handmade()], "agent").name, judge([], "agent").version) == (None, None)


@pytest.mark.parametrize(
    "one",
    [
        finding("not-json", blame="client"),
        finding("not-json", consequence_of=1),
        finding("not-json", severity="note"),
    ],
)
def test_what_fails_nothing(one: Finding) -> None:
    """What the other side did, what follows from something else, what is milder than its code says."""
    assert of("ACP-TRANSPORT-001", handmade(one)).status == "pass"
    assert failed(judge([handmade(one)], "agent")) == set()


def test_a_finding_fails_its_requirement() -> None:
    """With its code, its trace and its frame."""
    judged = of("ACP-TRANSPORT-001", handmade(finding("not-json", frame=7)))
    assert (judged.status, judged.codes, judged.trace, judged.frame) == ("fail", ["not-json"], "a", 7)


def test_a_note_fails_only_what_has_no_weight() -> None:
    """A member that the schema does not have."""
    conformance = judge([handmade(finding("payload-extra-field", "note"))], "agent")
    assert failed(conformance) == {"ACP-SCHEMA-002"}
    assert conformance.ok


def test_a_payload_fails_the_requirement_of_its_method() -> None:
    """In the answer to `initialize`: that of `initialize`, and that of all messages; no other."""
    conformance = judge([handmade(finding("payload-wrong-type"))], "agent")
    assert failed(conformance) == {"ACP-INIT-001", "ACP-SCHEMA-001"}
    assert not conformance.ok


def test_an_error_of_no_requirement_is_listed_all_the_same() -> None:
    """Each error of a side fails something."""
    judged = of("ACT-ERRORS-001", handmade(finding("model-error-hidden")))
    assert (judged.status, judged.codes) == ("fail", ["model-error-hidden"])
    assert of("ACT-ERRORS-001", handmade(finding("not-json"))).status == "not-exercised"


def test_a_capability_that_is_not_announced_cannot_fail() -> None:
    """An agent may answer what it did not announce as it likes."""
    asked = ("client", request(2, "session/list"))
    refused = ("agent", error(2, -32601, "no"))
    assert of("ACP-LIST-001", seen([*begun(), asked, refused], "list")).status == "not-applicable"
    announced = begun(sessionCapabilities={"list": {}})
    assert of("ACP-LIST-001", seen([*announced, asked, refused], "list")).status == "fail"


def test_one_trace_that_fails_is_enough() -> None:
    """And it is the one that is named."""
    good = seen([*begun(), prompt(), ("agent", result(2, stopReason="end_turn"))], name="good")
    bad = seen(
        [*begun(), prompt(), ("agent", "Hello!"), ("agent", result(2, stopReason="end_turn"))], name="bad"
    )
    judged = of("ACP-TRANSPORT-001", good, bad)
    assert (judged.status, judged.trace, judged.frame) == ("fail", "bad", 6)


CANCELLED = [*begun(), prompt(), chunk(), cancel(), chunk()]


def test_a_cancel_that_is_ignored() -> None:
    """The turn ends as usual, long after the cancel."""
    late = seen([*CANCELLED, ("agent", result(2, stopReason="end_turn"))], step=1_000_000_000)
    assert of("ACP-CANCEL-001", late).codes == ["cancel-other-stop-reason"]
    assert failed(judge([late], "agent")) == {"ACP-CANCEL-001"}


def test_a_cancel_that_came_too_late_says_nothing() -> None:
    """The turn was over when it arrived: neither passed nor failed."""
    crossed = seen([*CANCELLED, ("agent", result(2, stopReason="end_turn"))], step=1_000_000)
    assert of("ACP-CANCEL-001", crossed).status == "not-exercised"
    assert failed(judge([crossed], "agent")) == set()


def test_a_late_update_counts_after_a_cancelled_turn() -> None:
    """After any other turn, it has no weight."""
    end = [
        ("agent", result(2, stopReason="end_turn")),
        chunk(),
        prompt(3),
        ("agent", result(3, stopReason="end_turn")),
    ]
    usual = judge([seen([*begun(), prompt(), *end])], "agent")
    assert (failed(usual), usual.ok) == ({"ACT-END-002"}, True)
    end[0] = ("agent", result(2, stopReason="cancelled"))
    assert failed(judge([seen([*begun(), prompt(), cancel(), *end])], "agent")) == {
        "ACP-CANCEL-002",
        "ACT-END-002",
    }


def test_another_id_is_one_fault() -> None:
    """A request that gets its answer under another id fails nothing else."""
    frames = [begun()[0], ("agent", result(5, protocolVersion=1))]
    assert failed(judge([seen(frames, "initialize", aborted="timeout")], "agent")) == {"ACP-JSONRPC-001"}


def test_a_notification_is_answered_while_a_request_is_open() -> None:
    """As codex-acp 0.16.0 does: the prompt gets its own answer later, so the other one is of the notification."""
    note = ("client", {"jsonrpc": "2.0", "method": "_nosuch/note", "params": {}})
    answered = ("agent", error(None, -32601, "Method not found"))
    frames = [*begun(), prompt(), note, answered, chunk(), ("agent", result(2, stopReason="end_turn"))]
    assert failed(judge([seen(frames)], "agent")) == {"ACP-JSONRPC-003"}


def test_a_version_that_does_not_exist_says_nothing_of_the_others() -> None:
    """The agent may take draft 2 then; its requirements are not asked for."""
    asked = ("client", request(0, "initialize", protocolVersion=65535))
    other = seen([asked, ("agent", result(0, protocolVersion=2))], "version")
    conformance = judge([seen(begun()), other], "agent")
    assert {one.requirement.version for one in conformance.judged} == {0, 1}
    assert of("ACP-INIT-003", seen(begun()), other).status == "pass"
    assert of("ACP-INIT-004", seen(begun()), other).status == "pass"  # draft 2 calls agentInfo info
    assert of("ACP-DELETE-002", seen(begun(**DELETES)), other).status == "not-exercised"


def test_draft_2_has_its_own_requirements() -> None:
    """Those of version 1 are left out."""
    asked = ("client", request(0, "initialize", protocolVersion=2, info={"name": "c", "version": "1"}))
    answer = ("agent", result(0, protocolVersion=2, info={"name": "a", "version": "1"}))
    judged = judge([seen([asked, answer])], "agent").judged
    assert {one.requirement.version for one in judged} == {0, 2}
    assert {one.requirement.id: one.status for one in judged}["ACP-INIT-203"] == "pass"


def test_nothing_at_all() -> None:
    """No trace: nothing was exercised, and nothing failed."""
    conformance = judge([], "agent")
    assert {one.status for one in conformance.judged} == {"not-exercised"}


def test_a_client() -> None:
    """Its findings are its own."""
    asked = (
        "agent",
        request(0, "session/request_permission", sessionId="s", options=[], toolCall={"toolCallId": "t"}),
    )
    chosen = ("client", result(0, outcome={"outcome": "selected", "optionId": "nothing"}))
    end = ("agent", result(2, stopReason="end_turn"))
    conformance = judge([seen([*begun(), prompt(), asked, chosen, end])], "client")
    assert failed(conformance) == {"ACT-CLIENT-PERMISSION-001"}
    assert all(one.requirement.side == "client" for one in conformance.judged)


def test_an_update_about_an_unknown_session() -> None:
    """It is ours to say, and the kit's only within a turn."""
    stray = ("agent", update("other", "agent_message_chunk", content={"type": "text", "text": "?"}))
    conformance = judge([seen([*begun(), stray])], "agent")
    assert "ACT-END-001" in failed(conformance)


def test_a_cancel_of_which_nothing_came() -> None:
    """The run was ended because the turn went on."""
    one = seen([*begun(), prompt(), chunk(), cancel()], "cancel", aborted="timeout")
    assert failed(judge([one], "agent")) == {"ACP-CANCEL-001", "ACT-CANCEL-001"}
    assert isinstance(one.cancels[0], Cancellation)


def test_the_last_updates_of_a_turn_may_come_after_session_close() -> None:
    """While the prompt that the close ends is still open; afterwards, none may."""
    close = ("client", request(3, "session/close", sessionId="s"))
    frames = [*begun(sessionCapabilities={"close": {}}), prompt(), close, ("agent", result(3)), chunk()]
    end = ("agent", result(2, stopReason="cancelled"))
    assert failed(judge([seen([*frames, end])], "agent")) == set()
    idle = [*begun(sessionCapabilities={"close": {}}), close, ("agent", result(3)), chunk()]
    assert "ACT-END-001" in failed(judge([seen(idle)], "agent"))


def test_it_is_enough_to_load_a_session_in_one_way() -> None:
    """In the process that made it, or in another one."""
    load = ("client", request(2, "session/load", sessionId="s"))
    own = seen(
        [*begun(loadSession=True), load, ("agent", error(2, -32603, "no"))], "load-otherwise", name="own"
    )
    other = seen([*begun(loadSession=True)[:2], load, ("agent", result(2))], "load-again", name="other")
    assert of("ACP-LOAD-001", own).status == "fail"
    assert of("ACP-LOAD-001", own, other).status == "pass"
