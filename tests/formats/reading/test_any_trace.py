"""Every recorded trace, written as a tool would have logged it, and read again: the same messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_trace.formats.reading.formats import READERS
from acp_trace.formats.reading.groups import explained, readers_for
from acp_trace.formats.reading.log import File, Log, Sent
from acp_trace.formats.reading.trace_lines import traces
from acp_trace.trace.parse import Parser
from tests.compare.conversation import codes, compared
from tests.formats.reading.as_tools_write import WRITERS, Logged, conversation, is_response
from tests.formats.reading.comparing import facts_without_times
from tests.support import SAMPLES, TRACES, analyzed


def said(message: dict[str, Any]) -> dict[str, Any]:
    """What a message says, without what a tool adds or leaves out."""
    members = {"id", "method", "params", "result", "error"}
    return {key: value for key, value in message.items() if key in members}


def without(name: str, messages: list[Logged]) -> list[Logged]:
    """The messages that a tool logs."""
    if name != "toad":
        return messages
    return [one for one in messages if one.sender == "agent" or not is_response(one.message)]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_messages_come_back(path: Path, name: str) -> None:
    """With who sent them, in their order, and nothing is unused."""
    messages = conversation(path.read_bytes())
    if len(messages) < 3:
        pytest.skip("says too little to be recognised")
    files = [File("log", WRITERS[name](messages))]
    best = explained(files, readers_for(None)).best
    assert best is not None
    assert (best.format, best.sense.doubts()) == (name, None)
    logs = best.traces
    assert [unused for trace in logs for unused in trace.log.unused] == []
    found = [item for trace in logs for item in trace.log.messages if isinstance(item, Sent)]
    expected = without(name, messages)
    assert [item.sender for item in found] == [one.sender for one in expected]
    assert [said(json.loads(item.data)) for item in found] == [said(one.message) for one in expected]
    for trace in logs:
        assert not [entry.problem for entry in Parser().feed(trace.data) if entry.problem]
        analyzed(trace.data)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_times_come_back(path: Path) -> None:
    """Of the official trace all of them, of JetBrains' log milliseconds from the first line on."""
    messages = conversation(path.read_bytes())
    (log,) = READERS["jsons"].read([File("log", WRITERS["jsons"](messages))])
    assert [item.t for item in log.messages] == [one.t for one in messages]
    (log,) = READERS["jetbrains"].read([File("log", WRITERS["jetbrains"](messages))])
    first = messages[0].t // 1_000_000
    latest = 0
    for item, one in zip(log.messages, messages, strict=True):
        latest = max(latest, one.t // 1_000_000 - first)  # a client's line may stand after a later one
        assert item.t == latest * 1_000_000


@pytest.mark.parametrize("name", ["zed", "jetbrains", "jsons", "acpx"])
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_facts_are_those_of_the_recording(path: Path, name: str) -> None:
    """The report of an imported log is the report of the recorded session, in all that the log holds."""
    messages = conversation(path.read_bytes())
    recorded = Log([Sent(json.dumps(one.message).encode(), one.sender) for one in messages])
    read = READERS[name].read([File("log", WRITERS[name](messages))])
    recorded.lacks = read[0].lacks  # of what may be missing, less is said
    for log in read:
        log.messages = [item._replace(t=None) for item in log.messages]
    (expected,), (actual,) = traces([recorded], name), traces(read, name)
    assert without_sizes(facts_without_times(actual.data)) == without_sizes(
        facts_without_times(expected.data)
    )


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_log_is_like_its_recording(path: Path, name: str) -> None:
    """Compared either way, nobody is blamed for what the tool does not log."""
    recording = path.read_bytes()
    log = traces(READERS[name].read([File("log", WRITERS[name](conversation(recording)))]), name)[0].data
    for expected, actual in ((recording, log), (log, recording)):
        told = codes(compared(expected, actual))
        assert told == []


def without_sizes(facts: dict[str, Any]) -> dict[str, Any]:
    """Tools write messages anew, so that they are longer or shorter."""
    return {
        table: [{key: value for key, value in row.items() if not key.endswith("bytes")} for row in rows]
        for table, rows in facts.items()
    }


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_what_a_part_does_not_show_is_said_once(path: Path) -> None:
    """A log that begins in the middle: all that it leaves unknown follows from the first such finding."""
    messages = conversation(path.read_bytes())
    log = Log([Sent(json.dumps(one.message).encode(), one.sender) for one in messages[len(messages) // 2 :]])
    (trace,) = traces([log], "text")
    found = analyzed(trace.data)[0].findings
    doubted = [one for one in found if one.message.endswith("the log does not have all messages")]
    first = [one.frame for one in doubted if one.consequence_of is None]
    assert len(first) == bool(doubted)
    assert {one.consequence_of for one in doubted} <= {None, *first}
    assert {one.severity for one in doubted} <= {"note"}
