"""The tables of docs/evidence/replay-matrix.md: faults and variations of the tests, with their codes."""  # noqa: INP001  (a script, in no package)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.replay.edits import Case


def faults() -> str:
    """Every deliberate fault, with the codes by which it is reported."""
    from tests.replay.faults import FAULTS

    lines = ["| fault | reported as | follows | only at | the run |", "| --- | --- | --- | --- | --- |"]
    for name, case in FAULTS.items():
        codes, follows = _counted(case.codes), _counted(case.follows)
        level = "" if case.match == "semantic" else f"`{case.match}`"
        lines.append(f"| {name} | {codes} | {follows} | {level} | {'ends early' if case.ends else ''} |")
    return "".join(f"{line}\n" for line in lines)


def _counted(codes: Iterable[str]) -> str:
    return " ".join(f"`{code}`" + (f" × {n}" if n > 1 else "") for code, n in Counter(codes).items())


def variations() -> str:
    """Every harmless variation, and the closest level at which it is tried."""
    from tests.replay.variations import VARIATIONS

    lines = ["| variation | passes at |", "| --- | --- |"]
    lines += [f"| {name} | `{_closest(case)}` |" for name, case in VARIATIONS.items()]
    return "".join(f"{line}\n" for line in lines)


def _closest(case: Case) -> str:
    if case.match != "semantic":
        return case.match
    return "semantic" if case.shows else "content"
