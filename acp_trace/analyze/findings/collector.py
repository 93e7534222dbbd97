"""Collects findings as the rules add them, and counts those that `codes` lists only once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from acp_trace.analyze import facts
from acp_trace.analyze.batches import BatchPlace, perhaps_unread
from acp_trace.analyze.findings.codes import CODES, Severity
from acp_trace.analyze.findings.lost_lines import LostLines
from acp_trace.analyze.findings.stream_order import DOUBT, StreamOrder

_LONGEST = 300
_RECENT = 50  #: latest findings among which the cause of another finding is looked for

_Key = tuple[str, str, str | None, str]


class Findings:
    """All findings so far. `at_end` returns a copy for those that hold only if nothing more comes."""

    def __init__(self, moment: Callable[[int], int | None] = lambda _: None) -> None:
        self._moment = moment  #: when a frame came (ns), if that is known
        self.doubt: str | None = None  #: why missing messages may only be missing from the trace
        self.protocol: str | None = None  #: MCP or LSP: then no rule of ACP applies
        self.tells_doubt_once = False  #: for a part of a log: doubted findings follow from the first
        self._doubted: int | None = None  #: the frame of the first doubted finding
        self.order: StreamOrder | None = None  #: if the frames came on several streams
        self.lost = LostLines()
        #: At the end: what was due after this time (ns) had no time, because a side left. None: all had time.
        self.until: int | None = None
        self._listed: list[facts.Finding | _Key] = []  #: a key represents the first of the counted findings
        self._fresh: list[facts.Finding] = []
        self._counted: dict[_Key, facts.Finding] = {}
        self._places: tuple[int, set[str]] = (0, set())  #: the latest frame, and the places named in it

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
        """Add a finding, and return its number, which `amend` needs (-1: it is only counted).

        `about` separates what is counted under one code (a method, a kind …). `severity`: if it differs from
        the code's. `path`, `expected`: the place in the message, as a JSON Pointer, and what belongs there.
        `consequence_of`: the frame of the finding that caused this one.
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
            t_ns=self._moment(frame),
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
        """Mark this as a trace of MCP or LSP, for earlier findings too; `frame`: that of its `initialize`."""
        known, self.protocol = self.protocol, other
        if other not in (None, known):
            text = f"this is {other}, not ACP: only the rules of JSON-RPC are applied"
            self.say("other-protocol", "client", frame, None, text)

    def amend(self, number: int, **changes: Any) -> None:
        """Change fields of a finding, by its number; its code is one that is listed each time."""
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
        """Turn the latest finding of a code at a frame into a note, as a consequence of the frame `cause`."""
        for number in range(len(self._listed) - 1, max(len(self._listed) - _RECENT, 0) - 1, -1):
            finding = self._listed[number]
            if isinstance(finding, facts.Finding) and (finding.code, finding.frame) == (code, frame):
                self._replace(number, replace(finding, severity="note", consequence_of=cause))
                return

    def places(self, frame: int) -> set[str]:
        """Return the places in the latest frame that findings have named so far."""
        if self._places[0] != frame:
            self._places = (frame, set())
        return self._places[1]

    def fresh(self) -> list[facts.Finding]:
        """Return the findings that are new since the last call; of counted findings, the first."""
        fresh, self._fresh = self._fresh, []
        return self._applied(fresh)

    def at_end(self) -> Findings:
        """Return a copy that can be extended while this collector continues."""
        copy = Findings(self._moment)
        copy._listed = list(self._listed)
        copy._counted = dict(self._counted)
        copy.doubt, copy.order, copy.lost = self.doubt, self.order, self.lost
        copy.tells_doubt_once, copy._doubted = self.tells_doubt_once, self._doubted
        copy.protocol = self.protocol
        return copy

    def all(self, moments: Mapping[int, int | None] | None = None) -> list[facts.Finding]:
        """Return all findings in frame order. `moments`: when requests came (ns), by their frames."""
        moments = moments or {}
        findings = [self._counted[one] if isinstance(one, tuple) else one for one in self._listed]
        timed = [
            replace(one, t_ns=moments[one.frame]) if one.t_ns is None and one.frame in moments else one
            for one in self._applied(findings)
        ]
        return sorted(timed, key=lambda one: one.frame)

    def _applied(self, findings: list[facts.Finding]) -> list[facts.Finding]:
        """Return the findings whose rules apply to the protocol, which is unknown before its handshake."""
        if self.protocol is None:
            return findings
        return [one for one in findings if self.protocol in CODES[one.code].also_of]
