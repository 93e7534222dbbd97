"""Web pages of other origins reach no model: neither by a base URL nor through the proxy."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from tests.model.proxy.stage import Stage, heard

_TYPED = "Sec-Fetch-Site: none"
_CROSS = "Sec-Fetch-Site: cross-site"


async def _hello(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A model that answers everybody."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    writer.close()


def _status(path: Path, first: str, lines: tuple[str, ...], *, base: bool) -> int:
    """The status of the answer to a request; `HERE` in it is the listener, `MODEL` the model."""

    async def story() -> int:
        stage = Stage(path)
        async with asyncio.timeout(60), stage.playing(_hello, plain=True, base=base):
            agent = await stage.connected()
            head = "\r\n".join([f"{first} HTTP/1.1", *lines, "", ""])
            head = head.replace("HERE", f"127.0.0.1:{stage.proxy_port}")
            head = head.replace("WORD", stage.admission.segment)
            agent.send(head.replace("MODEL", f"127.0.0.1:{stage.port}").encode())
            status = int((await heard(agent)).split(b" ", 2)[1])
            assert bool(stage.seen().exchanges) is (status == 200)
            return status

    return asyncio.run(story())


@pytest.mark.parametrize(
    ("first", "lines", "status"),
    [
        ("POST /v1/messages", ("Host: HERE",), 200),
        ("GET /v1/models?x=1", ("host: HERE", "sec-fetch-mode: cors", "origin: http://HERE"), 200),
        ("GET /v1/models", ("Host: evil.example:1234",), 403),
        ("GET /v1/models", ("Host: HERE", "Host: evil.example"), 400),
        ("GET /v1/models", (), 400),
        ("POST /v1/messages", ("Host: HERE", "Origin: https://evil.example"), 403),
        ("POST /v1/messages", ("Host: HERE", "Origin: null"), 403),
        ("GET /v1/models", ("Host: HERE", _CROSS), 403),
        ("GET /v1/models", ("Host: HERE", "Upgrade: websocket", "Origin: https://evil.example"), 403),
        ("CONNECT MODEL", ("Host: HERE",), 400),
        ("GET http://MODEL/v1", ("Host: HERE",), 400),
        ("GET //MODEL/v1", ("Host: HERE",), 400),
        ("OPTIONS *", ("Host: HERE",), 400),
        ("GET WORD/v1/models", ("Host: HERE",), 200),
        # No page knows the word: an agent may live in a web view, or behind another name of this machine.
        ("GET WORD/v1/models", ("Host: HERE", "Origin: app://agent", _CROSS), 200),
        ("GET WORD/v1/models", ("Host: host.docker.internal:1234",), 200),
        ("GET WORD//MODEL/v1", ("Host: HERE",), 400),
        ("PRI *", ("Host: HERE",), 400),
        ("GET /v1/models", ("Host: HERE", "X: y\nOrigin: https://evil.example"), 403),
    ],
)
def test_at_a_base_url(tmp_path: Path, first: str, lines: tuple[str, ...], status: int) -> None:
    """The model gets its own name as `Host`, so it could not see that a page has another name lead here."""
    assert _status(tmp_path, first, lines, base=True) == status


@pytest.mark.parametrize(
    ("first", "lines", "status"),
    [
        ("GET http://MODEL/v1", ("Host: MODEL",), 200),
        # A browser that an agent drives speaks for the pages that it shows.
        ("GET http://MODEL/v1", ("Host: MODEL", "Origin: https://app.example", _CROSS), 200),
        ("GET http://MODEL/v1", ("Host: MODEL", _TYPED), 200),
        # What a page can have sent here.
        ("GET /", ("Host: HERE", _CROSS), 400),
        ("GET /", ("Host: HERE",), 400),
        ("POST /v1/messages", ("Host: MODEL",), 400),
        ("GET //MODEL/v1", ("Host: MODEL",), 400),
        ("OPTIONS *", ("Host: MODEL",), 400),
        ("GET MODEL", ("Host: MODEL",), 400),
        ("GET https://MODEL/v1", ("Host: MODEL",), 400),
        ("GET @MODEL/v1", ("Host: MODEL",), 400),
    ],
)
def test_through_the_proxy(tmp_path: Path, first: str, lines: tuple[str, ...], status: int) -> None:
    """Only a whole URL, or CONNECT, is for a proxy. A page's browser asks for a path."""
    assert _status(tmp_path, first, lines, base=False) == status
