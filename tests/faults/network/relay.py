"""A way that is slow for a while: `python relay.py PORT NAP_S GO`. Prints its own port. Imports nothing of ours.

What comes from the server at PORT goes on a byte now and then for so many seconds, with little room on the
way, and then until a file GO is there; then all of it as it comes. The other direction is never slow.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from contextlib import suppress

_ROOM = 4096
_BETWEEN_S = 0.01


async def main(port: str, nap_s: str, go: str) -> None:
    """Relays until it is killed."""
    loop = asyncio.get_running_loop()

    async def slow(near: socket.socket, far: socket.socket) -> None:
        ends = time.monotonic() + float(nap_s)
        while time.monotonic() < ends or not os.access(go, os.F_OK):
            if not (data := await loop.sock_recv(far, 1)):
                return
            await loop.sock_sendall(near, data)
            await asyncio.sleep(_BETWEEN_S)
        await swift(near, far)

    async def swift(to: socket.socket, source: socket.socket) -> None:
        while data := await loop.sock_recv(source, 1 << 16):
            await loop.sock_sendall(to, data)

    async def relayed(near: socket.socket) -> None:
        with near, socket.socket() as far:
            far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _ROOM)
            far.setblocking(False)
            await loop.sock_connect(far, ("127.0.0.1", int(port)))
            tasks = [asyncio.ensure_future(each) for each in (slow(near, far), swift(far, near))]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    listener.setblocking(False)
    print(listener.getsockname()[1], flush=True)
    tasks = set()
    while True:
        near, _ = await loop.sock_accept(listener)
        task = asyncio.ensure_future(relayed(near))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main(*sys.argv[1:]))
