"""One outgoing message of the player, and what each kind of fault does to it. Pure.

A kind changes what is sent for a message: its line, what goes before and after it, when, or whether at all.
`injector` decides the order of messages, and when a held one is released.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from acp_trace.protocol import methods
from acp_trace.protocol.outcomes import CANCELLED
from acp_trace.protocol.shapes.tables import shapes
from acp_trace.replay.faults.declaration import Part, PlannedFault
from acp_trace.replay.faults.malformed import broken
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Sender

#: The invented kind of update, and the text of a made-up chunk.
UNKNOWN_UPDATE, CHUNK = "acp_trace_unknown", "acp-trace: one more chunk"
ERROR = "acp-trace: a fault on purpose"
NOISE = b"acp-trace: a line that is not a message\n"
_INTERNAL_ERROR = -32603
#: How often an agent that ignores a cancel sends before it ends its turn, and the pause before each, ns.
_GOES_ON, _PAUSE_NS = 3, 100_000_000
#: Pause between two bytes, ns; and the sum of all pauses of a message, at most.
_BYTE_NS, _BYTES_NS = 1_000_000, 1_000_000_000

#: How the player ends: `close` ends its output, `kill` both directions.
Leaving = Literal["close", "kill"]


@dataclass(slots=True)
class About:
    """What is known of a message of the player. `sender`: for a response, that of its request."""

    part: Part
    method: str
    sender: Sender
    version: int = 1  #: of the protocol
    id: str = ""  #: of a request, as `Message.id`
    session: str | None = None
    asked_at: int | None = None  #: of an answer: the number of the peer's line with its request
    is_cancelled: bool = False  #: of the answer to a prompt: its turn was cancelled
    chunk: bytes | None = None  #: the last chunk of the session, a line


@dataclass(slots=True)
class TimedBytes:
    """Bytes that are written at once, `pause_ns` after what was written before."""

    data: bytes
    pause_ns: int = 0


@dataclass(slots=True)
class Sending:
    """What to write for a message. `pieces`: of the message itself; none if it is not sent."""

    about: About
    pieces: list[TimedBytes]
    before: list[TimedBytes] = field(default_factory=list)
    after: list[TimedBytes] = field(default_factory=list)
    pause_ns: int = 0  #: before all of it
    swaps: bool = False  #: it changes places with the next one, or with the update before it
    ends: Leaving | None = None  #: after it, the player is gone
    is_lost: bool = False  #: the peer cannot read it
    hits: list[PlannedFault] = field(default_factory=list)  #: the faults that are in it

    @property
    def line(self) -> bytes:
        """The message, with its newline if it has one."""
        return b"".join(piece.data for piece in self.pieces)

    def say(self, line: bytes) -> None:
        """Replace the message with another line."""
        self.pieces = [TimedBytes(line)]


def apply(fault: PlannedFault, sending: Sending) -> None:
    """Apply a fault to an outgoing message; a fault that does not fit the message changes nothing."""
    if _DO[fault.kind.name](fault, sending):
        sending.hits.append(fault)
        sending.is_lost = sending.is_lost or fault.kind.is_lost


def order(fault: PlannedFault) -> int:
    """Return a fault's position among those of a message: first its content, then how it is sent."""
    return _ORDER[fault.kind.name]


def _delay(fault: PlannedFault, sending: Sending) -> bool:
    sending.pause_ns += fault.time_ns
    return True


def _drop(_: PlannedFault, sending: Sending) -> bool:
    sending.pieces = []
    return True


def _duplicate(_: PlannedFault, sending: Sending) -> bool:
    sending.after.insert(0, TimedBytes(sending.line))
    return True


def _reorder(_: PlannedFault, sending: Sending) -> bool:
    sending.swaps = True
    return True


def _cut(_: PlannedFault, sending: Sending) -> bool:
    sending.say(_half(sending.line))
    return True


def _bytes(_: PlannedFault, sending: Sending) -> bool:
    line = sending.line
    pause = min(_BYTE_NS, _BYTES_NS // max(len(line), 1))
    sending.pieces = [TimedBytes(line[at : at + 1], pause if at else 0) for at in range(len(line))]
    return bool(line)


def _malformed_json(_: PlannedFault, sending: Sending) -> bool:
    sending.say(sending.line.rstrip()[:-1] + b"\n")
    return True


def _malformed(fault: PlannedFault, sending: Sending) -> bool:
    about, message = sending.about, jsontext.object_in(sending.line)
    key = "result" if about.part == "response" else "params"
    of_version = shapes(about.version)
    shape = of_version.name(about.method, about.sender, about.part)
    if shape is None or key not in message:
        return False
    found = broken(message[key], shape, of_version, fault.number)
    if found is None:
        return False
    sending.say(_line({**message, key: found.value}))
    return True


def _unknown_update(fault: PlannedFault, sending: Sending) -> bool:
    kind = fault.value or UNKNOWN_UPDATE
    sending.before.append(TimedBytes(_update(sending.about.session, {"sessionUpdate": kind})))
    return sending.about.session is not None


def _noise(_: PlannedFault, sending: Sending) -> bool:
    sending.before.append(TimedBytes(NOISE))
    return True


def _error(fault: PlannedFault, sending: Sending) -> bool:
    message = jsontext.object_in(sending.line)
    error = {"code": fault.number if fault.value else _INTERNAL_ERROR, "message": ERROR}
    sending.say(_line({**{key: message[key] for key in message if key != "result"}, "error": error}))
    return True


def _ignore_cancel(_: PlannedFault, sending: Sending) -> bool:
    if not sending.about.is_cancelled:
        return False
    sending.before += [TimedBytes(_chunk(sending.about), _PAUSE_NS) for _ in range(_GOES_ON)]
    return _end_turn(_, sending)


def _end_turn(_: PlannedFault, sending: Sending) -> bool:
    message = jsontext.object_in(sending.line)
    if not sending.about.is_cancelled:
        return False
    result = jsontext.as_object(message.get("result"))
    if result.get("stopReason", CANCELLED) == CANCELLED:
        without = {key: member for key, member in message.items() if key != "error"}
        sending.say(_line({**without, "result": {**result, "stopReason": "end_turn"}}))
    return True


def _late_chunk(_: PlannedFault, sending: Sending) -> bool:
    sending.after.append(TimedBytes(_chunk(sending.about)))
    return sending.about.session is not None


def _close(_: PlannedFault, sending: Sending) -> bool:
    sending.ends = "close"
    return _cut(_, sending)


def _kill(_: PlannedFault, sending: Sending) -> bool:
    sending.ends = "kill"
    return _drop(_, sending)


#: What each kind does, returning whether it could; in the order in which several are applied.
_DO: Mapping[str, Callable[[PlannedFault, Sending], bool]] = {
    "error": _error,
    "end-turn": _end_turn,
    "ignore-cancel": _ignore_cancel,
    "malformed": _malformed,
    "unknown-update": _unknown_update,
    "noise": _noise,
    "duplicate": _duplicate,
    "late-chunk": _late_chunk,
    "malformed-json": _malformed_json,
    "cut": _cut,
    "bytes": _bytes,
    "delay": _delay,
    "reorder": _reorder,
    "drop": _drop,
    "never": _drop,
    "close": _close,
    "kill": _kill,
}
_ORDER = {name: at for at, name in enumerate(_DO)}


def _half(line: bytes) -> bytes:
    """Return half of a line, without a newline; never a whole message."""
    return line[: max(len(line) // 2, 1)]


def _chunk(about: About) -> bytes:
    """Return one more chunk of a session: the last one again, or an invented one."""
    if about.chunk is not None:
        return about.chunk
    content = {"type": "text", "text": CHUNK}
    return _update(about.session, {"sessionUpdate": "agent_message_chunk", "content": content})


def _update(session: str | None, update: dict[str, Any]) -> bytes:
    params = {"sessionId": session, "update": update}
    return _line({"jsonrpc": "2.0", "method": methods.UPDATE, "params": params})


def _line(message: dict[str, Any]) -> bytes:
    return jsontext.text(message) + b"\n"
