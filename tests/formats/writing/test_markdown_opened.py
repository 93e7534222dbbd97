"""`export --to markdown`, drawn by cmark-gfm, the C library that GitHub maintains for its own dialect."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.formats.writing.exporting import SAMPLES, given, written
from tests.real import packages
from tests.support import error, request, result, trace, update

pytestmark = pytest.mark.slow  # it is installed

_DRAW = """
import sys, cmarkgfm
sys.stdout.write(cmarkgfm.github_flavored_markdown_to_html(sys.stdin.read()))
"""
#: What a report is made of. Links, pictures and all else are not among it.
_TAGS = {"h2", "h3", "h4", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "strong", "em"}


class _Drawn(HTMLParser):
    """A page: its headings, the rows of each table, its blocks of code, and all tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.blocks: list[str] = []
        self.tags: set[str] = set()
        self._open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._open.append(tag)
        if tag in ("h2", "h3", "h4"):
            self.headings.append("")
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "pre":
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self._open):
            self.tables[-1][-1][-1] += data
        elif {"h2", "h3", "h4"} & set(self._open):
            self.headings[-1] += data
        elif "pre" in self._open:
            self.blocks[-1] += data


Draw = Callable[[bytes], _Drawn]


@pytest.fixture
def draw() -> Draw:
    """What GitHub's parser makes of a text."""
    python = packages.python(packages.CMARK_GFM) / "python"

    def drawn(text: bytes) -> _Drawn:
        done = subprocess.run([python, "-I", "-c", _DRAW], input=text, capture_output=True, check=True)
        return _Drawn(done.stdout.decode())

    return drawn


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_turns_and_findings(draw: Draw, path: Path) -> None:
    """Of every sample: a row for each turn with its stop reason, and a block of frames for each finding."""
    sample = given(path)
    drawn = draw(written("markdown", sample))
    facts = sample.facts
    (turns,) = [table for table in drawn.tables if "prompt" in table[0]]
    at, end = (turns[0].index(name) for name in ("frame", "end"))
    assert [row[at] for row in turns[1:]] == [f"#{turn.frame}" for turn in facts.turns]
    for row, turn in zip(turns[1:], facts.turns, strict=True):
        assert turn.stop_reason in (None, row[end])
    assert f"Findings: {len(facts.findings)}" in drawn.headings or not facts.findings
    assert len(drawn.blocks) >= len(facts.findings)
    assert drawn.tags <= _TAGS


@pytest.mark.parametrize(
    "words",
    ["https://example.com/x", "www.example.com", "a@example.com", "<script>1</script>", "![x](y)", "[x](y)", "| a | b |", "```\n# x\n```", "~~x~~", "- [ ] x", "``", "&lt;", "\\|"],
)  # fmt: skip
def test_words_mean_nothing(draw: Draw, words: str) -> None:
    """No link of its own making either, which GitHub finds in plain text; and the words are there as they were."""
    chunk = update("s", "agent_message_chunk", content={"type": "text", "text": words})
    file = trace(
        ("client", request(1, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": words}])),
        ("agent", chunk),
        ("agent", error(1, -1, words)),
        ("client", request(2, words)),
        ("agent", result(2)),
    )
    drawn = draw(written("markdown", given(file)))
    assert drawn.tags <= _TAGS
    shown = " ".join(words.split()) if "\n" not in words else words.split("\n")[1]
    assert any(shown in cell for table in drawn.tables for row in table for cell in row)
