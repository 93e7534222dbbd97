"""The table of `ls --sessions`."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_trace.analyze.listing import SessionListing
from acp_trace.report import units
from acp_trace.report.text.session_list import as_json, sessionlist


def _row(**given: Any) -> SessionListing:
    full = {
        "session_id": "ses_e065633cdffemlTAW44UuaNuBK",
        "title": "Fix the login test",
        "cwd": "/home/somebody/projects/website",
        "agent": ("OpenCode", "1.18.33"),
        "argv": ("opencode", "acp"),
        "traces": tuple(f"20261120T13000{at}Z-00000{at}" for at in range(1, 5)),
        "turns": 12,
        "first_started_at": "2026-11-20T13:00:01Z",
        "last_started_at": "2026-11-20T13:00:04Z",
        "opened_by": ("session/new", "session/load", "session/load", "session/load"),
        "live": True,
    }
    return SessionListing(**{**full, **given})


WHEN = units.when_short("2026-11-20T13:00:01Z")  # in the zone of this machine


def test_a_narrow_terminal() -> None:
    """The end of the id, the newest trace, when it was last seen."""
    rows = [_row(), _row(title=None, traces=("x-00000a",), live=False)]
    assert sessionlist(rows, 80).plain.split("\n") == [
        "session     title             agent     turns  traces  newest    last seen",
        f"…44UuaNuBK  Fix the login t…  OpenCode     12       4  000004 …  {WHEN}  ●",
        f"…44UuaNuBK                    OpenCode     12       1  00000a    {WHEN}",
        "",
    ]


def test_a_small_terminal() -> None:
    """Columns are left out before a line breaks: first those that matter least."""
    rows = [_row(), _row(title="Docs", agent=("a-very-long-name", None), live=False)]
    assert sessionlist(rows, 60).plain.split("\n") == [
        "session     title           turns  newest    last seen",
        f"…44UuaNuBK  Fix the login…     12  000004 …  {WHEN}  ●",
        f"…44UuaNuBK  Docs               12  000004 …  {WHEN}",
        "",
    ]
    assert sessionlist([_row(live=False)], 60).plain.splitlines()[0].split() == [
        *("session", "title", "agent", "newest", "last", "seen")
    ]


def test_a_wide_terminal() -> None:
    """The agent's version, when it was first seen, more traces, the folder."""
    assert sessionlist([_row()], 140).plain.split("\n") == [
        "session         title               agent             turns  traces  newest           first seen    last seen     directory",
        f"…lTAW44UuaNuBK  Fix the login test  OpenCode 1.18.33     12       4  000004 000003 …  {WHEN}  {WHEN}  …dy/projects/website  ●",
        "",
    ]


def test_json() -> None:
    """All of it, traces oldest first."""
    (row,) = as_json([_row()])
    assert list(row) == [
        "session_id", "title", "cwd", "agent", "traces", "turns", "first_started_at", "last_started_at",
        "opened_by", "live",
    ]  # fmt: skip
    assert row["agent"] == {"name": "OpenCode", "version": "1.18.33"}
    assert row["traces"][-1] == "20261120T130004Z-000004"


def test_an_agent_without_a_name_is_its_program() -> None:
    """As in `ls`."""
    row = _row(agent=(None, None), argv=("node", "/opt/echo.js"))
    assert " echo.js " in sessionlist([row], 80).plain


_TEXT = st.one_of(st.none(), st.text(max_size=60))


@given(
    st.lists(
        st.builds(
            _row, session_id=st.text(max_size=60), title=_TEXT, cwd=_TEXT, agent=st.tuples(_TEXT, _TEXT),
            traces=st.lists(st.text(max_size=40), min_size=1, max_size=5), turns=st.integers(0, 10**6),
        ),
        max_size=3,
    ),
    st.sampled_from([60, 80, 110, 140, 200]),
)  # fmt: skip
def test_no_line_is_wider_than_the_terminal(rows: list[SessionListing], width: int) -> None:
    """Ids, titles and names may be any text."""
    text = sessionlist(rows, width).plain
    assert all(cell_len(line) <= width for line in text.split("\n"))
    assert "\x1b" not in text
