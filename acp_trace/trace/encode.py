"""From the bytes of a pipe to the lines of a trace file (format 1). Pure: no file, no clock.

The common path does no Python work per frame: one pass in C validates all lines of a read, one replacement
writes them. A line that is not JSON sends its batch down the slow path, line by line.
"""

from __future__ import annotations

import base64
import codecs
import contextlib

import msgspec

from acp_trace.trace.document import document
from acp_trace.trace.jsontext import is_json

#: Escapes may add this many bytes beyond twice the length, so that a short text stays legible.
_SHORT = 64
_PIECE = 3072  #: measured: 370 MB/s against 310 MB/s for text that is not all ASCII

_lines = msgspec.json.Decoder(msgspec.Raw).decode_lines
_text = msgspec.json.Encoder().encode


class Framer:
    """Cuts one direction's bytes into whole lines; keeps the unfinished rest.

    Memory is that of one unfinished line, and adding to it is linear in its length.
    """

    __slots__ = ("_pending",)

    def __init__(self) -> None:
        self._pending: list[bytes] = []

    def feed(self, data: bytes) -> bytes:
        """Return the whole lines that `data` completes, with their newlines; or empty bytes.

        If it raises MemoryError, nothing of `data` has been kept.
        """
        cut = data.rfind(b"\n") + 1
        if not cut:
            self._pending.append(data)
            return b""
        whole = data if cut == len(data) else data[:cut]
        if self._pending:
            whole = b"".join([*self._pending, whole])
        self._pending = [data[cut:]] if cut != len(data) else []
        return whole

    def drop(self) -> int:
        """Forget the unfinished line; return how many bytes it had."""
        size = sum(map(len, self._pending))
        self._pending = []
        return size

    def rest(self) -> bytes:
        """Return the last line, which never got its newline; empty if there is none."""
        rest = b"".join(self._pending)
        self._pending.clear()
        return rest


def frames(sender: bytes, t: int, lines: bytes) -> tuple[bytes, int]:
    """Return the trace lines of whole `lines` that `sender` (`client` or `agent`) sent, read at `t` ns.

    The second item counts them.
    """
    body = lines[:-1]
    if b"\n" not in body:  # as in a conversation; and a giant line is not copied more often than necessary
        return frame(sender, t, body), 1
    head = b'{"t":%d,"from":"%b","frame":' % (t, sender)
    try:
        texts = _lines(lines)
        # The decoder accepts newlines as white space, so `{}{}` and `{"a":⏎1}` pass it. Only if the texts,
        # one a line, are exactly the bytes that came is every line one JSON text.
        if b"\n".join(texts) == body:
            _check_utf8(body)
            out = b"%b%b}\n" % (head, body.replace(b"\n", b"}\n" + head))
            if len(out) == len(body) + len(texts) * (len(head) + 1) + 1:
                return out, len(texts)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    each = [frame(sender, t, line) for line in body.split(b"\n")]
    return b"".join(each), len(each)


def _check_utf8(body: bytes) -> None:
    """Check UTF-8. Raises UnicodeDecodeError. In pieces: decoding a whole read at once means fresh pages."""
    if body.isascii():
        return
    view, at = memoryview(body), 0
    while at < len(body):
        at += codecs.utf_8_decode(view[at : at + _PIECE], "strict", at + _PIECE >= len(body))[1]


#: The one layout of a frame's line, by sender: with its time and text, the line can be written again.
CANONICAL = {side: b'{"t":%%d,"from":"%b","frame":%%b}\n' % side.encode() for side in ("client", "agent")}


def frame(sender: bytes, t: int, line: bytes, *, partial: bool = False) -> bytes:
    """Return the trace line of one `line` (without its newline): as `frame`, `text` or `base64`."""
    mark = b',"partial":true' if partial else b""
    if is_json(line):
        what, content = b"frame", line
    else:
        try:
            what, content = b"text", _text(line.decode())
        except UnicodeDecodeError:
            what, content = b"base64", b'"%b"' % base64.b64encode(line)
    return b'{"t":%d,"from":"%b","%b":%b%b}\n' % (t, sender, what, content, mark)


def log(t: int, line: bytes) -> bytes:
    """Return the trace line of one line of the agent's stderr; bytes that are not UTF-8 become escapes."""
    return b'{"t":%d,"log":%b}\n' % (t, _text(line.decode("utf-8", "backslashreplace")))


def gap(t: int, lost_frames: int, lost_bytes: int, reason: str) -> bytes:
    """Return the trace line for what was forwarded and could not be written."""
    return entry(t=t, gap={"frames": lost_frames, "bytes": lost_bytes, "reason": reason})


def model(t: int, exchange: int, event: bytes, own_t: int | None = None) -> bytes:
    """Return the trace line of an event between the agent and its language model: a JSON object.

    `exchange`: its number, or 0 if the event belongs to no exchange. `own_t`: when it happened, ns, if its
    place in the trace is later than that.
    """
    number = b'"exchange":%d,' % exchange if exchange else b""
    time = b"" if own_t is None else b'"t":%d,' % own_t
    return b'{"t":%d,"model":{%b%b%b}\n' % (t, number, time, event[1:])


def piece(key: str, data: bytes) -> bytes:
    """Return bytes of a body as a JSON object: as text under `key`, or else under `key_base64`.

    Never much more than twice as long as the bytes: JSON writes six for each control character.
    """
    with contextlib.suppress(UnicodeDecodeError):
        escaped = _text(data.decode())
        if len(escaped) <= 2 * len(data) + _SHORT:
            return b'{"%b":%b}' % (key.encode(), escaped)
    return b'{"%b_base64":"%b"}' % (key.encode(), base64.b64encode(data))


def entry(**keys: object) -> bytes:
    """Return any other line: see `document`."""
    return document(keys) + b"\n"
