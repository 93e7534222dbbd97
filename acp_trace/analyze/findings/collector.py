"""Takes in findings as the rules make them, and counts what `codes` says to list once only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from acp_trace.analyze import facts
from acp_trace.analyze.batches import BatchPlace, perhaps_unread
from acp_trace.analyze.findings.codes import CODES, Severity
from acp_trace.analyze.findings.lost_lines import LostLines
from acp_trace.analyze.findings.stream_order import DOUBT, StreamOrder

_LONGEST = 300
_RECENT = 50  #: findings among which one is looked for that follows from another

_Key = tuple[str, str, str | None, str]


class Findings:
    """All findings so far. `at_end` gives a copy for those that hold only if nothing more comes."""

    def __init__(self) -> None:
        self.doubt: str | None = None  #: why what is missing may only be missing from the trace
        self.protocol: str | None = None  #: MCP or LSP: no rule of ACP is applied
        self.tells_doubt_once = False  #: of a part of a log: what is doubted follows from the first
        self._doubted: int | None = None  #: the frame of that
        self.order: StreamOrder | None = None  #: if the frames came on several streams
        self.lost = LostLines()
        #: At the end: what was due later than this had no time, because somebody left (ns). None: all had.
        self.until: int | None = None
        self._listed: list[facts.Finding | _Key] = []  #: a key stands for the first of those counted
        self._fresh: list[facts.Finding] = []
        self._counted: dict[_Key, facts.Finding] = {}
        self._places: tuple[int, set[str]] = (0, set())  #: of the latest frame, those that a finding names

    def say(
        self,
        code: str,
        blame: str,
        frame: int,
        session_id: str | None,
        message: str,
        about: str = "",
        count: int = 1,
        severity: Severity | None = None,
        path: str | None = None,
        expected: str | None = None,
        consequence_of: int | None = None,
    ) -> int:
        """Adds a finding, and returns its number, by which it can be amended (-1: it is counted).

        `about` keeps apart what is counted under one code (a method, a kind …). `severity`: if it is not that
        of the code. `path`, `expected`: the place in the message, as a JSON Pointer, and what belongs there.
        `consequence_of`: the frame of the finding that it follows from.
        """
        if path is not None:
            self.places(frame).add(path)
        if isinstance(frame, BatchPlace):
            path = f"/{frame.item}{path or ''}"
            consequence_of = consequence_of or perhaps_unread(blame, frame)
        row = CODES[code]
        severity = "note" if consequence_of is not None else severity or row.severity
        if self.doubt is not None and row.is_doubted:
            severity, message = "note", f"{message}; but {self.doubt}"
            if self.tells_doubt_once:
                consequence_of = self._doubted or consequence_of
                self._doubted = self._doubted or frame
        elif self.order is not None and self.order.doubts(code, blame, session_id):
            severity, message = "note", f"{message}; but {DOUBT}"
        finding = facts.Finding(
            code=code,
            severity=severity,
            blame=blame,
            frame=frame,
            session_id=session_id,
            count=count,
            message=message[:_LONGEST],
            path=path,
            expected=expected,
            consequence_of=consequence_of,
        )
        if row.once is None:
            self._listed.append(finding)
            self._fresh.append(finding)
            return len(self._listed) - 1
        key = (code, blame, session_id if row.once == "session" else None, about)
        if key in self._counted:
            seen = self._counted[key]
            self._counted[key] = replace(seen, count=seen.count + count)
        else:
            self._counted[key] = finding
            self._listed.append(key)
            self._fresh.append(finding)
        return -1

    def tell_protocol(self, other: str | None, frame: int) -> None:
        """From here on, and before, this is a trace of MCP or LSP; `frame`: that of its `initialize`."""
        known, self.protocol = self.protocol, other
        if other not in (None, known):
            text = f"this is {other}, not ACP: only the rules of JSON-RPC are applied"
            self.say("other-protocol", "client", frame, None, text)

    def amend(self, number: int, **changes: Any) -> None:
        """Changes fields of a finding that is listed each time, by its number."""
        self._replace(number, replace(self._at(number), **changes))

    def _at(self, number: int) -> facts.Finding:
        found = self._listed[number]
        assert isinstance(found, facts.Finding)
        return found

    def _replace(self, number: int, now: facts.Finding) -> None:
        was = self._at(number)
        self._listed[number] = now
        for at in range(len(self._fresh) - 1, -1, -1):
            if self._fresh[at] is was:
                self._fresh[at] = now
                break

    def follows(self, code: str, frame: int, cause: int | None) -> None:
        """Makes a note of the latest finding of a code at a frame, which follows from the frame `cause`."""
        for number in range(len(self._listed) - 1, max(len(self._listed) - _RECENT, 0) - 1, -1):
            finding = self._listed[number]
            if isinstance(finding, facts.Finding) and (finding.code, finding.frame) == (code, frame):
                self._replace(number, replace(finding, severity="note", consequence_of=cause))
                return

    def places(self, frame: int) -> set[str]:
        """The places in the latest frame that a finding has named so far."""
        if self._places[0] != frame:
            self._places = (frame, set())
        return self._places[1]

    def fresh(self) -> list[facts.Finding]:
        """Those that are new since the last call; of counted ones the first."""
        fresh, self._fresh = self._fresh, []
        return self._applied(fresh)

    def at_end(self) -> Findings:
        """A copy that can be added to, so that this one can go on."""
        copy = Findings()
        copy._listed = list(self._listed)
        copy._counted = dict(self._counted)
        copy.doubt, copy.order, copy.lost = self.doubt, self.order, self.lost
        copy.tells_doubt_once, copy._doubted = self.tells_doubt_once, self._doubted
        copy.protocol = self.protocol
        return copy

    def all(self) -> list[facts.Finding]:
        """All of them, in the order of their frames."""
        findings = [self._counted[one] if isinstance(one, tuple) else one for one in self._listed]
        return sorted(self._applied(findings), key=lambda one: one.frame)

    def _applied(self, findings: list[facts.Finding]) -> list[facts.Finding]:
        """Those whose rules hold for the protocol, which nobody knew before its handshake."""
        if self.protocol is None:
            return findings
        return [one for one in findings if self.protocol in CODES[one.code].also_of]
