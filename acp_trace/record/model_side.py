"""The proxy between an agent and its language model, from its recorder's side.

It is started before the agent, sends the changes of the agent's environment, then its records through a pipe:
the recorder alone writes the trace. Knows nothing of HTTP, and imports nothing that does.
"""

from __future__ import annotations

import contextlib
import os
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

#: Seconds that the proxy may take to begin, and to end.
_START_S, _END_S = 20.0, 5.0
_INSTALL = "recording the model's side needs more packages: pip install 'acp-trace[model]'"


class Lacking(Exception):
    """The packages that the proxy needs are not installed. The message is one line for people."""


class ModelSide:
    """A running proxy. Raises Lacking, and OSError if it does not begin.

    `words`: its settings (`acp_trace.model.proxy.settings`). `environment`: what changes for the agent.
    `warnings`: lines for people. `unseen`: after its end, its message if it saw no model call.
    """

    def __init__(self, words: Mapping[str, object]) -> None:
        self._process = subprocess.Popen(
            own_python.module("acp_trace.model.proxy"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Windows ignores it
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._control = self._process.stdin.fileno()
        self._records: IO[bytes] = self._process.stdout
        self._thread: threading.Thread | None = None
        self._is_ending = self._is_given_up = self._is_late = False
        self.warnings: list[str] = []
        self.unseen = ""
        patience = threading.Timer(_START_S, self._give_up)  # not every system can wait for a pipe
        patience.start()
        try:
            self._ask(words)
            self.environment = self._begun()
        except BaseException:
            self._process.kill()
            self._process.wait()
            self._release()
            raise
        finally:
            patience.cancel()
        set_blocking(self._control, False)

    def attach(self, sink: Sink, say: Callable[[str], None]) -> None:
        """Write its records into the trace from now on. `say` is called if it is lost."""
        self._thread = threading.Thread(target=self._run, args=(sink, say), daemon=True)
        self._thread.start()

    def cancelled(self) -> None:
        """Notify it that the client has sent a cancel to the agent."""
        with contextlib.suppress(OSError):
            os.write(self._control, CANCELLED)

    def end(self) -> None:
        """End it, when everything that it has recorded is in the trace."""
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

    def _give_up(self) -> None:
        self._is_late = True
        self._process.kill()

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]

    def _release(self) -> None:
        self._hang_up()
        with contextlib.suppress(OSError):
            self._records.close()

    def _ask(self, words: Mapping[str, object]) -> None:
        """Send the settings; not as an argument, which all users can read."""
        left = memoryview(document(words) + b"\n")
        with contextlib.suppress(OSError):  # it has ended: `_begun` knows the reason
            while left:
                left = left[os.write(self._control, left) :]

    def _begun(self) -> dict[str, str]:
        """Return its first message, the changed environment. Raises Lacking and OSError."""
        head = self._records.read(BESIDE_SIZE)
        if len(head) < BESIDE_SIZE:
            raise OSError("its proxy did not start" if self._is_late else "its proxy cannot be started")
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
            say("the proxy to the agent's language model has died; the agent can no longer reach its model")
            with contextlib.suppress(OSError):
                sink.write_beside(MODEL_HEAD, 0, None, document({"proxy": {"died": True}}))

    def _has_died(self) -> bool:
        """Whether it ended unasked. It may have died and be noticed only when it is asked to end."""
        if not self._is_ending:
            return True
        try:
            return self._process.wait(_END_S) != 0 and not self._is_given_up
        except subprocess.TimeoutExpired:
            return False

    def _moved(self, sink: Sink) -> bool:
        """Write the next record; return whether there was one."""
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
            with contextlib.suppress(OSError):  # it has not read the earlier signals
                os.write(self._control, LOST)
        return True

    @staticmethod
    def _cut(sink: Sink, data: bytes) -> None:
        """Overwrite secrets that were written before they were known, and note their number in the trace."""
        from acp_trace.record import late_cuts

        places = late_cuts.places(data)
        done = sink.change(lambda fd: late_cuts.cut(fd, places))
        said = {"cut": done, "left": len(places) - done}
        sink.write_beside(MODEL_HEAD, 0, None, document({"late_secrets": said}))
