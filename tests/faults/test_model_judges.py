"""The judge of the model's side can say no: exchanges that lie about what was said are told."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.model.exchange import Chunk, ModelExchange
from tests.faults.model import saying
from tests.faults.model.saying import Ask
from tests.faults.model.staging import judged
from tests.faults.stage import Lie


def _exchange(kind: str, **changes: Any) -> ModelExchange:
    ask = Ask(kind, 1)
    exchange = ModelExchange(
        1,
        0,
        path=ask.path,
        status=ask.answer.status,
        request_body=saying.body(ask),
        chunks=[Chunk(n, piece) for n, piece in enumerate(saying.decoded(ask))],
        ended_ns=9,
    )
    for name, value in changes.items():
        setattr(exchange, name, value)
    return exchange


_FIRST = [Chunk(1, saying.decoded(Ask("stream", 1))[0])]
_LATER = [Chunk(1, saying.decoded(Ask("stream", 1))[5])]
_OTHER = [Chunk(1, b"data: other\n\n")]


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("gzip", {}, "whole"),
        ("failed", {}, "whole"),
        ("breaks", {"chunks": _FIRST, "broken_by": "provider"}, "broken"),
        ("stream", {"chunks": _FIRST, "ended_ns": None}, "part"),
        ("stream", {"chunks": _LATER, "damaged": True}, "part"),
        ("stream", {"path": "", "damaged": True}, "part"),
    ],
)
def test_what_is_so_is_counted(kind: str, changes: dict[str, Any], said: str) -> None:
    """As what the trace says that it is."""
    assert judged([_exchange(kind, **changes)]) == {said: 1}


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("stream", {"chunks": _FIRST}),
        ("stream", {"chunks": _OTHER, "damaged": True}),
        ("stream", {"chunks": _LATER, "ended_ns": None}),
        ("stream", {"request_body": b"{}"}),
        ("stream", {"request_body": None}),
        ("stream", {"status": 500}),
        ("stream", {"broken_by": "provider"}),
        ("stream", {"path": ""}),
        ("breaks", {}),
    ],
)
def test_what_is_not_so_is_told(kind: str, changes: dict[str, Any]) -> None:
    """A body that is not whole and said to be, another one, an end that was not so."""
    with pytest.raises(Lie):
        judged([_exchange(kind, **changes)])


def test_an_exchange_that_is_there_twice_is_told() -> None:
    """Each request was made once."""
    with pytest.raises(Lie, match="twice"):
        judged([_exchange("stream"), _exchange("stream")])
