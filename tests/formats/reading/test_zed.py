"""Zed's Copy All: a sample written from Zed's source, and what is special about it."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.formats.reading import zed
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Said, Sent
from tests.formats.reading.comparing import sample

SAMPLE = sample("zed/copy-all.json")


def read(data: bytes | list[Any]) -> Log:
    (log,) = zed.read(
        [File("zed.json", data if isinstance(data, bytes) else json.dumps(data, indent=2).encode())]
    )
    return log


def item(direction: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"_direction": direction, "_type": kind, "id": None, "method": "x", "params": None, **more}


def messages(log: Log) -> list[Any]:
    """Senders and messages."""
    return [(one.sender, json.loads(one.data)) for one in log.messages if isinstance(one, Sent)]


def test_the_sample() -> None:
    """Messages of both sides, a line of stderr, no times, and nothing unused."""
    log = read(SAMPLE)
    assert (len(log.messages), log.unused, log.verbatim, log.started_ns) == (18, [], False, None)
    assert [one for one in log.messages if isinstance(one, Said)] == [Said(b"agent.js: ready")]
    assert log.messages[1] == Sent(
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":'
        b'{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true},'
        b'"clientInfo":{"name":"acpx","version":"0.19.1"}}}',
        "client",
    )


def test_results_and_errors_are_told_apart_by_shape() -> None:
    """Both stand in `params`; nothing is a result of null."""
    log = read(
        [
            item("incoming", "response", id=1, params={"stopReason": "end_turn"}),
            item("incoming", "response", id=2, params={"code": -32603, "message": "no", "data": 1}),
            item("outgoing", "response", id="3", method="[unrecognized response]"),
            item("outgoing", "response", id=4, params={"code": 1, "message": "no", "outcome": {}}),
        ]
    )
    assert messages(log) == [
        ("agent", {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}),
        ("agent", {"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "no", "data": 1}}),
        ("client", {"jsonrpc": "2.0", "id": "3", "result": None}),
        ("client", {"jsonrpc": "2.0", "id": 4, "result": {"code": 1, "message": "no", "outcome": {}}}),
    ]


def test_params_of_null_and_the_id_of_a_notification_are_absent() -> None:
    """A request may have an id of null."""
    log = read([item("outgoing", "request"), item("incoming", "notification", params={"a": [1]})])
    assert messages(log) == [
        ("client", {"jsonrpc": "2.0", "id": None, "method": "x"}),
        ("agent", {"jsonrpc": "2.0", "method": "x", "params": {"a": [1]}}),
    ]


def test_numbers_and_escapes_stay_as_they_are() -> None:
    """Only white space goes."""
    log = read(
        b'[{"_type": "notification", "_direction": "incoming", "method": "a\\/b",\n'
        b' "params": {"x": 1.50, "y": "\\ud83d a"}}]'
    )
    assert log.messages == [
        Sent(b'{"jsonrpc":"2.0","method":"a\\/b","params":{"x":1.50,"y":"\\ud83d a"}}', "agent")
    ]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (5, "is not an object"),
        ({"a": 1}, "has no direction"),
        (item("sideways", "request"), "has no direction"),
        (item("stderr", "stderr", params=5), "has no text"),
        (item("incoming", "other", method=None), "is neither a request nor a notification nor a response"),
        (item("incoming", "request", method=None), "is neither a request nor a notification nor a response"),
    ],
)
def test_other_items_are_counted(other: Any, why: str) -> None:
    """With their number and a reason."""
    log = read([item("outgoing", "request", id=0), other])
    assert (len(log.messages), [(one.where, one.why) for one in log.unused]) == (1, [("item 2", why)])


def test_a_torn_array_costs_its_last_item() -> None:
    """Copied in part; and damage within costs the item that it hits."""
    whole = read(SAMPLE)
    torn = read(SAMPLE[:-40])
    assert torn.messages == whole.messages[:-1]
    assert [(one.where, one.why) for one in torn.unused] == [("item 18", "is not JSON")]
    damaged = read(SAMPLE.replace(b'"protocolVersion"', b"protocolVersion", 1))
    assert damaged.messages == [whole.messages[0], *whole.messages[2:]]
    assert [(one.where, one.why) for one in damaged.unused] == [("item 2", "is not JSON")]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"[1]", b"[" * 5000, b"nonsense", b'[{"a": 1}]'])
def test_other_files_are_refused(data: bytes) -> None:
    """Without a message there is no log."""
    with pytest.raises(NotThisFormat):
        zed.read([File("a", data)])


def test_several_files_are_several_logs() -> None:
    """Each with its name in the places of what is unused."""
    bad = json.dumps([item("outgoing", "request", id=0), 5]).encode()
    first, second = zed.read([File("a", SAMPLE), File("b", bad)])
    assert (len(first.messages), second.unused[0].where) == (18, "b: item 2")


def test_parts_of_one_log_are_joined() -> None:
    """Whatever their order: what has no beginning goes on where its sessions and requests are."""
    items = json.loads(SAMPLE)
    cuts = [0, 4, 9, len(items)]
    parts = [
        File(f"log-{number}.json", json.dumps(items[begin:end]).encode())
        for number, (begin, end) in enumerate(pairwise(cuts), 9)
    ]
    (log,) = zed.read(parts[::-1])
    assert log.messages == read(SAMPLE).messages
    other = File(
        "log-12.json", json.dumps([item("incoming", "notification", method="session/update")]).encode()
    )
    assert len(zed.read([*parts, other])) == 2


@given(st.integers(0, len(SAMPLE)))
def test_any_part_of_the_sample(end: int) -> None:
    """What is whole is read, and one item at most is lost."""
    try:
        log = read(SAMPLE[:end])
    except NotThisFormat:
        return
    assert log.messages == read(SAMPLE).messages[: len(log.messages)]
    assert len(log.unused) <= 1
