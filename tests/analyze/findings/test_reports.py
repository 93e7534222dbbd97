"""Situations of public bug reports, and what is legal but odd: rebuilt by hand, each finding judged by its frames.

`reports.jsonl` has one a line: the thread (`protocol`: none, but a sentence of the specification), what it is,
frames with their times in ms, and all findings. `faults.jsonl` has faults that acp-trace once did not diagnose.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import END, analyzed, header, line

_MS = 1_000_000


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(each) for each in Path(__file__).with_name(name).read_text("utf-8").splitlines()]


REPORTS, FAULTS = _rows("reports.jsonl"), _rows("faults.jsonl")


def _file(report: dict[str, Any]) -> bytes:
    lines = [
        header(),
        *(
            line(t=round(ms * _MS), **({"from": sender} if sender else {}), **said)
            for ms, sender, said in report["frames"]
        ),
    ]
    if report["ended"] is not None:
        ms, ended = report["ended"]
        lines.append(line(t=round(ms * _MS), end={**END, **ended}))
    return b"".join(lines)


@pytest.mark.parametrize("report", [*REPORTS, *FAULTS], ids=lambda report: report["name"])
def test_what_a_report_is_about(report: dict[str, Any]) -> None:
    """Code, severity, side and frame of all findings: none is missing, and nobody else is blamed."""
    found = [[one.code, one.severity, one.blame, one.frame] for one in analyzed(_file(report))[0].findings]
    assert found == report["findings"]


#: Of every type, and what breaks a table, a set, a sort or a number.
_VALUES: list[Any] = [None, True, -1, 1.5, 2**70, "", "terminal", [], [[]], [{}], {}, {"type": []}]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


@pytest.mark.parametrize("seed", range(8))
def test_any_value_anywhere_is_read(seed: int) -> None:
    """No rule takes for granted what a member is: with several of them changed, the analysis has an end."""
    chance = random.Random(seed)
    for report in chance.sample(REPORTS, 100):
        changed = copy.deepcopy(report)
        places = list(_places([frame[2] for frame in changed["frames"]]))
        for holder, key in chance.sample(places, min(3, len(places))):
            holder[key] = chance.choice(_VALUES)
        analyzed(_file(changed))


def test_what_is_legal_is_silent() -> None:
    """At least notes; half of what is here, so that rules are not made for faults alone."""
    legal = [report for report in REPORTS if report["legal"]]
    assert {severity for report in legal for _, severity, _, _ in report["findings"]} <= {"note"}
    assert 2 * len(legal) >= len(REPORTS) >= 190
