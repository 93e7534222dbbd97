"""The entries of a trace file as the parser returns them: shapes only."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

import msgspec

from acp_trace.trace.jsontext import as_integer, as_object, as_string

Sender = Literal["client", "agent"]
#: The side that a message goes to, by its sender.
OTHER_SIDE: dict[str, Sender] = {"client": "agent", "agent": "client"}


class EntryKind(StrEnum):
    """The kind of a line in a trace file."""

    FRAME = "frame"  #: a JSON text that one side sent
    TEXT = "text"  #: a line that one side sent, valid UTF-8 but not JSON
    BASE64 = "base64"  #: a line that one side sent, not valid UTF-8
    HEADER = "header"
    LOG = "log"  #: a line of the agent's stderr
    GAP = "gap"  #: frames that were forwarded and could not be written
    END = "end"
    MODEL = "model"  #: an event between the agent and its language model, or a part of it
    HTTP = "http"  #: an event of a stream of ACP over HTTP or WebSocket
    UNKNOWN = "unknown"  #: a JSON object with none of the keys above: a later addition, ignored
    DAMAGED = "damaged"  #: not an entry at all; `problem` says why


#: The origin of a trace whose header does not name another.
RECORDED = "recorded"
#: The origin of a trace that was read from the log of another tool.
IMPORTED = "imported"
#: The origins of traces that no replay made: sessions of people.
ORIGINAL = (RECORDED, IMPORTED)
#: The origins of traces that acp-trace itself made from a recording, as one of its two sides.
RUNS = ("replay", "mock")

#: The transports with streams, by the words of the header. The remaining transport is `stdio`.
NETWORKS = ("http", "websocket")

#: The kinds that are frames: they have a sender, and a number counted over both senders.
SENT = frozenset({EntryKind.FRAME, EntryKind.TEXT, EntryKind.BASE64})

#: The kinds that people see between the frames.
BETWEEN = frozenset({EntryKind.LOG, EntryKind.GAP})

#: Greater than the number of any frame.
AFTER_ALL = 1 << 62


class Entry(msgspec.Struct, gc=False):
    """One line of a trace file.

    `data` is what the entry carries: the frame or line verbatim without its newline, the log line,
    or the JSON text under `gap`, `end`, `model`, `http` or the header. `raw` is the whole line as in the
    file, newline included.
    """

    line: int  #: from 1
    kind: EntryKind
    t: int  #: ns since the trace began; 0 if the line has no time
    sender: Sender | None
    data: bytes
    raw: bytes
    partial: bool = False  #: the sender ended before it wrote the newline
    canonical: bool = False  #: a frame whose line `encode.frame` would write identically, byte for byte
    problem: str | None = None
    stream: int = 0  #: the number of its HTTP stream; 0: there is one stream, in which the order is total
    is_timed: bool = True  #: whether the line has its time, as all do except those of some imported traces

    @property
    def t_ns(self) -> int | None:
        """The time for people and programs: None if the line has none."""
        return self.t if self.is_timed else None


class Imported(msgspec.Struct, frozen=True):
    """The header's information about the log from which an imported trace was made."""

    format: str = ""
    has_times: bool = True
    senders_inferred: bool = False  #: the sender is inferred from methods and ids
    ordered: bool = True  #: the messages of the two sides are in the order in which they were sent
    unused: int = 0  #: items of the log that are not in the trace
    whole: bool = True  #: the tool logs all messages, as far as is known
    has_client_responses: bool = True  #: the tool logs what the client answers to the agent's requests
    has_payloads: bool = True  #: no part of a message was replaced or left out
    has_pieces: bool = True  #: whether each piece of a model's answer has a time, and not only the first

    @classmethod
    def of(cls, decoded: object) -> Imported | None:
        """Return the value under `imported` in a header; None if it is missing."""
        if not isinstance(decoded, dict):
            return None
        lacks = decoded.get("lacks") or []
        lacks = lacks if isinstance(lacks, list) else [lacks]
        return cls(
            as_string(decoded.get("format")),
            decoded.get("times") is not False,
            decoded.get("directions") == "inferred",
            decoded.get("order") != "unknown",
            as_integer(decoded.get("unused")) or 0,
            lacks in ([], ["pieces"]),
            "client_responses" not in lacks,
            "payloads" not in lacks,
            "pieces" not in lacks,
        )


class Header(msgspec.Struct, frozen=True):
    """The first line of a trace. Every field but `id` may be empty: readers use what is present."""

    id: str
    started_at: str = ""  #: RFC 3339, UTC
    argv: tuple[str, ...] = ()
    cwd: str = ""
    labels: dict[str, str] = {}
    faults: tuple[str, ...] = ()  #: of a run, the faults that acp-trace made on purpose
    origin: str = RECORDED
    replay_of: str | None = None  #: for a run, the id of its recording
    snapshot: str = ""  #: the id of the workspace snapshot that its recorder was to take
    imported: Imported | None = None  #: for an imported trace, the contents of its log
    transport: str = ""  #: stdio, http or websocket
    url: str = ""  #: where the agent was reached, if it was not started; then `argv` has it too

    @classmethod
    def of(cls, value: object) -> Header:
        """Return the header in a decoded header line; a value of an unexpected type counts as absent."""
        decoded = as_object(value)
        agent = as_object(decoded.get("agent"))
        url = as_string(agent.get("url"))
        faults = decoded.get("faults")
        argv = agent.get("argv") or ([url] if url else None)
        return cls(
            id=as_string(decoded.get("id")),
            started_at=as_string(decoded.get("started_at")),
            argv=tuple(str(arg) for arg in argv) if isinstance(argv, list) else (),
            cwd=as_string(agent.get("cwd")),
            labels={k: str(v) for k, v in as_object(decoded.get("labels")).items()},
            faults=tuple(str(each) for each in faults) if isinstance(faults, list) else (),
            origin=_origin(decoded),
            replay_of=as_string(decoded.get("replay_of")) or None,
            snapshot=as_string(decoded.get("workspace_snapshot")),
            imported=Imported.of(decoded.get("imported")),
            transport=as_string(decoded.get("transport")),
            url=url,
        )


class End(msgspec.Struct, frozen=True):
    """The last line of a whole trace: how the agent ended."""

    exit_code: int | None = None
    signal: int | None = None
    error: str | None = None  #: why the agent could not be started
    aborted: str | None = None  #: why acp-trace ended a run
    client_left: bool = False  #: the client closed its side, or asked the agent to end, before it ended
    signalled: bool = False  #: a signal asked it to end

    @classmethod
    def of(cls, value: object) -> End:
        """Return the footer in the decoded value under `end`."""
        decoded = as_object(value)
        return cls(
            as_integer(decoded.get("exit_code")),
            as_integer(decoded.get("signal")),
            as_string(decoded.get("error")) or None,
            as_string(decoded.get("aborted")) or None,
            decoded.get("client_left") is True,
            decoded.get("signalled") is True,
        )


class Gap(msgspec.Struct, frozen=True):
    """What was forwarded and could not be written: a known loss."""

    frames: int
    bytes: int
    reason: str

    @property
    def is_damage(self) -> bool:
        """Whether only bytes are reported lost: then the number of frames is unknown."""
        return self.bytes > 0 and not self.frames

    @classmethod
    def of(cls, value: object) -> Gap:
        """Return the gap in the decoded value under `gap`."""
        decoded = as_object(value)
        return cls(
            as_integer(decoded.get("frames")) or 0,
            as_integer(decoded.get("bytes")) or 0,
            as_string(decoded.get("reason")),
        )


def _origin(decoded: dict[str, Any]) -> str:
    """Return the origin. Earlier versions only named a run's recording, for a replay as well as a mock."""
    origin = decoded.get("origin")
    if origin in (IMPORTED, *RUNS):
        return str(origin)
    return "replay" if as_string(decoded.get("replay_of")) else RECORDED
