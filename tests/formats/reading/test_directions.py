"""Who sent a message: inferred, and compared with what real traces say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading.directions import UNKNOWN, infer
from acp_trace.formats.reading.log import Log, Said, Sent, Unused
from acp_trace.protocol.message import MessageKind, read
from acp_trace.trace.entries import SENT, Entry
from acp_trace.trace.parse import Parser
from tests.support import TRACES, error, request, result, update

CLIENT, AGENT, ANY = "client", "agent", None


def sent(message: Any) -> Sent:
    """A message of which nobody says who sent it."""
    return Sent(message if isinstance(message, bytes) else json.dumps(message).encode(), None)


def senders(*messages: Any) -> list[str | None]:
    """Who is found to have sent each of these; None for those that are left out."""
    log = infer(Log([sent(message) for message in messages]))
    left_out = {int(unused.where.split()[1]) for unused in log.unused}
    found = iter(item.sender for item in log.messages if isinstance(item, Sent))
    return [None if number in left_out else next(found) for number in range(1, len(messages) + 1)]


def told(*conversation: tuple[str | None, Any]) -> None:
    """Fails unless all senders of a conversation are found; None: one that cannot be."""
    assert senders(*(message for _, message in conversation)) == [sender for sender, _ in conversation]


def test_methods_and_ids() -> None:
    """A method says who may send it, an id whom a response answers."""
    told(
        (CLIENT, request(0, "initialize", protocolVersion=1)),
        (AGENT, result(0, protocolVersion=1)),
        (CLIENT, request(1, "session/prompt", sessionId="s", prompt=[])),
        (AGENT, update("s", "plan")),
        (AGENT, request(77, "fs/read_text_file", path="/a")),
        (CLIENT, error(77, -32603)),
        (CLIENT, {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}),
        (AGENT, result(1, stopReason="cancelled")),
    )


PROMPT, PERMISSION = request(3, "session/prompt"), request(3, "session/request_permission")
STOPPED, CHOSEN = result(3, stopReason="end_turn"), result(3, outcome={"outcome": "cancelled"})


def test_equal_ids_are_told_apart_by_shape() -> None:
    """Both sides count from 0: what the result is like says which request it answers."""
    told((CLIENT, PROMPT), (AGENT, PERMISSION), (CLIENT, CHOSEN), (AGENT, STOPPED))
    told((CLIENT, PROMPT), (AGENT, PERMISSION), (AGENT, STOPPED), (CLIENT, CHOSEN))


def test_a_response_that_tells_nothing_is_decided_by_the_other_one() -> None:
    """An error has no shape; the response that follows it has."""
    failed = error(3, -32603)
    told((CLIENT, PROMPT), (AGENT, PERMISSION), (AGENT, failed), (CLIENT, CHOSEN))
    told((CLIENT, PROMPT), (AGENT, PERMISSION), (CLIENT, failed), (AGENT, STOPPED))


def test_if_nothing_tells_the_later_request_is_answered_first() -> None:
    """It was asked while the other one was worked on; a request with the same id decides it as well."""
    failed = error(3, -32603)
    told((CLIENT, PROMPT), (AGENT, PERMISSION), (CLIENT, failed), (AGENT, failed))
    told((CLIENT, PROMPT), (AGENT, PERMISSION), (CLIENT, failed))
    told((CLIENT, PROMPT), (AGENT, PERMISSION), (CLIENT, failed), (AGENT, PERMISSION), (CLIENT, CHOSEN))


def test_a_response_to_nothing_is_told_by_its_shape() -> None:
    """The log begins in the middle, or somebody answers twice or without an id."""
    told((AGENT, STOPPED), (CLIENT, CHOSEN), (ANY, result(3)), (ANY, error(3, -32603)))
    told((CLIENT, PROMPT), (AGENT, STOPPED), (AGENT, error(3, -32603)))
    told((AGENT, {"result": {"stopReason": "end_turn"}}), (ANY, {"error": {"code": 1, "message": ""}}))


def test_an_id_may_come_back_in_another_spelling() -> None:
    """Some agents answer `1` with `"1"`."""
    told((CLIENT, request(1, "session/new")), (AGENT, error("1", -32603)))
    told((CLIENT, request("1", "session/new")), (AGENT, error(1, -32603)))


def test_methods_that_acp_does_not_have_are_told_by_ids() -> None:
    """A side counts its ids up; what is told so holds for messages without id."""
    told(
        (AGENT, {"jsonrpc": "2.0", "method": "_x/ask", "params": {}}),
        (CLIENT, request(0, "initialize")),
        (AGENT, result(0, protocolVersion=1)),
        (CLIENT, request(1, "session/new")),
        (AGENT, request(0, "_x/ask")),
        (CLIENT, result(0)),
        (AGENT, result(1, sessionId="s")),
        (CLIENT, request(2, "_y/ask")),
        (AGENT, result(2)),
        (ANY, {"jsonrpc": "2.0", "method": "_z/tell"}),
        (ANY, request(40, "_z/ask")),
    )


def test_ids_of_strings_and_of_numbers() -> None:
    """A side stays with its kind of ids."""
    told(
        (CLIENT, request("a-1", "initialize")),
        (AGENT, result("a-1", protocolVersion=1)),
        (AGENT, request(0, "fs/read_text_file")),
        (CLIENT, result(0, content="")),
        (CLIENT, request("b-2", "_x/ask")),
        (AGENT, request(1, "_y/ask")),
    )


def test_a_cancelled_request_is_taken_back_by_its_asker() -> None:
    """If only one side has asked with this id."""
    cancel = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 3}}
    told((CLIENT, PROMPT), (CLIENT, cancel))
    told((AGENT, PERMISSION), (AGENT, cancel))
    told((CLIENT, PROMPT), (AGENT, PERMISSION), (ANY, cancel))
    told((CLIENT, PROMPT), (AGENT, STOPPED), (CLIENT, cancel))


def test_a_batch_is_sent_by_who_sent_its_messages() -> None:
    """Draft 2 has batches."""
    told((CLIENT, [PROMPT]), (AGENT, [update("s", "plan"), STOPPED]), (ANY, []))


def test_what_the_log_says_is_kept_and_used() -> None:
    """A sender that is recorded stands, whatever the method; what was not is counted as inferred."""
    log = Log(
        [
            Sent(json.dumps(request(9, "_x/ask")).encode(), "agent", 5),
            Said(b"a line of stderr", 6),
            sent(result(9))._replace(t=7),
            Sent(b"noise", "agent", 8),
        ],
        [Unused("line 1", "is not JSON")],
        labels={"a": "b"},
    )
    found = infer(log)
    assert [getattr(item, "sender", "") for item in found.messages] == ["agent", "", "client", "agent"]
    assert [item.t for item in found.messages] == [5, 6, 7, 8]
    assert (found.inferred, found.unused, found.labels) == (1, log.unused, log.labels)
    assert infer(found) is found


def test_what_cannot_be_told_is_unused() -> None:
    """A line that is no message, with its place."""
    log = infer(Log([sent(b"noise"), sent(PROMPT), sent(b"{}"), sent(b"")]))
    assert [item.where for item in log.unused] == ["message 1", "message 3", "message 4"]
    assert {item.why for item in log.unused} == {UNKNOWN}
    assert (len(log.messages), log.inferred) == (1, 1)


def entries_of(path: Path) -> list[Entry]:
    return [entry for entry in Parser().feed(path.read_bytes()) if entry.kind in SENT]


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_real_traces(path: Path) -> None:
    """No sender is wrong, and only lines that are no messages or have no id stay unknown."""
    entries = entries_of(path)
    found = senders(*(entry.data for entry in entries))
    for entry, sender in zip(entries, found, strict=True):
        message = read(entry.data)
        if sender is None:
            assert message.kind is MessageKind.INVALID or message.id is None
        else:
            assert sender == entry.sender, entry.data


CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    CLIENT: [
        ("session/prompt", {"stopReason": "end_turn"}),
        ("session/new", {"sessionId": "s"}),
        ("session/set_config_option", {"configOptions": []}),
    ],
    AGENT: [
        ("session/request_permission", {"outcome": {"outcome": "cancelled"}}),
        ("fs/read_text_file", {"content": ""}),
        ("terminal/create", {"terminalId": "t"}),
    ],
}


@given(st.data())
def test_any_conversation(data: st.DataObject) -> None:
    """Both sides ask in any order, count from 0, and are answered in any order."""
    conversation: list[tuple[str | None, Any]] = []
    waiting: list[tuple[str, Any]] = []
    counts = {CLIENT: 0, AGENT: 0}
    for _ in range(data.draw(st.integers(0, 30))):
        answers = data.draw(st.booleans())
        if waiting and answers:
            conversation.append(waiting.pop(data.draw(st.integers(0, len(waiting) - 1))))
            continue
        side, other = (CLIENT, AGENT) if data.draw(st.booleans()) else (AGENT, CLIENT)
        method, fields = CALLS[side][data.draw(st.integers(0, len(CALLS[side]) - 1))]
        conversation.append((side, request(counts[side], method)))
        waiting.append((other, result(counts[side], **fields)))
        counts[side] += 1
    told(*conversation)


@given(
    st.lists(st.binary(max_size=60) | st.sampled_from([json.dumps(PROMPT).encode(), b"[[]]", b'[{"id":1}]']))
)
def test_any_bytes(lines: list[bytes]) -> None:
    """Nothing is lost: what has no sender is counted."""
    log = infer(Log([Sent(line, None) for line in lines]))
    assert len(log.messages) + len(log.unused) == len(lines)
