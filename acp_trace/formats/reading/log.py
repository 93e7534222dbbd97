"""What every reader of another tool's log hands out: shapes only, no rule of any format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from acp_trace.trace.entries import Sender


class NotThisFormat(Exception):
    """The files hold nothing that this reader knows. The message says what it looked for: one line."""


class File(NamedTuple):
    """One file to be read."""

    name: str  #: as the user gave it; `-` for standard input
    data: bytes


class Sent(NamedTuple):
    """What one side sent: a line, without its newline, as the log has it."""

    data: bytes  #: JSON text where the log has one; any bytes otherwise
    sender: Sender | None  #: None: the log does not say it
    t: int | None = (
        None  #: ns since `Log.started_ns`, or since the first one of a log without wall clock; None: no time
    )


class Said(NamedTuple):
    """A line that the agent wrote to stderr."""

    data: bytes
    t: int | None = None  #: as of `Sent`


class Exchanged(NamedTuple):
    """A part of the agent's traffic with its language model, without secrets: `model_traffic` makes them."""

    exchange: int  #: its number, from 1
    data: bytes  #: the JSON object that accompanies it, under `model` of a trace's entry
    t: int | None = None  #: as of `Sent`


#: Why a message is not used if only a part of it is there.
CUT_MESSAGE = "is a message that was cut"


class Unused(NamedTuple):
    """Something in a file that could not become a message."""

    where: str  #: `line 7`, `item 3`, `row 12`, with the file's name before it if there are several
    why: str  #: a few words, no line break


@dataclass(slots=True)
class Log:
    """One connection between a client and an agent, or traffic with models, as another tool logged it.

    Messages are in the order of the log. Either all of them have a time or none has.
    """

    messages: list[Sent | Said | Exchanged] = field(default_factory=list)
    unused: list[Unused] = field(default_factory=list)
    started_ns: int | None = None  #: wall clock of `t` = 0, ns since 1970; None: unknown
    argv: tuple[str, ...] = ()  #: the agent's command, where the log has it
    cwd: str = ""
    transport: str = "unknown"  #: `stdio` where the tool speaks nothing else
    labels: dict[str, str] = field(
        default_factory=dict
    )  #: what the log says about itself: a tool's version, a session
    verbatim: bool = (
        False  #: whether the messages are the bytes that were sent; otherwise another tool rewrote them
    )
    ordered: bool = True  #: whether messages of the two sides are in the order in which they were sent
    marks: tuple[tuple[str, Sender], ...] = ()  #: the marks beside messages, and whose messages they mark
    inferred: int = 0  #: how many messages have a sender that the log does not say: `directions` found it
    #: What the tool never logs, so no side is blamed for it: `client_responses` to the agent's requests,
    #: `agent_calls` or `client_calls` (requests and notifications), `some_client_calls`. A trace of a log
    #: that does not begin with `initialize` lacks its `beginning` as well.
    #: `payloads`: parts of them were replaced or left out, so that their shape is not the sender's fault.
    #: For traffic with a model, `pieces`: the times of a response's pieces, which all get its beginning.
    lacks: tuple[str, ...] = ()


class Reader(Protocol):
    """A module `acp_trace.formats.reading.NAME` is one."""

    NAME: str  #: as in `--from NAME`

    def recognises(self, files: Sequence[File]) -> bool:
        """Whether these look like files of this format, by what is in them, not their names. Never raises."""
        ...

    def read(self, files: Sequence[File]) -> list[Log]:
        """The connections in them: at least one. Raises only NotThisFormat, for any bytes."""
        ...
