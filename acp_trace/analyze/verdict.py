"""Whether traces pass: their findings against `--fail-on`, their numbers against budgets. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from acp_trace.analyze import facts
from acp_trace.analyze.budgets.grammar import Budget, Outcome, evaluate
from acp_trace.analyze.budgets.metrics import Sample
from acp_trace.analyze.findings.codes import CODES, SEVERITIES
from acp_trace.trace import near_misses

NEVER = "never"
#: The group of codes in which each place is a separate fault.
_BY_PLACE = "payloads"


class UnknownWord(ValueError):
    """A word of `--fail-on` that is neither a severity nor a code. The message is one line for people."""


@dataclass(frozen=True, slots=True)
class FailOn:
    """Which findings fail."""

    severities: frozenset[str] = frozenset({"error"})
    codes: frozenset[str] = frozenset()

    def fails(self, finding: facts.Finding) -> bool:
        """Whether this finding is a failure. A consequence of another one fails only if its code is named."""
        is_cause = finding.consequence_of is None
        return finding.code in self.codes or (is_cause and finding.severity in self.severities)

    def in_play(self) -> list[str]:
        """Return the codes that can fail, in table order; all of them if none can."""
        codes = [
            one.code for one in CODES.values() if one.severity in self.severities or one.code in self.codes
        ]
        return codes or list(CODES)


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one code and one severity in one trace; of payloads, those of one side and place."""

    code: str
    severity: str
    fails: bool
    findings: list[facts.Finding]  #: in the order of their frames, never empty

    @property
    def side(self) -> str:
        """The side to blame: client, agent or both."""
        sides = {one.blame for one in self.findings}
        return sides.pop() if len(sides) == 1 else "both"

    @property
    def seen(self) -> int:
        """The number of cases, including those that one finding stands for."""
        return sum(one.count for one in self.findings)


@dataclass(frozen=True, slots=True)
class Checked:
    """One trace: its name, and its findings by code and severity: failures first, then the worst."""

    name: str
    trace: facts.Trace
    live: bool
    groups: list[Group]
    left_out: int = 0  #: findings of the side that does not count
    consequences: Sequence[
        facts.Finding
    ] = ()  #: consequences of others: not counted, and failures only if their code is named

    def count(self, severity: str, *, failing: bool = False) -> int:
        """Return the number of findings of a severity."""
        wanted = [one for one in self.groups if one.severity == severity and (one.fails or not failing)]
        return sum(len(one.findings) for one in wanted)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check."""

    traces: list[Checked]
    budgets: list[Outcome]
    side: str | None = None  #: client or agent, if only its findings count

    @property
    def ok(self) -> bool:
        """Whether nothing fails."""
        return all(one.ok for one in self.budgets) and not any(
            group.fails for one in self.traces for group in one.groups
        )


def fail_on(words: Iterable[str]) -> FailOn:
    """Return the meaning of `--fail-on`: words, or lists of words with commas between. Raises UnknownWord."""
    choices = [word.strip() for one in words for word in one.split(",")]
    if not choices:
        return FailOn()
    for word in choices:
        if word not in (*SEVERITIES, *CODES, NEVER):
            hint = near_misses.suggestion(word, (*SEVERITIES, NEVER, *CODES))
            hint = hint or f"; {', '.join(SEVERITIES)}, never or a code"
            raise UnknownWord(f"{word!r} is neither a severity nor the code of a finding{hint}")
    if NEVER in choices:
        if set(choices) != {NEVER}:
            raise UnknownWord("never cannot be combined with others")
        return FailOn(frozenset())
    worst = max((SEVERITIES.index(word) for word in SEVERITIES if word in choices), default=-1)
    return FailOn(frozenset(SEVERITIES[: worst + 1]), frozenset(choices) & frozenset(CODES))


def judge(
    traces: Iterable[tuple[str, facts.Facts, bool]],
    fails: FailOn,
    budgets: Sequence[Budget],
    side: str | None = None,
) -> Verdict:
    """Return the verdict over traces, each with its name and whether it is live.

    They are processed in turn, and only what is needed of each is kept. The samples of a budget are those of
    all traces together. With a `side`, only findings that blame it count, for budgets as well.
    """
    checked: list[Checked] = []
    samples: list[list[tuple[int, Sample]]] = [[] for _ in budgets]
    for index, (name, whole, live) in enumerate(traces):
        counted = [one for one in whole.findings if side is None or one.blame == side]
        left_out = len(whole.findings) - len(counted)
        counted_facts = replace(whole, findings=counted)
        follow = [one for one in counted if one.consequence_of is not None and not fails.fails(one)]
        groups = _groups(counted, fails)
        checked.append(Checked(name, counted_facts.trace, live, groups, left_out, follow))
        for budget, taken in zip(budgets, samples, strict=True):
            taken += [(index, sample) for sample in budget.metric.samples(counted_facts)]
    timeless = sum(not each.trace.has_times for each in checked)
    outcomes = [
        evaluate(budget, taken, without_times=timeless)
        for budget, taken in zip(budgets, samples, strict=True)
    ]
    return Verdict(checked, outcomes, side)


def _groups(findings: Iterable[facts.Finding], fails: FailOn) -> list[Group]:
    """Group findings of one kind, without consequences of other findings that do not fail."""
    groups: dict[tuple[str, ...], Group] = {}
    for finding in findings:
        if finding.consequence_of is not None and not fails.fails(finding):
            continue
        row = CODES.get(finding.code)  # a newer version has more codes
        by_place = row is not None and row.group == _BY_PLACE
        place = (finding.blame, finding.path or "") if by_place else ()
        key = (finding.code, finding.severity, *place)
        if key not in groups:
            groups[key] = Group(finding.code, finding.severity, fails.fails(finding), [])
        groups[key].findings.append(finding)
    return sorted(groups.values(), key=_first)


def _first(group: Group) -> tuple[bool, int, int]:
    rank = [*SEVERITIES, group.severity].index(group.severity)
    return (not group.fails, rank, group.findings[0].frame)
