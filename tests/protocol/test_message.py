"""What a frame is, by JSON-RPC and by the fields that the analysis needs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.protocol.message import MessageKind, cancelled_id, id_type, read


@pytest.mark.parametrize(
    ("text", "kind", "id_", "method"),
    [
        (b'{"jsonrpc":"2.0","id":0,"method":"a"}', MessageKind.REQUEST, "0", "a"),
        (b'{"id":null,"method":"a"}', MessageKind.REQUEST, "null", "a"),
        (b'{"id":"x","method":"a","params":null}', MessageKind.REQUEST, '"x"', "a"),
        (b'{"id":"\\u0078","method":"a","params":[1]}', MessageKind.REQUEST, '"x"', "a"),
        (b'{"id":1.50,"method":"a"}', MessageKind.REQUEST, "1.5", "a"),
        (b'{"method":"a"}', MessageKind.NOTIFICATION, None, "a"),
        (b'{"id":7,"result":null}', MessageKind.RESPONSE, "7", None),
        (b'{"id":7,"error":{}}', MessageKind.RESPONSE, "7", None),
        (b'{"result":{}}', MessageKind.RESPONSE, None, None),
        (b"{}", MessageKind.INVALID, None, None),
        (b'{"id":1}', MessageKind.INVALID, None, None),
        (b'{"method":5,"id":1}', MessageKind.INVALID, None, None),
        (b"[]", MessageKind.INVALID, None, None),
        (b"5", MessageKind.INVALID, None, None),
        (b"nonsense", MessageKind.INVALID, None, None),
        (b"[" * 9000 + b"]" * 9000, MessageKind.INVALID, None, None),
    ],
)
def test_kinds(text: bytes, kind: MessageKind, id_: str | None, method: str | None) -> None:
    """Requests, notifications, responses, and what is none of them."""
    message = read(text)
    assert (message.kind, message.id, message.method) == (kind, id_, method)


@pytest.mark.parametrize(
    "params",
    ['{"sessionId":"s","update":{"sessionUpdate":"plan"}}',
     '{"sessionId":"s","update":{"sessionUpdate":"plan","x":"\\ud83d"}}',
     '{"update":{"sessionUpdate":"plan","n":' + "9" * 5000 + '},"sessionId":"s"}'],
)  # fmt: skip
def test_the_slow_way_reads_the_same(params: str) -> None:
    """A lone surrogate or a giant number in a message does not hide its session."""
    message = read(b'{"method":"session/update","params":%b}' % params.encode())
    assert (message.kind, message.session_id, message.update) == (MessageKind.NOTIFICATION, "s", "plan")


def test_members_of_another_type_count_as_absent() -> None:
    """A session id that is a number names no session."""
    message = read(b'{"method":"session/update","params":{"sessionId":5,"update":[]}}')
    assert (message.session_id, message.update) == (None, None)
    assert read(b'{"method":"x","params":7}').part("params") == {}


def test_id_types() -> None:
    """The JSON types."""
    texts = ['"a"', "1", "-1", "1e5", "null", "true", "[1]", "{}", None]
    assert [id_type(text) for text in texts] == [
        "string", "number", "number", "number", "null", "boolean", "array", "object", None,
    ]  # fmt: skip


_OBJECTS = st.recursive(st.none() | st.text(), lambda inner: st.dictionaries(st.text(), inner))


@pytest.mark.slow
@given(st.binary(max_size=60) | _OBJECTS.map(lambda thing: json.dumps(thing).encode()))
def test_never_raises(text: bytes) -> None:
    """Any bytes at all."""
    message = read(text)
    assert message.part("params") is not None


@pytest.mark.parametrize(
    "text",
    [b'{"method":"x\xff"}', b'{"jsonrpc":"\xff","method":"x"}', b'{"id":1,"params":{"sessionId":"\xff"}}'],
)
def test_lines_that_are_no_utf_8(text: bytes) -> None:
    """A replay reads what a live side says before anybody looked at it. Found by fuzzing."""
    message = read(text)
    assert (message.kind, message.part("params")) == (MessageKind.INVALID, {})
    cancel = b'{"method":"$/cancel_request","params":{"requestId":1,"id":"\xff"},"x\xff":1}'
    assert cancelled_id(read(cancel)) == "1"
