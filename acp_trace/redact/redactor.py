"""All entries of a trace twice: first to learn what is secret, then to write what may be shared.

What does not change is written as it stands, byte for byte. Lines that cannot be read are left out,
because nobody can say what is in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from acp_trace import __version__
from acp_trace.redact import shapes
from acp_trace.redact.homes import Homes
from acp_trace.redact.learner import Learner, may_teach
from acp_trace.redact.places import Place, Places
from acp_trace.redact.report import Report, Row
from acp_trace.redact.rules import NAMES, RULES, Rule
from acp_trace.redact.splice import splice
from acp_trace.redact.values import Values
from acp_trace.redact.writer import Known, Writer
from acp_trace.trace import jsontext
from acp_trace.trace.entries import SENT, Entry, Kind

_SIGNS = re.compile(shapes.SIGNS)
_FRAME, _HEADER, _LOST = Kind.FRAME, Kind.HEADER, frozenset({Kind.DAMAGED, Kind.UNKNOWN})


class Redactor:
    """`learn` every entry, then `line` every entry, in the same order; then ask for the `rows`."""

    def __init__(self, own: Sequence[Rule] = ()) -> None:
        self._rules = (*own, *RULES)
        self._own = tuple(dict.fromkeys(rule.name for rule in own))
        self._order = tuple(dict.fromkeys((*self._own, *NAMES)))
        self._values = Values(self._order)
        self._homes = Homes()
        self._learning, self._writing = Places(self._rules), Places(self._rules)
        self._known: Known | None = None
        self.report = Report()

    def learn(self, entry: Entry) -> None:
        """Takes in the secrets of an entry."""
        if entry.kind in _LOST:
            return
        places = self._learning.of(entry) if entry.kind is _FRAME else ()
        if _ruled(places) or entry.kind not in _PLAIN or _SIGNS.search(entry.raw):
            text = _text(entry)
            if may_teach(text, places):
                splice(text, Learner(self._values, self._homes, places, text))

    def line(self, entry: Entry) -> bytes:
        """The line to write for an entry; nothing where it is left out."""
        if entry.kind in _LOST:
            self.report.dropped += 1
            return b""
        known = self._known
        if known is None:
            known = self._known = Known(self._values, self._homes, self._learning.session_ids)
        places = self._writing.of(entry) if entry.kind is _FRAME else ()
        if not (_ruled(places) or entry.kind not in _PLAIN or self._worth_reading(entry.raw, known)):
            return entry.raw
        text, new = _text(entry), None
        if known.may_change(text, places):
            new = splice(text, Writer(self._values, known, self.report, places, text))
        raw = entry.raw if new is None else new.encode("utf-8", "surrogateescape")
        if new is not None and entry.kind in SENT:
            self.report.frames += 1
        return self._marked(raw) if entry.kind is _HEADER else raw

    def rows(self) -> list[Row]:
        """What was replaced, rule by rule; rules of one's own always."""
        return self.report.rows(self._order, self._own)

    def found(self) -> tuple[int, list[str], int]:
        """What was learned: how many secrets, by which rules, how many home folders."""
        rules = self._values.rules()
        return len(rules), [name for name in self._order if name in rules], len(self._homes.names)

    @staticmethod
    def _worth_reading(raw: bytes, known: Known) -> bool:
        return known.signs is None or any(one in raw for one in known.signs) or bool(_SIGNS.search(raw))

    def _marked(self, raw: bytes) -> bytes:
        """The header, which says that this trace was redacted."""
        header = jsontext.value(raw)
        header["redacted"] = {"by": f"acp-trace {__version__}", "rules": len(self._rules)}
        return jsontext.text(header) + b"\n"


#: Kinds of lines of which most hold nothing of interest. A base64 line cannot be judged by its bytes.
_PLAIN = frozenset({Kind.FRAME, Kind.TEXT, Kind.LOG, Kind.GAP, Kind.END})


def _ruled(places: tuple[Place, ...]) -> bool:
    return any(place.rules for place in places)


def _text(entry: Entry) -> str:
    return entry.raw.decode("utf-8", "surrogateescape")
