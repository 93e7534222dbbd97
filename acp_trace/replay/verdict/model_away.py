"""Whether the model may have been away in a run, which is not the agent's fault. Pure.

The model's side of an agent is invisible. Visible signs are: an error or a message that names a connection, a
limit or a key, such a line on stderr, and a turn without any sign of a model that had one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from acp_trace.analyze.facts import Facts
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.protocol.payloads import ParamsView
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.turn_progress import chunk_of
from acp_trace.replay.timeouts import SECOND
from acp_trace.trace.entries import SENT, Entry, EntryKind

#: The words of agents and their libraries for a model that cannot be reached, or refuses to serve them.
_AWAY = re.compile(
    r"\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)|fetch failed|socket hang up"
    r"|network error|stream disconnected|error sending request|request timed out|provider error"
    r"|(?:unable|failed|could not|cannot|can't) (?:to )?connect"
    r"|connection (?:error|refused|reset|failed|timed out)"
    r"|service unavailable|overloaded|rate.?limit|too many requests|quota"
    r"|insufficient (?:credit|funds|balance)"
    r"|(?:invalid|incorrect|missing|no) api.?key|unauthori[sz]ed|authentication (?:error|failed|required)"
    r"|model\b.{0,60}\bnot (?:found|exist|available|supported)"
    r"|(?:status|http|error)\W{0,3}(?:code )?(?:401|403|429|5\d\d)\b",
    re.IGNORECASE,
)
_AROUND = 80  #: characters that are shown before and after a sign
_META = b'"_meta"'
_DEEPEST = 4  #: how deep errors are searched in the _meta of an update


@dataclass(slots=True)
class _Text:
    """Text that belongs together: `parts`, and the frame of each; none for stderr."""

    parts: list[str]
    frames: list[int]

    @property
    def whole(self) -> str:
        return "".join(self.parts)

    def where(self, end: int) -> str:
        """Return the frame at which the characters before `end` were complete."""
        ends = accumulate(map(len, self.parts))
        return next(
            (f"#{frame}" for frame, last in zip(self.frames, ends, strict=False) if last >= end),
            "the agent's stderr",
        )


def note(
    recorded: Iterable[Entry], run: Sequence[Entry], expected: Facts, actual: Facts, *, agent_left: bool
) -> Incident | None:
    """Return the signs that a model was away, or None. `expected`, `actual`: the facts of both traces.

    `agent_left`: it ended before the recording did. Then an unfinished turn is not a sign.
    """
    known = _Known(recorded)
    for text in _texts(run):
        whole = text.whole
        for match in _AWAY.finditer(whole):
            if match[0] not in known:
                return _incident(f"{text.where(match.end())} says: {_quoted(whole, match)}")
    for was, now in zip(expected.turns, actual.turns, strict=False):
        if agent_left and now.duration_ns is None:
            continue
        if was.first_output_ns is not None and now.first_output_ns is None and now.error_code is None:
            took = now.duration_ns if now.duration_ns is not None else run[-1].t - (now.t_ns or 0)
            return _incident(
                f"no thought, message or tool call came in {took / SECOND:.0f} s after prompt #{now.frame}; "
                f"in the recording the first one came after {was.first_output_ns / SECOND:.1f} s"
            )
    return None


def _incident(why: str) -> Incident:
    return Incident(
        "model-away", f"the model may have been unreachable; then the agent is not at fault: {why}"
    )


class _Known:
    """The recording's frames, and its messages turn by turn, read like those of a run."""

    def __init__(self, recorded: Iterable[Entry]) -> None:
        self._recorded = recorded
        self._texts: list[str] | None = None  # joined on demand: most runs never need it
        self._words: dict[str, bool] = {}

    def __contains__(self, words: str) -> bool:
        if words not in self._words:
            if self._texts is None:
                self._texts = [text.whole for text in _texts(self._recorded)]
            raw = words.encode()
            self._words[words] = any(words in text for text in self._texts) or any(
                raw in entry.data for entry in self._recorded
            )
        return self._words[words]


def _quoted(text: str, match: re.Match[str]) -> str:
    """Return the words of a match, with those around them on their lines: no word is cut."""
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    after = text[match.end() :].split("\n", 1)[0]
    if len(before) > _AROUND:
        before = f"… {before[-_AROUND:].partition(' ')[2]}"
    if len(after) > _AROUND:
        after = f"{after[:_AROUND].rpartition(' ')[0]} …"
    return f"{before}{match[0]}{after}".strip()


def _texts(entries: Iterable[Entry]) -> list[_Text]:
    """Return an agent's errors, its lines on stderr, and its messages, joined turn by turn."""
    texts: list[_Text] = []
    messages: dict[str | None, _Text] = {}  # of the turn that is open, by session
    prompts: dict[str | None, str | None] = {}  # sessions, by the ids of their open prompts
    frame = 0
    for entry in entries:
        if entry.kind is EntryKind.LOG:
            texts.append(_Text([entry.data.decode("utf-8", "replace")], []))
        if entry.kind not in SENT:
            continue
        frame += 1
        message = read(entry.data)
        if entry.sender == "client":
            if message.method == methods.PROMPT:
                prompts[message.id] = message.session_id
                messages.pop(message.session_id, None)
        elif message.kind is MessageKind.RESPONSE:
            if message.id in prompts:
                messages.pop(prompts.pop(message.id), None)
            if message.is_error:
                texts.append(_Text([_error(message)], [frame]))
        elif message.update in updates.AGENT_MESSAGES:
            text = messages.get(message.session_id)
            if text is None:
                text = messages[message.session_id] = _Text([], [])
                texts.append(text)
            chunk = chunk_of(message.update, message.part("params"))
            text.parts.append(chunk[1] if chunk else "")
            text.frames.append(frame)
        elif message.update is not None and _META in entry.data:
            said = [_meta_errors(part, _DEEPEST) for part in _metas(message)]
            texts += [_Text([error], [frame]) for errors in said for error in errors]
    return texts


def _metas(message: Message) -> Iterator[object]:
    """Yield the `_meta` of an update, and of the notification around it."""
    params = ParamsView(message.part("params"))
    yield from (params.update.meta, params.members.get("_meta"))


def _meta_errors(value: object, deepest: int) -> Iterator[str]:
    """Yield the members called `error`, as from codex-acp while it retries its model."""
    if not isinstance(value, dict) or not deepest:
        return
    for name, member in value.items():
        if name == "error":
            parts = member if isinstance(member, dict) else {name: member}
            yield " ".join(text for key, text in parts.items() if isinstance(text, str) and key[-2:] != "Id")
        else:
            yield from _meta_errors(member, deepest - 1)


def _error(message: Message) -> str:
    error = message.part("error")
    return f"{error.get('message')} {error.get('data', '')}"
