"""What came of planted faults: the table of docs/evidence/planted-faults.md, and what is printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from acp_trace.compare.codes import Match
from tests.real.hermetic_table import with_table
from tests.real.planted.client_faults import CLIENT_FAULTS
from tests.real.planted.file_faults import FILE_FAULTS
from tests.real.planted.judging import LEVELS, AnyFault, Said
from tests.real.planted.model_faults import MODEL_FAULTS

#: What a fault is in, and the faults there.
AREAS: dict[str, Sequence[AnyFault]] = {
    **CLIENT_FAULTS,
    "what the model is told": MODEL_FAULTS,
    "files": FILE_FAULTS,
}
FAULTS = {fault.name: fault for faults in AREAS.values() for fault in faults}


_PAGE = Path(__file__).resolve().parents[3] / "docs" / "evidence" / "planted-faults.md"
_HEAD = ("fault", "runs", *(f"`{level}`" for level in LEVELS), "reported first as")


class Planted(NamedTuple):
    """What is said of a fault in the run of an agent; None where it changes nothing. Without a name: of the run itself."""

    agent: str
    area: str
    name: str
    said: Mapping[Match, Said] | None

    def is_reported(self, match: Match) -> bool:
        """Whether a level reports it: as an error, or by a note of its own."""
        if self.said is None:
            return False
        said = self.said[match]
        return said.fails or bool(self._codes & {*said.notes})

    @property
    def is_named(self) -> bool:
        """Whether the first cause at `content` is the right one."""
        if self.said is None:
            return False
        said = self.said["content"]
        return said.first in self._codes if said.fails else bool(self._codes & {*said.notes})

    @property
    def _codes(self) -> set[str]:
        return {*FAULTS[self.name].codes.split()}


def said(found: Sequence[Planted]) -> str:
    """For people: what was missed, what was named wrongly, and the sums."""
    hit = [each for each in found if each.name and each.said is not None]
    lines = [f"{each.agent}: the unchanged agent fails" for each in _failing(found)]
    lines += [
        f"missed  {each.agent:18} {each.name}{'  (left out)' if FAULTS[each.name].left_out else ''}"
        for each in hit
        if not each.is_reported("content")
    ]
    for each in hit:
        if each.said is not None and each.is_reported("content") and not each.is_named:
            there = each.said["content"]
            lines.append(f"named   {each.agent:18} {each.name}: {there.first}: {there.message[:150]}")
    return "\n".join([*lines, *_sums(hit)])


def _sums(hit: Sequence[Planted]) -> Iterator[str]:
    for level in LEVELS:
        yield f"{level}: {sum(each.is_reported(level) for each in hit)} of {len(hit)} reported"
    reported = [each for each in hit if each.is_reported("content")]
    yield f"first cause right: {sum(each.is_named for each in reported)} of {len(reported)}"
    never = set(FAULTS) - {each.name for each in hit}
    yield f"{len({each.name for each in hit})} faults; in no run: {', '.join(sorted(never)) or 'none'}"


def is_faulty(found: Sequence[Planted]) -> bool:
    """Whether something is missed that is to be compared, or an unchanged agent fails."""
    missed = (
        each for each in found if each.name and each.said is not None and not each.is_reported("content")
    )
    return any(not FAULTS[each.name].left_out for each in missed) or bool(_failing(found))


def _failing(found: Sequence[Planted]) -> list[Planted]:
    return [
        each
        for each in found
        if not each.name and each.said and any(said.fails for said in each.said.values())
    ]


def write(found: Sequence[Planted]) -> None:
    """Puts the sums and the table into the page."""
    page = with_table(_PAGE.read_text(), "sums", "".join(f"- {line}\n" for line in _counted(found)))
    _PAGE.write_text(with_table(page, "planted", "\n".join(_rows(found)) + "\n"))


def _counted(found: Sequence[Planted]) -> Iterator[str]:
    hit = [each for each in found if each.name and each.said is not None]
    agents = dict.fromkeys(each.agent for each in found)
    yield f"{len({each.name for each in hit})} faults, planted {len(hit)} times into replays of {len(agents)} agents: {', '.join(agents)}."
    for level in LEVELS:
        yield f"Reported at `{level}`: {sum(each.is_reported(level) for each in hit)} of {len(hit)}."
    compared = [each for each in hit if not FAULTS[each.name].left_out]
    missed = [each for each in compared if not each.is_reported("content")]
    left_out = len(hit) - len(compared)
    yield f"Missed at `content`: {len(missed)} of {len(compared)}. Replays leave the other {left_out} out on purpose."
    told = [each for each in compared if each.is_reported("content")]
    yield f"Reported with the right first cause: {sum(each.is_named for each in told)} of {len(told)}."


def _rows(found: Sequence[Planted]) -> Iterator[str]:
    yield _row(*_HEAD)
    yield _row(*["---"] * len(_HEAD))
    by_fault: dict[str, list[Planted]] = {}
    for each in found:
        if each.name and each.said is not None:
            by_fault.setdefault(each.name, []).append(each)
    for name in FAULTS:
        if runs := by_fault.get(name):
            reported = (sum(each.is_reported(level) for each in runs) for level in LEVELS)
            yield _row(name, len(runs), *(_share(number, len(runs)) for number in reported), _names(runs))


def _share(number: int, of: int) -> str:
    return "all" if number == of else str(number) if number else ""


def _names(runs: Sequence[Planted]) -> str:
    fault = FAULTS[runs[0].name]
    if fault.left_out and not any(each.is_reported("content") for each in runs):
        return f"left out: {fault.left_out}"
    codes: Counter[str] = Counter()
    for each in runs:
        said = each.said and each.said["content"]
        if said and said.first:
            codes[f"`{said.first}`"] += 1
        elif said and each.is_reported("content"):
            codes[f"note `{next(note for note in said.notes if note in fault.codes.split())}`"] += 1
    return " ".join(
        f"{code} × {number}" if number < len(runs) else code for code, number in codes.most_common()
    )


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"
