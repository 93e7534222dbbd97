"""An agent that is reached over HTTP or WebSocket, with pipes like those of a started one.

So the tee and the player are the same for both. A separate thread moves lines from one pipe to the link, and
messages from the link to the other pipe. The link logs what it sends and receives, so the recording has the
messages with their streams, and not the lines. Nothing is started or killed: the end of the input closes the
connection. Its failure, if any, is in `fault`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading

from acp_trace.replay.drive.link import PeerPipes, link
from acp_trace.replay.drive.waits import Stop, wait, wait_for_one_of
from acp_trace.replay.timeouts import FLUSH_NS, KILLED_S, LEFT_OVER_S, LINGER_S, LONGEST_LINE, SECOND
from acp_trace.trace.encode import Framer
from acp_trace.transport.client import opened
from acp_trace.transport.client_link import CLOSE_S, ClientFault, Link
from acp_trace.transport.remote import RemoteAgent
from acp_trace.transport.stream_log import NOBODY, StreamLog

#: JSON has them only between its tokens; in a trace they end a line.
_LINE_ENDS = bytes.maketrans(b"\n", b" ")


class RemoteConnection:
    """The connection to a remote agent, in place of a process. Raises OSError if no descriptor is left.

    The caller closes `stdin`, `stdout` and `stderr`. It must be started, and finished.
    """

    def __init__(self, agent: RemoteAgent) -> None:
        self._agent = agent
        self._log = NOBODY
        self.fault = ""  #: why it broke, in one line; empty if it did not
        self.gone = threading.Event()
        self._stop = Stop()
        self._is_running = False
        self._reads, self.stdin = os.pipe()
        self.stdout, self._writes = os.pipe()
        self.stderr, unused = os.pipe()
        os.close(unused)  # a remote agent has no stderr
        self._pipes = link(PeerPipes(self._reads, self._writes, self._stop))
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self, log: StreamLog) -> None:
        """Connect, and move messages from now on. `log` is notified of all of them."""
        self._log = log
        self._is_running = True
        self._thread.start()

    def end(self) -> None:
        """Wait for the end of the connection after the end of the input, which closes it."""
        wait(self.gone, int((CLOSE_S + LEFT_OVER_S) * SECOND))

    def finish(self) -> None:
        """End what is left of the connection, if it was started."""
        if self._is_running:
            self._is_running = False
            self._stop.set()
            self._thread.join(KILLED_S)
            self._stop.close()

    def _run(self) -> None:
        try:
            asyncio.run(self._connect())
        except ClientFault as error:
            self.fault = str(error)
        except asyncio.CancelledError:
            pass
        finally:
            self._pipes.close(FLUSH_NS)
            os.close(self._writes)
            os.close(self._reads)
            self.gone.set()

    async def _connect(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        stopped = asyncio.ensure_future(asyncio.to_thread(wait_for_one_of, self._stop))
        stopped.add_done_callback(lambda _: task.cancel())
        try:
            remote = await opened(self._agent, self._log, most_bytes=LONGEST_LINE)
            try:
                await self._pass_on(remote)
            finally:
                await remote.close()
        finally:
            self._stop.set()  # the threads that wait for a pipe: the loop does not end before they do

    async def _pass_on(self, link: Link) -> None:
        """Move messages both ways, until one direction ends. Raises ClientFault if that was the agent's."""
        inwards = asyncio.ensure_future(self._inwards(link))
        outwards = asyncio.ensure_future(self._outwards(link))
        try:
            await asyncio.wait({inwards, outwards}, return_when=asyncio.FIRST_COMPLETED)
            # Earlier messages are still passed on; so are those just after the client's last message.
            is_broken = inwards.done() and inwards.exception() is not None
            await asyncio.wait({outwards}, timeout=LEFT_OVER_S if is_broken else LINGER_S)
            for each in (inwards, outwards):
                if each.done() and (error := each.exception()) is not None:
                    raise error
        finally:
            for each in (inwards, outwards):
                each.cancel()
            await asyncio.gather(inwards, outwards, return_exceptions=True)

    async def _inwards(self, link: Link) -> None:
        framer = Framer()
        while data := await asyncio.to_thread(self._read):
            for line in framer.feed(data).split(b"\n")[:-1]:
                await link.send(line)
        if rest := framer.rest():
            await link.send(rest)

    async def _outwards(self, link: Link) -> None:
        while await asyncio.to_thread(self._write, (await link.receive()).translate(_LINE_ENDS) + b"\n"):
            pass

    def _read(self) -> bytes:
        """Return the client's next data; empty at its end, or at a wish to stop."""
        while not self._stop.is_set():
            if self._pipes.wait(None, for_input=True, for_room=False):
                data = self._pipes.read()
                if data is not None:
                    return data
        return b""

    def _write(self, data: bytes) -> bool:
        """Write data; return whether it was written: not without a reader, or at a wish to stop."""
        with contextlib.suppress(OSError):
            while data and not self._stop.is_set():
                self._pipes.wait(None, for_input=False, for_room=True)
                data = data[self._pipes.write(data) :]
        return not data
