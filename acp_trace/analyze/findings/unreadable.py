"""Lines that are not JSON: why, at which byte, and which messages they contain nevertheless.

A message that is printed over several lines is one finding, at its first line. A reader of lines did not
receive the messages found here: they only show which requests have no response because of the line.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import msgspec

from acp_trace.analyze.findings.collector import Findings
from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import depth_of

#: Longer lines (in characters), and messages over more lines, are not examined.
_LONGEST, _MOST_LINES = 4_000_000, 10_000
#: The header before each message in the framing of LSP, which therefore also follows the previous message.
_HEADER = re.compile(r"(.*?)(content-(?:length|type):[^{}]{1,200}?)\r?", re.IGNORECASE)
_decode = json.JSONDecoder().raw_decode


class HiddenMessage(NamedTuple):
    """A message inside lines that are not JSON. `frame`: that of the finding about the lines."""

    frame: int
    text: bytes


class _Pieces(msgspec.Struct, gc=False):
    """Lines that may together be one message."""

    frame: int
    nth: int  #: the number of the last line among the frames of its sender
    finding: int  #: the number from `Findings.say`
    lines: list[str]
    length: int
    depth: int


class _Reason(msgspec.Struct, gc=False):
    """Why a line is not JSON. `begins`: it may be the first line of a message; `messages`: those in it."""

    text: str
    begins: bool = False
    messages: list[bytes] = []


class UnreadableLines:
    """Processes the unreadable lines of both sides."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._pieces: dict[str, _Pieces] = {}
        self.finding_at: dict[str, int] = {}  #: the frame of the finding about the latest line of a side

    def take(self, frame: int, sender: str, nth: int, line: bytes) -> list[HiddenMessage]:
        """Process and report a line that is not JSON; return the messages that it holds, or completes.

        It is the `nth` frame of its sender: lines with another frame between them are not one message.
        """
        self.finding_at[sender] = frame
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            shown = jsontext.short(line[:200].decode("utf-8", "replace"))
            self._say(frame, sender, f"not UTF-8 at byte {error.start}: {shown}")
            return []
        if (whole := self.goes_on(frame, sender, nth, text)) is not None:
            return whole
        reason = _reason(text)
        finding = self._say(frame, sender, reason.text)
        if reason.begins:
            self._pieces[sender] = _Pieces(frame, nth, finding, [text], len(text), depth_of(text))
        return [HiddenMessage(frame, message) for message in reason.messages]

    def goes_on(self, frame: int, sender: str, nth: int, text: str) -> list[HiddenMessage] | None:
        """Process a possible piece of a message; return what it completes, or None for other lines."""
        pieces = self._pieces.get(sender)
        if pieces is None or nth != pieces.nth + 1:
            return None
        self.finding_at[sender] = pieces.frame
        pieces.nth = nth
        pieces.lines.append(text)
        pieces.length += len(text)
        pieces.depth += depth_of(text)
        if pieces.length > _LONGEST or len(pieces.lines) > _MOST_LINES:
            del self._pieces[sender]
            return None
        count = len(pieces.lines)
        if pieces.depth > 0 or not jsontext.is_json(whole := "\n".join(pieces.lines).encode()):
            self._findings.amend(pieces.finding, count=count)
            return []
        del self._pieces[sender]
        said = f"lines #{pieces.frame} to #{frame} together are one message, printed over several lines"
        self._findings.amend(pieces.finding, count=count, message=said)
        return [HiddenMessage(pieces.frame, whole)]

    def _say(self, frame: int, sender: str, text: str) -> int:
        return self._findings.say("not-json", sender, frame, None, text)


def _reason(text: str) -> _Reason:
    shown = jsontext.short(text[:200])
    if len(text) > _LONGEST or jsontext.is_too_deep(text.encode()):
        return _Reason(f"not JSON: {shown}")
    if (header := _HEADER.fullmatch(text)) is not None:
        said = f"not JSON: the header {jsontext.short(header[2])}, as in LSP; ACP has one message per line"
        before = header[1].encode()
        return _Reason(said, messages=[before] if jsontext.is_json(before) else [])
    begin = len(text) - len(text.lstrip())
    if text[begin : begin + 1] not in ("{", "["):
        place = text.find("{")
        if place > 0 and jsontext.is_json(text[place:].encode()):
            said = f"JSON begins at byte {_byte(text, place)}, after {jsontext.short(text[:place])}"
            return _Reason(said, messages=[text[place:].encode()])
        return _Reason(f"not JSON: {shown}")
    try:
        _, end = _decode(text, begin)
    except (json.JSONDecodeError, RecursionError) as error:
        at = error.pos if isinstance(error, json.JSONDecodeError) else begin
        unended = at >= len(text.rstrip())
        return _Reason(f"not JSON: invalid at byte {_byte(text, at)}: {shown}", unended)
    rest = text[end:].lstrip()
    at = _byte(text, len(text) - len(rest))
    if jsontext.is_json(rest.encode()):
        messages = [text[begin:end].encode(), rest.encode()]
        return _Reason(
            f"a second message begins at byte {at}: {jsontext.short(rest[:200])}", messages=messages
        )
    return _Reason(f"no JSON from byte {at} on: {jsontext.short(rest[:200])}")


def _byte(text: str, at: int) -> int:
    return len(text[:at].encode())
