"""The hand-written pages: their links lead somewhere, and the report's page names every key and code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from acp_trace.analyze.listing import of_facts
from acp_trace.cli import errors
from acp_trace.report.chunk_runs import ChunkRun, joined
from acp_trace.report.frame_rows import Timer
from acp_trace.report.json import trace_list as listing
from acp_trace.report.json.frames import entry_row, frame_row, run_row
from acp_trace.report.json.report import document
from acp_trace.trace.entries import BETWEEN
from acp_trace.trace.parse import Parser
from tests.docs.pages import DOCS, INDEX, PAGES, README, anchors, blocks, inline, links, text_of
from tests.rows import each
from tests.support import analyzed, error, line, request, result, trace, update

#: Under these stands data: its keys are the traffic's.
DATA = {"updates", "labels", "message"}


def test_links_lead_somewhere() -> None:
    """Every link to a file or a heading of this repository resolves."""

    def check(page: Path) -> None:
        for link in links(page):
            if "://" in link:
                continue
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link

    each(PAGES, check, lambda page: page.name)


def test_every_page_is_linked_from_the_index() -> None:
    """The index has all pages, and the README has the index."""
    index = {(DOCS / link.partition("#")[0]).resolve() for link in links(INDEX)}
    assert {page.resolve() for page in PAGES if page not in (README, INDEX)} <= index
    assert "docs/README.md" in links(README)


def keys(value: Any) -> Iterator[str]:
    """All keys of a JSON document but those of data."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in DATA:
                yield from keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item)


def test_every_key_of_the_json_is_explained() -> None:
    """docs/report.md names each key that `show`, `ls` and `frames` print."""
    facts, frames = analyzed(
        trace(
            ("client", request(0, "session/new", cwd="/w")),
            ("agent", result(0, sessionId="s")),
            ("client", request(1, "session/prompt", sessionId="s", prompt=[])),
            ("agent", update("s", "tool_call", toolCallId="t")),
            ("agent", update("s", "agent_message_chunk", content={"type": "text", "text": "hi"})),
            ("agent", update("s", "usage_update", used=1, size=2, cost={"amount": 1, "currency": "EUR"})),
            ("agent", request(0, "session/request_permission", sessionId="s")),
            ("client", error(0, -32601)),
            ("agent", result(1, stopReason="end_turn")),
        )
    )
    report = msgspec.json.decode(msgspec.json.encode(document(facts)))
    rows = listing.as_json([of_facts(facts, live=False)])
    between = [
        entry
        for entry in Parser().feed(
            line(t=1, log="x") + line(t=2, gap={"frames": 1, "bytes": 2, "reason": "x"})
        )
        if entry.kind in BETWEEN
    ]
    lines = [frame_row(row, "trace") for row in map(Timer().row, frames)]
    lines += [entry_row(entry, "trace") for entry in between]
    lines += [run_row(row) for row in joined(Timer().rows(frames)) if isinstance(row, ChunkRun)]
    told = {word for code in inline(DOCS / "report.md") for word in code.replace(",", " ").split()}
    found = set(keys([report, rows, lines])) - {"amount", "currency", "EUR"}
    assert {"tool_calls", "option_id", "p95_ns", "usage", "wait_ns", "answers"} <= found
    assert found - told == set()


def test_the_example_of_the_format_is_a_trace() -> None:
    """The lines in docs/trace-format.md can be read, and hold one entry of each kind."""
    example = blocks(DOCS / "trace-format.md", "")[0].encode()
    facts, frames = analyzed(example)
    found = facts.trace
    assert (found.complete, found.damaged, found.torn_bytes, found.exit_code) == (True, 0, 0, 0)
    assert (found.logs, found.lost_frames, found.lost_bytes) == (1, 3, 912)
    assert [frame.kind for frame in frames] == ["request", "response", "text", "bytes"]
    kinds = {key for line in example.splitlines() for key in msgspec.json.decode(line)}
    assert {"acp_trace", "frame", "text", "base64", "log", "gap", "end", "partial"} <= kinds


def test_every_exit_code_is_in_the_table() -> None:
    """docs/report.md has a row for each code that commands end with."""
    page = text_of(DOCS / "report.md")
    codes = [errors.DIFFERS, errors.USAGE, errors.UNREADABLE, errors.NOTHING, errors.DIED]
    assert codes == [1, 2, 3, 4, 5]
    for code in (0, *codes, 130):
        assert f"\n| {code} |" in page
