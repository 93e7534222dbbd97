"""Traces in, traces out: what goes, what stays, what is counted."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from acp_trace import __version__
from acp_trace.redact.rules import RULES, Rule
from acp_trace.trace import json_pointer
from acp_trace.trace.entries import EntryKind
from acp_trace.trace.http_lines import message, original
from acp_trace.trace.parse import Parser
from tests.http_story import http_trace
from tests.redact.redacting import counts, frames, one, redacted
from tests.support import END, analyzed, header, line, request, result, trace, update

SECRET = "Zq9secretvalue"


def opened(secret: str = SECRET, **more: Any) -> tuple[str, Any]:
    """A session/new that gives a secret to an MCP server."""
    server = {"name": "x", "command": "x", "env": [{"name": "A", "value": secret}]}
    return "client", request(1, "session/new", **{"cwd": "/home/ann/w", "mcpServers": [server], **more})


def said(text: str) -> tuple[str, Any]:
    return "agent", update("s", "agent_message_chunk", content={"type": "text", "text": text})


def text_of(frame: Any) -> str:
    found: str = frame["params"]["update"]["content"]["text"]
    return found


def after(text: str, **more: Any) -> str:
    """What becomes of a text that the agent says in a session with a secret."""
    return text_of(frames(redacted(trace(opened(**more), said(text)))[0])[1])


def test_a_secret_goes_from_everywhere() -> None:
    """Also from what came before its rule found it: noise, log lines, other messages, keys of data."""
    lines = [
        header(),
        line(t=1, log=f"start with {SECRET}"),
        line(t=2, **{"from": "agent"}, text=f"noise {SECRET}"),
        line(t=3, **{"from": "agent"}, base64=base64.b64encode(b"\xff " + SECRET.encode()).decode()),
        trace(opened(), said(f"I see {SECRET}!"), end=False).partition(b"\n")[2],
        line(t=9, **{"from": "agent"}, frame=update("s", "tool_call", rawInput={SECRET: [SECRET]})),
        line(t=10, gap={"frames": 1, "bytes": 1, "reason": SECRET}),
        line(t=11, end={**END, "error": SECRET}),
    ]
    out, redactor = redacted(b"".join(lines))
    assert SECRET.encode() not in out
    assert base64.b64encode(b"\xff <secret:1>") in out
    assert out.count(b"<secret:1>") == 8
    assert counts(redactor) == {"env values": (9, 1), "home folder": (1, 1)}
    assert redactor.report.frames == 5


def test_what_does_not_change_stays_byte_for_byte() -> None:
    """Layout, spelling, times, the footer, odd frames."""
    odd = b'{"t":5, "from":"agent", "frame":{ "jsonrpc":"2.0","id":1e0, "result":{"a":1.50,"a":"\\u00e9"} }\r}\n'
    deep = b'{"t":6,"from":"agent","frame":' + b"[" * 3000 + b"]" * 3000 + b"}\n"
    file = trace(opened(), said("fine"), end=False) + odd + deep + line(t=9, end=END)
    lines, out = file.splitlines(keepends=True), redacted(file)[0].splitlines(keepends=True)
    assert [at for at in range(len(lines)) if lines[at] != out[at]] == [0, 1]


def test_only_the_secret_of_a_frame_changes() -> None:
    """Its ids, numbers and layout do not: a message pairs as before."""
    frame = (
        b'{ "id" : 1e2, "method":"session/new","params":{"n":1.0,"mcpServers":[{"env":[{"value":"%b"}]}]} }'
    )
    make = b'{"t":1,"from":"client","frame":%b}\n'
    out = redacted(header() + make % (frame % SECRET.encode()))[0]
    assert out.splitlines(keepends=True)[1] == make % (frame % b"<secret:1>")


def test_the_header_says_so() -> None:
    """And keeps its id; arguments and folder lose what is secret in them."""
    agent = {"argv": ["/home/ann/x", "--token", SECRET], "cwd": "/home/ann"}
    out = redacted(trace(agent=agent, labels={"build": SECRET}))[0].splitlines()
    found, before = json.loads(out[0]), json.loads(header())
    assert found["redacted"] == {"by": f"acp-trace {__version__}", "rules": len(RULES)}
    assert found["agent"] == {"argv": ["<home>/x", "--token", "<secret:1>"], "cwd": "<home>"}
    assert found["labels"] == {"build": "<secret:1>"}
    assert {key: found[key] for key in before if key != "agent"} == {
        key: before[key] for key in before if key != "agent"
    }


def test_a_trace_without_a_header_is_redacted_too() -> None:
    """It gets none."""
    file = trace(opened()).partition(b"\n")[2]
    out = redacted(file)[0]
    assert SECRET.encode() not in out
    assert len(out.splitlines()) == len(file.splitlines())


def test_what_cannot_be_read_is_left_out() -> None:
    """Nobody can say what is in it. It is counted."""
    bad = [b"no entry\n", b'{"t":1,"later":"x"}\n', b'{"t":-1,"log":"x"}\n', b'{"t":1,"log":"\xff"}\n']
    file = trace(opened(), end=False) + b"".join(bad) + trace(said("a second trace"))
    out, redactor = redacted(file)
    assert len(out.splitlines()) == 2
    assert redactor.report.dropped == len(bad) + 3
    assert {entry.kind for entry in Parser().feed(out)} == {EntryKind.HEADER, EntryKind.FRAME}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SECRET, "<secret:1>"),
        (f"x{SECRET}y", "x<secret:1>y"),
        ("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer <secret:1>"),
        ("AKIA" + "IOSFODNN7EXAMPLE", "<secret:1>"),
        ("https://u:p@h/?key=k&a=b", "https://<secret:1>:<secret:2>@h/?key=<secret:3>&a=b"),
        ("cat /home/ann/.ssh/id", "cat <home>/.ssh/id"),
        ("ann said", "ann said"),
        (json.dumps({"a": SECRET}), '{"a": "<secret:1>"}'),
    ],
)
def test_texts(text: str, expected: str) -> None:
    """Known secrets, shapes, URLs and home folders go; numbers are given in order of appearance."""
    lines = trace(said(text), opened())
    assert text_of(frames(redacted(lines)[0])[0]) == expected


def test_secrets_that_json_escapes() -> None:
    """However they are spelt in the file, and in JSON in a string."""
    secret = 'Zq9 "quoted" \\ é \n/ end'
    for ascii in (True, False):
        once = json.dumps(said(json.dumps({"a": secret}, ensure_ascii=ascii))[1], ensure_ascii=ascii).encode()
        file = trace(opened(secret), end=False) + b'{"t":3,"from":"agent","frame":%b}\n' % once
        assert text_of(frames(redacted(file)[0])[1]) == '{"a": "<secret:1>"}'


def test_ids_and_words_of_the_protocol_stay() -> None:
    """Even where a secret is the same; and a secret that is a session's id is not looked for elsewhere."""
    call = update(
        "agent_message_chunk", "tool_call", toolCallId="completed", status="completed", title="completed"
    )
    file = trace(opened("completed"), ("agent", call))
    (_, found) = frames(redacted(file)[0])
    assert found["params"]["update"] == {**call["params"]["update"], "title": "<secret:1>"}
    file = trace(opened("session-12345"), ("agent", update("session-12345", "plan", note="session-12345")))
    (new, found) = frames(redacted(file)[0])
    assert new["params"]["mcpServers"][0]["env"][0]["value"] == "<secret:1>"
    assert found == update("session-12345", "plan", note="session-12345")


def test_folders_of_the_trace_are_not_looked_for() -> None:
    """`PWD` is in every env, and the folder in every path."""
    assert after("/data/w/x.py", secret="/data/w", cwd="/data/w") == "/data/w/x.py"


def test_everyday_words_go_from_their_place_only() -> None:
    """`DEBUG=1` must not take every 1 away."""
    assert after("1 is true", secret="1") == "1 is true"


def test_numbers_become_0() -> None:
    """There is no other number that says what it is. `true`, `false` and `null` stay."""
    meta = {
        "pin": 1234,
        "rate": 1.5,
        "zero": 0,
        "on": True,
        "none": None,
        "methodId": "m",
        "deep": [{"a": SECRET}],
    }
    found = one(request(0, "authenticate", methodId="m", _meta=meta))["params"]
    assert found == {
        "methodId": "m",
        "_meta": {**meta, "pin": 0, "rate": 0, "deep": [{"a": "<secret:1>"}]},
    }


def test_an_empty_value_stays() -> None:
    """It says that there was none."""
    assert one(opened("")[1]) == opened("")[1] | {"params": {**opened("")[1]["params"], "cwd": "<home>/w"}}


def test_envelopes_and_batches() -> None:
    """A message in a message, and several in one."""
    for frame in (
        {"id": 0, "method": "proxy/successor", "params": opened()[1]},
        [opened()[1], opened()[1]],
    ):
        assert SECRET.encode() not in redacted(trace(("client", frame)))[0]


def test_own_rules_come_first_and_are_always_told() -> None:
    """A rule that found nothing may have a slip in it."""
    own = (
        Rule("mine", json_pointer.read("/params/mcpServers/*/env/*/value"), ("session/new",)),
        Rule("pin", json_pointer.read("/params/update/rawInput"), (), ("tool_call",)),
    )
    call = update("s", "tool_call", rawInput={"a": {"b": "hidden99", "sessionId": "s9"}, "n": 5})
    out, redactor = redacted(trace(opened(), ("agent", call), said("hidden99")), own)
    assert counts(redactor)["mine"] == (1, 1)
    assert counts(redactor)["pin"] == (3, 1)
    found = frames(out)
    assert found[1]["params"]["update"]["rawInput"] == {"a": {"b": "<secret:2>", "sessionId": "s9"}, "n": 0}
    assert text_of(found[2]) == "<secret:2>"
    assert counts(redacted(trace(), own)[1]) == {"mine": (0, 0), "pin": (0, 0)}


def test_a_second_redaction_goes_on_counting() -> None:
    """Other rules later: no number is given twice."""
    first = redacted(trace(opened(), said("hidden99")))[0]
    own = (Rule("text", json_pointer.read("/params/update/content/text"), (), ("agent_message_chunk",)),)
    assert text_of(frames(redacted(first, own)[0])[1]) == "<secret:2>"


def test_a_placeholder_that_somebody_wrote_is_no_secret() -> None:
    """Its number is not given to another."""
    assert after(f"<secret:1> and {SECRET}") == "<secret:1> and <secret:2>"


def test_the_report_holds_no_secret() -> None:
    """Names and counts only."""
    _, redactor = redacted(trace(opened(), ("agent", result(1, sessionId="s"))))
    assert SECRET not in repr((redactor.rows(), redactor.report, redactor.found()))
    assert redactor.found() == (1, ["env values"], 1)


def test_rows_are_in_order() -> None:
    """Of the table of rules."""
    file = trace(
        said("https://u:p@h"), opened(), ("agent", request(0, "terminal/create", args=["--token", "tttttt"]))
    )
    assert list(counts(redacted(file)[1])) == ["env values", "arguments", "userinfo of URLs", "home folder"]


def test_newlines_of_a_changed_message_are_not_told() -> None:
    """They would stand in other places than before, and in the middle of a word."""
    body = json.dumps(opened()[1]).replace(', "params"', ',\n"params"').replace("]}}", "\n]}}").encode()
    same = b'{"jsonrpc":"2.0","id":2,\n"method":"session/list"}'
    file = header(transport="http") + message(b"client", 1, body, 3) + message(b"client", 2, same, 4)
    assert file.count(b'"newlines"') == 2
    first, second = (entry for entry in Parser().feed(redacted(file)[0]) if entry.sender)
    assert (first.stream, second.stream) == (3, 4)
    assert b'"newlines"' not in first.raw
    assert SECRET.encode() not in first.raw
    assert original(first.raw, first.data) == first.data
    assert original(second.raw, second.data) == same


def test_streams_stay() -> None:
    """What is said of HTTP has no secrets: the recorder left them out."""
    file = http_trace()
    assert analyzed(redacted(file)[0])[0].streams == analyzed(file)[0].streams
