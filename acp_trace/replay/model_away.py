"""Whether the model may have been away in a run, which says nothing of the agent. Pure.

Nobody sees the model's side of an agent. What can be seen: an error or a message that names a connection, a
limit or a key, a line on stderr that does, and a turn without any sign of a model where there was one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from acp_trace.analyze.facts import Facts
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.replay.incidents import Incident
from acp_trace.replay.peer_state import chunk_of
from acp_trace.replay.timeouts import SECOND
from acp_trace.trace.entries import SENT, Entry, EntryKind

#: How agents and their libraries say that a model cannot be reached, or does not serve them.
_AWAY = re.compile(
    r"ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|fetch failed|socket hang up|network error"
    r"|stream disconnected|error sending request"
    r"|(?:unable|failed|could not|cannot|can't) (?:to )?connect"
    r"|connection (?:error|refused|reset|failed|timed out)"
    r"|service unavailable|overloaded|rate.?limit|too many requests|quota"
    r"|insufficient (?:credit|funds|balance)"
    r"|(?:invalid|incorrect|missing|no) api.?key|unauthori[sz]ed|authentication (?:error|failed|required)"
    r"|model\b.{0,60}\bnot (?:found|exist|available|supported)"
    r"|(?:status|http|error)\W{0,3}(?:code )?(?:401|403|429|5\d\d)\b",
    re.IGNORECASE,
)
_BEFORE = 500  #: characters that are looked at together: a sentence may come in many chunks
_SHOWN = 160


def note(recorded: Iterable[Entry], run: Sequence[Entry], expected: Facts, actual: Facts) -> Incident | None:
    """What speaks for a model that was away, or None. `expected`, `actual`: the facts of both traces."""
    for where, text in _texts(run):
        new = (match for match in _AWAY.finditer(text) if not _is_known(match[0], recorded))
        if (match := next(new, None)) is None:
            continue
        line = text[text.rfind("\n", 0, match.start()) + 1 :].split("\n", 1)[0].strip()
        return _incident(f"{where} says: {line[:_SHOWN]}")
    for was, now in zip(expected.turns, actual.turns, strict=False):
        if was.first_output_ns is not None and now.first_output_ns is None and now.error_code is None:
            took = now.duration_ns if now.duration_ns is not None else run[-1].t - now.t_ns
            return _incident(
                f"no thought, message or tool call came in {took / SECOND:.0f} s after prompt #{now.frame}; "
                f"in the recording the first one came after {was.first_output_ns / SECOND:.1f} s"
            )
    return None


def _incident(why: str) -> Incident:
    return Incident("model-away", f"the model may have been away, which is not the agent's doing: {why}")


def _is_known(words: str, recorded: Iterable[Entry]) -> bool:
    """Whether the recording has the same words."""
    text = words.encode()
    return any(text in entry.data for entry in recorded)


def _texts(run: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    """What an agent said, and where: the ends of its errors, its messages, its stderr."""
    said: dict[str | None, str] = defaultdict(str)
    frame = 0
    for entry in run:
        if entry.kind is EntryKind.LOG:
            yield "its stderr", entry.data.decode("utf-8", "replace")
        if entry.kind not in SENT:
            continue
        frame += 1
        if entry.sender != "agent":
            continue
        message = read(entry.data)
        if message.kind is MessageKind.RESPONSE and message.is_error:
            yield f"#{frame}", _error(message)
        elif message.update in _MESSAGES:
            chunk = chunk_of(message.update, message.part("params"))
            said[message.session_id] = (said[message.session_id] + (chunk[1] if chunk else ""))[-_BEFORE:]
            yield f"#{frame}", said[message.session_id]


_MESSAGES = ("agent_message_chunk", "agent_message")


def _error(message: Message) -> str:
    error = message.part("error")
    return f"{error.get('message')} {error.get('data', '')}"
