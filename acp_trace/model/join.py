"""Which ACP session and turn a call of the model belongs to, and how that was found out.

Most agents name the session themselves, each in its own place, so it is looked for everywhere: in the
headers, in what labels the request, then in all of it. Agents that do not are left to time; where that leaves
several turns, the words of the prompt decide, then the directory. What was found is told with its source, and
what was not is None: a guess is never told as knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import msgspec

from acp_trace.model.problems import Headers
from acp_trace.model.shapes import Prompt, Text
from acp_trace.trace import jsontext


class JoinKeys(msgspec.Struct, frozen=True, kw_only=True):
    """What a call is joined by. `headers` with names in lower case, `body` as it was sent, times in ns."""

    headers: Headers
    body: bytes
    prompt: Prompt
    started_ns: int


class SessionSpan(msgspec.Struct, frozen=True):
    """An ACP session: its id, and the directory it was opened with."""

    session_id: str
    cwd: str | None = None


class TurnTimes(msgspec.Struct, frozen=True):
    """A turn: from its prompt until it settled (None: it is still open), in ns. `prompt` is its text."""

    session_id: str
    turn: int
    started_ns: int
    ended_ns: int | None
    prompt: str = ""

    def is_open(self, t_ns: int) -> bool:
        """Whether the turn was open at a moment."""
        return self.started_ns <= t_ns and (self.ended_ns is None or t_ns <= self.ended_ns)


class Joined(msgspec.Struct, frozen=True):
    """The session and the turn of a call; None where nobody can say.

    `how` the session was found: `header NAME`, `field NAME` (of the request), `body`, `time` (one turn
    was open), `words` (of the turn's prompt), `directory`, `only session`. None if it was not. A session
    without a turn: no turn of it was open.
    """

    session_id: str | None = None
    turn: int | None = None
    how: str | None = None


#: Ids shorter than this count only where they are all that stands there: `1` stands everywhere.
_SHORT_ID = 8


def join(call: JoinKeys, sessions: Sequence[SessionSpan], turns: Sequence[TurnTimes]) -> Joined:
    """The session and the turn of a call."""
    ids = dict.fromkeys([*(each.session_id for each in sessions), *(each.session_id for each in turns)])
    candidates, how = _named(call, ids)
    if len(candidates) == 1:
        return Joined(candidates[0], _turn(candidates[0], call, turns), how)
    among = candidates or list(ids)
    opened = [each for each in turns if each.session_id in among and each.is_open(call.started_ns)]
    for name, rule in _RULES:
        left = rule(call, opened, sessions)
        if len(left) == 1:
            return Joined(left[0], _turn(left[0], call, turns), name)
    if len(ids) == 1 and not opened:
        return Joined(next(iter(ids)), None, "only session")
    return Joined()


def _named(call: JoinKeys, ids: Collection[str]) -> tuple[list[str], str | None]:
    """The sessions that the call names, and where: the first place that names just one, if there is any."""
    places: list[tuple[str, str]] = [(f"header {name}", value) for name, value in call.headers if value]
    places += [(f"field {name}", _flat(value)) for name, value in call.prompt.labels.items()]
    several: tuple[list[str], str | None] = ([], None)
    for where, text in places:
        found = [id for id in ids if _stands(id, text)]
        if len(found) == 1:
            return found, where
        several = several if several[0] or not found else (found, where)
    if several[0]:
        return several
    long = [id for id in ids if len(id) >= _SHORT_ID and id.encode() in call.body]
    return [id for id in long if _stands(id, call.body.decode("utf-8", "replace"))], "body"


def _stands(id: str, text: str) -> bool:
    """Whether an id stands in a text, and not as a piece of a longer word."""
    if len(id) < _SHORT_ID:
        return text == id
    return id in text and re.search(rf"(?<![A-Za-z0-9]){re.escape(id)}(?![A-Za-z0-9])", text) is not None


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else jsontext.string(value)


def _turn(session_id: str, call: JoinKeys, turns: Iterable[TurnTimes]) -> int | None:
    """The session's turn at that time. Of several (prompts may queue), the first is at work."""
    opened = [each for each in turns if each.session_id == session_id and each.is_open(call.started_ns)]
    return min(opened, key=lambda each: each.started_ns).turn if opened else None


def _by_time(_call: JoinKeys, opened: Sequence[TurnTimes], _sessions: Sequence[SessionSpan]) -> list[str]:
    return list(dict.fromkeys(each.session_id for each in opened))


def _by_words(call: JoinKeys, opened: Sequence[TurnTimes], _sessions: Sequence[SessionSpan]) -> list[str]:
    """Whose prompt is told to the model; the latest message that tells one decides."""
    for message in reversed(call.prompt.messages):
        if message.role == "user":
            text = "\n".join(part.text for part in message.parts if isinstance(part, Text))
            told = [each.session_id for each in opened if each.prompt.strip() and each.prompt.strip() in text]
            if told:
                return list(dict.fromkeys(told))
    return []


def _by_directory(call: JoinKeys, opened: Sequence[TurnTimes], sessions: Sequence[SessionSpan]) -> list[str]:
    """Whose directory stands in what the model is told."""
    active = {each.session_id for each in opened}
    told = [
        each for each in sessions if each.session_id in active and each.cwd and _names(each.cwd, call.body)
    ]
    return [each.session_id for each in told]


def _names(directory: str, body: bytes) -> bool:
    """Whether a directory, and not a longer path, stands in a request. As JSON writes it."""
    written = jsontext.string(directory)[1:-1].encode()
    return re.search(re.escape(written) + rb"(?![\w.-])", body) is not None


_Rule = Callable[[JoinKeys, Sequence[TurnTimes], Sequence[SessionSpan]], list[str]]
_RULES: tuple[tuple[str, _Rule], ...] = (
    ("time", _by_time),
    ("words", _by_words),
    ("directory", _by_directory),
)
