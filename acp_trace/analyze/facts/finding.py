"""Findings: what breaks the protocol in a trace, or is unusual. `findings.codes` explains each code."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something in a trace that breaks a rule of the protocol, or is unusual."""

    code: str = is_("what it is: a stable code, see docs/findings.md")
    severity: str = is_("error, warning or note")
    blame: str = is_("the side at fault: client or agent")
    frame: int = is_("the first frame that shows it")
    session_id: str | None = is_("the session, if it is about one")
    count: int = is_("how often it was seen: repetitions of some codes are counted instead of listed")
    message: str = is_("what was seen, in one line")
    path: str | None = is_("the place in the frame, a JSON Pointer from its root", None)
    expected: str | None = is_("what belongs there, in words", None)
    consequence_of: int | None = is_("the frame of the finding from which this one follows", None)
    t_ns: int | None = is_("when the finding's frame came; NULL if that is not known", None)
