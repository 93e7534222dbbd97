"""docs/evidence/real-matrix.md: what the matrix found, with each cause judged. Made from the reports of its cells.

Whether a divergence is a real change of the build or noise is a judgement of somebody who looked at the frames. It
is data: judgements.toml beside this file. Nothing here starts anything.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tests.real.builds import LINES, Line
from tests.real.model import AS_RECORDED, MANNERS

_JUDGEMENTS = Path(__file__).with_name("judgements.toml")
_PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "real-matrix.md"
_UNJUDGED = "unjudged"
_MATCHES = ("outcome", "semantic", "content", "exact")
_HEAD = """# Real agents, several versions each: what replay says, and whether it is true

Made by `just real-matrix`, which CI does not run: it installs every version below and takes hours. A part of it is made
by `just real-matrix versions --only opencode --match content`, or `manners`, or `unchanged`; `table` writes this page
from what there is. Each version is recorded once with a client that does a day's work (`tests/real/errand.py`): modes and options, prompts with a read, a
shell command, a write, a rejection, a cancel in the middle of a stream, a plan. Then each recording is replayed against
every version of its agent, with a stand-in for the model that answers the same (`tests/real/model.py`), in a new
directory, with the session's files and a home of the agent's own.

A *cause* is one divergence that fails a replay; its consequences are not counted. A person looked at the
frames of each kind and judged: *real*, a difference between the two builds, or *noise*, anything else. A judgement
covers all causes of its agent, code and message.
`tests/real/judgements.toml` holds the judgements.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What somebody who looked at the frames says of some divergences. Names may have a `*`."""

    agent: str
    code: str
    verdict: str
    why: str
    recorded: str = "*"
    replayed: str = "*"
    match: str = "*"
    model: str = AS_RECORDED.name  #: the manner of the model
    message: str = ""  #: a pattern that the message has to contain

    def covers(self, cell: Cell, divergence: Mapping[str, Any]) -> bool:
        """Whether this is about a divergence of a cell."""
        names = ((cell.agent, self.agent), (cell.recorded, self.recorded), (cell.replayed, self.replayed))
        how = ((cell.match, self.match), (cell.model, self.model))
        named = (*names, *how, (divergence["code"], self.code))
        same = all(fnmatch(name, pattern) for name, pattern in named)
        return same and re.search(self.message, divergence["message"]) is not None


@dataclass(frozen=True, slots=True)
class Cell:
    """The report of one cell."""

    agent: str
    recorded: str
    match: str
    name: str
    report: Mapping[str, Any]

    @property
    def replayed(self) -> str:
        return self.name.removeprefix("to-") if self.name.startswith("to-") else self.recorded

    @property
    def model(self) -> str:
        """The manner of its model."""
        is_manner = not self.name.startswith(("to-", "same-"))
        return self.name.replace("-", " ") if is_manner else AS_RECORDED.name

    @property
    def says_model_away(self) -> bool:
        """Whether the report says that the model may have been away."""
        return any(divergence["code"] == "model-away" for divergence in self.report["divergences"])

    @property
    def causes(self) -> list[Mapping[str, Any]]:
        """What fails the replay, without what follows from something else."""
        failing = (one for one in self.report["divergences"] if one["severity"] == "error")
        follows = ("consequence_of", "consequence_of_expected")
        return [one for one in failing if all(one.get(key) is None for key in follows)]

    @property
    def touched(self) -> list[str]:
        """What changed in the caller's directory and home."""
        return [*self.report["caller_changes"], *self.report["home_changes"]]


def read_judgements(path: Path = _JUDGEMENTS) -> list[Judgement]:
    """All of them, in the order of the file: the first that covers a divergence counts."""
    return [Judgement(**row) for row in tomllib.loads(path.read_text()).get("judgement", [])]


def read_cells(keep: Path) -> list[Cell]:
    """The reports that there are."""
    cells = []
    for path in sorted(keep.glob("*/*/*/*/report.json")):
        agent, recorded, match, name = path.relative_to(keep).parts[:4]
        cells.append(Cell(agent, recorded, match, name, json.loads(path.read_bytes())))
    return cells


def judge(cell: Cell, divergence: Mapping[str, Any], judgements: Sequence[Judgement]) -> Judgement | None:
    """What was judged about a divergence, if it was."""
    return next((judgement for judgement in judgements if judgement.covers(cell, divergence)), None)


def write(keep: Path) -> None:
    """Makes the page anew."""
    _PAGE.write_text("\n".join(page(read_cells(keep), read_judgements())) + "\n")


def page(cells: Sequence[Cell], judgements: Sequence[Judgement]) -> Iterator[str]:
    """The lines of the page."""
    yield _HEAD
    for match in _MATCHES:
        versions = [cell for cell in cells if cell.name.startswith("to-") and cell.match == match]
        if versions:
            yield from _versions(match, versions, judgements)
    yield from _unchanged([cell for cell in cells if cell.name.startswith("same-")])
    manners = [cell for cell in cells if not cell.name.startswith(("to-", "same-"))]
    yield from _manners(manners, judgements)
    touched = [cell for cell in cells if cell.touched]
    yield "## The caller's directory and home"
    yield ""
    yield (
        f"Both were looked at before and after each of {len(cells)} replays: every file's mode, size and time. "
        f"{'Nothing changed.' if not touched else f'{len(touched)} replays changed something there.'}"
    )


def _versions(match: str, cells: Sequence[Cell], judgements: Sequence[Judgement]) -> Iterator[str]:
    verdicts: Counter[str] = Counter()
    rows: list[str] = []
    reasons: Counter[tuple[str, str, str, str]] = Counter()
    for line in LINES:
        for cell in _ordered(line, [cell for cell in cells if cell.agent == line.name]):
            judged = [(one, judge(cell, one, judgements)) for one in cell.causes]
            said = Counter(found.verdict if found else _UNJUDGED for _, found in judged)
            verdicts.update(said)
            counts = (said["real"], said["noise"], said[_UNJUDGED])
            verdict = "passed" if cell.report["passed"] else "failed"
            own = " (itself)" if cell.recorded == cell.replayed else ""
            names = (line.name, cell.recorded, cell.replayed + own, verdict)
            rows.append(_row(*names, *(count or "" for count in counts)))
            for one, found in judged:
                why = found.why if found else _UNJUDGED
                verdict = found.verdict if found else _UNJUDGED
                reasons[line.name, one["code"], verdict, why] += 1
    total = sum(verdicts.values())
    noise = verdicts["noise"]
    yield f"## Each version against each, at `{match}`"
    yield ""
    told = f"{len(cells)} replays of {len({cell.agent for cell in cells})} agents. {total} causes"
    if total:
        told += f": {verdicts['real']} real, {noise} noise ({noise / total:.1%})"
    yield told + (f", {verdicts[_UNJUDGED]} not judged." if verdicts[_UNJUDGED] else ".")
    yield ""
    yield from _table("agent", "recorded", "replayed against", "verdict", "real", "noise", "not judged")
    yield from rows
    yield ""
    yield f"### What the causes are, at `{match}`"
    yield ""
    yield from _table("agent", "code", "judged", "in", "what changed")
    for (agent, code, verdict, why), count in reasons.items():
        yield _row(agent, f"`{code}`", verdict, f"{count} ×", why)
    yield ""


def _unchanged(cells: Sequence[Cell]) -> Iterator[str]:
    yield "## The unchanged build, many times"
    yield ""
    yield "The newest version against itself, each time in another directory, beside busy processors. Nothing may be reported."
    yield ""
    yield from _table("agent", "version", "level", "replays", "passed", "false alarms")
    for line in LINES:
        for match in dict.fromkeys(cell.match for cell in cells):
            own = [cell for cell in cells if (cell.agent, cell.match) == (line.name, match)]
            if own:
                passed = sum(cell.report["passed"] for cell in own)
                codes = Counter(one["code"] for cell in own for one in cell.causes)
                told = ", ".join(f"`{code}` × {count}" for code, count in codes.items())
                yield _row(line.name, own[0].recorded, match, len(own), passed, told)
    yield ""


def _manners(cells: Sequence[Cell], judgements: Sequence[Judgement]) -> Iterator[str]:
    order = [manner.name for manner in MANNERS]
    rows, verdicts = [], Counter[str]()
    for line in LINES:
        for cell in sorted(cells, key=lambda cell: (cell.match, order.index(cell.model))):
            if cell.agent == line.name:
                codes = Counter(one["code"] for one in cell.causes)
                told = ", ".join(
                    f"`{code}`" + (f" × {count}" if count > 1 else "") for code, count in codes.items()
                )
                judged = [judge(cell, one, judgements) for one in cell.causes]
                said = Counter(found.verdict if found else _UNJUDGED for found in judged)
                verdicts.update(said)
                counts = (count or "" for count in (said["real"], said["noise"], said[_UNJUDGED]))
                verdict = "passed" if cell.report["passed"] else "failed"
                away = "yes" if cell.says_model_away else ""
                took_s = round(cell.report["took_s"])
                rows.append(_row(line.name, cell.match, cell.model, verdict, away, took_s, *counts, told))
    yield "## When the model is not as it was"
    yield ""
    yield "The newest version against itself, while its model is away, slow, wordy, or calls other tools. *Real* is here"
    yield "what this brought about in the agent, as the frames show; *model-away*, whether the report says that the model"
    yield "may have been away."
    yield ""
    total = sum(verdicts.values())
    if total:
        share = f"{verdicts['noise']} noise ({verdicts['noise'] / total:.1%})"
        rest = f", {verdicts[_UNJUDGED]} not judged" if verdicts[_UNJUDGED] else ""
        yield f"{len(rows)} replays. {total} causes: {verdicts['real']} real, {share}{rest}."
        yield ""
    names = ("agent", "level", "model", "verdict", "model-away", "seconds", "real", "noise", "not judged")
    yield from _table(*names, "codes, the heaviest first")
    yield from rows
    yield ""


def _ordered(line: Line, cells: Sequence[Cell]) -> list[Cell]:
    """In the order of the versions."""
    known = [cell for cell in cells if {cell.recorded, cell.replayed} <= set(line.versions)]
    return sorted(
        known, key=lambda cell: (line.versions.index(cell.recorded), line.versions.index(cell.replayed))
    )


def _table(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield _row(*("---" for _ in names))


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"
