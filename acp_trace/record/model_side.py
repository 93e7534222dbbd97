"""The process that stands between an agent and its language model, as its recorder sees it.

It is started before the agent, says what the agent's environment is to be, then sends what it records through
a pipe: this process alone writes the trace. Knows nothing of HTTP, and imports nothing that does.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
from collections.abc import Callable, Mapping

from acp_trace.system.pipes import set_blocking
from acp_trace.trace import own_python
from acp_trace.trace.capture_layout import (
    BESIDE_SIZE,
    CANCELLED,
    CUTS,
    LOST,
    MODEL,
    MODEL_HEAD,
    RECORDER,
    WARNING,
    read_beside,
)
from acp_trace.trace.document import document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from acp_trace.record.sink import Sink

#: So long may the proxy take to begin, and to end.
_START_S, _END_S = 20.0, 5.0
_INSTALL = "recording the model's side needs more packages: pip install 'acp-trace[model]'"


class Lacking(Exception):
    """The packages that the proxy needs are not installed. The message is one line for people."""


class ModelSide:
    """A running proxy. Raises Lacking, and OSError if it does not begin.

    `words`: what is asked of it (`acp_trace.model.proxy.settings`). `environment`: what changes for the
    agent. `warnings`: lines for people. `unseen`: after its end, what it says if it saw no call of a model.
    """

    def __init__(self, words: Mapping[str, object]) -> None:
        self._process = subprocess.Popen(
            own_python.module("acp_trace.model.proxy"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._control = self._process.stdin.fileno()
        self._records: IO[bytes] = self._process.stdout
        set_blocking(self._control, False)
        self._thread: threading.Thread | None = None
        self._is_ending = self._is_given_up = False
        self.warnings: list[str] = []
        self.unseen = ""
        try:
            self._ask(words)
            self.environment = self._begun()
        except BaseException:
            self._process.kill()
            self._process.wait()
            self._release()
            raise

    def attach(self, sink: Sink, say: Callable[[str], None]) -> None:
        """From now on what it records goes into the trace. `say`: how the loss of it is told."""
        self._thread = threading.Thread(target=self._run, args=(sink, say), daemon=True)
        self._thread.start()

    def cancelled(self) -> None:
        """Tells it that the client has sent a cancel to the agent."""
        with contextlib.suppress(OSError):
            os.write(self._control, CANCELLED)

    def end(self) -> None:
        """Ends it, when all that it has recorded is in the trace."""
        self._is_ending = True
        self._hang_up()
        if self._thread is not None:
            self._thread.join(_END_S)
            if self._thread.is_alive():
                self._is_given_up = True
                self._process.kill()
                self._thread.join(_END_S)
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._release()

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]

    def _release(self) -> None:
        self._hang_up()
        with contextlib.suppress(OSError):
            self._records.close()

    def _ask(self, words: Mapping[str, object]) -> None:
        """Sends the settings; not as an argument, because all users can read those. Raises OSError."""
        left = memoryview(document(words) + b"\n")
        with contextlib.suppress(BrokenPipeError):  # `_begun` knows why the process ended
            while left:
                if not select.select([], [self._control], [], _START_S)[1]:
                    raise OSError("its proxy does not begin")
                left = left[os.write(self._control, left) :]

    def _begun(self) -> dict[str, str]:
        """What it says first. Raises Lacking and OSError."""
        if not select.select([self._records], [], [], _START_S)[0]:
            raise OSError("its proxy does not begin")
        head = self._records.read(BESIDE_SIZE)
        if len(head) < BESIDE_SIZE:
            raise OSError("its proxy cannot be started")
        words = os.fsdecode(self._records.read(read_beside(head)[1]))
        if words.startswith("!missing"):
            raise Lacking(_INSTALL)
        if words.startswith("!"):
            raise OSError(words[1:].removeprefix("failed "))
        parts = words.split("\0")
        self.warnings = [part.removeprefix(WARNING) for part in parts if part.startswith(WARNING)]
        pairs = (part.partition("=") for part in parts if not part.startswith(WARNING))
        return {name: value for name, _, value in pairs}

    def _run(self, sink: Sink, say: Callable[[str], None]) -> None:
        with contextlib.suppress(OSError, ValueError, MemoryError):
            while self._moved(sink):
                pass
        if self._has_died():
            say("the proxy to the agent's language model has died; the agent cannot reach it any more")
            with contextlib.suppress(OSError):
                sink.write_beside(MODEL_HEAD, 0, None, document({"proxy": {"died": True}}))

    def _has_died(self) -> bool:
        """Whether its end was not asked for. It may have died, and that be read only when it is to end."""
        if not self._is_ending:
            return True
        try:
            return self._process.wait(_END_S) != 0 and not self._is_given_up
        except subprocess.TimeoutExpired:
            return False

    def _moved(self, sink: Sink) -> bool:
        """Writes the next record; whether there was one."""
        head = self._records.read(BESIDE_SIZE)
        if len(head) < BESIDE_SIZE:
            return False
        t, length, stream, exchange = read_beside(head)
        data = self._records.read(length)
        if len(data) < length:
            return False
        if stream == RECORDER:
            self.unseen = data.decode("utf-8", "replace")
        elif stream == CUTS:
            self._cut(sink, data)
        elif stream in MODEL and not sink.write_beside(stream, exchange, t, data):
            with contextlib.suppress(OSError):  # it has not read what it was told before
                os.write(self._control, LOST)
        return True

    @staticmethod
    def _cut(sink: Sink, data: bytes) -> None:
        """Overwrites secrets that were written before they were known, and says in the trace how many."""
        from acp_trace.record import late_cuts

        places = late_cuts.places(data)
        done = sink.change(lambda fd: late_cuts.cut(fd, places))
        said = {"cut": done, "left": len(places) - done}
        sink.write_beside(MODEL_HEAD, 0, None, document({"late_secrets": said}))
