"""Who may use a listener of the proxy: the agent of this run, and no other user of the machine.

Every user of a machine can connect to a port on its loopback. A connection is served if it has the word that
only the agent's environment contains, or if a program of this user is at its other end. Either is enough. An
agent under `sudo -u`, or in a container, is another user and has the word. A program that drops the login of
a proxy's URL, or the path of a base URL, belongs to this user, as a rule.

| listener | where the word is | without it, and of another user |
|---|---|---|
| proxy | the login in its URL: `http://acp-trace:WORD@127.0.0.1:PORT` | 407 |
| base URL | the first segment of its path: `http://127.0.0.1:PORT/WORD/v1` | 403 |

On systems that do not tell who is at the other end (all but Linux), the word is the only way.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import os
from collections.abc import Callable, Collection, Iterator

from acp_trace.gate import peers
from acp_trace.gate.peers import Connection, End

_USER = "acp-trace"
#: Begins a word. The journal holds back the end of a piece that may begin a secret: few pieces end like this.
_MARK = "_"
#: Bytes of chance in a word.
_CHANCE = 16
_SCHEME = b"basic "

NOT_THE_PROXYS_LOGIN = (
    b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="acp-trace"',
    b"acp-trace: this proxy serves one agent only: use all of the URL in HTTPS_PROXY\n",
)
NOT_THE_BASE_URL = (
    b"HTTP/1.1 403 Forbidden",
    b"acp-trace: this address serves one agent only: use all of the URL in ACP_TRACE_MODEL_BASE\n",
)


class Admission:
    """The word of one listener. `trusted` returns which of the connections have a program of this user."""

    def __init__(
        self, trusted: Callable[[Collection[Connection]], Collection[Connection]] = peers.trusted
    ) -> None:
        self._word = _MARK + os.urandom(_CHANCE).hex()
        self._trusted = trusted
        self._asked: dict[Connection, asyncio.Future[bool]] = {}  #: connections whose owner is wanted
        self._asking: asyncio.Task[None] | None = None

    def proxy_url(self, host: str, port: int) -> str:
        """Return the URL of the proxy, with the login."""
        return f"http://{_USER}:{self._word}@{host}:{port}"

    @property
    def segment(self) -> str:
        """The first segment of a base URL's path, with its slash."""
        return f"/{self._word}"

    def secrets(self) -> Iterator[str]:
        """Everything that no trace may contain: the word, and the login as a header has it."""
        yield self._word
        yield self._basic().decode()

    async def admits_login(self, values: Iterator[bytes], peer: End, here: End) -> bool:
        """Return whether the proxy serves a connection. `values`: of its headers `Proxy-Authorization`."""
        expected = self._basic()
        for value in values:
            scheme, login = value[: len(_SCHEME)], value[len(_SCHEME) :].strip()
            if scheme.lower() == _SCHEME and hmac.compare_digest(login, expected):
                return True
        return await self.is_ours(peer, here)

    async def admits_path(self, target: bytes, peer: End, here: End) -> bytes | None:
        """Return the target of a request to a base URL without the word; None if it is not served."""
        segment, word = target[: len(self.segment)], self.segment.encode()
        rest = target[len(word) :]
        if hmac.compare_digest(segment, word) and rest[:1] in (b"", b"/", b"?"):
            return rest if rest.startswith(b"/") else b"/" + rest
        return target if await self.is_ours(peer, here) else None

    async def is_ours(self, peer: End, here: End) -> bool:
        """Return whether a program of this user is at the other end of a connection."""
        future = asyncio.get_running_loop().create_future()
        future = self._asked.setdefault((peer, here), future)
        if self._asking is None:
            self._asking = asyncio.ensure_future(self._ask())
        return await asyncio.shield(future)

    async def _ask(self) -> None:
        """Finds the owners, in a thread: on a machine with many sockets, this takes milliseconds.

        One look is for all who have come meanwhile. With one for each, another user with thousands of
        connections would keep all threads busy. The names of hosts are looked up there too.
        """
        try:
            while self._asked:
                asked, self._asked = self._asked, {}
                ours: Collection[Connection] = ()
                try:
                    ours = await asyncio.to_thread(self._trusted, list(asked))
                finally:
                    for connection, future in asked.items():
                        future.set_result(connection in ours)
        finally:
            self._asking = None

    def _basic(self) -> bytes:
        return base64.b64encode(f"{_USER}:{self._word}".encode())
