"""The texts of an agent and its model, in a form in which secrets can be found, and back again.

A request's body is written as its difference from an earlier one; here it is whole (`Unfolding`), and
shortened again after redaction (`Folding`). A response comes in pieces, and each event of a stream holds a
few letters of a text: if a secret continues from one event to the next, nothing of that response is written
(`Streams`). What is not text is not written either, because its content is unknown.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from acp_trace.redact.scan import Hit
from acp_trace.trace import encode, jsontext
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.jsontext import as_object, object_in, value_or_none
from acp_trace.trace.model_bodies import ALONE, Bodies, Likeness, Shortener, body_piece

#: Most characters of streams that are joined; a longer stream is not written.
_MOST = 64 << 20
#: A token seems to continue with letters that happen to follow it: up to this number is harmless.
_HARMLESS = 3
_DIVIDED, _NO_TEXT, _LOST = "a secret in several pieces", "not text", "it refers to what is lost"


class Unfolding:
    """Yields entries in which each body of a request is whole, and each piece of a response is text.

    `left_out`: numbers of exchanges whose responses are not written.
    """

    def __init__(self, left_out: frozenset[int] = frozenset()) -> None:
        self._left_out = left_out
        self._bodies = Bodies()
        self._hosts: dict[int, str] = {}
        self._sent: dict[int, list[bytes]] = {}
        self._decoders: dict[int, codecs.IncrementalDecoder] = {}
        self._binary: set[int] = set()

    def feed(self, entry: Entry) -> Iterator[Entry]:
        """Yield the entries to read in place of this one."""
        if entry.kind is not EntryKind.MODEL:
            yield entry
            return
        event = object_in(entry.data)
        number = event.get("exchange")
        if not isinstance(number, int) or isinstance(number, bool):
            yield entry
        elif (sent := body_piece(event, "sent")) is not None:
            self._sent.setdefault(number, []).append(sent)
        elif (received := body_piece(event, "received")) is not None:
            yield from self._received(entry, number, received)
        elif isinstance(end := event.get("sent_end"), dict):
            yield from self._whole(entry, number, "sent_end", end)
        elif isinstance(message := event.get("message"), dict) and message.get("from") == "agent":
            yield from self._whole(entry, number, "message", message)
        elif isinstance(end := event.get("received_end"), dict) and (why := self._why(number)):
            yield _entry(entry, number, {"received_end": {"omitted": why}})
        else:
            if isinstance(request := event.get("request"), dict):
                self._hosts[number] = str(request.get("host"))
            yield entry

    def _received(self, entry: Entry, number: int, data: bytes) -> Iterator[Entry]:
        """Yield a piece as text: a character that is cut comes with the next piece."""
        if self._why(number):
            return
        decoder = self._decoders.setdefault(number, codecs.getincrementaldecoder("utf-8")())
        try:
            text = decoder.decode(data)
        except UnicodeDecodeError:
            self._binary.add(number)
            return
        if text:
            yield _entry(entry, number, {"received": text})

    def _whole(self, entry: Entry, number: int, key: str, words: dict[str, Any]) -> Iterator[Entry]:
        body = words.get("body")
        middle = b"".join(self._sent.pop(number, ()))
        if not isinstance(body, int) or isinstance(body, bool):
            yield entry
            return
        whole = self._bodies.restore(self._hosts.get(number, ""), body, Likeness.of(words), middle)
        kept = {name: value for name, value in words.items() if name not in Likeness._fields}
        try:
            text = None if whole is None else whole.decode()
        except UnicodeDecodeError:
            yield _entry(entry, number, {key: {**kept, "omitted": _NO_TEXT}})
            return
        if text is None:
            yield _entry(entry, number, {key: {**kept, "omitted": _LOST}})
            return
        if text:
            yield _entry(entry, number, {"sent": text})
        yield _entry(entry, number, {key: kept})

    def _why(self, number: int) -> str:
        return _DIVIDED if number in self._left_out else _NO_TEXT if number in self._binary else ""


class Folding:
    """Writes lines of redacted entries, with bodies as differences again."""

    def __init__(self) -> None:
        self._shortener = Shortener()
        self._hosts: dict[int, str] = {}
        self._sent: dict[int, bytes] = {}

    def lines(self, t: int, raw: bytes) -> bytes:
        """Return the lines to write in place of one from `Unfolding`."""
        event = as_object(object_in(raw).get("model"))
        number = event.get("exchange")
        if not isinstance(number, int):
            return raw
        if isinstance(request := event.get("request"), dict):
            self._hosts[number] = str(request.get("host"))
        if isinstance(sent := event.get("sent"), str):
            self._sent[number] = sent.encode("utf-8", "replace")
            return b""
        for key in ("sent_end", "message"):
            words = event.get(key)
            if isinstance(words, dict) and words.get("from") != "provider":
                return self._body(t, number, key, words, _own_time(event))
        return raw

    def _body(self, t: int, number: int, key: str, words: dict[str, Any], own_time: dict[str, Any]) -> bytes:
        body = self._sent.pop(number, b"")
        own = words.get("body")
        like = ALONE
        if "omitted" not in words and isinstance(own, int):
            like = self._shortener.likeness(self._hosts.get(number, ""), own, body)
            words = {**words, "size": len(body), **like.words()}
        written = like.written(body)
        piece = encode.model(t, number, encode.piece("sent", written)) if written else b""
        return piece + encode.model(t, number, jsontext.text({**own_time, key: words}))


class Streams:
    """The texts that come letter by letter in the events of streams, joined."""

    def __init__(self) -> None:
        self._texts: dict[int, dict[tuple[object, ...], list[str]]] = {}
        self._rests: dict[int, str] = {}
        self._size = 0
        self._too_long: set[int] = set()

    def feed(self, entry: Entry) -> None:
        """Process what `Unfolding` yields."""
        if entry.kind is not EntryKind.MODEL:
            return
        event = object_in(entry.data)
        if not isinstance(received := event.get("received"), str):
            return
        number = event["exchange"]
        self._size += len(received)
        if self._size > _MOST:
            self._too_long.add(number)
            return
        *lines, rest = (self._rests.get(number, "") + received).split("\n")
        if rest.startswith("{") and rest.endswith("}"):  # a WebSocket message has no line end
            lines, rest = [*lines, rest], ""
        self._rests[number] = rest
        for line in lines:
            value = value_or_none(line.strip().removeprefix("data:").strip().encode("utf-8", "replace"))
            if isinstance(value, dict):
                self._take(number, value)

    def divided(self, found: Callable[[str], Sequence[Hit]]) -> frozenset[int]:
        """Return the exchanges whose response holds what `found` finds, spread over several pieces."""
        return frozenset(
            {
                number
                for number, texts in self._texts.items()
                if any(_is_divided(pieces, found) for pieces in texts.values() if len(pieces) > 1)
            }
            | self._too_long
        )

    def _take(self, number: int, value: dict[str, Any]) -> None:
        texts = self._texts.setdefault(number, {})
        waiting: list[tuple[tuple[object, ...], Any]] = [((), value)]
        while waiting:
            path, inner = waiting.pop()
            if isinstance(inner, str):
                texts.setdefault(path, []).append(inner)
            elif isinstance(inner, dict):
                waiting += [((*path, name), below) for name, below in inner.items()]
            elif isinstance(inner, list):
                waiting += [((*path, at), below) for at, below in enumerate(inner)]


def _is_divided(pieces: list[str], found: Callable[[str], Sequence[Hit]]) -> bool:
    """Whether a secret is in several pieces, so that each shows only a part of it."""
    whole = "".join(pieces)
    spans = [(hit.start, hit.end) for hit in found(whole) if hit.secret or hit.rule or hit.home]
    if not spans:
        return False
    alone: set[int] = set()
    ends, at = set(), 0
    for piece in pieces:
        for hit in found(f'"{piece}"'):  # as in an event: nothing comes before or after it
            alone.update(range(at + hit.start - 1, at + hit.end - 1))
        at += len(piece)
        ends.add(at)
    return any(
        sum(spot not in alone for spot in range(start, end)) > _HARMLESS
        for start, end in spans
        if any(start < edge < end for edge in ends)
    )


def _entry(entry: Entry, number: int, event: dict[str, Any]) -> Entry:
    event = {**_own_time(object_in(entry.data)), **event}
    raw = encode.model(entry.t, number, jsontext.text(event))
    data = jsontext.text({"exchange": number, **event})
    return Entry(entry.line, EntryKind.MODEL, entry.t, None, data, raw)


def _own_time(event: dict[str, Any]) -> dict[str, Any]:
    """Return its own time, if its place in the trace is later."""
    return {"t": event["t"]} if "t" in event else {}
