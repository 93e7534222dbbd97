"""A client over HTTP and WebSocket: `python client.py SAW SAID '{"http": 4, "ws": 4, …}' URL…`. Imports nothing of ours.

Opens so many connections of each kind, each at a URL in turn. When all of them are open, each asks `asks` times
for `updates` notifications of `size` characters, and waits for the response each time. Sessions are numbered
from `first`. Each message is noted as the server does it. Prints JSON: how long each connection took, and what broke off.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import websockets
from websockets.asyncio.client import connect

#: How a connection ends that is broken off.
_BROKEN = (httpx.TransportError, websockets.ConnectionClosed, OSError, EOFError)


class Client:
    """All connections of a client."""

    def __init__(self, saw: int, said: int, asked: dict[str, int]) -> None:
        self._saw, self._said, self._asked = saw, said, asked
        self._all_open = asyncio.Barrier(asked["http"] + asked["ws"])
        self.broken: list[str] = []

    async def run(self, urls: list[str]) -> list[float]:
        """Everything; the seconds that each connection took once all were open."""
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        async with httpx.AsyncClient(timeout=None, trust_env=False, limits=limits) as web:
            work = []
            for number in range(self._asked["http"] + self._asked["ws"]):
                url, name = urls[number % len(urls)], f"c{self._asked['first'] + number}"
                if number < self._asked["http"]:
                    work.append(self._whole(name, self._http(web, url, name)))
                else:
                    work.append(self._whole(name, self._websocket(url, name)))
            return [each for each in await asyncio.gather(*work) if each is not None]

    async def _whole(self, name: str, work: Any) -> float | None:
        try:
            took: float = await work
        except _BROKEN as error:
            self.broken.append(f"{name}: {type(error).__name__} {error}")
            await self._all_open.abort()
        except asyncio.BrokenBarrierError:
            self.broken.append(f"{name}: another one")
        else:
            return took
        return None

    async def _http(self, web: httpx.AsyncClient, url: str, name: str) -> float:
        first = await web.post(url, content=self._say(0, "initialize", name))
        if first.status_code != httpx.codes.OK:
            raise EOFError
        self._take(first.content)
        known = {"Acp-Connection-Id": first.headers["acp-connection-id"]}
        async with web.stream("GET", url, headers=known) as response:
            events = _events(response)
            await self._all_open.wait()
            began = time.monotonic()
            for number in range(1, self._asked["asks"] + 1):
                posted = await web.post(url, content=self._say(number, "ask", name), headers=known)
                if posted.status_code != httpx.codes.ACCEPTED:
                    raise EOFError
                await self._answered(events, number)
            took = time.monotonic() - began
            await web.delete(url, headers=known)
            async for _ in events:
                pass
        return took

    async def _websocket(self, url: str, name: str) -> float:
        # Uncompressed: what is sent here would have a hundredth of its size, and fit into any buffer.
        how: dict[str, Any] = {"proxy": None, "max_size": None, "ping_interval": None, "compression": None}
        async with connect(url.replace("http", "ws", 1), **how) as socket:
            messages = _messages(socket)
            await socket.send(self._say(0, "initialize", name).decode())
            await self._answered(messages, 0)
            await self._all_open.wait()
            began = time.monotonic()
            for number in range(1, self._asked["asks"] + 1):
                await socket.send(self._say(number, "ask", name).decode())
                await self._answered(messages, number)
            return time.monotonic() - began

    async def _answered(self, messages: AsyncIterator[bytes], number: int) -> None:
        ending = b'"id":%d,' % number
        async for message in messages:
            self._take(message)
            if ending in message[:40]:
                return
        raise EOFError

    def _say(self, number: int, method: str, name: str) -> bytes:
        params: dict[str, Any] = {"sessionId": name}
        if method == "ask":
            params |= {"updates": self._asked["updates"], "size": self._asked["size"]}
        message = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        os.write(self._said, message + b"\n")
        return message

    def _take(self, message: bytes) -> None:
        os.write(self._saw, message + b"\n")


async def _messages(socket: Any) -> AsyncIterator[bytes]:
    async for message in socket:
        yield message.encode()


async def _events(response: httpx.Response) -> AsyncIterator[bytes]:
    rest = b""
    async for chunk in response.aiter_raw():
        *events, rest = (rest + chunk).split(b"\n\n")
        for event in events:
            yield event.removeprefix(b"data: ")


async def main(saw: str, said: str, asked: str, *urls: str) -> None:
    """Everything, and what came of it."""
    files = [os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) for name in (saw, said)]
    client = Client(files[0], files[1], json.loads(asked))
    took = await client.run([*urls])
    print(json.dumps({"took": took, "broken": client.broken}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
