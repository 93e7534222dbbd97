"""What a type accepts, `judge` accepts, and finds nothing that no shape has."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from acp_trace.protocol.shapes.strict import fits
from acp_trace.protocol.shapes.tables import MessagePart, shapes
from tests.protocol.shapes.proof import _changed, _Maker

_SENDERS = {"agent": "client", "client": "agent"}
_METHODS = [
    (version, *key)
    for version in (1, 2)
    for key in sorted(shapes(version).table.methods)
    if key[1] in _SENDERS
]


def _frame(method: str, part: str, value: Any) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if part != "response":
        message["method"] = method
    if part != "notification":
        message["id"] = 1
    return json.dumps(message | {"result" if part == "response" else "params": value}).encode()


@pytest.mark.parametrize(("version", "method", "handler", "part"), _METHODS)
def test_no_type_accepts_a_fault(version: int, method: str, handler: str, part: MessagePart) -> None:
    """Of values of every shape, whole and with one change."""
    chance, table = random.Random(7), shapes(version)
    sender = _SENDERS[handler]
    name = table.name(method, sender, part)
    assert name is not None
    maker, accepted = _Maker(version, chance), 0
    for _ in range(12):
        value = maker.value(table.table.shapes[name])
        for each in (value, *(_changed(value, chance)[0] for _ in range(6) if value)):
            if fits(_frame(method, part, each), version, method, sender, part):
                accepted += 1
                assert table.faults(each, name) == [], each
    assert accepted or (method, part) in _NEVER


#: Methods whose shape has no type: they have a form without a tag.
_NEVER = {("elicitation/create", "request"), ("mcp/message", "response")}
