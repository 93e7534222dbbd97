"""Bytes of a trace file -> entries, fed in any pieces. Pure, and raises only for a newer format.

Any bytes can be fed: readable lines become entries, and the others become DAMAGED entries with a reason. The
parser knows nothing of the meaning of frames.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Annotated, Any

import msgspec

from acp_trace.trace import encode, http_lines, jsontext
from acp_trace.trace.document import FORMAT
from acp_trace.trace.entries import SENT, Entry, EntryKind, Header, Sender
from acp_trace.trace.jsontext import NotJson, value


class NewerFormat(Exception):
    """The trace has a version, of the format or of captures, that this acp-trace does not know."""

    def __init__(
        self, version: int, *, readable: str = f"format {FORMAT}", what: str = "trace format"
    ) -> None:
        super().__init__(
            f"{what} {version} is newer than this acp-trace, which reads {readable}: please update acp-trace"
        )


_LATEST = 2**63 - 1  #: ns; a later time fits no column


class _Line(msgspec.Struct, gc=False):
    """The shape of nearly every line: a frame. Anything else takes the slower way."""

    t: Annotated[int, msgspec.Meta(ge=0, le=_LATEST)]
    sender: Sender = msgspec.field(name="from")
    frame: msgspec.Raw
    partial: bool = False
    stream: Any = 0


_frame_line = msgspec.json.Decoder(_Line).decode
_FRAME_START = re.compile(rb'\{"t":(\d{1,18}),"from":"(client|agent)","frame":')
_PARTIAL = b',"partial":true}'
_SENDERS: dict[bytes, Sender] = {b"client": "client", b"agent": "agent"}
_CANONICAL = encode.CANONICAL
_FRAME = EntryKind.FRAME  # bound once: a look-up on the enum costs 70 ns for every frame


class Parser:
    """Cuts a trace file into lines and reads each one.

    `header` is set once the first line was read, if that is a header. A later line that starts with a header
    begins another trace, which is not read: that line is DAMAGED, with everything after it.
    """

    def __init__(self) -> None:
        self.header: Header | None = None
        self._line = 0
        self._rest: list[bytes] = []
        self._second = False

    def feed(self, data: bytes) -> list[Entry]:
        """Return the entries that `data` completes. Raises NewerFormat."""
        return list(self.entries(data))

    def entries(self, data: bytes) -> Iterator[Entry]:
        """Yield as `feed` does, but read each line when its entry is needed: all before more is fed.

        Takes half the time of `feed` for a large piece: each entry reuses the memory of the one before.
        """
        head, newline, tail = data.rpartition(b"\n")
        if not newline:
            self._rest.append(data)
            return iter(())
        lines = BytesIO(b"".join([*self._rest, head, newline])).readlines()
        self._rest = [tail] if tail else []
        return map(self._entry, lines)

    def finish(self) -> tuple[Entry | None, int]:
        """Return the end of the file: a whole entry that lacks only its newline, or a torn line.

        A torn line is not an entry; its length in bytes is the second item. Raises NewerFormat.
        """
        rest = b"".join(self._rest)
        self._rest = []
        if not rest:
            return None, 0
        entry = self._entry(rest)
        return (None, len(rest)) if entry.kind is EntryKind.DAMAGED else (entry, 0)

    def torn(self) -> bytes:
        """The bytes after the last newline so far."""
        return b"".join(self._rest)

    def _entry(self, raw: bytes) -> Entry:
        """Return the entry of a line, which ends with a newline if it is whole."""
        self._line += 1
        if not self._second:
            try:
                parsed = _frame_line(raw)
                t, sender, frame = parsed.t, parsed.sender, bytes(parsed.frame)
                if frame.isascii() or frame.decode():
                    if raw == _CANONICAL[sender] % (t, frame):
                        return Entry(self._line, _FRAME, t, sender, frame, raw, False, True)
                    return self._frame(parsed, frame, raw)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                pass
        return self._other(raw.removesuffix(b"\n"), raw)

    def _frame(self, parsed: _Line, frame: bytes, raw: bytes) -> Entry:
        """Return a frame in another layout than `encode` writes."""
        line, canonical = raw.removesuffix(b"\n"), False
        if parsed.stream:
            line, _ = http_lines.tail(line)
        if (start := _FRAME_START.match(line)) and line.endswith(b"}"):
            # White space around a frame belongs to it (a `\r` stays), but JSON readers drop it.
            whole = line[start.end() :].removesuffix(_PARTIAL if parsed.partial else b"}")
            if whole.strip(b" \t\r") == frame:
                frame = whole
                canonical = raw == _CANONICAL[parsed.sender] % (parsed.t, frame)
        stream = _stream(parsed.stream)
        return Entry(
            self._line, _FRAME, parsed.t, parsed.sender, frame, raw, parsed.partial, canonical, stream=stream
        )

    def _other(self, line: bytes, raw: bytes) -> Entry:
        """Return the entry of a line that is not a plain frame."""
        if self._second:
            return self._damaged(raw, "belongs to another trace")
        try:
            decoded: Any = value(line)
        except NotJson as error:
            deep = self._odd_frame(line, raw) if error.too_deep else None
            return deep or self._damaged(raw, str(error))
        if not isinstance(decoded, dict):
            return self._damaged(raw, "is not a JSON object")
        if "acp_trace" in decoded:
            problem = self._header(decoded)
            if problem:
                return self._damaged(raw, problem)
            return Entry(self._line, EntryKind.HEADER, 0, None, jsontext.text(decoded), raw)
        t = decoded.get("t", 0)
        if isinstance(t, bool) or not isinstance(t, int) or not 0 <= t <= _LATEST:
            return self._damaged(raw, "has a time `t` that is not a whole number of ns")
        kind = next((kind for kind in _BY_KEY if kind in decoded), EntryKind.UNKNOWN)
        sender = decoded.get("from") if kind in SENT else None
        if kind in SENT and sender not in ("client", "agent"):
            return self._damaged(raw, "has neither client nor agent under `from`")
        if kind is EntryKind.FRAME and (odd := self._odd_frame(line, raw)):
            return odd
        try:
            data = _verbatim(line) if kind is EntryKind.FRAME else _CONTENT[kind](decoded.get(kind))
        except (ValueError, TypeError):
            return self._damaged(raw, f"has damaged content under `{kind}`")
        partial, is_timed = decoded.get("partial") is True, "t" in decoded
        stream = _stream(decoded.get("stream"))
        return Entry(self._line, kind, t, sender, data, raw, partial, is_timed=is_timed, stream=stream)

    def _damaged(self, raw: bytes, problem: str) -> Entry:
        return Entry(self._line, EntryKind.DAMAGED, 0, None, b"", raw, problem=problem)

    def _odd_frame(self, line: bytes, raw: bytes) -> Entry | None:
        """Return a frame in the usual layout that msgspec refuses: lone surrogates, or nested too deep."""
        line, stream = http_lines.tail(line)
        start = _FRAME_START.match(line)
        if not start or not line.endswith(b"}"):
            return None
        t, sender = int(start[1]), _SENDERS[start[2]]
        partial = line.endswith(_PARTIAL)
        frame = line[start.end() :].removesuffix(_PARTIAL if partial else b"}")
        canonical = raw == _CANONICAL[sender] % (t, frame)
        return Entry(self._line, EntryKind.FRAME, t, sender, frame, raw, partial, canonical, stream=stream)

    def _header(self, decoded: dict[str, Any]) -> str | None:
        """Read the header; return its fault, or None."""
        version = decoded["acp_trace"]
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            return "has no format version under `acp_trace`"
        if self._line > 1:
            self._second = True
            return "begins another trace: split the file there"
        if version > FORMAT:
            raise NewerFormat(version)
        self.header = Header.of(decoded)
        return None


def _verbatim(line: bytes) -> bytes:
    """Return the frame of a line in another layout, verbatim (lone surrogates, odd keys)."""
    whole = line.decode()
    after = re.compile(r'"frame"\s*:\s*').search(whole)
    start = after.end() if after else 0
    return whole[start : json.JSONDecoder().raw_decode(whole, start)[1]].encode()


def _stream(number: object) -> int:
    """Return the number of a stream in the line; 0 for anything else."""
    if not isinstance(number, int) or isinstance(number, bool):
        return 0
    return number if 0 < number <= _LATEST else 0


def _text(content: object) -> bytes:
    if not isinstance(content, str):
        raise TypeError
    return content.encode()


#: The content of an entry of each kind; the order is the precedence if a line has several keys.
_CONTENT: dict[EntryKind, Callable[[Any], bytes]] = {
    EntryKind.FRAME: jsontext.text,
    EntryKind.TEXT: _text,
    EntryKind.BASE64: lambda content: base64.b64decode(content, validate=True),
    EntryKind.LOG: _text,
    EntryKind.GAP: jsontext.text,
    EntryKind.END: jsontext.text,
    EntryKind.MODEL: jsontext.text,
    EntryKind.HTTP: jsontext.text,
    EntryKind.UNKNOWN: lambda _: b"",
}
_BY_KEY = tuple(kind for kind in _CONTENT if kind is not EntryKind.UNKNOWN)


def stderr_lines(entries: Iterable[Entry]) -> list[str]:
    """Return what the agent wrote to stderr, line by line; U+FFFD replaces what is not UTF-8."""
    return [entry.data.decode("utf-8", "replace") for entry in entries if entry.kind is EntryKind.LOG]
