"""The tables of the filter language: fields, operators, units, other names. Data, also for the page.

How a field is compared depends on its type:

- `glob`    text in which `*` matches any part, `?` one character; upper and lower case differ
- `part`    text that is contained, in upper or lower case
- `text`    the same in the whole frame, also as JSON escapes it
- `choice`  one word of a list
- `session` the name of a session, or a part of its id
- `turn`    the name of a turn, or its index in any session
- `number`  numbers, ranges, comparisons
- `time`    comparisons with a time, in ns
- `size`    comparisons with a size, in bytes
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from acp_trace.analyze.findings.codes import CODES, SEVERITIES
from acp_trace.protocol.message import MessageKind

#: Comparisons of numbers, times and sizes. `!=` is short for a negation.
COMPARISONS = ("<=", ">=", "<", ">")
#: Longest first: a reader takes the first that fits.
OPERATORS = ("!=", *COMPARISONS, ":", "=")
#: Types that are only compared.
COMPARED = ("time", "size")
#: Types that can be compared.
ORDERED = ("number", *COMPARED)
#: Bytes, in powers of 1000, as reports write sizes; upper and lower case do not differ.
SIZES = {"b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000}
#: The longest filter, in characters, and how deep parentheses and negations may be.
LONGEST, DEEPEST = 2000, 50

#: The kinds of entries between frames.
STDERR, GAP = "stderr", "gap"
_KINDS = {
    "req": "request",
    "res": "response",
    "ntf": "notification",
    "bad": "invalid",
    "txt": "text",
    "bin": "bytes",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a row. `values`: all that a `choice` has, or those of a `glob` that are always known."""

    name: str
    type: str
    meaning: str
    example: str
    values: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)  #: other words for values


_ALL = (
    Field("method", "glob", "the method; for a response, the method of its request", "method:session/*"),
    Field(
        "kind",
        "glob",
        "the kind of message (request, response, notification, invalid, text, bytes), the kind of a "
        "`session/update`, or what is between frames (stderr, gap)",
        "kind:tool_call,plan",
        (*(kind.value for kind in MessageKind), STDERR, GAP),
        _KINDS,
    ),
    Field("side", "choice", "who sent the frame: client or agent", "side:agent", ("client", "agent")),
    Field("session", "session", "the session: its name, or a part of its id", "session:S2"),
    Field(
        "turn",
        "turn",
        "the turn: its name, or its number in each session. Finds the frames from the prompt until the turn "
        "settled: those of the turn's session, and those without a session",
        "turn:S2.0",
    ),
    Field("tool", "part", "a part of the id, kind or title of the frame's tool call", "tool:bash"),
    Field("id", "glob", "the JSON-RPC id, without quotes", "id:7"),
    Field("text", "text", "a part of the frame; `text:` may be left out", 'text:"end of turn"'),
    Field("error", "part", "a part of the error's code, message or data", "error:-32603"),
    Field("finding", "glob", "the code of a finding about the frame", "finding:cancel-*", tuple(CODES)),
    Field(
        "severity",
        "choice",
        "the severity of a finding about the frame",
        "severity:warning",
        tuple(SEVERITIES),
    ),
    Field(
        "is",
        "choice",
        "error: a response with an error; open: a request without a response",
        "is:error",
        ("error", "open"),
    ),
    Field("frame", "number", "the number of the frame", "frame:10-20"),
    Field("stream", "number", "the number of the HTTP stream or WebSocket", "stream:3"),
    Field("t", "time", "the time in the trace", "t>1.5s"),
    Field("took", "time", "for a response, the time since its request", "took>1s"),
    Field("after", "time", "the time since the previous frame", "after>=5s"),
    Field("size", "size", "the size of the frame", "size>10kB"),
)  # fmt: skip
FIELDS: dict[str, Field] = {each.name: each for each in _ALL}
#: Other names for fields.
ALIASES = {"from": "side", "update": "kind"}
#: Fields that need the whole trace: they are not available while following a live trace.
AT_END = ("is:open",)
