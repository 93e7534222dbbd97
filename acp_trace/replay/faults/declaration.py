"""The kinds of faults, each declared once; and a person's text, parsed: `delay 5s on session/prompt #2`.

    fault  := KIND [VALUE] on METHOD [#N]
    METHOD := that of the player's request or notification, or of the request that the player answers; a kind
              of update; `model`

`sending` defines what a kind does to a message, and `aims` whether a run has such a message. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from acp_trace.trace import near_misses
from acp_trace.trace.carets import CaretError

#: The part of an exchange that the player's message is.
Part = Literal["request", "notification", "response"]
Value = Literal["time", "number", "code", "word"]

#: In place of a method: a call of the agent's language model.
MODEL = "model"
_SENT: tuple[Part, ...] = ("request", "notification")
_ANY: tuple[Part, ...] = (*_SENT, "response")
_ANSWER: tuple[Part, ...] = ("response",)


class FaultError(CaretError):
    """A text that is not a fault, or an impossible fault: what was expected, and where."""


class FaultRow(NamedTuple):
    """One kind. `parts`: the messages for which it makes sense; empty for a call of the model.

    `own`: the side that can do it, None for both. `only`: the only method for which it makes sense.
    """

    name: str
    help: str
    parts: tuple[Part, ...] = _ANY
    own: Literal["client", "agent"] | None = None
    only: str = ""
    value: Value | None = None
    example: str = ""  #: of a value
    is_value_optional: bool = True
    is_once: bool = False  #: without #N, only the first message
    is_lost: bool = False  #: the peer cannot read the message: nothing answers it
    named: tuple[str, ...] = ()  #: codes of the findings that report it, on the player's side
    #: Codes of findings on the peer's side that are then not the peer's fault.
    excused: frozenset[str] = frozenset()


_OPEN = frozenset({"never-answered", "cancel-unanswered", "agent-never-spoke"})
_TWICE = frozenset({"second-answer", "response-to-nothing"})
_LOST = frozenset({"unknown-session", "update-unknown-session", "before-initialize"})
_BROKEN = ("payload-field-missing", "payload-wrong-type", "payload-unknown-value", "stop-reason-unknown")
_PROMPT = "session/prompt"

_ALL = (
    FaultRow("delay", "The message comes late, by VALUE, and so does everything after it.",
        value="time", example="5s", is_value_optional=False),
    FaultRow("drop", "The message is not sent.", is_lost=True, named=("never-answered",),
        excused=_OPEN | _LOST),
    FaultRow("never", "The request of the peer is never answered.", _ANSWER, is_lost=True,
        named=("never-answered",), excused=_OPEN | _LOST),
    FaultRow("duplicate", "The message is sent twice.", named=("id-reused", "second-answer"),
        excused=_TWICE),
    FaultRow("reorder", "The message changes places with the next one. An answer of `mock` changes places "
        "with the update before it.", named=("update-after-settle", "update-unknown-session"), excused=_LOST),
    FaultRow("cut", "Only half of the message is sent. The next message follows on the same line.",
        is_lost=True, named=("not-json",), excused=_OPEN | _LOST),
    FaultRow("bytes", "The message is written byte by byte."),
    FaultRow("malformed-json", "The message is sent without its last character, so it is not JSON.",
        is_lost=True, named=("not-json",), excused=_OPEN | _LOST),
    FaultRow("malformed", "The payload does not have the shape that the protocol requires: a member is "
        "missing, has a wrong type, or has a value that the protocol does not know. VALUE, a number, chooses "
        "the place.",
        value="number", example="7", named=_BROKEN, excused=_LOST),
    FaultRow("unknown-update", "An update of the kind VALUE (default: an invented kind) is sent before the "
        "message.",
        own="agent", value="word", example="mood_update", named=("unknown-update",)),
    FaultRow("noise", "A line that is not a message is sent before the message.", named=("not-json",)),
    FaultRow("error", "An error with the code VALUE (default: -32603) is sent instead of the result.",
        _ANSWER, value="code", example="-32000", excused=_LOST),
    FaultRow("ignore-cancel", "A cancel of the turn is ignored: more chunks are sent, and then `end_turn`.",
        _ANSWER, "agent", _PROMPT, named=("cancel-other-stop-reason",)),
    FaultRow("end-turn", "A turn that was cancelled ends with `end_turn`.", _ANSWER, "agent", _PROMPT,
        named=("cancel-other-stop-reason",)),
    FaultRow("late-chunk", "One more chunk of the turn is sent after the answer.", _ANSWER, "agent", _PROMPT,
        named=("update-after-settle",)),
    FaultRow("close", "In the middle of the message, acp-trace closes its output, but still reads.",
        is_once=True, is_lost=True, named=("not-json", "never-answered"), excused=_OPEN),
    FaultRow("kill", "acp-trace closes both directions instead of sending the message.",
        is_once=True, is_lost=True, named=("never-answered",), excused=_OPEN),
    FaultRow("model-429", "The model refuses the call: too many requests.", (), "client", MODEL),
    FaultRow("model-500", "The model's provider fails: an internal error.", (), "client", MODEL),
    FaultRow("model-break", "The model's answer breaks off in the middle.", (), "client", MODEL),
    FaultRow("model-slow", "There is a pause of VALUE before each piece of the model's answer.", (), "client",
        MODEL, "time", "200ms", is_value_optional=False),
)  # fmt: skip
KINDS = {kind.name: kind for kind in _ALL}

_WORDS = re.compile(r"\S+")
_TIME = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(ms|s)", re.ASCII)
_UNITS = {"ms": 1_000_000, "s": 1_000_000_000}
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_CODE = re.compile(r"-?\d{1,9}", re.ASCII)
_NTH = re.compile(r"#([1-9]\d{0,8})", re.ASCII)
#: Longer times are a mistake: no run waits for an hour.
_LONGEST_NS = 3600 * _UNITS["s"]


@dataclass(frozen=True, slots=True)
class PlannedFault:
    """One fault. `text`: as it was given. `nth`: which of these messages, from 1; None: all of them."""

    text: str
    kind: FaultRow
    method: str
    value: str = ""
    nth: int | None = None

    @property
    def time_ns(self) -> int:
        """The value of a kind that takes a time, in ns; 0 for any other kind."""
        match = _TIME.fullmatch(self.value)
        return 0 if match is None else int(float(match[1]) * _UNITS[match[2]])

    @property
    def number(self) -> int:
        """The value of a kind that takes a number; 0 without one."""
        return int(self.value) if _CODE.fullmatch(self.value) else 0

    def is_due(self, count: int) -> bool:
        """Whether it applies to the `count`-th message of its kind, from 1."""
        if self.nth is None:
            return not self.kind.is_once or count == 1
        return count == self.nth


def fault(kind: str, method: str, value: str = "", nth: int | None = None) -> PlannedFault:
    """Return the fault of these parts; `parse` can read its text. Raises KeyError for an unknown kind."""
    words = [kind, value, "on", method, f"#{nth}" if nth is not None else ""]
    return PlannedFault(" ".join(filter(None, words)), KINDS[kind], method, value, nth)


def parse(text: str) -> PlannedFault:
    """Return the fault in a text: `delay 5s on session/prompt #2`. Raises FaultError."""
    words = list(_WORDS.finditer(text))
    if not words:
        raise FaultError("expected a fault, such as 'delay 5s on session/prompt'", text, 0, len(text))
    kind = KINDS.get(words[0][0])
    if kind is None:
        hint = near_misses.suggestion(words[0][0], KINDS) or f": it is not one of {', '.join(KINDS)}"
        raise FaultError(f"{words[0][0]!r} is not a kind of fault{hint}", text, *words[0].span())
    value, at = "", 1
    if len(words) > 1 and words[1][0] != "on":
        value, at = words[1][0], 2
        _check_value(kind, text, words[1])
    elif kind.value is not None and not kind.is_value_optional:
        end = words[0].end()
        raise FaultError(f"expected a value, such as '{kind.name} {kind.example}'", text, end, end)
    if len(words) <= at or words[at][0] != "on" or len(words) == at + 1:
        end = words[min(at, len(words) - 1)].end()
        raise FaultError(f"expected 'on METHOD', such as 'on {kind.only or _PROMPT}'", text, end, end)
    nth = None
    if len(words) > at + 2:
        match = _NTH.fullmatch(words[at + 2][0])
        if match is None or len(words) > at + 3:
            span = words[at + 2].start(), words[-1].end()
            raise FaultError("expected #N, the number of the message, and nothing after it", text, *span)
        nth = int(match[1])
    return PlannedFault(text, kind, words[at + 1][0], value, nth)


def _check_value(kind: FaultRow, text: str, word: re.Match[str]) -> None:
    """Raise FaultError if a kind has no such value."""
    if kind.value is None:
        raise FaultError(f"{kind.name} takes no value: expected 'on METHOD'", text, *word.span())
    match = _READ[kind.value].fullmatch(word[0])
    too_long = match is not None and kind.value == "time" and not 0 < _ns(match) <= _LONGEST_NS
    if match is None or too_long:
        raise FaultError(f"expected {_EXPECTED[kind.value]}, such as {kind.example}", text, *word.span())


def _ns(match: re.Match[str]) -> float:
    return float(match[1]) * _UNITS[match[2]]


_READ: dict[Value, re.Pattern[str]] = {
    "time": _TIME,
    "number": _NUMBER,
    "code": _CODE,
    "word": re.compile(r"[A-Za-z_$][\w./$-]{0,99}", re.ASCII),
}
_EXPECTED: dict[Value, str] = {
    "time": "a time above 0 and up to an hour",
    "number": "a number",
    "code": "the code of an error",
    "word": "a name",
}
