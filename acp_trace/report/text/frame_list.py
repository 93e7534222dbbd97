"""One line a frame: number, time, arrow, kind, method, session, size, gist. And its JSON."""

from __future__ import annotations

import base64
from typing import Any

import msgspec
from rich.text import Text

from acp_trace.analyze.analyzer import Frame
from acp_trace.protocol.message import MessageKind
from acp_trace.report import units
from acp_trace.report.safe import safe, safe_lines, shorten
from acp_trace.report.text import words
from acp_trace.report.text.gist import gist

_KINDS = {
    MessageKind.REQUEST: "req",
    MessageKind.NOTIFICATION: "ntf",
    MessageKind.RESPONSE: "res",
    MessageKind.INVALID: "bad",
    MessageKind.TEXT: "txt",
    MessageKind.BYTES: "bin",
}
_WIDE = 110  #: from here there is room for long methods and the session
_METHOD, _SHORT_METHOD = 33, 27
#: How much of a gist is worth showing where no terminal limits it.
_LONGEST = 200


def heading(width: int) -> str:
    """What the columns are."""
    if width >= _WIDE:
        return f"{'frame':>6} {'s':>9}   kind {'method':<{_METHOD}} {'session':<8} {'size':>7}  gist"
    return f"{'frame':>6} {'s':>9}   kind {'method':<{_SHORT_METHOD}} {'size':>7}  gist"


def line(frame: Frame, width: int | None, trace: str | None = None) -> Text:
    """One line, cut to `width` where there is one. `trace` puts a short id in front."""
    colour = words.COLOURS[frame.sender]
    bad = frame.kind in (MessageKind.INVALID, MessageKind.TEXT, MessageKind.BYTES)
    text = Text(no_wrap=True, end="")
    if trace:
        text.append(f"{trace} ", words.FAINT)
    text.append(f"{frame.frame:>6}", words.FAINT)
    text.append(f" {units.since_start(frame.t_ns):>9} ")
    text.append(words.ARROWS[frame.sender], colour)
    text.append(f" {_KINDS[frame.kind]}  ", words.ERROR if bad else words.FAINT)
    wide = width is None or width >= _WIDE
    room = _METHOD if wide else _SHORT_METHOD
    text.append(f"{shorten(safe(_method(frame)), room):<{room}} ", colour)
    if wide:
        text.append(f"{words.short_id(frame.session_id or '', 8):<8} ", words.FAINT)
    text.append(f"{units.size(frame.size):>7}  ", words.FAINT)
    text.append(shorten(safe(gist(frame)[: _LONGEST * 2]), _LONGEST))
    text.rstrip()
    if width is not None:
        text.truncate(width, overflow="ellipsis")
    return text


def full(frame: Frame) -> str:
    """The frame pretty-printed, every line indented; control characters made visible."""
    try:
        text = msgspec.json.format(frame.data, indent=2).decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        text = frame.data.decode("utf-8", "backslashreplace")
    return "\n".join(f"       {one}" for one in safe_lines(text).split("\n"))


def as_json(frame: Frame, trace: str | None = None) -> dict[str, Any]:
    """The same for programs; the message is the frame itself, verbatim."""
    row: dict[str, Any] = {} if trace is None else {"trace_id": trace}
    row |= {
        "frame": frame.frame,
        "t_ns": frame.t_ns,
        "from": frame.sender,
        "kind": frame.kind,
        "method": frame.method,
        "id": None if frame.id is None else msgspec.Raw(frame.id.encode()),
        "answers": frame.answers,
        "session_id": frame.session_id,
        "update": frame.update,
        "size": frame.size,
    }
    if frame.kind is MessageKind.TEXT:
        row["text"] = frame.data.decode("utf-8", "replace")
    elif frame.kind is MessageKind.BYTES:
        row["base64"] = base64.b64encode(frame.data).decode()
    else:
        row["message"] = msgspec.Raw(frame.data)
    return row


def _method(frame: Frame) -> str:
    if frame.kind is MessageKind.RESPONSE:
        return f"#{frame.answers} {frame.method}" if frame.answers else "to nothing"
    if frame.update is not None:
        return f"update {frame.update}"
    return frame.method or ""
