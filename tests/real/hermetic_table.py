"""The measured table of docs/hermetic.md, made from the reports of the replays. Starts nothing."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.real.providers import HOSTED, Hosted

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "hermetic.md"
_LEVELS = ("raw", "ids", "environment", "sorted", "output", "loose")
TABLE_HEAD = (
    *("agent", "version", "provider's address", "calls"),
    *_LEVELS,
    *("unmatched", "passed", "seconds"),
)
_PLACE = re.compile(r"(<!-- hermetic -->\n).*?(<!-- end -->)", re.DOTALL)


def write(keep: Path) -> None:
    """Puts the table into the page."""
    table = "\n".join(rows(keep)) + "\n"
    _PAGE.write_text(_PLACE.sub(lambda found: f"{found[1]}\n{table}\n{found[2]}", _PAGE.read_text()))


def rows(keep: Path) -> Iterator[str]:
    """One of each agent that was replayed."""
    yield _row(*TABLE_HEAD)
    yield _row(*["---"] * len(TABLE_HEAD))
    for hosted in HOSTED:
        directory = keep / hosted.name / "runs"
        reports = sorted(directory.glob("*.json"), key=lambda path: int(path.stem))
        if reports:
            yield _row(*_cells(hosted, [json.loads(path.read_bytes()) for path in reports]))


def _cells(hosted: Hosted, reports: list[dict[str, Any]]) -> list[object]:
    models = [one.get("model") or {} for one in reports]
    matched = [Counter(model.get("matched") or {}) for model in models]
    passed = sum(one["passed"] and one["exit_code"] == 0 for one in reports)
    times = sorted(one["took_s"] for one in reports)
    return [
        hosted.name,
        hosted.line.versions[0],
        hosted.where,
        _span([model.get("calls") or 0 for model in models]),
        *(_span([counts[level] for counts in matched]) for level in _LEVELS),
        _span([model.get("unmatched") or 0 for model in models]),
        f"{passed} of {len(reports)}",
        f"{times[len(times) // 2]:.1f}",
    ]


def _span(numbers: list[int]) -> str:
    """The number, or from which to which."""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}–{high}"


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"
