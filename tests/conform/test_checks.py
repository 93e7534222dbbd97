"""What no finding says: each check with what passes, what fails, and what says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conform.traces import Frames, begun, of, prompt, seen
from tests.support import error, request, result

BAD, NO, LOGIN = -32602, -32601, -32000


def asked(method: str, answer: Any, number: Any = 2, **params: Any) -> Frames:
    """A request of the client with its answer: a result, an error's code, or none."""
    frames: Frames = [("client", {"jsonrpc": "2.0", "id": number, "method": method, "params": params})]
    if isinstance(answer, int):
        return [*frames, ("agent", error(number, answer, "an error"))]
    return frames if answer is None else [*frames, ("agent", result(number, **answer))]


def sent(answer: Any, **params: Any) -> Frames:
    """A prompt with its answer."""
    end: Frames = (
        [("agent", error(2, answer, "no"))] if isinstance(answer, int) else [("agent", result(2, **answer))]
    )
    return [prompt(**params), *end]


END = {"stopReason": "end_turn"}
LINK = {
    "prompt": [{"type": "text", "text": "Go"}, {"type": "resource_link", "uri": "file:///a", "name": "a"}]
}
IMAGE = {"prompt": [{"type": "image", "mimeType": "image/png", "data": ""}]}
SESSION = {"sessionId": "s"}
ALL: dict[str, Any] = {
    "loadSession": True,
    "promptCapabilities": {"image": True},
    "sessionCapabilities": {"list": {}, "close": {}, "delete": {}, "resume": {}, "additionalDirectories": {}},
}


@pytest.mark.parametrize(
    ("id_", "frames", "status"),
    [
        ("ACP-JSONRPC-004", asked("acp_trace/unknown", NO), "pass"),
        ("ACP-JSONRPC-004", asked("acp_trace/unknown", -32603), "fail"),
        ("ACP-JSONRPC-004", asked("acp_trace/unknown", {}), "fail"),
        ("ACP-JSONRPC-004", asked("session/of_tomorrow", {}), "not-exercised"),
        ("ACP-JSONRPC-004", asked("_acp_trace/unknown", NO), "pass"),
        ("ACP-JSONRPC-004", asked("_acp_trace/unknown", -32603), "fail"),
        ("ACP-JSONRPC-004", asked("_theirs/known", -32603), "not-exercised"),
        ("ACP-SESSION-001", asked("session/new", BAD, mcpServers=[]), "pass"),
        ("ACP-JSONRPC-005", [*asked("acp_trace/unknown", NO), *asked("session/new", {"sessionId": "t"}, 3)], "pass"),
        ("ACP-JSONRPC-005", asked("acp_trace/unknown", NO), "not-exercised"),
        ("ACP-EXT-001", asked("_acp_trace/unknown", NO), "pass"),
        ("ACP-EXT-001", asked("_acp_trace/unknown", None), "fail"),
        ("ACP-PROMPT-001", sent(END), "pass"),
        ("ACP-PROMPT-001", sent(BAD), "fail"),
        ("ACP-PROMPT-001", sent(-32603), "not-exercised"),
        ("ACP-PROMPT-003", sent(END, **LINK), "pass"),
        ("ACP-PROMPT-003", sent(BAD, **LINK), "fail"),
        ("ACP-PROMPT-003", sent(-32603, **LINK), "not-exercised"),
        ("ACP-PROMPTCAP-001", sent(END, **IMAGE), "pass"),
        ("ACP-PROMPTCAP-001", sent(BAD, **IMAGE), "fail"),
        ("ACP-META-001", sent(END, _meta={"a": 1}), "pass"),
        ("ACP-META-001", sent(END), "not-exercised"),
        ("ACP-LOAD-001", asked("session/load", {}, **SESSION), "pass"),
        ("ACP-LOAD-001", asked("session/load", -32603, **SESSION), "fail"),
        ("ACP-LOAD-001", asked("session/load", LOGIN, **SESSION), "not-exercised"),
        ("ACP-LIST-002", asked("session/list", {"sessions": []}, cwd="/w/acp-trace-unused"), "pass"),
        ("ACP-LIST-002", asked("session/list", {"sessions": [SESSION]}, cwd="/w/acp-trace-unused"), "fail"),
        ("ACP-LIST-002", asked("session/list", {"sessions": [SESSION]}), "not-exercised"),
        ("ACP-LIST-002", asked("session/list", {"sessions": []}, cwd="/w/another"), "pass"),
        ("ACP-LIST-002", asked("session/list", {"sessions": [SESSION]}, cwd="/w/another"), "not-exercised"),
        ("ACP-DELETE-001", asked("session/delete", {}, sessionId="of-another-process"), "not-exercised"),
        ("ACP-DELETE-001", asked("session/delete", {}, **SESSION), "pass"),
        ("ACP-DELETE-002", [*asked("session/delete", {}, **SESSION), *asked("session/delete", {}, 3, **SESSION)], "pass"),
        ("ACP-DELETE-002", [*asked("session/delete", {}, **SESSION), *asked("session/delete", NO, 3, **SESSION)], "fail"),
        ("ACP-DELETE-001", [*asked("session/delete", {}, **SESSION), *asked("session/delete", -32002, 3, **SESSION)], "pass"),
        ("ACP-ADDDIRS-001", asked("session/new", {"sessionId": "t"}, additionalDirectories=["/w"]), "pass"),
        ("ACP-ADDDIRS-001", asked("session/new", BAD, additionalDirectories=["/w"]), "fail"),
        ("ACP-AUTH-005", asked("session/new", LOGIN), "fail"),
        ("ACP-ERROR-001", asked("acp_trace/unknown", NO), "pass"),
        ("ACP-SHUTDOWN-001", [], "pass"),
        ("ACP-CLOSE-001", asked("session/close", NO, **SESSION), "fail"),
    ],
)  # fmt: skip
def test_check(id_: str, frames: Frames, status: str) -> None:
    """One requirement in a conversation of `conform` itself."""
    assert of(id_, seen([*begun(**ALL), *frames], "probe")).status == status


@pytest.mark.parametrize("id_", ["ACP-PROMPT-001", "ACP-LOAD-001", "ACP-EXT-001"])
def test_in_a_recording_an_error_may_be_the_doing_of_the_client(id_: str) -> None:
    """Nothing fails by an error to a client that may have asked for anything."""
    frames = [*sent(BAD), *asked("session/load", -32603, 3, **SESSION), *asked("_x/y", None, 4)]
    assert of(id_, seen([*begun(**ALL), *frames])).status != "fail"


@pytest.mark.parametrize(
    ("version", "answer", "status"),
    [
        (65535, 1, "pass"),
        (65535, 2, "pass"),
        (65535, 65535, "fail"),
        (65535, None, "fail"),
        (1, 1, "not-exercised"),
    ],
)
def test_a_version_that_nobody_has(version: int, answer: int | None, status: str) -> None:
    """The agent names one of its own."""
    frames: Frames = [("client", request(0, "initialize", protocolVersion=version))]
    frames.append(("agent", error(0, -32603, "no") if answer is None else result(0, protocolVersion=answer)))
    assert of("ACP-INIT-003", seen(frames, "version")).status == status


@pytest.mark.parametrize(("answer", "status"), [(1, "pass"), (3, "fail"), (0, "fail")])
def test_version_1(answer: int, status: str) -> None:
    """Whoever has it answers with it."""
    frames: Frames = [
        ("client", request(0, "initialize", protocolVersion=1)),
        ("agent", result(0, protocolVersion=answer)),
    ]
    assert of("ACP-INIT-002", seen(frames)).status == status


def test_a_close_in_a_turn() -> None:
    """It ends the turn as a cancel would."""
    close = ("client", request(3, "session/close", sessionId="s"))

    def ended(reason: str) -> str:
        end: Frames = [("agent", result(3)), ("agent", result(2, stopReason=reason))]
        return of("ACP-CLOSE-002", seen([*begun(**ALL), prompt(), close, *end], "close-in-turn")).status

    assert (ended("cancelled"), ended("end_turn")) == ("pass", "fail")
    crossed: Frames = [prompt(), close, ("agent", result(2, **END)), ("agent", result(3))]
    assert of("ACP-CLOSE-002", seen([*begun(**ALL), *crossed], "close-in-turn")).status == "not-exercised"


@pytest.mark.parametrize(
    ("aborted", "id_"),
    [("timeout", "ACT-HANG-001"), ("flood", "ACT-HANG-001"), ("stayed", "ACP-SHUTDOWN-001")],
)
def test_what_conform_had_to_end(aborted: str, id_: str) -> None:
    """It says so of the agent, and not of the requirement that was asked for."""
    one = seen([*begun(), prompt()], "prompt", aborted=aborted)
    assert of(id_, one).status == "fail"
    assert of("ACP-INIT-001", one).status == "pass"


def test_an_agent_that_leaves() -> None:
    """With 0, and while its client waits: that is no crash, and not allowed either."""
    one = seen([*begun(), prompt()], "prompt", client_left=False)
    judged = of("ACT-CRASH-001", one)
    assert (judged.status, judged.frame) == ("fail", 5)
    assert of("ACT-CRASH-001", seen([*begun(), prompt()], client_left=False)).status == "pass"


def test_input_that_is_no_message() -> None:
    """The agent answers on, or is gone."""
    broken: Frames = [*begun()[:2], ("client", "{"), begun()[2]]
    assert of("ACT-INPUT-001", seen([*broken, begun()[3]], "malformed-line")).status == "pass"
    gone = seen(broken, "malformed-line", client_left=False, exit_code=1)
    assert of("ACT-INPUT-001", gone).status == "fail"
    assert of("ACT-CRASH-001", gone).status == "pass"


def test_a_method_that_is_not_found_is_the_agents_doing() -> None:
    """Also in the recording of another client, unless the request had a fault of its own."""
    modes = {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]}
    start = [*begun(), *asked("session/new", {"sessionId": "t", "modes": modes}, 8, cwd="/w", mcpServers=[])]
    for mode, code, status in (("b", NO, "fail"), ("b", BAD, "not-exercised"), ("none", NO, "not-exercised")):
        frames = [*start, *asked("session/set_mode", code, 9, sessionId="t", modeId=mode)]
        assert of("ACP-MODES-002", seen(frames)).status == status


@pytest.mark.parametrize(
    ("id_", "frames"),
    [
        ("ACP-INFO-PARSE-001", [("client", "{not json")]),
        ("ACP-INFO-INVALIDREQ-001", [("client", {"hello": 1})]),
        ("ACP-INFO-UNKNOWNSESSION-001", asked("session/prompt", NO, sessionId="none", prompt=[])),
        ("ACP-JSONRPC-003", [("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": SESSION})]),
    ],
)
def test_what_another_client_has_tried(id_: str, frames: Frames) -> None:
    """It counts as much as what a probe tries."""
    assert of(id_, seen(begun())).status == "not-exercised"
    assert of(id_, seen([*begun(), *frames])).status == "pass"
