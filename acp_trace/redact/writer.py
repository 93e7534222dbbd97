"""The second pass over a line: puts placeholders where secrets are, and counts them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from acp_trace.redact import arguments, homes, urls
from acp_trace.redact.learner import before, decoded, encoded, is_plain
from acp_trace.redact.places import Place
from acp_trace.redact.report import Report
from acp_trace.redact.rules import ARGUMENTS, HOME, Rule
from acp_trace.redact.splice import Kind, Path
from acp_trace.redact.spots import Spot, spot
from acp_trace.redact.values import PLACEHOLDER, Values, is_placeholder, pattern, sign


class Known:
    """All that is looked for in every text, once everything is learned."""

    def __init__(self, values: Values, homes: homes.Homes, session_ids: set[str]) -> None:
        self.forms = values.wanted(but=lambda form: homes.is_near(form) or form in session_ids)
        every = [f"(?P<old>{PLACEHOLDER})", *map(pattern, self.forms)]
        every += [homes.pattern()] if homes.names else []
        self.pattern = re.compile("|".join(every))
        #: One of these is in every text that changes.
        self._texts = (*self.forms, *homes.names)
        self.needles = (*self._texts, "://")
        signs = set(map(sign, self._texts))
        #: What stands in the bytes of every line that holds one of them; None where that is not known.
        self.signs = None if b"" in signs else sorted(signs)

    def may_change(self, line: str, places: Sequence[Place]) -> bool:
        """Whether a line is worth its reading; without escapes that shows at once."""
        if "\\" in line or not is_plain(line, places):
            return True
        return any(one in line for one in self._texts) or any(True for _ in urls.spans(line))


class Writer:
    """Visits the strings of one line (`splice`), and gives those that change."""

    def __init__(
        self, values: Values, known: Known, report: Report, places: Sequence[Place], line: str
    ) -> None:
        self._values, self._known, self._report, self._places = values, known, report, places
        self._is_plain = is_plain(line, places)
        self._needles: Sequence[str] = known.needles
        if self._is_plain and "\\" not in line:
            self._needles = [one for one in known.needles if one in line]
        self._before: tuple[tuple[str | int | None, ...], str] = ((), "")

    def __call__(self, path: Path, text: str, kind: Kind) -> str | None:
        """See `splice.Visit`."""
        if self._is_plain and not self._may_change(text):
            return None
        found = spot(path, kind, self._places)
        if found is None:
            return None
        if kind == "number":
            return self._number(found.rule, text)
        if found.rule is not None and found.rule.how != "arguments":
            return self._whole(found.rule, text)
        if found.path == ("base64",) and (line := decoded(text)) is not None:
            clean = self._scrubbed(line)
            return text if clean == line else encoded(clean)
        new = self._scrubbed(text)
        if found.rule is not None:
            new = self._arguments(found, text, new)
        return new

    def _number(self, rule: Rule | None, text: str) -> str | None:
        if rule is None or rule.how != "value" or text == "0":
            return None
        self._report.add(rule.name, None)
        return "0"

    def _whole(self, rule: Rule, text: str) -> str:
        start = arguments.header_start(text) if rule.how == "header" else 0
        return text[:start] + self._hidden(text[start:], rule.name)

    def _arguments(self, found: Spot, text: str, new: str) -> str:
        last, self._before = self._before, (found.path, text)
        spans = [(start, end, ARGUMENTS) for start, end in arguments.spans(new, before(last, found))]
        return self._without(new, spans, str)

    def _without(self, text: str, spans: Iterable[tuple[int, int, str]], plain: Callable[[str], str]) -> str:
        """A text with placeholders where spans of it are secret; `plain` gives the secret of a span."""
        pieces, done = [], 0
        for start, end, rule in spans:
            pieces += [text[done:start], self._hidden(plain(text[start:end]), rule)]
            done = end
        return "".join([*pieces, text[done:]])

    def _hidden(self, secret: str, rule: str) -> str:
        """The placeholder of a secret, counted; what was redacted before, and nothing at all, stay."""
        if not secret or is_placeholder(secret):
            return secret
        made = self._values.placeholder(secret)
        self._report.add(self._values.rule(secret) or rule, made)
        return made

    def _scrubbed(self, text: str) -> str:
        """A text without the secrets that are known, and without those of its URLs."""
        if not self._may_change(text):
            return text
        text = self._known.pattern.sub(self._replaced, text)
        spans = ((one.start, one.end, one.rule) for one in urls.spans(text))
        return self._without(text, spans, urls.plain)

    def _may_change(self, text: str) -> bool:
        """Faster than the pattern, where most texts hold nothing."""
        return any(one in text for one in self._needles)

    def _replaced(self, found: re.Match[str]) -> str:
        group, text = found.lastgroup, found[0]
        if group is None:
            secret = self._known.forms[text]
            return self._hidden(secret, ARGUMENTS)
        if group == "old":
            return text
        made = homes.placeholder(group, text)
        self._report.add(HOME, group)
        return made
