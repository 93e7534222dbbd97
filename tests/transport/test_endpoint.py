"""The application that serves ACP: which bodies it reads."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from acp_trace.transport import endpoint
from acp_trace.transport.endpoint import Endpoint
from acp_trace.transport.limits import MOST_OF_FIRST
from acp_trace.transport.served import ServedConnection


async def _nobody(_: ServedConnection) -> None:
    """No connection begins."""
    raise AssertionError


def test_a_stranger_cannot_have_long_bodies_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every program of the machine can send a request that names no connection. Other clients would wait."""
    parsed: list[int] = []
    monkeypatch.setattr(endpoint, "value_or_none", lambda body: parsed.append(len(body)))

    def status(size: int) -> int:
        sent: list[MutableMapping[str, Any]] = []
        piece = {"type": "http.request", "body": bytes(size // 4), "more_body": True}
        parts = iter([piece, piece, piece, {**piece, "more_body": False}])

        async def receive() -> MutableMapping[str, Any]:
            return next(parts)

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": "/acp",
            "raw_path": b"/acp",
            "headers": [(b"content-type", b"application/json")],
        }
        asyncio.run(Endpoint(_nobody)(scope, receive, send))
        return int(sent[0]["status"])

    assert status(MOST_OF_FIRST) == 400  # it is not a message
    assert status(MOST_OF_FIRST + 4) == 413
    assert parsed == [MOST_OF_FIRST]
