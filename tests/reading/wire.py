"""A trace file as frames: format 1, read by the standard library alone."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_WHITE = " \t\r\n"
_SCANNER = json.JSONDecoder()


class Missing:
    """What is not there, where `null` means something else."""

    def __repr__(self) -> str:
        return "(missing)"


MISSING = Missing()


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number by its text: 1, 1.0 and true all differ, and so do 1.0 and 1.00."""

    text: str

    @property
    def whole(self) -> int | None:
        """Its value, if it is written as a whole number."""
        return int(self.text) if self.text.lstrip("-").isdigit() else None


def decode(text: str) -> Any:
    """JSON with `Number` for its numbers, so that `==` compares as JSON does."""
    return json.loads(text, parse_float=Number, parse_int=Number)


def plain(value: Any) -> Any:
    """The same with Python's numbers, for the report."""
    match value:
        case Number():
            return float(value.text) if value.whole is None else value.whole
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case list():
            return [plain(item) for item in value]
    return value


def whole(value: Any) -> int | None:
    """A whole number, or nothing."""
    return value.whole if isinstance(value, Number) else None


def as_id(value: Any) -> Any:
    """A value as an id, of which 1 and 1.0 are one."""
    if isinstance(value, Number) and float(value.text).is_integer():
        return Number(str(int(float(value.text))))
    return value


def text(value: Any) -> str | None:
    """A string, or nothing."""
    return value if isinstance(value, str) else None


def fields(value: Any) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Frame:
    """One line that one side sent."""

    number: int
    t: int
    sender: str
    size: int
    #: request, notification, response, batch, odd (JSON that is not a message), noise (no JSON), blank
    kind: str
    message: dict[str, Any]
    items: tuple[Frame, ...] = ()  #: the messages of a batch

    @property
    def method(self) -> str:
        return str(self.message.get("method", ""))

    @property
    def id(self) -> Any:
        return as_id(self.message.get("id", MISSING))

    @property
    def params(self) -> dict[str, Any]:
        return fields(self.message.get("params"))

    @property
    def session(self) -> str | None:
        """The session that its params name."""
        return text(self.params.get("sessionId"))

    @property
    def failed(self) -> bool:
        """Whether a response is an error."""
        return self.message.get("error") is not None

    @property
    def result(self) -> dict[str, Any]:
        return {} if self.failed else fields(self.message.get("result"))

    @property
    def error_code(self) -> int | None:
        return whole(fields(self.message.get("error")).get("code"))

    @property
    def is_update(self) -> bool:
        """Whether it is a session/update of the agent that names its session."""
        return self.method == "session/update" and self.sender == "agent" and self.session is not None

    @property
    def update(self) -> dict[str, Any]:
        """What an update says; empty for anything else."""
        return fields(self.params.get("update")) if self.is_update else {}

    @property
    def update_kind(self) -> str:
        """The kind of its update; empty where it says none."""
        return text(self.update.get("sessionUpdate")) or ""


@dataclass(slots=True)
class TraceFile:
    """What a trace file holds, apart from what its frames mean."""

    header: dict[str, Any]
    frames: list[Frame]
    logs: int = 0
    lost_frames: int = 0
    lost_bytes: int = 0
    end: dict[str, Any] | None = None
    duration: int = 0


def open_file(data: bytes) -> TraceFile:
    """All entries of a trace file; a torn last line is left out."""
    found = TraceFile({}, [])
    for line in data.decode().split("\n"):
        try:
            entry = _members(line)
        except (ValueError, IndexError):
            continue
        if "acp_trace" in entry:
            found.header = decode(line)
            continue
        found.duration = int(entry.get("t", "0"))
        _take(found, entry)
    return found


def _take(found: TraceFile, entry: dict[str, str]) -> None:
    if any(key in entry for key in ("frame", "text", "base64")):
        found.frames.append(_frame(len(found.frames) + 1, found.duration, entry))
    elif "log" in entry:
        found.logs += 1
    elif "gap" in entry:
        gap = decode(entry["gap"])
        found.lost_frames += whole(gap.get("frames")) or 0
        found.lost_bytes += whole(gap.get("bytes")) or 0
    elif "end" in entry:
        found.end = decode(entry["end"])


def _members(line: str) -> dict[str, str]:
    """The members of a JSON object, each value as the text that stands there."""
    members: dict[str, str] = {}
    if not line.startswith("{"):
        raise ValueError(line)
    at = _white(line, 1)
    while line[at] != "}":
        key, at = _SCANNER.raw_decode(line, _white(line, at))
        start = _white(line, at) + 1  # after the colon
        at = _white(line, _SCANNER.raw_decode(line, _white(line, start))[1])
        members[key] = line[start:at]
        at += line[at] == ","
    return members


def _white(line: str, at: int) -> int:
    while line[at] in _WHITE:
        at += 1
    return at


def _frame(number: int, t: int, entry: dict[str, str]) -> Frame:
    sender = json.loads(entry["from"])
    if "frame" in entry:
        return _json(number, t, sender, entry["frame"])
    if "text" in entry:
        said = json.loads(entry["text"])
        kind = "noise" if said.strip() else "blank"
        return Frame(number, t, sender, len(said.encode()), kind, {})
    return Frame(number, t, sender, len(base64.b64decode(json.loads(entry["base64"]))), "noise", {})


def _json(number: int, t: int, sender: str, line: str) -> Frame:
    value = decode(line)
    items = _items(line.strip()) if isinstance(value, list) else []
    said = tuple(_json(number, t, sender, item) for item in items if item.startswith("{"))
    return Frame(number, t, sender, len(line.encode()), _kind(value), fields(value), said)


def _items(line: str) -> Iterator[str]:
    """The items of a JSON list, each as the text that stands there."""
    at = _white(line, 1)
    while line[at] != "]":
        start, at = at, _SCANNER.raw_decode(line, at)[1]
        yield line[start:at]
        at = _white(line, at)
        at = _white(line, at + 1) if line[at] == "," else at


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "batch"
    if isinstance(value, dict) and isinstance(value.get("method"), str):
        return "request" if "id" in value else "notification"
    if isinstance(value, dict) and "method" not in value and ("result" in value or "error" in value):
        return "response"
    return "odd"
