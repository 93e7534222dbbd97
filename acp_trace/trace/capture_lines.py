"""Blocks of a capture -> lines of format 1. Only this module turns reads into frames.

A frame has the time of the read that completed it, and comes at the place of that read. Losses of the
recorder are counted here: it only knows bytes, and which frames are lost is only known after the lines before
and behind a gap have been cut. Pure: bytes in, bytes out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acp_trace.trace import encode
from acp_trace.trace.capture_blocks import Block, Blocks
from acp_trace.trace.capture_http import HttpMessages
from acp_trace.trace.capture_layout import (
    AGENT,
    CLIENT,
    HTTP,
    MAIN,
    MODEL,
    MODEL_HEAD,
    MODEL_REQUEST,
    RECORDER,
    STDERR,
)
from acp_trace.trace.encode import Framer
from acp_trace.trace.jsontext import as_object, object_in, text

#: A longer line of the agent's stderr is cut (bytes): it is not part of the protocol.
LONGEST_LOG = 1 << 16
#: Streams whose blocks do not belong to the one connection between client and agent.
_BESIDE = (*MODEL, *HTTP)
#: The fields of a gap for each stream.
_LOST = ("stream", "bytes", "lines", "rest")
_DAMAGED = "the capture is damaged"
#: Blocks to wait for the gap that explains bytes without a block: it comes with the next write.
_PATIENCE = 64
#: ns, and bytes: no trace lasts longer, and no file holds more. A larger number is damage.
_LATEST, _MOST = (1 << 63) - 1, (1 << 53) - 1


class Rendering:
    """Feed it the bytes of a capture in any pieces; it returns the lines, and `finish` the last ones."""

    def __init__(self) -> None:
        self._blocks = Blocks()
        self._senders = {CLIENT: _Sender(b"client"), AGENT: _Sender(b"agent")}
        self._http = HttpMessages()
        self._logs = _Logs()
        self._explained = 0  #: bytes that belong to no block, and whose cause is known
        self._waiting: list[Block] = []  #: blocks behind other such bytes
        self._t = 0
        self._begun = False

    def feed(self, data: bytes) -> bytes:
        """Return the lines that `data` completes. Raises NewerCapture."""
        return self._lines(self._blocks.feed(data))

    def finish(self) -> bytes:
        """Return the last lines of a capture that is no longer written.

        A line that was incomplete when the recorder was killed is not a frame, and is left out.
        """
        lines = self._lines(self._blocks.finish())
        while self._waiting:
            lines += b"".join(self._go_on())
        return lines + self._damage(self._t, self._blocks.skipped)

    def _lines(self, blocks: list[Block]) -> bytes:
        known = [block for block in blocks if block.connection == MAIN or block.stream in _BESIDE]
        made = [lines for block in known for lines in self._in_turn(block)]
        return b"".join([lines for lines in made if lines])

    def _in_turn(self, block: Block) -> Iterator[bytes]:
        """Yield the lines of a block; behind bytes of no block, only when their cause is known.

        They may be the rest of a failed write: then a gap soon reports it, and the blocks between are sound.
        Or they are unreported damage: then a line that continues behind it was not sent in this form.
        """
        if not self._begun or (not self._waiting and block.skipped <= self._explained):
            yield self._of(block)
            return
        self._waiting.append(block)
        event = object_in(block.data) if block.stream == RECORDER else {}
        torn = _count(as_object(event.get("gap")).get("torn"))
        if torn and block.skipped <= self._explained + torn:
            waiting, self._waiting = self._waiting, []
            for each in waiting:
                yield self._of(each)
        elif "end" in event or len(self._waiting) > _PATIENCE:
            yield from self._go_on()

    def _go_on(self) -> Iterator[bytes]:
        """Continue behind damage: what was begun before it is lost."""
        waiting, self._waiting = self._waiting, []
        yield self._damage(self._t, waiting[0].skipped)
        for block in waiting:
            yield from self._in_turn(block)

    def _damage(self, t: int, skipped: int) -> bytes:
        """Return a gap for the bytes skipped so far that are not the rest of a reported failed write."""
        damaged = skipped - self._explained
        if damaged <= 0:
            return b""
        self._explained = skipped
        for sender in self._senders.values():
            sender.break_off(_DAMAGED)
        return encode.gap(t, 0, damaged, _DAMAGED)

    def _of(self, block: Block) -> bytes:
        # Two threads that read at once may append in the other order, some µs apart: time never goes back.
        self._t = t = max(min(block.t, _LATEST), self._t)
        is_first, self._begun = not self._begun, True
        if sender := self._senders.get(block.stream):
            return sender.feed(t, block.data)
        if block.stream == STDERR:
            return self._logs.feed(t, block.data)
        if block.stream in MODEL:
            return _of_model(t, block)
        if block.stream in HTTP:
            return self._http.of(t, block)
        return self._event(t, block.data, is_first=is_first) if block.stream == RECORDER else b""

    def _event(self, t: int, data: bytes, *, is_first: bool) -> bytes:
        """Return the recorder's own line: the header, gaps, the footer. Later additions are left out."""
        event = object_in(data)
        if "acp_trace" in event:
            return data.replace(b"\n", b" ") + b"\n" if is_first else b""
        if isinstance(gap := event.get("gap"), dict):
            return self._gap(t, gap)
        if isinstance(end := event.get("end"), dict):
            return self._end(t, end)
        return b""

    def _by_name(self) -> list[tuple[str, _Sender]]:
        return [(sender.name.decode(), sender) for sender in self._senders.values()]

    def _gap(self, t: int, gap: dict[str, Any]) -> bytes:
        frames, size, logs, model = 0, 0, b"", 0
        reason = why if isinstance(why := gap.get("reason"), str) else ""
        self._explained += _count(gap.get("torn"))
        streams = gap.get("streams")
        for lost in streams if isinstance(streams, list) else ():
            if not isinstance(lost, dict):
                continue
            stream, missing, lines, rest = (_count(lost.get(key)) for key in _LOST)
            if sender := self._senders.get(stream):
                counted = sender.lose(missing, lines, rest, reason)
                frames, size = frames + counted[0], size + counted[1]
            elif stream == STDERR:
                logs += self._logs.cut(t)
            elif stream in MODEL:
                model += missing
            elif stream in HTTP:
                counted = self._http.lose(stream, missing, lines)
                frames, size = frames + counted[0], size + counted[1]
        if model:
            logs += encode.entry(t=t, model={"gap": {"bytes": model, "reason": reason}})
        cut = _count(gap.get("cut"))
        return logs + (encode.gap(t, frames, size + cut, reason) if frames or cut else b"")

    def _end(self, t: int, end: dict[str, Any]) -> bytes:
        rests = [*(sender.end(t) for sender in self._senders.values()), self._logs.cut(t)]
        messages = self._http.counts
        counts = {name: sender.count + messages[name] for name, sender in self._by_name()}
        own_fields = {"exit_code": end.get("exit_code"), "signal": end.get("signal"), "frames": counts}
        more = {key: item for key, item in end.items() if key not in own_fields}
        footer = b'{"t":%d,"end":%b}\n' % (t, text({**own_fields, **more}))
        return b"".join(rests) + footer


class _Sender:
    """The frames of one side. `count`: their number, including lost ones."""

    def __init__(self, name: bytes) -> None:
        self.name = name
        self.count = 0
        self._framer = Framer()
        self._lost: int | None = None  #: bytes so far of a line that has lost a piece
        self._reason = ""

    def feed(self, t: int, data: bytes) -> bytes:
        """Return the lines of what was read; an empty read is the end of the stream."""
        if not data:
            return self.end(t)
        gap = b""
        if self._lost is not None:
            line, newline, data = data.partition(b"\n")
            self._lost += len(line)
            if not newline:
                return b""
            gap = self._over(t)
        lines = self._framer.feed(data) if data else b""
        if not lines:
            return gap
        entries, count = encode.frames(self.name, t, lines)
        self.count += count
        return gap + entries

    def lose(self, size: int, lines: int, rest: int, reason: str) -> tuple[int, int]:
        """Record `size` bytes that are missing here; return how many frames, of how many bytes, are lost.

        `lines`: the newlines in them, `rest`: the bytes behind the last newline. A line that only misses a
        piece is lost as a whole, and counted when it ends.
        """
        dropped = self._framer.drop() + (self._lost or 0)
        self._reason, self._lost = reason, None
        if not lines:
            self._lost = dropped + size
            return 0, 0
        self.count += lines
        if rest:
            self._lost = rest
        return lines, max(dropped + size - lines - rest, 0)

    def break_off(self, reason: str) -> None:
        """Give up the unfinished line, whose rest is unknown: it is lost, and counted when it ends."""
        if self._lost is None and (dropped := self._framer.drop()):
            self._lost, self._reason = dropped, reason

    def end(self, t: int) -> bytes:
        """Return the last line, if it came without its newline."""
        if self._lost is not None:
            return self._over(t)
        if not (rest := self._framer.rest()):
            return b""
        self.count += 1
        return encode.frame(self.name, t, rest, partial=True)

    def _over(self, t: int) -> bytes:
        lost, self._lost = self._lost or 0, None
        self.count += 1
        return encode.gap(t, 1, lost, self._reason)


class _Logs:
    """The lines of the agent's stderr."""

    def __init__(self) -> None:
        self._framer = Framer()
        self._held = 0

    def feed(self, t: int, data: bytes) -> bytes:
        """Return the lines of what was read; an empty read is the end of the stream."""
        if not data:
            return self.cut(t)
        logs = b""
        if lines := self._framer.feed(data):
            logs = b"".join([encode.log(t, line) for line in lines[:-1].split(b"\n")])
            self._held = 0
        self._held += len(data) - (data.rfind(b"\n") + 1)
        return logs + self.cut(t) if self._held > LONGEST_LOG else logs

    def cut(self, t: int) -> bytes:
        """Return an unfinished line as a line."""
        self._held = 0
        rest = self._framer.rest()
        return encode.log(t, rest) if rest else b""


def _of_model(t: int, block: Block) -> bytes:
    """Return the line of what was recorded beside: a document of an exchange, or bytes of a body.

    It came through a pipe, and may appear behind frames that were later, or that it caused.
    """
    own_t = block.t if block.t < t else None
    if block.stream == MODEL_HEAD:
        event = object_in(block.data)
        return encode.model(t, block.connection, text(event), own_t) if event else b""
    if not block.data:
        return b""
    key = "sent" if block.stream == MODEL_REQUEST else "received"
    return encode.model(t, block.connection, encode.piece(key, block.data), own_t)


def _count(decoded: object) -> int:
    return min(decoded, _MOST) if isinstance(decoded, int) and decoded > 0 else 0
