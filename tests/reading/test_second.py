"""Two readings of one set of rules, by code that shares nothing: what `show --json` says, and the second reading."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.report.json.report import document
from acp_trace.trace.parse import Parser
from tests.reading.chance import conversation
from tests.reading.findings import CODES
from tests.reading.scenarios import METADATA, SCENARIOS
from tests.reading.second import read
from tests.support import TRACES

Rule = Literal["rfd", "shallow", "replace"]
#: Objects whose keys are data: none may be missing, and none be there beyond. Other objects may gain keys.
_EXACT = {"updates", "usage", "final", "changes", "before", "after", "value", "findings"}


def _ours(file: bytes, rule: Rule | None = None) -> Any:
    """What `show --json` says; `findings` reduced to what the second reading looks for."""
    parser, analyzer = Parser(), Analyzer(meta_merge=rule)
    for entry in parser.feed(file):
        analyzer.feed(entry)
    if last := parser.finish()[0]:
        analyzer.feed(last)
    report = json.loads(msgspec.json.encode(document(analyzer.facts())))
    found = [(one["code"], one["frame"]) for one in report["findings"] if one["code"] in CODES]
    return {**report, "findings": sorted(set(found))}


def _differences(ours: Any, second: Any, path: str = "", *, exact: bool = False) -> Iterator[str]:
    """Where the two disagree: path, ours, second. `1`, `1.0`, `true` and `"1"` all differ."""
    if isinstance(ours, dict) and isinstance(second, dict):
        keys = dict.fromkeys([*second, *ours]) if exact else second
        for key in keys:
            here, below = f"{path}/{key}", (exact and not key.startswith("#")) or key in _EXACT
            if key not in ours or key not in second:
                yield f"{here}: ours {ours.get(key, '(missing)')!r}, second {second.get(key, '(missing)')!r}"
            else:
                yield from _differences(ours[key], second[key], here, exact=below)
    elif isinstance(ours, list) and isinstance(second, list) and _are_events([*ours, *second]):
        yield from _differences(_by_frame(ours), _by_frame(second), path, exact=True)
    elif isinstance(ours, list) and isinstance(second, list):
        if len(ours) != len(second):
            yield f"{path}: ours has {len(ours)} {ours!r}, second {len(second)} {second!r}"
        for index, (one, other) in enumerate(zip(ours, second, strict=False)):
            yield from _differences(one, other, f"{path}/{index}", exact=exact)
    elif type(ours) is not type(second) or ours != second:
        yield f"{path}: ours {ours!r}, second {second!r}"


def _are_events(items: list[Any]) -> bool:
    """Whether these are entries with a frame each: of lists of them, the entries are compared that belong together."""
    return bool(items) and all(isinstance(one, dict) and "frame" in one for one in items)


def _by_frame(items: list[Any]) -> dict[str, Any]:
    """Entries by what tells them apart; `order` holds what would be lost."""
    keys = [_name(one) for one in items]
    return {"order": keys, **dict(zip(keys, items, strict=True))}


def _name(entry: dict[str, Any]) -> str:
    target = f" → #{entry['target']['frame']}" if entry.get("target") else ""
    return f"#{entry['frame']}{' legacy' if entry.get('legacy') else ''}{target}"


def _in_order(report: Any) -> Any:
    """Leaves of one update have no order of their own, and findings neither."""
    for session in report["sessions"]:
        for entry in session.get("metadata", {}).get("timeline", ()):
            entry["changes"].sort(key=lambda change: change["path"])
    return {**report, "findings": {f"{code} #{frame}": True for code, frame in report["findings"]}}


def _compare(file: bytes, rule: Rule | None = None) -> None:
    second = json.loads(json.dumps(read(file, rule)))
    found = list(_differences(_in_order(_ours(file, rule)), _in_order(second)))
    assert not found, "\n".join(["the two readings differ:", *found[:40]])


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_real_traces_are_read_alike(path: Path) -> None:
    """Every key that the definitions name, and every finding that is mechanical."""
    _compare(path.read_bytes())


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenarios_are_read_alike(scenario: str) -> None:
    """What real traces lack, made by hand."""
    _compare(SCENARIOS[scenario])


@pytest.mark.parametrize("rule", ["rfd", "shallow", "replace"])
@pytest.mark.parametrize("scenario", METADATA)
def test_metadata_is_merged_alike_by_each_rule(scenario: str, rule: Rule) -> None:
    """The rule that was asked for, whatever the version."""
    _compare(SCENARIOS[scenario], rule)


@pytest.mark.parametrize(
    "seed", [*range(0, 50, 10), *(pytest.param(one, marks=pytest.mark.slow) for one in range(50, 200, 10))]
)
def test_conversations_by_chance_are_read_alike(seed: int) -> None:
    """Ten for each seed: whatever order things come in, however ids meet."""
    for one in range(seed, seed + 10):
        _compare(conversation(one))


def test_the_comparison_sees_each_kind_of_difference() -> None:
    """A comparison that finds nothing must be one that could have."""
    ours = {"a": 1, "b": [1], "final": {"x": 1, "y": None}, "more": 0}
    second = {"a": True, "b": [1.0, 2], "final": {"x": "1"}, "less": 0}
    assert list(_differences(ours, second)) == [
        "/a: ours 1, second True",
        "/b: ours has 1 [1], second 2 [1.0, 2]",
        "/b/0: ours 1, second 1.0",
        "/final/x: ours 1, second '1'",
        "/final/y: ours None, second '(missing)'",
        "/less: ours '(missing)', second 0",
    ]
    assert not list(_differences(ours, {"a": 1, "b": [1], "final": {"y": None, "x": 1}}))
