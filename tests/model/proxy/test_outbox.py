"""Records on their way to a recorder that is slow, or gone: nobody waits."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from acp_trace.system.pipes import set_blocking

pytest.importorskip("h11")

from acp_trace.model.proxy import outbox
from acp_trace.model.proxy.outbox import Outbox
from acp_trace.model.records import Record
from acp_trace.system.loop_pipes import PolledOutlet
from acp_trace.trace.capture_layout import BESIDE_SIZE, MODEL_HEAD, MODEL_REQUEST, read_beside


class _Recorder:
    """Reads what an outbox sends, when it likes."""

    def __init__(self) -> None:
        self.end, fd = os.pipe()
        self.losses = 0
        self.ready: Callable[[], None] | None = None
        self.outbox = Outbox(PolledOutlet(fd, self), lambda: 7, self._lose)  # type: ignore[arg-type]
        self._fd = fd
        self._data = b""

    def add_writer(self, _: int, ready: Callable[[], None]) -> None:
        """As the event loop, which this one is to the outlet."""
        self.ready = ready

    def remove_writer(self, _: int) -> None:
        """Likewise."""
        self.ready = None

    def _lose(self) -> None:
        self.losses += 1

    def read(self) -> list[tuple[int, int, int, bytes]]:
        """All records that come; the outbox is told when it may go on."""
        set_blocking(self.end, False)
        while True:
            try:
                self._data += os.read(self.end, 1 << 20)
            except BlockingIOError:
                if self.ready is None:
                    break
                self.ready()
        records = []
        while self._data:
            t, length, stream, exchange = read_beside(self._data[:BESIDE_SIZE])
            end = BESIDE_SIZE + length
            records.append((t, stream, exchange, self._data[BESIDE_SIZE:end]))
            self._data = self._data[end:]
        return records

    def close(self) -> None:
        os.close(self._fd)
        os.close(self.end)


def test_what_does_not_fit_waits() -> None:
    """A recorder that does not read keeps nobody waiting, and gets everything later, in order."""
    recorder = _Recorder()
    sent = [Record(MODEL_REQUEST, n, bytes([n]) * 100_000) for n in range(1, 40)]
    recorder.outbox.send(sent)
    assert recorder.ready is not None
    assert recorder.read() == [(7, record.stream, record.exchange, record.data) for record in sent]
    assert not recorder.losses
    recorder.close()


def test_what_is_too_much_is_lost_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once there is room again, a gap says how much it was."""
    monkeypatch.setattr(outbox, "_MOST", 3_000_000)
    recorder = _Recorder()
    recorder.outbox.send([Record(MODEL_REQUEST, 1, bytes(1_000_000))] * 9)
    assert recorder.losses > 0
    recorder.read()
    recorder.outbox.send([Record(MODEL_REQUEST, 2, b"again")])
    gap, again = recorder.read()
    lost = recorder.losses * (1_000_000 + BESIDE_SIZE)
    assert gap == (7, MODEL_HEAD, 0, b'{"gap":{"bytes":%d,"reason":"the recorder was too slow"}}' % lost)
    assert again[3] == b"again"
    recorder.close()


def test_a_recorder_that_is_gone() -> None:
    """Nothing is raised, and nothing kept."""
    recorder = _Recorder()
    os.close(recorder.end)
    for _ in range(2):
        recorder.outbox.send([Record(MODEL_REQUEST, 1, b"x")])
    recorder.outbox.drain()
    assert recorder.ready is None
    os.close(recorder._fd)
