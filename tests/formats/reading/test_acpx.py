"""acpx's journal: a real one in three parts beside our recordings, and what is special about it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.formats.reading import acpx
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent
from acp_trace.formats.reading.trace_lines import traces
from acp_trace.trace.entries import SENT
from acp_trace.trace.parse import Parser
from tests.formats.reading.comparing import facts_without_times, sample
from tests.support import request, result, update

NOTE = "is a note of acpx, not a message"
PARTS = ["session.stream.ndjson", "session.stream.1.ndjson", "session.stream.2.ndjson"]
REAL = [File(name, sample(f"acpx/{name}")) for name in PARTS]
ASKED, ANSWERED = request(0, "initialize"), result(0, protocolVersion=1)


def journal(*lines: Any) -> bytes:
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


def anchor(sequence: int, record: str = "r") -> dict[str, Any]:
    schema = {"schema": "acpx.session.journal.v1", "type": "segment"}
    return {**schema, "record_id": record, "sequence": sequence, "message_sequence": 0, "request_id": None}


def test_a_real_journal_is_what_was_recorded() -> None:
    """Three parts in any order are two connections, each with the facts of our recording."""
    for files in (REAL, REAL[::-1], [REAL[1], REAL[0], REAL[2]]):
        logs = acpx.read(files)
        read = traces(logs, "acpx")
        assert [trace.log.inferred for trace in read] == [15, 14]
        for trace, name in zip(read, ("recorded1.jsonl", "recorded2.jsonl"), strict=True):
            entries = [entry for entry in Parser().feed(sample(f"acpx/{name}")) if entry.kind in SENT]
            assert trace.log.messages == [Sent(entry.data, entry.sender) for entry in entries]
            (recorded,) = traces([Log([Sent(entry.data, entry.sender) for entry in entries])], "acpx")
            facts, expected = facts_without_times(trace.data), facts_without_times(recorded.data)
            doubted = [(one["code"], one["frame"]) for one in facts.pop("findings")]
            assert doubted == [(one["code"], one["frame"]) for one in expected.pop("findings")]
            assert facts == expected
    assert {one.why for one in logs[0].unused} == {NOTE}
    assert len(logs[0].unused) == 7
    assert logs[0].labels == {"acpx_record": "69d47be62960c629dafaf5b52b247ad5"}


def test_a_missing_part_is_said() -> None:
    """The journal counts its lines."""
    (log,) = acpx.read([REAL[0]])
    assert log.unused[0].where == PARTS[0]
    assert log.unused[0].why == "28 lines of the journal are missing before it"
    logs = acpx.read([REAL[0], REAL[2]])
    assert [one.why for log in logs for one in log.unused if one.why != NOTE] == [
        "14 lines of the journal are missing before it"
    ]


def test_older_journals_are_ordered_by_name() -> None:
    """They have messages alone; the highest number is the oldest part."""
    files = [
        File("s.stream.ndjson", journal(result(1, sessionId="s"))),
        File("s.stream.2.ndjson", journal(ASKED)),
        File("s.stream.10.ndjson", journal(update("old", "plan"))),
        File("s.stream.1.ndjson", journal(ANSWERED, request(1, "session/new"))),
    ]
    first, second = acpx.read(files)
    messages = [json.loads(item.data) for item in (*first.messages, *second.messages)]
    assert messages == [
        update("old", "plan"),
        ASKED,
        ANSWERED,
        request(1, "session/new"),
        result(1, sessionId="s"),
    ]


def test_journals_of_two_sessions_are_two_connections() -> None:
    """Their ids are in them."""
    files = [File("a", journal(anchor(0, "a"), ASKED)), File("b", journal(anchor(0, "b"), ASKED, ANSWERED))]
    assert [(log.labels["acpx_record"], len(log.messages)) for log in acpx.read(files)] == [
        ("a", 1),
        ("b", 2),
    ]


def test_other_lines_are_counted() -> None:
    """A torn line, JSON that is no message."""
    (log,) = acpx.read([File("a", journal(ASKED, 5, {"a": 1}) + b'{"jsonrpc":"2.0","id":0,"res')])
    assert [(one.where, one.why) for one in log.unused] == [
        ("line 2", "is not an object"),
        ("line 3", "is not a message"),
        ("line 4", "is not JSON"),
    ]


def test_one_side_alone_is_not_recognised() -> None:
    """A file of what one side wrote is one of two that belong together; the journal has both sides."""
    assert acpx.recognises([File("a", journal(ASKED, ANSWERED))])
    assert not acpx.recognises([File("a", journal(ASKED)), File("b", journal(ANSWERED))])
    assert acpx.recognises([File("a", journal(anchor(0), ASKED))])


@pytest.mark.parametrize("data", [b"", b"{}", b"5\n6", journal(anchor(0))])
def test_other_files_are_refused(data: bytes) -> None:
    """Without a message there is no log."""
    with pytest.raises(NotThisFormat):
        acpx.read([File("a", data)])
