"""What a notebook shows: short, escaped, without anything that runs or loads, whatever the traffic says."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import acp_trace
from acp_trace.api import DataTable
from acp_trace.report.notebook import markup
from tests.support import SAMPLES, error, request, result, trace, update

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;\x1b[2J\u202e</td></table>"
ELEMENTS = {"div", "table", "thead", "tbody", "tr", "td", "th", "b", "span"}


class _Checked(HTMLParser):
    """Fails for an element or attribute that a report does not have, and for one that is not closed."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS
        assert {name for name, _ in attrs} <= {"style", "class"}
        assert self.open or "mathjax_ignore" in (dict(attrs)["class"] or ""), "a price would be a formula"
        assert all("url" not in (value or "") for _, value in attrs)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A trace whose every text is markup."""
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(
        trace(
            (
                "client",
                request(0, "initialize", protocolVersion=1, clientInfo={"name": HOSTILE, "version": HOSTILE}),
            ),
            ("agent", result(0, protocolVersion=1, agentInfo={"name": HOSTILE, "version": HOSTILE})),
            ("client", request(1, "session/new", cwd=HOSTILE, mcpServers=[])),
            ("agent", result(1, sessionId=HOSTILE)),
            (
                "client",
                request(2, "session/prompt", sessionId=HOSTILE, prompt=[{"type": "text", "text": HOSTILE}]),
            ),
            ("agent", update(HOSTILE, HOSTILE)),
            ("agent", result(2, stopReason=HOSTILE)),
            ("agent", error(9, 1, HOSTILE)),
            id=HOSTILE,
        )
    )
    return path


def test_nothing_of_the_traffic_is_markup(hostile: Path) -> None:
    """In a trace, a comparison and a table; it is there as text."""
    with acp_trace.open_trace(hostile) as opened:
        pages = [opened._repr_html_(), opened.table("exchanges")._repr_html_()]
    found = acp_trace.diff_traces(SAMPLES[0], hostile)
    pages += [found._repr_html_(), DataTable((HOSTILE,), ("VARCHAR",), ((HOSTILE,),))._repr_html_()]
    for page in pages:
        assert "<script" not in page
        assert not re.search("[\x1b\u202e]", page)
        assert "\\u202e" in page or "…" in page
        _Checked(page)
    assert "<script>alert(1)</script>" in _Checked(pages[0]).text


def test_a_trace_says_who_what_and_how() -> None:
    """Both names, the findings, the turns with how they ended."""
    with acp_trace.open_trace(SAMPLES[0]) as opened:
        facts = opened.table("traces").dicts()[0]
        text = _Checked(opened._repr_html_()).text
    assert facts["agent_name"] in text
    assert facts["client_name"] in text
    assert "1 warning" in text
    assert "updated-at-invalid" in text
    assert "end_turn" in text


def test_a_comparison_says_each_cause() -> None:
    """The verdict, codes, both sides; an equal one says so."""
    found = acp_trace.diff_traces(SAMPLES[0], SAMPLES[1])
    text = _Checked(found._repr_html_()).text
    assert "divergences from" in text
    assert {one.code for one in found.divergences if not one.follows and one.rank < 3} <= set(text.split())
    assert "equal" in _Checked(acp_trace.diff_traces(SAMPLES[0], SAMPLES[0])._repr_html_()).text
    idle = acp_trace.diff_traces(SAMPLES[0], SAMPLES[0], masks=["/params/nothing"])
    assert "nothing to hide for mask /params/nothing" in _Checked(idle._repr_html_()).text


def test_a_long_table_is_shown_by_its_ends() -> None:
    """First and last rows, how many there are, and how many columns are left out."""
    page = DataTable(("n",), ("BIGINT",), tuple((n,) for n in range(1000)))._repr_html_()
    text = _Checked(page).text.split()
    assert {"0", "14", "995", "999", "⋮"} <= set(text)
    assert "500" not in text
    assert len(page) < 10_000
    wide = DataTable(tuple(f"c{n}" for n in range(99)), ("BIGINT",) * 99, ((1,) * 99,))._repr_html_()
    assert "69 of 99 columns not shown" in _Checked(wide).text
    assert "NULL" in _Checked(DataTable(("n",), ("BIGINT",), ((None,),))._repr_html_()).text


def test_a_cell_has_an_end() -> None:
    """A value of a megabyte is cut."""
    assert len(markup.text("x" * 1_000_000)) == 300


def test_no_word_and_no_number_is_broken() -> None:
    """However many columns there are: the table scrolls. A long one is broken, but not to a letter a line."""
    page = markup.table(
        ("severity", "t_ns"), [[markup.strong("error", "error"), 1_234_567_890], ["", "{" + "x" * 40]]
    )
    cells = re.findall(r'<t[hd] style="([^"]*)">(?:<b[^>]*>)?([^<]+)', page)
    assert {text: "overflow-wrap:anywhere" not in style for style, text in cells} == {
        "severity": True,
        "t_ns": True,
        "error": True,
        "1234567890": True,
        "{" + "x" * 40: False,
    }
    assert "min-width" in cells[-1][0]
