"""What is wrong with a session through the proxy: bytes that changed, and what the trace or a command has wrong.

Nothing here starts a server or a client.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.real.mismatches import Mismatches
from tests.real.network import traced, wire
from tests.real.network.session import Place, Session
from tests.real.processes import Fault, run
from tests.support import ACP_TRACE, lines_of

_PROMPTS = ("READ {}notes.txt", "WRITE {}list.txt Eggs", "HOLD on", "Good bye")
_STOPS = ["end_turn", "end_turn", "cancelled", "end_turn"]
#: Of one connection of HTTP, or made anew by the proxy (docs/transports.md, "What the proxy changes").
_OF_A_HOP = frozenset(
    [
        *("connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"),
        *("host", "content-length", "accept-encoding", "expect"),
    ]
)
_NAMES = ("acp-connection-id", "acp-session-id")
Fact = tuple[str, object, object]


def changed(session: Session) -> list[str]:
    """What is not the same on both sides of the proxy: requests, responses, headers, bodies, messages.

    A client that ends may leave before it has all of a response, or the last messages of a WebSocket, as it may
    without a proxy.
    """
    mismatches = Mismatches()
    mismatches.same("how many requests reached the server", len(session.far), len(session.near))
    pairs = zip(sorted(session.near, key=_request), sorted(session.far, key=_request), strict=False)
    for near, far in pairs:
        what = f"{near.method} {near.target}"
        mismatches.same(f"the request {what}", _request(far), _request(near))
        if near.status == 0:
            continue
        received = far.received[: len(near.received)] if near.method == "GET" else far.received
        mismatches.same(f"the body that answers {what}", near.received, received)
        mismatches.same(f"the status of {what}", near.status, far.status)
        mismatches.same(
            f"the response's headers of {what}", _kept(near, near.answered), _kept(far, far.answered)
        )
        if near.said is not None and far.said is not None:
            (sent, got), (passed, said) = near.said, far.said
            mismatches.same(f"the messages sent {what}", sent, passed)
            mismatches.same(f"the messages received {what}", got, said[: len(got)])
        else:
            mismatches.same(f"the messages of {what}", near.said, far.said)
    return mismatches.faults


def untold(session: Session, lines: bytes) -> list[str]:
    """What the trace has otherwise than the client sent and received it, stream by stream."""
    mismatches = Mismatches()
    told = sorted(traced.streams(lines), key=_traced)
    mismatches.same("streams of the trace", len(told), len(session.near))
    for one, seen in zip(told, sorted(session.near, key=_asked), strict=False):
        mismatches.same("the request of a stream", _traced(one), _asked(seen))
        sent, received = seen.messages()
        what = f"of {seen.method} {seen.target}, in the trace"
        mismatches.same(f"what the client sent, {what}", one.sent, sent)
        if seen.status:
            mismatches.same(f"the status {what}", (one.response or {}).get("status"), seen.status)
        came = one.received[: len(received)] if seen.method == "GET" else one.received
        mismatches.same(f"what the client received, {what}", came, received)
    return mismatches.faults


def misled(place: Place, trace: Path, name: str) -> list[str]:
    """What the commands say wrongly of the one trace in the store, which `trace` is a copy of."""
    mismatches = Mismatches()
    show, rows, frames = (
        json.loads(_ask(place, *words, "--json")) for words in (("show", "last"), ("ls",), ("frames", "last"))
    )
    export = _ask(place, "export", "last")
    mismatches.same("the file after load and export", export, lines_of(trace))
    again = {"ACP_TRACE_HOME": str(place.stage.folder / f"{name}-again")}
    file = trace.with_suffix(".jsonl")
    file.write_bytes(export)
    _ask(place, "load", str(file), **again)
    mismatches.same("the file after a second load and export", _ask(place, "export", "last", **again), export)
    for what, got, wanted in (*_story(place, name, show), *_lists(show, rows, frames)):
        mismatches.same(what, got, wanted)
    streams = traced.streams(export)
    for side, of in (("client", 0), ("agent", 1)):
        listed = [json.dumps(each["message"]) for each in frames if each["from"] == side]
        passed = [json.dumps(json.loads(each)) for one in streams for each in (one.sent, one.received)[of]]
        mismatches.same(f"messages of the {side} in `frames`", sorted(listed), sorted(passed))
    stderr = place.stage.folder / "check.stderr"
    argv = [*ACP_TRACE, "check", "--json", "--fail-on", "note", str(file)]
    code, output = run(argv, env=place.stage.env, stderr=stderr, deadline=place.deadline)
    found = [each["code"] for each in json.loads(output)["traces"][0]["findings"]]
    wanted = [*place.pair.expected.findings]
    mismatches.same("`check`, and its exit code", (found, code), (wanted, int(bool(wanted))))
    return mismatches.faults


def _story(place: Place, name: str, show: dict[str, Any]) -> Iterator[Fact]:
    trace, expected = show["trace"], place.pair.expected
    yield "agent", trace["agent"]["name"], expected.agent
    yield "client", trace["client"]["name"], place.pair.client.name
    yield "whole", (trace["complete"], trace["lost"]), (True, {"frames": 0, "bytes": 0})
    yield "labels", trace["labels"], {"scenario": name}
    (session,) = show["sessions"]
    yield "cwd", session["cwd"], str(place.stage.project)
    turns = session["turns"]
    where = f"{place.stage.project}/" if place.pair.more == "qwen" else ""
    yield "prompts", [turn["prompt"] for turn in turns], [each.format(where) for each in _PROMPTS]
    yield "stop reasons", [turn["stop_reason"] for turn in turns], _STOPS
    calls = [(call["kind"], call["status"]) for turn in turns for call in turn["tool_calls"]]
    yield "tool calls", calls, [*expected.tool_calls]
    asked = [(each["outcome"], each["option_kind"]) for turn in turns for each in turn["permissions"]]
    yield "permissions", asked, [("selected", "allow_once")]
    cancels = [(each["kind"], each["outcome"]) for each in session["cancellations"]]
    yield "cancels", cancels, [("session/cancel", "cancelled")]
    files = [each["method"] for each in show["exchanges"] if each["method"].startswith("fs/")]
    yield "files", files, [*expected.files]
    failed = [each["method"] for each in show["exchanges"] if each["outcome"] != "result"]
    yield "exchanges that failed, or are open", failed, []
    yield "findings", [each["code"] for each in show["findings"]], [*expected.findings]


def _lists(show: dict[str, Any], rows: list[Any], frames: list[Any]) -> Iterator[Fact]:
    row, trace = rows[0], show["trace"]
    yield "traces of `ls`", len(rows), 1
    yield "of `ls`", (row["id"], row["state"], row["turns"]), (trace["id"], "complete", len(_PROMPTS))
    count = sum(trace["frames"].values())
    yield "frames of `ls` and `frames`", (row["frames"], len(frames)), (count, count)


def _request(one: wire.Exchange) -> Any:
    """What has to be the same of a request; sorts requests in the same way on both sides."""
    return one.method, one.target, _kept(one, one.asked), one.sent


def _kept(one: wire.Exchange, headers: wire.Headers) -> wire.Headers:
    return sorted(
        (name, value)
        for name, value in headers
        if name not in _OF_A_HOP and not (one.said is not None and name.startswith("sec-websocket-"))
    )


def _asked(one: wire.Exchange) -> Any:
    protocol = "WebSocket" if one.said is not None else one.protocol
    return one.method, one.target, protocol, *map(one.asked_for, _NAMES), _first(one.messages()[0])


def _traced(one: traced.TracedStream) -> Any:
    request = one.request
    named = [request[key] for key in ("method", "path", "protocol")]
    return *named, *map(one.asked_for, _NAMES), _first(one.sent)


def _first(messages: list[bytes]) -> bytes:
    return messages[0] if messages else b""


def _ask(place: Place, *words: str, **environment: str) -> bytes:
    """What one of our commands prints, which has to end well and be quiet."""
    stderr = place.stage.folder / "acp-trace.stderr"
    env = {**place.stage.env, **environment}
    code, output = run([*ACP_TRACE, *words], env=env, stderr=stderr, deadline=place.deadline)
    if code or stderr.stat().st_size:
        raise Fault(f"acp-trace {' '.join(words)} ended with {code}: {stderr.read_text()[-300:]}")
    return output
