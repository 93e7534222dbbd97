"""The measured tables of docs/evidence/hermetic.md, made from recordings and the reports of their replays. Starts nothing."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from acp_trace.model.calls import ModelCall, model_calls
from acp_trace.model.exchange import exchanges_in
from acp_trace.trace.parse import Parser
from tests.real.provider_errors import RETRY_AFTER_S
from tests.real.providers import HOSTED, Hosted

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "hermetic.md"
_LEVELS = ("raw", "ids", "environment", "sorted", "output", "loose")
TABLE_HEAD = (
    *("agent", "version", "provider's address", "calls"),
    *_LEVELS,
    *("unmatched", "passed", "seconds"),
)
#: How a provider failed, and whether a call is one with which it did.
_ERRORS: dict[str, Callable[[ModelCall], bool]] = {
    f"429, `retry-after: {RETRY_AFTER_S}`": lambda call: call.status == HTTPStatus.TOO_MANY_REQUESTS,
    "500": lambda call: call.status == HTTPStatus.INTERNAL_SERVER_ERROR,
    "a stream that breaks off": lambda call: call.broken_by == "provider",
}
ERRORS_HEAD = ("agent", "calls", *_ERRORS, "matched", "passed")


def write(keep: Path) -> None:
    """Puts the tables into the page, those of which something was replayed."""
    page = _PAGE.read_text()
    for name, lines in (("hermetic", list(rows(keep))), ("errors", list(rows_of_errors(keep)))):
        if len(lines) > 2:
            page = with_table(page, name, "\n".join(lines) + "\n")
    _PAGE.write_text(page)


def with_table(page: str, name: str, table: str) -> str:
    """A page with another table between `<!-- name -->` and `<!-- end -->`."""
    place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    return place.sub(lambda found: f"{found[1]}\n{table}\n{found[2]}", page)


def of_errors(keep: Path, hosted: Hosted) -> Path:
    """Where the recording with a provider's errors is."""
    return keep / f"{hosted.name}-errors"


def rows(keep: Path) -> Iterator[str]:
    """One of each agent that was replayed."""
    yield _row(*TABLE_HEAD)
    yield _row(*["---"] * len(TABLE_HEAD))
    for hosted in HOSTED:
        if reports := _reports(keep / hosted.name):
            yield _row(*_cells(hosted, reports))


def rows_of_errors(keep: Path) -> Iterator[str]:
    """One of each agent whose provider failed: what it did then, and how its recording replays."""
    yield _row(*ERRORS_HEAD)
    yield _row(*["---"] * len(ERRORS_HEAD))
    for hosted in HOSTED:
        directory = of_errors(keep, hosted)
        if reports := _reports(directory):
            models = [one.get("model") or {} for one in reports]
            matched = _span([sum((model.get("matched") or {}).values()) for model in models])
            entries = Parser().feed((directory / "a.jsonl").read_bytes())
            calls = model_calls(exchanges_in(entries))
            tries = (_tried(calls, error) for error in _ERRORS)
            yield _row(hosted.name, len(calls), *tries, matched, _passed(reports))


def _tried(calls: Sequence[ModelCall], error: str) -> str:
    """What the agent did when its provider failed so."""
    failed = next(call for call in calls if call.is_failed and _ERRORS[error](call))
    again = next((call for call in calls if call.retry_of == failed.call), None)
    if again is None:
        return "not tried again"
    return f"again after {(again.started_ns - (failed.ended_ns or 0)) / 1e9:.1f} s"


def _reports(directory: Path) -> list[dict[str, Any]]:
    """Those of its replays, in their order."""
    paths = sorted((directory / "runs").glob("*.json"), key=lambda path: int(path.stem))
    return [json.loads(path.read_bytes()) for path in paths]


def _passed(reports: list[dict[str, Any]]) -> str:
    return f"{sum(one['passed'] and one['exit_code'] == 0 for one in reports)} of {len(reports)}"


def _cells(hosted: Hosted, reports: list[dict[str, Any]]) -> list[object]:
    models = [one.get("model") or {} for one in reports]
    matched = [Counter(model.get("matched") or {}) for model in models]
    times = sorted(one["took_s"] for one in reports)
    return [
        hosted.name,
        hosted.line.versions[0],
        hosted.where,
        _span([model.get("calls") or 0 for model in models]),
        *(_span([counts[level] for counts in matched]) for level in _LEVELS),
        _span([model.get("unmatched") or 0 for model in models]),
        _passed(reports),
        f"{times[len(times) // 2]:.1f}",
    ]


def _span(numbers: list[int]) -> str:
    """The number, or from which to which."""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}–{high}"


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"
