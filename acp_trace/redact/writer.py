"""The second pass over a line: puts placeholders where secrets are, and counts them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from acp_trace.redact import arguments, homes, scan, urls
from acp_trace.redact.edges import Edges
from acp_trace.redact.finder import Finder, Sieve
from acp_trace.redact.joiner import Cut
from acp_trace.redact.learner import before, decoded, encoded, is_plain
from acp_trace.redact.pieces import Piece
from acp_trace.redact.places import StringPlace
from acp_trace.redact.report import RedactionReport
from acp_trace.redact.rules import ARGUMENTS, HOME, Rule
from acp_trace.redact.scan import Hit
from acp_trace.redact.spots import Spot, Spotted
from acp_trace.redact.values import PLACEHOLDER, Values, fits, is_placeholder, sign
from acp_trace.redact.views import views

_OLD = re.compile(PLACEHOLDER)


class Known:
    """Everything that is searched for in each text, once everything is learned."""

    def __init__(self, values: Values, homes: homes.Homes, session_ids: set[str]) -> None:
        self.forms = values.wanted(but=lambda form: homes.is_near(form) or form in session_ids)
        self._finder = Finder(self.forms, fits)
        self._homes = homes
        #: Every text that changes, and the bytes of its line, contains a part of one of these.
        self._edges = Edges(self.forms)
        self._sieve = Sieve({*map(sign, self.forms), *homes.signs(), *self._edges.signs()})
        #: The greatest length of what is searched for, in any likely spelling.
        self.window = 2 * max(map(len, self.forms), default=0)

    def may_change(self, line: str, places: Sequence[StringPlace]) -> bool:
        """Whether a line must be read; without escapes that is quickly decided."""
        if "\\" in line or not is_plain(line, places):
            return True
        return self._sieve.passes(line) or scan.is_escaped(line) or urls.may_hold(line)

    def passes_bytes(self, line: bytes) -> bool:
        """Whether the bytes of a line may hold what was learned."""
        return self._sieve.passes_bytes(line)

    def may_hold(self, text: str) -> bool:
        """Whether something may be removed from a text."""
        return urls.may_hold(text) or self._sieve.passes(text) or scan.is_escaped(text)

    def found(self, text: str) -> list[Hit]:
        """Return what to remove from a text, and placeholders that stay; not nested, left to right."""
        if not self.may_hold(text):
            return []
        hits: list[Hit] = []
        for view in views(text):
            view_text = view.text
            for start, end in self._finder.spans(view_text, overlapping=True):
                hits.append(Hit(*view.span(start, end), self.forms[view_text[start:end]], ARGUMENTS))
            for start, end, number in self._homes.spans(view_text):
                hits.append(Hit(*view.span(start, end), None, HOME, home=number))
            if not view.loose and urls.may_hold(view_text):
                for span in urls.spans(view_text):
                    secret = urls.plain(view_text[span.start : span.end])
                    hits.append(Hit(*view.span(span.start, span.end), secret, span.rule))
        hits += self.parts(text)
        if "<" in text:
            hits += [Hit(*old.span()) for old in _OLD.finditer(text)]
        return scan.apart(hits)

    def parts(self, text: str) -> list[Hit]:
        """Return what to remove from the edges of a text, if more of it came before or comes after."""
        return [Hit(start, end, self.forms[form], ARGUMENTS) for start, end, form in self._edges.spans(text)]


class Writer:
    """Visits the strings of one line (`splice`), and returns replacements for those that change.

    `pieces`: strings that were read joined with others, by path; `odd`: what rules remove from a line that is
    not JSON.
    """

    def __init__(
        self,
        values: Values,
        learned: Known,
        report: RedactionReport,
        pieces: Mapping[tuple[str | int | None, ...], Piece],
        odd: Sequence[Hit] = (),
    ) -> None:
        self._values, self._known, self._report = values, learned, report
        self._pieces, self._odd = pieces, odd
        self._before: tuple[tuple[str | int | None, ...], str] = ((), "")

    def __call__(self, scalar: Spotted, text: str) -> str | None:
        """See `splice.Visit`."""
        place = scalar.spot
        if place is None:
            return None
        if scalar.kind == "number":
            return self._number(place.rule, text)
        if place.rule is not None and place.rule.how != "arguments":
            return self._whole(place.rule, text)
        if self._pieces and (piece := self._pieces.get(scalar.path)) and piece.text == text:
            return self._cut(text, self._with_odd(piece.cuts))
        if place.path == ("base64",) and (line := decoded(text)) is not None:
            clean = self.text(line)
            return text if clean == line else encoded(clean)
        new = self._cut(text, _cuts(self._known.found(text)))
        if place.rule is not None:
            new = self._arguments(place, text, new)
        return new

    def text(self, text: str) -> str:
        """Return a whole text without what is known, and without what rules remove from it."""
        return self._cut(text, self._with_odd(_cuts(self._known.found(text))))

    def _number(self, rule: Rule | None, text: str) -> str | None:
        if rule is None or rule.how != "value" or text == "0":
            return None
        self._report.add(rule.name, None)
        return "0"

    def _whole(self, rule: Rule, text: str) -> str:
        start = arguments.header_start(text) if rule.how == "header" else 0
        return text[:start] + self._hidden(text[start:], rule.name)

    def _arguments(self, place: Spot, text: str, new: str) -> str:
        last, self._before = self._before, (place.path, text)
        spans = arguments.spans(new, before(last, place))
        return self._cut(new, [Cut(at, to, Hit(at, to, new[at:to], ARGUMENTS)) for at, to in spans])

    def _with_odd(self, cuts: list[Cut]) -> list[Cut]:
        """Add what rules remove from the same text; the wider cut counts."""
        if not self._odd:
            return cuts
        same = {(cut.start, cut.end): cut for cut in cuts}
        cut_hits = ((cut.found or Hit(0, 0))._replace(start=cut.start, end=cut.end) for cut in cuts)
        apart = scan.apart([*self._odd, *cut_hits])
        return [same.get((one.start, one.end)) or Cut(one.start, one.end, one) for one in apart]

    def _cut(self, text: str, cuts: Iterable[Cut]) -> str:
        pieces, done = [], 0
        for start, end, hit in cuts:
            pieces += [text[done:start], self._shown(text[start:end], hit)]
            done = end
        return "".join([*pieces, text[done:]]) if pieces else text

    def _shown(self, text: str, hit: Hit | None) -> str:
        """Return the replacement of a part of a text; empty if the placeholder is in another piece."""
        if hit is None:
            return ""
        if hit.home:
            self._report.add(HOME, str(hit.home))
            return homes.placeholder(hit.home)
        if hit.secret is not None:
            return self._hidden(hit.secret, hit.rule)
        if hit.rule and text != "0":
            self._report.add(hit.rule, None)
            return "0"
        return text

    def _hidden(self, secret: str, rule: str) -> str:
        """Return the placeholder of a secret, counted; placeholders and empty texts stay."""
        if not secret or is_placeholder(secret):
            return secret
        made = self._values.placeholder(secret)
        self._report.add(self._values.rule(secret) or rule, made)
        return made


def _cuts(hits: Iterable[Hit]) -> list[Cut]:
    return [Cut(one.start, one.end, one) for one in hits]
