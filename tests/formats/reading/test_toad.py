"""Toad's log: a real one beside our recording of the same session, and what is special about it."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from acp_trace.formats.reading import toad
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent
from acp_trace.formats.reading.trace_lines import traces
from acp_trace.report.text.show import Page, show
from acp_trace.trace.entries import SENT
from acp_trace.trace.parse import Parser
from tests.commands import Commands
from tests.formats.reading.comparing import facts_without_times, sample
from tests.support import analyzed

ASKED = b'{"jsonrpc":"2.0","id":1,"method":"x"}'
WHY = "is not an object of Python that Toad can send"


def read(data: bytes) -> Log:
    (log,) = toad.read([File("toad.log", data)])
    return log


def sent(shown: bytes) -> bytes | None:
    """What Toad sent, if it was shown so."""
    log = read(b"[agent] %b\n[client] %b\n" % (ASKED, shown))
    assert len(log.messages) + len(log.unused) == 2
    return log.messages[1].data if len(log.messages) == 2 else None


def test_a_real_log_has_the_bytes_that_were_recorded() -> None:
    """All that Toad logs: its response to the permission is missing."""
    log = read(sample("toad/toad.log"))
    entries = [entry for entry in Parser().feed(sample("toad/recorded.jsonl")) if entry.kind in SENT]
    lacking = [entry for entry in entries if entry.sender == "client" and b'"outcome"' in entry.data]
    recorded = [Sent(entry.data, entry.sender) for entry in entries if entry not in lacking]
    assert (log.messages, log.unused, log.verbatim) == (recorded, [], True)
    assert (len(lacking), log.lacks) == (1, ("client_responses",))
    (expected,), (actual,) = traces([Log(list(recorded), lacks=log.lacks)], "toad"), traces([log], "toad")
    assert facts_without_times(actual.data) == facts_without_times(expected.data)


def test_what_toad_does_not_log_is_not_called_missing() -> None:
    """Its answer to the permission is not in the log: nobody says that it was never given."""
    (trace,) = traces([read(sample("toad/toad.log"))], "toad")
    facts = analyzed(trace.data)[0]
    out = StringIO()
    page = Page(facts, [], live=False, width=120, all_=False)
    show(Console(file=out, width=120), page, ["timeline", "failed"])
    screen = out.getvalue()
    assert "never answered" not in screen
    assert re.search(r"asked +permission: .* not in the log", screen)
    (finding,) = facts.findings
    assert finding.message == (
        "session/request_permission has no answer in the log; its turn was over; "
        "but the log does not have all messages"
    )
    assert finding.severity == "note"


def test_a_cancel_finds_nothing_open_that_was_never_logged() -> None:
    """Requests of the agent from earlier turns, and a permission of this one: nobody knows whether they were open."""
    prompts = [
        b"[client] {'jsonrpc': '2.0', 'method': 'session/prompt', 'id': %d, 'params': {'sessionId': 's', 'prompt': []}}"
        % id
        for id in (3, 4)
    ]
    read_file = b'[agent] {"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}'
    asked = (
        b'[agent] {"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s",'
        b'"toolCall":{"toolCallId":"c"},"options":[]}}'
    )
    lines = [
        b"[client] {'jsonrpc': '2.0', 'method': 'session/new', 'id': 2, 'params': {'cwd': '/', 'mcpServers': []}}",
        b'[agent] {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}',
        prompts[0],
        read_file,
        b'[agent] {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}',
        prompts[1],
        asked,
        b"[client] {'jsonrpc': '2.0', 'method': 'session/cancel', 'params': {'sessionId': 's'}}",
        b'[agent] {"jsonrpc":"2.0","id":4,"result":{"stopReason":"cancelled"}}',
    ]
    (trace,) = traces([read(b"\n".join([*lines, b""]))], "toad")
    facts = analyzed(trace.data)[0]
    assert [cancel.outcome for cancel in facts.cancellations] == ["cancelled"]
    assert facts.cascades == []
    assert "permission-not-cancelled" not in {finding.code for finding in facts.findings}


def test_the_client_is_python() -> None:
    """Quotes of both kinds, escapes, True, None, floats, and a list for a batch."""
    assert sent(rb"""{'a': "it's", 'b': 'say "no" \n', 'c': [True, None, -1.5e+20]}""") == (
        rb"""{"a": "it's", "b": "say \"no\" \n", "c": [true, null, -1.5e+20]}"""
    )
    assert sent("{'text': 'grüße \\ud83d ('}".encode()) == rb'{"text": "gr\u00fc\u00dfe \ud83d ("}'
    assert sent(b"[{'a': 1}, {'b': 2}]") == b'[{"a": 1}, {"b": 2}]'


@pytest.mark.parametrize(
    "shown",
    [
        b"None",
        b"{'a': 1",
        b"{'a': open('x')}",
        b"{'a': 1 + 1}",
        b"{'a': b'x'}",
        b"{'a': nan}",
        b"{'a': 1e999}",
        b"{'a': {1, 2}}",
        b"{'a': x}",
        b"{'a': 1-1}",
        b"{'a': __import__('os')}",
        b"{'a': '" + b"\xff" + b"'}",
        b"{'a': " + b"[" * 3000 + b"]" * 3000 + b"}",
        b"[" + b"0," * 300_000 + b"]",
        b"{'a': " + b"9" * 9000 + b"}",
    ],
)
def test_only_what_toad_can_send_is_read(shown: bytes) -> None:
    """No names, no operators, nothing that JSON does not have, nothing that takes much memory."""
    assert sent(shown) is None
    assert read(b"[agent] %b\n[client] %b\n" % (ASKED, shown)).unused[0].why == WHY


def test_other_lines_are_counted() -> None:
    """Errors that Toad notes, and what it does not write; a line of the agent stays, whatever it is."""
    log = read(b"[agent] noise\n[error] failed to decode JSON from agent: x\nelse\n[agent] %b\n" % ASKED)
    assert log.messages == [Sent(b"noise", "agent"), Sent(ASKED, "agent")]
    assert [(one.where, one.why) for one in log.unused] == [
        ("line 2", "is an error that Toad logged"),
        ("line 3", "begins with neither `[agent]` nor `[client]`"),
    ]


@pytest.mark.parametrize("data", [b"", b"[error] x", b"[client] None", b"text"])
def test_other_files_are_refused(data: bytes) -> None:
    """Without a message there is no log."""
    with pytest.raises(NotThisFormat):
        read(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=3))
def test_any_message(message: dict[str, object]) -> None:
    """What Toad shows is what it sent."""
    assert sent(str(message).encode("utf-8", "backslashreplace")) == json.dumps(message).encode()


def test_what_the_log_does_not_say_of_the_agent_is_null(commands: Commands) -> None:
    """Its command and its directory: an empty list would say that there was none."""
    commands.passes("import", str(Path(__file__).parents[1] / "data" / "toad" / "toad.log"))
    agent = commands.json("show", "--json")["trace"]["agent"]
    assert (agent["argv"], agent["cwd"]) == (None, None)
    assert commands.json("ls", "--json")[0]["argv"] is None
