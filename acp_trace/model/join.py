"""Which ACP session and turn a call of the model belongs to, and how that was found out.

Most agents name the session themselves, each in its own place, so it is looked for everywhere: in the
headers, in the request's labels, then in all of it. If an agent does not, the session is found among several
by the words of its prompts, by time, and by its directory. `how` records the rule; what was not found is
None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from acp_trace.model.problems import Headers
from acp_trace.model.shapes import Prompt, Text
from acp_trace.normalize import windows
from acp_trace.normalize.windows_spellings import WindowsSpellings
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
    """The session and the turn of a call; None if they cannot be determined.

    `how` the session was found: `header NAME`, `field NAME` (of the request), `body`, `words` (of a
    prompt), `time` (a turn was open), `directory`, `only session`. A session without a turn: none was open.
    """

    session_id: str | None = None
    turn: int | None = None
    how: str | None = None


#: Shorter ids count only if they are the whole text: `1` occurs everywhere.
_SHORT_ID = 8
_LONG_PROMPT = 40  #: characters


def join(call: JoinKeys, sessions: Sequence[SessionSpan], turns: Sequence[TurnTimes]) -> Joined:
    """The session and the turn of a call."""
    ids = dict.fromkeys([*(each.session_id for each in sessions), *(each.session_id for each in turns)])
    among, how = _named(call, ids)
    if len(among) == 1:
        return Joined(among[0], _turn(among[0], call, turns), how)
    among = among or list(ids)
    begun = [each for each in turns if each.session_id in among and each.started_ns <= call.started_ns]
    if len(among) == 1:
        is_open = any(each.is_open(call.started_ns) for each in begun)
        return Joined(among[0], _turn(among[0], call, turns), "time" if is_open else "only session")
    for how, rule in _RULES:
        among = [id for id in among if id in rule(call, begun, sessions)] or among
        if len(among) == 1:
            return Joined(among[0], _turn(among[0], call, turns), how)
    return Joined()


def places(headers: Headers, labels: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return where a call may name its session: the name of each place, and its text."""
    return [
        *((f"header {name}", value) for name, value in headers if value),
        *((f"field {name}", _flat(value)) for name, value in labels.items()),
    ]


def named_in(texts: Iterable[tuple[str, str]], ids: Collection[str]) -> tuple[list[str], str | None]:
    """Return the sessions that are named in `places`, and the first place that names just one, if any."""
    several: tuple[list[str], str | None] = ([], None)
    for where, text in texts:
        found = [id for id in ids if _stands(id, text)]
        if len(found) == 1:
            return found, where
        several = several if several[0] or not found else (found, where)
    return several


def _named(call: JoinKeys, ids: Collection[str]) -> tuple[list[str], str | None]:
    """Return the sessions that the call names, and where."""
    among = named_in(places(call.headers, call.prompt.labels), ids)
    if among[0]:
        return among
    long = [id for id in ids if len(id) >= _SHORT_ID and id.encode() in call.body]
    return [id for id in long if _stands(id, call.body.decode("utf-8", "replace"))], "body"


def _stands(id: str, text: str) -> bool:
    """Whether an id occurs in a text, and not as a piece of a longer word."""
    if len(id) < _SHORT_ID:
        return text == id
    return id in text and re.search(rf"(?<![A-Za-z0-9]){re.escape(id)}(?![A-Za-z0-9])", text) is not None


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else jsontext.string(value)


def _turn(session_id: str, call: JoinKeys, turns: Iterable[TurnTimes]) -> int | None:
    """Return the session's turn at that time. Of several (prompts may queue), the first is at work."""
    opened = [each for each in turns if each.session_id == session_id and each.is_open(call.started_ns)]
    return min(opened, key=lambda each: each.started_ns).turn if opened else None


def _by_words(call: JoinKeys, begun: Sequence[TurnTimes], _sessions: Sequence[SessionSpan]) -> set[str]:
    """Return the sessions whose prompt the request contains, from its last message that has one."""
    for message in reversed(call.prompt.messages):
        if message.role == "user":
            text = "\n".join(part.text for part in message.parts if isinstance(part, Text))
            named = {each.session_id for each in begun if _tells(text, each.prompt.strip())}
            if named:
                return named
    return set()


def _tells(text: str, prompt: str) -> bool:
    """Whether a message contains a prompt: in lines of its own, or anywhere if that is hardly chance."""
    if not prompt or prompt not in text:
        return False
    own = rf"(?:^|\n)[^\S\n]*{re.escape(prompt)}[^\S\n]*(?:\n|$)"
    return len(prompt) >= _LONG_PROMPT or re.search(own, text) is not None


def _by_time(call: JoinKeys, begun: Sequence[TurnTimes], _sessions: Sequence[SessionSpan]) -> set[str]:
    return {each.session_id for each in begun if each.is_open(call.started_ns)}


def _by_directory(call: JoinKeys, _begun: Sequence[TurnTimes], sessions: Sequence[SessionSpan]) -> set[str]:
    """Return the sessions whose directory is in the request."""
    return {each.session_id for each in sessions if each.cwd and _stands_path(each.cwd, call.body)}


def _stands_path(directory: str, body: bytes) -> bool:
    """Whether a directory, and not a longer path, is in a request, as JSON writes it."""
    if windows.read(directory) is not None:
        return any(True for _ in _spelt(directory).find(body.decode("utf-8", "replace")))
    written = jsontext.string(directory)[1:-1].encode()
    return re.search(re.escape(written) + rb"(?![\w.-])", body) is not None


@lru_cache
def _spelt(directory: str) -> WindowsSpellings:
    return WindowsSpellings([directory], "", r"(?![\w.-])")


_Rule = Callable[[JoinKeys, Sequence[TurnTimes], Sequence[SessionSpan]], set[str]]
#: Each returns those of several sessions that it supports; a rule that leaves only one has found it.
_RULES: tuple[tuple[str, _Rule], ...] = (
    ("words", _by_words),
    ("time", _by_time),
    ("directory", _by_directory),
)
