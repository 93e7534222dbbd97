"""A trace with copies of its sessions, for several clients' sessions at once (`mock --sessions N`). Pure.

A copy has its own session id, request ids and directory, and comes after everything that was recorded:
between the sessions of an agent there is no order. Frames that do not name a session are not copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acp_trace.normalize.bindings import ids_in
from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.plan.recording import RecordedMessage, read
from acp_trace.trace import encode, jsontext
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.parse import Parser


def copies(entries: Sequence[Entry], count: int) -> list[Entry]:
    """Return the entries of a trace with each of its sessions `count` times: as `s`, `s-2` and `s-3`."""
    if count <= 1:
        return list(entries)
    recording = read(entries)
    opened = {exchange.session_id for exchange in recording.exchanges.values()} - {None}
    ends = [entry for entry in entries if entry.kind is EntryKind.END]
    parser = Parser()
    more: list[Entry] = []
    for number in range(2, count + 1):
        moved = Rewriter()  # a client may open each session in another directory
        for directory in recording.directories:
            moved.directories.pair(directory, f"{directory}-{number}")
        for message in recording.messages:
            if message.session in opened and not message.partial:
                text = _renamed(message, moved.rewrite(message)[0], number)
                more += parser.feed(encode.frame(message.sender.encode(), message.t_ns, text))
    return [*(entry for entry in entries if entry.kind is not EntryKind.END), *more, *ends]


def opened(entries: Sequence[Entry]) -> int:
    """Return how many sessions a trace opens."""
    requests = [message for message in read(entries).messages if message.kind is MessageKind.REQUEST]
    return sum(message.method in methods.OPENERS for message in requests)


def _renamed(message: RecordedMessage, text: bytes, number: int) -> bytes:
    value = jsontext.value_or_none(text)
    if not isinstance(value, dict):
        return text
    if "id" in value:
        value["id"] = _suffixed(value["id"], number)
    for kind, holder, path in _ids(value, message):
        if kind in ("session", "request"):
            holder[path[-1]] = _suffixed(holder[path[-1]], number)
    return jsontext.text(value)


def _ids(
    value: dict[str, object], message: RecordedMessage
) -> Iterator[tuple[str, dict[str, object], tuple[str, ...]]]:
    yield from ids_in(value, message.method or "", "params" if "method" in value else "result")


def _suffixed(value: object, number: int) -> str:
    return f"{value if isinstance(value, str) else jsontext.string(value)}-{number}"
