"""How many findings there are, and what follows from one: shown below it on screens, in one line.

Documents for programs list each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from acp_trace.analyze import facts
from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.report.grouping import group
from acp_trace.report.statements.phrases import address
from acp_trace.trace.counts import counted

_MOST = 5  #: frames of one code that are named


def by_cause(findings: Iterable[facts.Finding]) -> dict[int | None, list[facts.Finding]]:
    """The findings of one trace that follow from others, by the frames of those that follow from none."""
    findings = list(findings)
    first = {one.frame for one in findings if one.consequence_of is None}
    above = {one.frame: one.consequence_of for one in findings if one.frame not in first}

    def root(finding: facts.Finding) -> int | None:
        frame, seen = finding.consequence_of, set[int | None]()
        while frame in above and frame not in seen:
            seen.add(frame)
            frame = above[frame]
        return frame

    return group((one for one in findings if one.consequence_of is not None), root)


def in_order(findings: Sequence[facts.Finding]) -> list[int]:
    """The places of findings in the order of reports: the worst first, and those of one code together."""
    first: dict[tuple[str, str], int] = {}
    for at, one in enumerate(findings):
        first.setdefault((one.severity, one.code), at)
    rank: dict[str, int] = {severity: at for at, severity in enumerate(SEVERITIES)}
    keys = [(rank[one.severity], first[one.severity, one.code], at) for at, one in enumerate(findings)]
    return [at for *_, at in sorted(keys)]


def counts(findings: Iterable[facts.Finding]) -> Iterator[tuple[str, str]]:
    """Each severity that is there, the worst first, with `2 warnings`; of those that follow from none."""
    numbers = Counter(one.severity for one in findings if one.consequence_of is None)
    return ((severity, counted(numbers[severity], severity)) for severity in SEVERITIES if numbers[severity])


def phrase(consequences: Sequence[facts.Finding]) -> str:
    """`consequences: never-answered #5, #6, cancel-unanswered #7`; empty without any."""
    by_code = group(consequences, lambda one: one.code)
    parts = [f"{code} {_named([address(one) for one in mine])}" for code, mine in by_code.items()]
    return f"consequences: {', '.join(parts)}" if parts else ""


def cause(finding: facts.Finding) -> str:
    """`  (follows from #5)` after the message of one that is listed by itself."""
    return "" if finding.consequence_of is None else f"  (follows from #{finding.consequence_of})"


def _named(places: Sequence[str]) -> str:
    return ", ".join(places[:_MOST]) + (" …" if len(places) > _MOST else "")
