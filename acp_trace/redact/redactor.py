"""Reads all entries of a trace twice: first to learn the secrets, then to write what may be shared.

Unchanged lines are written byte for byte. Unreadable lines are left out, because their content is unknown. A
line with a piece of a longer text waits for the next pieces, because a secret may be in several: a few
thousand lines at most.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from acp_trace import __version__
from acp_trace.protocol.message import MessageKind as Message
from acp_trace.protocol.message import read
from acp_trace.redact import scan, signs
from acp_trace.redact.homes import Homes
from acp_trace.redact.joiner import Joiner
from acp_trace.redact.learner import Learner, may_teach
from acp_trace.redact.model_bodies import Folding, Streams, Unfolding
from acp_trace.redact.odd import Odd
from acp_trace.redact.pieces import Piece, parts
from acp_trace.redact.places import Places, StringPlace
from acp_trace.redact.report import RedactionReport, Row
from acp_trace.redact.rules import NAMES, RULES, Rule
from acp_trace.redact.scan import Hit
from acp_trace.redact.spots import Spots
from acp_trace.redact.values import Values
from acp_trace.redact.views import without_nuls
from acp_trace.redact.writer import Known, Writer
from acp_trace.trace import http_lines, jsontext
from acp_trace.trace.entries import SENT, Entry, EntryKind

_FRAME, _HEADER, _LOST = EntryKind.FRAME, EntryKind.HEADER, frozenset({EntryKind.DAMAGED, EntryKind.UNKNOWN})
#: Bytes of a trace over which pieces of a text are joined, at least.
_REACH = 4 << 20


class Redactor:
    """`learn` every entry, then ask for the `lines` of the same entries; then for the `rows`.

    If not `joined`, it examines every string by itself: for callers that do not have all entries.
    """

    def __init__(self, own: Sequence[Rule] = (), *, joined: bool = True) -> None:
        self._rules = (*own, *RULES)
        self._own = tuple(dict.fromkeys(rule.name for rule in own))
        self._order = tuple(dict.fromkeys((*self._own, *NAMES)))
        self._values = Values(self._order)
        self._homes = Homes()
        self._joined = joined
        joiner = Joiner(self._secrets, scan.may_hold, self._learned)
        self._reading = _Reading(self._rules, joiner, signs.in_line, joined=joined)
        self._spots = Spots()
        self._unfolding, self._streams = Unfolding(), Streams()
        self.report = RedactionReport()
        self.lost = 0  #: learned lines that cannot be read

    def learn(self, entry: Entry) -> None:
        """Learn the secrets of an entry."""
        if entry.kind is EntryKind.MODEL:
            for each in self._unfolding.feed(entry):
                self._streams.feed(each)
                self._learn(each)
        elif entry.kind in _LOST:
            self.learn_lost(entry.raw)
        else:
            self._learn(entry)

    def learn_lost(self, raw: bytes) -> None:
        """Learn what looks like a secret in an unreadable line, which `lines` leaves out.

        Also for a torn last line, which is not an entry.
        """
        self.lost += bool(raw)
        text = _decoded(raw).rstrip("\n")
        for hit in (*scan.secrets(text), *Odd(self._rules).spans(text)):
            self._values.learn(hit.secret or "", hit.rule)

    def _learn(self, entry: Entry) -> None:
        line = self._reading.read(entry)
        for hit in line.odd:
            self._values.learn(hit.secret or "", hit.rule)
        if line.is_worth or _ruled(line.places):
            text = _text(entry)
            if may_teach(text, line.places):
                learner = Learner(self._values, self._homes, line.places, text, line.pieces)
                # Placeholders of an earlier redaction count everywhere.
                every = "<secret:" in text or "\\" in text
                self._spots.splice(text, line.places, learner, every=every)

    def lines(self, entries: Iterable[Entry]) -> Iterator[bytes]:
        """Yield the lines to write, in order; nothing for an entry that is left out."""
        self._reading.joiner.finish()
        learned = Known(self._values, self._homes, self._reading.places.session_ids)
        joiner = Joiner(learned.found, learned.may_hold, window=learned.window, parts=learned.parts)
        reading = _Reading(
            self._rules,
            joiner,
            lambda raw: learned.passes_bytes(raw) or signs.in_line(raw),
            joined=self._joined,
        )
        waiting: deque[_Line] = deque()
        divided = self._streams.divided(lambda text: [*learned.found(text), *scan.secrets(text)])
        unfolding, folding = Unfolding(divided), Folding()
        for entry in entries:
            if entry.kind in _LOST:
                self.report.dropped += 1
                continue
            waiting.extend(map(reading.read, unfolding.feed(entry)))
            while waiting and waiting[0].is_settled():
                yield self._written(waiting.popleft(), learned, folding)
        joiner.finish()
        for line in waiting:
            yield self._written(line, learned, folding)

    def rows(self) -> list[Row]:
        """Return what was replaced, rule by rule; the user's own rules always."""
        return self.report.rows(self._order, self._own)

    def found(self) -> tuple[int, list[str], int]:
        """Return what was learned: how many secrets, by which rules, how many home directories."""
        self._reading.joiner.finish()
        rules = self._values.rules()
        return len(rules), [name for name in self._order if name in rules], len(self._homes.names)

    def _secrets(self, text: str) -> list[Hit]:
        """Return what the first pass finds in a text that came in pieces."""
        if "<secret:" in text:
            self._values.taken(text)
        return scan.secrets(text)

    def _learned(self, piece: Piece) -> None:
        for cut in piece.cuts:
            if cut.found is not None:
                self._values.learn(cut.found.secret or "", cut.found.rule, here_only=cut.found.here_only)

    def _written(self, line: _Line, learned: Known, folding: Folding) -> bytes:
        entry, new = line.entry, None
        if line.is_worth or line.changes() or _ruled(line.places):
            text = _text(entry)
            if line.changes() or learned.may_change(text, line.places):
                writer = Writer(self._values, learned, self.report, line.pieces, line.odd)
                if line.odd and entry.kind is _FRAME:
                    frame = _decoded(entry.data)
                    new = text.replace(frame, writer.text(frame), 1)
                else:
                    new = self._spots.splice(text, line.places, writer)
        raw = entry.raw if new is None else new.encode("utf-8", "surrogateescape")
        if new is not None and entry.kind in SENT:
            self.report.frames += 1
            raw = http_lines.without_newlines(raw) if entry.stream else raw
        if entry.kind is EntryKind.MODEL:
            return folding.lines(entry.t, raw)
        return self._marked(raw) if entry.kind is _HEADER else raw

    def _marked(self, raw: bytes) -> bytes:
        """Return the header, with a note that this trace was redacted."""
        header = jsontext.value(raw)
        header.pop("workspace_snapshot", None)  # its files are not redacted: the trace must not lead to them
        header["redacted"] = {"by": f"acp-trace {__version__}", "rules": len(self._rules)}
        return jsontext.text(header) + b"\n"


class _Line(NamedTuple):
    """An entry, and what was read of it."""

    entry: Entry
    places: tuple[StringPlace, ...]
    pieces: dict[tuple[str | int | None, ...], Piece]
    odd: list[Hit]
    is_worth: bool  #: whether its bytes may hold something of interest

    def is_settled(self) -> bool:
        """Whether it is known what is removed from each of its pieces."""
        return not self.pieces or all(piece.final for piece in self.pieces.values())

    def changes(self) -> bool:
        """Whether something is removed from a piece, or by a rule for lines that are not JSON."""
        return bool(self.odd) or any(piece.cuts for piece in self.pieces.values())


class _Reading:
    """One pass over all entries in order, with the necessary knowledge of earlier ones."""

    def __init__(
        self, rules: tuple[Rule, ...], joiner: Joiner, is_worth: Callable[[bytes], bool], *, joined: bool
    ) -> None:
        self.places = Places(rules)
        self.joiner = joiner
        self._joined, self._is_worth = joined, is_worth
        self._odd = {sender: Odd(rules) for sender in ("client", "agent")}
        self._bytes = 0

    def read(self, entry: Entry) -> _Line:
        """Return an entry with its rules and its pieces, which are given to the joiner."""
        places = self.places.of(entry) if entry.kind is _FRAME else ()
        odd: list[Hit] = []
        if entry.sender is not None:
            if entry.kind is not _FRAME:
                odd = self._spans(entry)
            elif self._odd[entry.sender].is_open:
                # Some lines of a message that is printed over several lines are JSON: `"a"`, `{}`.
                if read(entry.data).kind is Message.INVALID:
                    odd = self._spans(entry)
                else:
                    self._odd[entry.sender].sound()
        pieces: dict[tuple[str | int | None, ...], Piece] = {}
        is_worth = entry.kind not in _PLAIN or self._is_worth(entry.raw)
        if self._joined:
            for part in parts(entry, places):
                pieces[part.piece.path] = part.piece
                part.piece.plain = not is_worth
                self.joiner.add(part)
            self._bytes += len(entry.raw)
            if self._bytes >= _REACH:
                self.joiner.relieve()
                self._bytes = 0
        return _Line(entry, places, pieces, odd, is_worth)

    def _spans(self, entry: Entry) -> list[Hit]:
        """Return what rules remove from a line that is not JSON."""
        assert entry.sender is not None
        text = _decoded(entry.data)
        odd, answered = self._odd[entry.sender], self.places.answered(entry.sender)
        if "\0" not in text:
            return odd.spans(text, answered)
        view = without_nuls(text)  # UTF-16, most likely
        return [
            one._replace(start=start, end=end)
            for one in odd.spans(view.text, answered)
            for start, end in [view.span(one.start, one.end)]
        ]


#: Kinds of lines that rarely hold anything of interest. A base64 line cannot be judged by its bytes.
_PLAIN = frozenset({EntryKind.FRAME, EntryKind.TEXT, EntryKind.LOG, EntryKind.GAP, EntryKind.END})


def _ruled(places: tuple[StringPlace, ...]) -> bool:
    return any(place.rules for place in places)


def _text(entry: Entry) -> str:
    return _decoded(entry.raw)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
