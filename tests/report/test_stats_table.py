"""The table of `stats`: what is left out where there is little room, and what never is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.stats import Cancels, ModelStats, NumberSpread, Spread, Stats, StatsInput
from acp_trace.report.text.stats import as_json, flat, report


def _row(name: str | None = "OpenCode", version: str | None = "1.18.33", **given: Any) -> Stats:
    ms = 1_000_000
    full = {
        "traces": 6,
        "sessions": 8,
        "turns": 20,
        "turn": Spread(19, 367 * ms, 5090 * ms, 6140 * ms),
        "first_output": Spread(18, 94 * ms, 735 * ms, 740 * ms),
        "settle": Spread(4, 66 * ms, 5440 * ms, 5440 * ms),
        "cancels": Cancels(3, 1, 0, 0, 2, 1),
        "findings": [
            StatsInput("not-json", "error", "agent", 57),
            StatsInput("blank-line", "note", "agent", 1),
        ],
    }
    return Stats(name, version, **{**full, **given})


_MS = 1_000_000
_MODEL = ModelStats(
    calls=61,
    failed=2,
    aborted=3,
    retries=1,
    input_tokens=1_234_567,
    cached_tokens=900_000,
    output_tokens=45_678,
    first_token=Spread(58, 620 * _MS, 1_800 * _MS, 2_000 * _MS),
    turn_calls=NumberSpread(20, 3, 9, 12),
    turn_model=Spread(19, 3_200 * _MS, 9_000 * _MS, 10_000 * _MS),
    turn_tool=Spread(19, 120 * _MS, 4_000 * _MS, 5_000 * _MS),
    turn_client=Spread(19, 0, 0, 0),
    turn_own=Spread(19, 90 * _MS, 300 * _MS, 310 * _MS),
)
_NOTHING = Stats("quiet", None, 1, 0, 0, Spread(), Spread(), Spread(), Cancels(), [])


def _lines(rows: list[Stats], width: int, by: Any = "agent_version") -> list[str]:
    return report(rows, by, width).plain.split("\n")


def test_all_columns_where_there_is_room() -> None:
    """Figures stand under what they are about; what no row has is no column."""
    assert _lines([_row(), _NOTHING], 200)[:4] == [
        "                                           turn ───────────────────────  first output ──────  cancels ───────────────────────  settle ────────  findings",
        "agent             traces  sessions  turns  open     p50     p95     max   n      p50     p95  cancelled  completed  no target      p50     p95  err  note",
        "OpenCode 1.18.33       6         8     20     1  367 ms  5.09 s  6.14 s  18  94.0 ms  735 ms        3/4          1          2  66.0 ms  5.44 s   57     1",
        "quiet                  1",
    ]


def test_a_narrow_terminal() -> None:
    """At 80 columns: turns, how long they took, the first output, cancels, errors; long names are cut."""
    assert _lines([_row(), _row("an agent with a long name")], 80)[:4] == [
        "                           turn ───────────────  output   cancels ─  settle",
        "agent               turns  open     p50     p95      p50  cancelled     p95  err",
        "OpenCode 1.18.33       20     1  367 ms  5.09 s  94.0 ms        3/4  5.44 s   57",
        "an agent with a l…     20     1  367 ms  5.09 s  94.0 ms        3/4  5.44 s   57",
    ]


def test_the_models_side_has_a_table_of_its_own() -> None:
    """Of those whose traces have it; the narrower the terminal, the fewer columns."""
    lines = [line.replace("\u202f", " ") for line in _lines([_row(model=_MODEL, findings=[]), _NOTHING], 140)]
    assert lines[5:] == [
        "Model  per turn; tokens in all",
        "                  calls ───────  model ────────  tools ────────  client  own ───────────  first token ──  tokens ──────────",
        "agent             all  p50  p95     p50     p95     p50     p95     p50      p50     p95     p50     p95         in     out  failed  aborted",
        "OpenCode 1.18.33   61    3    9  3.20 s  9.00 s  120 ms  4.00 s    0 µs  90.0 ms  300 ms  620 ms  1.80 s  1 234 567  45 678       2        3",
        "",
    ]
    narrow = [line.replace("\u202f", " ") for line in _lines([_row(model=_MODEL)], 60)]
    assert narrow[4:8] == [
        "Model  per turn; tokens in all",
        "                  calls ──  model ────────  own ───",
        "agent             p50  p95     p50     p95      p50  failed",
        "OpenCode 1.18.33    3    9  3.20 s  9.00 s  90.0 ms       2",
    ]


def test_findings_by_code() -> None:
    """The worst first, then the most frequent; with whose they are, where there are several rows."""
    other = [StatsInput("blank-line", "note", "agent", 2), StatsInput("batch", "error", "client", 9)]
    lines = _lines([_row(), _row("x", None, findings=other)], 100)
    assert lines[lines.index("") :] == [
        "",
        "Findings  that blame the agent",
        "error  not-json    57  OpenCode 1.18.33 ×57",
        "note   blank-line   3  x ×2  OpenCode 1.18.33 ×1",
        "",
    ]
    assert "error  not-json    57" in _lines([_row()], 100)


def test_the_side_that_is_compared() -> None:
    """Clients are not told what agents did wrong."""
    both = [StatsInput("not-json", "error", "agent", 57), StatsInput("unknown-method", "error", "client", 2)]
    text = "\n".join(_lines([_row("acpx", None, findings=both)], 100, "client"))
    assert "that blame the client\nerror  unknown-method  2\n" in text
    assert "57" not in text


def test_no_findings_no_table() -> None:
    """And no column for them."""
    text = "\n".join(_lines([_row(findings=[])], 140))
    assert "inding" not in text
    assert "err" not in text


def test_an_open_turn_is_counted() -> None:
    """Percentiles are over those that settled: `turns` less `open`."""
    assert "open" in _lines([_row()], 140)[1]
    assert "open" not in _lines([_row(turns=19)], 140)[1]


def test_names_are_harmless() -> None:
    """What an agent calls itself drives no terminal."""
    assert "\x1b" not in report([_row("a\x1b[2J")], "agent", 80).plain


_COUNTS = st.integers(0, 10**7)
_TIMES = st.one_of(st.none(), st.integers(0, 10**14))
_SPREADS = st.builds(Spread, _COUNTS, _TIMES, _TIMES, _TIMES)
_TOKENS = st.one_of(st.none(), _COUNTS)
_MODELS = st.builds(
    ModelStats,
    *[_COUNTS] * 4,
    *[_TOKENS] * 3,
    _SPREADS,
    st.builds(NumberSpread, _COUNTS, _TOKENS, _TOKENS, _TOKENS),
    *[_SPREADS] * 4,
)
_FOUND = st.builds(
    StatsInput,
    st.sampled_from([*CODES]),
    st.sampled_from(["error", "warning", "note", "later"]),
    st.sampled_from(["agent", "client"]),
    _COUNTS,
)
_ROWS = st.builds(
    Stats,
    st.one_of(st.none(), st.text(max_size=60)),
    st.one_of(st.none(), st.text(max_size=60)),
    _COUNTS,
    _COUNTS,
    _COUNTS,
    _SPREADS,
    _SPREADS,
    _SPREADS,
    st.builds(Cancels, *[_COUNTS] * 6),
    st.lists(_FOUND, max_size=3),
    model=_MODELS,
)


@pytest.mark.slow
@given(st.lists(_ROWS, min_size=1, max_size=4), st.sampled_from([80, 100, 140, 200]))
def test_no_line_is_wider_than_the_terminal(rows: list[Stats], width: int) -> None:
    """Whatever the figures: columns go, names are cut, nothing is wrapped."""
    assert all(cell_len(line) <= width for line in _lines(rows, width))


@pytest.mark.slow
@given(st.lists(_ROWS, min_size=1, max_size=3), st.sampled_from(["agent", "agent_version", "client"]))
def test_a_spreadsheet_has_the_same_columns_in_every_row(rows: list[Stats], by: Any) -> None:
    """And values only, none of them a list or an object."""
    made = [flat(row) for row in as_json(rows, by)]
    assert len({tuple(row) for row in made}) == 1
    assert all(isinstance(value, (int, str, type(None))) for row in made for value in row.values())


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("agent", ["agent_name", "traces"]),
        ("agent_version", ["agent_name", "agent_version"]),
        ("client", ["client_name", "traces"]),
    ],
)
def test_json(by: Any, keys: list[str]) -> None:
    """The names of a row are those of the table `traces`; both sides have their findings."""
    (row,) = as_json([_row()], by)
    assert list(row)[:2] == keys
    assert row["turn"] == {"n": 19, "p50_ns": 367_000_000, "p95_ns": 5_090_000_000, "max_ns": 6_140_000_000}
    assert row["cancels"] == {
        "cancelled": 3, "completed": 1, "error": 0, "unanswered": 0, "no_target": 2, "internal": 1,
    }  # fmt: skip
    assert row["findings"]["agent"] == {"error": 57, "warning": 0, "note": 1}
    assert row["findings"]["client"] == {"error": 0, "warning": 0, "note": 0}
    assert row["model"]["turn_own"] == {"n": 0, "p50_ns": None, "p95_ns": None, "max_ns": None}
    assert row["model"]["turn_calls"] == {"n": 0, "p50": None, "p95": None, "max": None}
    assert row["codes"] == {"agent": {"not-json": 57, "blank-line": 1}, "client": {}}
