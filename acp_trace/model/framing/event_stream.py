"""The binary frames of Amazon's event streams (`application/vnd.amazon.eventstream`).

A frame is its whole length and the length of its headers (4 bytes each, big-endian), a CRC-32 of these eight
bytes, headers, payload, and a CRC-32 of all bytes before. A header is a name with its length in one byte, a
type in one byte, and a value. Payloads are JSON; `InvokeModel` wraps each once more, in base64.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterator
from struct import Struct

from acp_trace.model.framing.events import Event
from acp_trace.trace import jsontext

_PRELUDE = Struct(">III")
_CRC = 4
_LONGEST = 24 * 1024 * 1024  #: AWS allows 16 MB of payload
_STRING = 7
#: Bytes of a value by its type; the types 6 (bytes) and 7 (string) say their length themselves.
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}


class EventStream:
    """Events of an event stream. An exception is an event, too: its name is that of the exception."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._is_blind = False

    def feed(self, data: bytes) -> Iterator[Event]:
        """Return the frames that are complete with these bytes. After an invalid frame nothing is read."""
        self._rest += data
        while len(self._rest) >= _PRELUDE.size and not self._is_blind:
            length, head, crc = _PRELUDE.unpack_from(self._rest)
            start = _PRELUDE.size + head
            valid = zlib.crc32(self._rest[: _PRELUDE.size - _CRC]) == crc
            if not valid or not start + _CRC <= length <= _LONGEST:
                self._is_blind = True
                yield Event(None, b"")
                return
            if len(self._rest) < length:
                return
            frame = bytes(self._rest[:length])
            del self._rest[:length]
            yield _event(_headers(frame[_PRELUDE.size : start]), frame[start:-_CRC])

    def end(self) -> Iterator[Event]:
        """Return an event for a frame that was not ended and so cannot be read."""
        if self._rest and not self._is_blind:
            yield Event(None, b"")


def _event(headers: dict[str, str], payload: bytes) -> Event:
    name = headers.get(":exception-type") or headers.get(":event-type") or headers.get(":error-code")
    inner = jsontext.object_in(payload).get("bytes") if name == "chunk" else None
    if isinstance(inner, str):
        try:
            return Event(None, base64.b64decode(inner, validate=True))
        except (binascii.Error, ValueError):
            return Event(None, b"")
    if not payload and headers.get(":message-type") == "error":
        payload = jsontext.text({"message": headers.get(":error-message", "")})
    return Event(name, payload)


def _headers(data: bytes) -> dict[str, str]:
    """The headers whose values are strings."""
    headers: dict[str, str] = {}
    at = 0
    while at < len(data):
        name_end = at + 1 + data[at]
        kind = data[name_end] if name_end < len(data) else -1
        if kind in (6, _STRING):
            begin = name_end + 3
            end = begin + int.from_bytes(data[name_end + 1 : begin], "big")
        elif kind in _SIZES:
            begin = name_end + 1
            end = begin + _SIZES[kind]
        else:
            break
        if kind == _STRING:
            headers[data[at + 1 : name_end].decode("utf-8", "replace")] = data[begin:end].decode(
                "utf-8", "replace"
            )
        at = end
    return headers
