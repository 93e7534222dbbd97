"""Records on their way to the recorder, through a pipe on which the traffic never waits.

The recorder or its disk may be slow: traffic goes on all the same. What does not fit into the pipe waits
here, up to a limit; later records are lost, and the loss is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from acp_trace.model.records import Record
from acp_trace.system.loop_pipes import Outlet
from acp_trace.trace.capture_layout import MODEL_HEAD, beside
from acp_trace.trace.document import document

#: Bytes that wait at most.
_MOST = 256 << 20


class Outbox:
    """Sends records; `t` is read from `clock`, ns. `on_loss` is called when something is lost."""

    def __init__(self, outlet: Outlet, clock: Callable[[], int], on_loss: Callable[[], None]) -> None:
        self._outlet, self._clock, self._on_loss = outlet, clock, on_loss
        self._waiting = bytearray()
        self._lost = 0
        self._is_watching = self._is_gone = False

    def send(self, records: Iterable[Record]) -> None:
        """Send records, all with the current time. Never waits, never raises."""
        t = self._clock()
        for record in records:
            self._put(beside(t, record.stream, record.exchange, record.data))
        self._write()

    def drain(self) -> None:
        """Wait until everything is sent, or the pipe has no reader."""
        if not self._is_gone:
            self._outlet.wait()
            self._write()

    def _put(self, message: bytes) -> None:
        if self._is_gone:
            return
        if len(self._waiting) + len(message) > _MOST:
            self._lost += len(message)
            self._on_loss()
            return
        if self._lost:
            gap = document({"gap": {"bytes": self._lost, "reason": "the recorder was too slow"}})
            self._waiting += beside(self._clock(), MODEL_HEAD, 0, gap)
            self._lost = 0
        self._waiting += message

    def _write(self) -> None:
        """Write as much as the pipe takes."""
        try:
            while self._waiting and (done := self._taken()):
                del self._waiting[:done]
        except OSError:  # the recorder is gone
            self._is_gone = True
            self._waiting.clear()
        is_wanted = bool(self._waiting)
        if is_wanted != self._is_watching:
            self._is_watching = is_wanted
            self._outlet.when_writable(self._write if is_wanted else None)

    def _taken(self) -> int:
        with memoryview(self._waiting) as waiting:  # released: only then may bytes be deleted
            return self._outlet.write(waiting)
