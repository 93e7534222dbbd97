"""The tables of docs/evidence/replay-matrix.md: faults and variations of the tests, with their codes."""  # noqa: INP001  (a script, in no package)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_trace.compare.codes import Match
    from tests.replay.edits import Case
    from tests.replay.levels import Told


def faults() -> str:
    """Every deliberate fault: the codes by which it is reported, from which level on, and where by others."""
    from tests.replay.faults import FAULTS

    lines = ["| fault | from | reported as | at other levels | the run |", "| --- | --- | --- | --- | --- |"]
    for name, case in FAULTS.items():
        since, codes, others = _levels(case)
        run = "ends early" if case.ends else "`model-away`" if case.is_away else ""
        lines.append(f"| {name} | `{since}` | {codes} | {others} | {run} |")
    return "".join(f"{line}\n" for line in lines)


def _levels(case: Case) -> tuple[Match, str, str]:
    """The first level with a case's own code, what is reported there, and where something else is."""
    from acp_trace.compare.codes import MATCHES
    from tests.replay.levels import due

    own = case.codes[0]
    since = next(match for match in MATCHES if own in due(case, match).causes)
    first = due(case, since)
    others: dict[str, list[str]] = {}
    for match, cell in _others(case, since, first):
        others.setdefault(cell, []).append(f"`{match}`")
    return since, _cell(first), "; ".join(f"{', '.join(levels)}: {cell}" for cell, levels in others.items())


def _others(case: Case, since: Match, first: Told) -> Iterator[tuple[Match, str]]:
    from acp_trace.compare.codes import MATCHES
    from tests.replay.levels import due

    for match in MATCHES:
        there = due(case, match)
        if match == "exact" and match not in case.at:
            continue  # `content-differs` as `frame-differs`: the page says so once
        if there != first and (there.causes or MATCHES.index(match) > MATCHES.index(since)):
            yield match, _cell(there)


def _cell(told: Told) -> str:
    follows = f", followed by {_counted(told.follows)}" if told.follows else ""
    return f"{_counted(told.causes)}{follows}"


def _counted(codes: Iterable[str]) -> str:
    return " ".join(f"`{code}`" + (f" × {n}" if n > 1 else "") for code, n in Counter(codes).items())


def waits() -> str:
    """What is waited for in the middle of a turn, how long, and what is noted."""
    from tests.replay.waits_in_turns import WAITS

    lines = ["| what happens | played by | waits | reported as |", "| --- | --- | --- | --- |"]
    for name, row in WAITS.items():
        command = "`replay`" if row.own == "client" else "`mock`"
        waited = f"{row.seconds:g} s" if row.seconds else ""
        lines.append(f"| {name} | {command} | {waited} | {_counted(row.codes.split())} |")
    return "".join(f"{line}\n" for line in lines)


def variations() -> str:
    """Every harmless variation, and what the two closest levels report of it."""
    from tests.replay.levels import due
    from tests.replay.variations import VARIATIONS

    lines = ["| variation | at `content` | at `exact` |", "| --- | --- | --- |"]
    for name, case in VARIATIONS.items():
        assert not due(case, "outcome").causes
        assert not due(case, "semantic").causes
        cells = (_counted(due(case, match).causes) or "passes" for match in ("content", "exact"))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "".join(f"{line}\n" for line in lines)
