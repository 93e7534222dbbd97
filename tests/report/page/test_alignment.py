"""Two traces side by side: which frame stands beside which, where divergences are, what is masked."""

from __future__ import annotations

import array
from itertools import pairwise

import pytest

from acp_trace.compare.codes import Match
from acp_trace.normalize.masks import parse
from acp_trace.report.page import alignment, comparison_document
from acp_trace.report.page.alignment import SideBySide
from tests.compare.conversation import (
    Edit,
    base,
    both,
    chunk,
    compared,
    drop,
    file,
    instead,
    later,
    put,
    tool,
)
from tests.reading.talk import stop
from tests.support import SAMPLES, analyzed

NAMES = [name for name, _ in base()]


def _aligned(edit: Edit, match: Match = "semantic") -> list[tuple[str | None, str | None, str]]:
    """The rows by the names of their frames, each with the code of its divergence."""
    named, changed = base(), edit(base())
    files = file(named), file(changed)
    comparison = compared(*files, match)
    rows = alignment.rows(analyzed(files[0])[1], analyzed(files[1])[1], comparison)
    return [
        (
            named[row.expected - 1][0] if row.expected else None,
            changed[row.actual - 1][0] if row.actual else None,
            comparison.divergences[row.divergence - 1].code if row.divergence else "",
        )
        for row in rows
    ]


@pytest.mark.parametrize("match", ["outcome", "semantic", "content", "exact"])
def test_the_same_stands_beside_itself(match: Match) -> None:
    """Chunk by chunk, at every level."""
    assert _aligned(lambda named: named, match) == [(name, name, "") for name in NAMES]


def test_what_one_has_alone_stands_alone_where_it_came() -> None:
    """Nothing stands beside a frame that is missing, or additional; all others keep their places."""
    rows = _aligned(both(drop("fetch end"), put("commands", chunk("Welcome"))))
    assert [row[:2] for row in rows if None in row[:2]] == [(None, "commands +0"), ("fetch end", None)]
    assert [row[0] for row in rows if row[0]] == NAMES
    assert rows[5][1] == "commands +0"


def test_what_differs_is_marked_and_stands_beside_its_counterpart() -> None:
    """The divergence of a row is that of its frames; other frames of the turn are not touched."""
    rows = _aligned(instead("stop 1", stop(3, "max_tokens")))
    assert [row for row in rows if row[2]] == [("stop 1", "stop 1", "stop-reason")]


def test_what_changed_its_order_still_has_its_counterpart() -> None:
    """The rows keep the order of the expected trace."""
    rows = _aligned(later("usage", "title"))
    assert {row[0]: row[1] for row in rows} == dict.fromkeys(NAMES) | {name: name for name in NAMES}


def test_chunks_belong_together_by_what_they_say_and_calls_by_their_ids() -> None:
    """A chunk more leaves those behind it with their own; another id of a tool call is the same call."""
    renamed = both(
        put("thought", chunk("Well, ")),
        instead("web", tool("x9", "pending", kind="search", title="Web")),
        instead("web end", tool("x9", "completed", content=[{"type": "terminal", "terminalId": "t0"}])),
    )
    rows = _aligned(renamed)
    assert [row[:2] for row in rows if row[0] != row[1]] == [(None, "thought +0")]


def test_each_frame_stands_in_one_row_whatever_two_traces_are() -> None:
    """Of real traces that have little in common, too; and what stands beside another is of its kind."""
    files = [path.read_bytes() for path in SAMPLES]
    for expected, actual in pairwise(files):
        frames = analyzed(expected)[1], analyzed(actual)[1]
        rows = alignment.rows(*frames, compared(expected, actual))
        assert [row.expected for row in rows if row.expected] == [frame.frame for frame in frames[0]]
        assert sorted(row.actual for row in rows if row.actual) == [frame.frame for frame in frames[1]]
        for row in rows:
            if row.expected and row.actual:
                pair = frames[0][row.expected - 1], frames[1][row.actual - 1]
                assert pair[0].kind == pair[1].kind
                assert pair[0].sender == pair[1].sender


def test_the_document_leads_from_causes_to_rows() -> None:
    """Causes as the text lists them, and the row of each divergence."""
    files = file(base()), file(both(drop("fetch end"), instead("stop 1", stop(3, "max_tokens")))(base()))
    comparison = compared(*files)
    rows = alignment.rows(analyzed(files[0])[1], analyzed(files[1])[1], comparison)
    document = comparison_document.document(rows, comparison)
    assert document["rows"] == len(rows)
    assert document["verdict"].startswith("2 divergences")
    firsts = [comparison.divergences[cause["first"]].code for cause in document["causes"]]
    assert sorted(firsts) == ["stop-reason", "tool-call-status"]
    stop_1 = next(at for at, each in enumerate(comparison.divergences) if each.code == "stop-reason")
    assert document["places"][stop_1] == NAMES.index("stop 1")


def test_blocks_hold_column_after_column(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the page reads them."""
    monkeypatch.setattr(alignment, "BLOCK", 2)
    rows = [SideBySide(1, 2), SideBySide(0, 3, 1), SideBySide(2, 0)]
    found = [array.array("I", block).tolist() for block in alignment.blocks(rows)]
    assert found == [[1, 0, 2, 3, 0, 1], [2, 0, 0]]


def test_masks_say_where_they_hide_something() -> None:
    """Wildcards as keys and indices; a value of another type is not hidden."""
    frames = analyzed(file(base()))[1]
    masks = [parse("/result/configOptions/*/name:string"), parse("/params/update/used:string")]
    assert alignment.masked(frames, masks) == {
        str(NAMES.index(name) + 1): ["/result/configOptions/0/name", "/result/configOptions/1/name"]
        for name in ("session", "was set")
    }
    assert alignment.masked(frames, []) == {}


def test_what_comes_first_in_the_trace_is_named() -> None:
    """Whatever weighs more; and a prompt that differs stands by itself, because it may be the cause."""
    changed = both(
        instead("stop 1", stop(3, "max_tokens")),
        drop("fetch end"),
        put("stop 1", chunk("more")),
    )
    files = file(base()), file(changed(base()))
    comparison = compared(*files)
    rows = alignment.rows(analyzed(files[0])[1], analyzed(files[1])[1], comparison)
    document = comparison_document.document(rows, comparison)
    places = [
        document["places"][at] for at, each in enumerate(comparison.divergences) if each in comparison.failing
    ]
    assert document["first"] is not None
    assert document["places"][document["first"]] == min(place for place in places if place >= 0)
    assert document["prompts"] == []
    assert comparison_document.document([], compared(files[0], files[0]))["first"] is None
    one, other = (
        path.read_bytes() for path in SAMPLES if path.stem in ("opencode-acpx", "opencode-cancel-acpx")
    )
    comparison = compared(one, other)
    rows = alignment.rows(analyzed(one)[1], analyzed(other)[1], comparison)
    document = comparison_document.document(rows, comparison)
    prompts = [comparison.divergences[each["first"]].code for each in document["prompts"]]
    assert prompts == ["prompt-differs"]
    assert all(comparison.divergences[each["first"]].code != "prompt-differs" for each in document["notes"])
