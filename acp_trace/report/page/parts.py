"""What the page reads, as named parts: JSON documents, columns and pages of frames. Pure.

A part is compressed by itself and read only when something needs it, so that a page of a million frames opens
at once. A page holds one or more traces, each under a key: `a`, `b` … A part of a trace is `KEY/NAME`.

| part | what it holds |
|---|---|
| `page.json` | what the page is: `kind`, `title`, the keys of its traces |
| `KEY/report.json` | the document of `show --json` |
| `KEY/index.json` | `columns.Index.document`, how far a live trace was read, `seen`, and `about.document` |
| `KEY/timeline.json` | bars and marks in lanes, `timeline.Lane` |
| `KEY/overview.json` | the five questions with answers, where time, tokens and cost went, failed requests |
| `KEY/columns/N` | block N of the columns |
| `KEY/logs.json` | lines of stderr and gaps: `[after which frame, t_ns, "log" or "gap", text]` |
| `KEY/gists/N` | what each frame of page N says in a few words: texts |
| `KEY/state.json` | what changed in each session, step by step, and cancels (`state.document`) |
| `KEY/transcript.json` | the conversation by session: which slices there are (`transcript.parts`) |
| `KEY/transcript/N.json` | slice N of the conversation: a list of items |
| `KEY/model/calls.json` | calls of the model as rows, `call_rows`, and their sum in words, as `show` has it |
| `KEY/model/N.json` | call N of the model: prompt, answer, what is new in it (`model_side.parts`) |
| `KEY/model/pieces/N.json` | system prompts, tools and messages of those calls, each once |
| `KEY/frames/N` | page N of the frames, verbatim, a frame a line |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol, Unpack

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.frame import Frame
from acp_trace.report.json.encoding import as_json
from acp_trace.report.json.frames import entry_row
from acp_trace.report.json.report import document
from acp_trace.report.page import about, columns, spent, state, timeline
from acp_trace.report.page.answers import answers
from acp_trace.report.page.call_rows import call_rows
from acp_trace.report.page.cancels import DrawnCancels
from acp_trace.report.page.documents import (
    BetweenRow,
    CallsDocument,
    IndexDocument,
    OverviewDocument,
    PageDocument,
    PageExtras,
)
from acp_trace.report.page.failure_rows import failure_rows
from acp_trace.report.page.turn_rows import turn_rows
from acp_trace.report.statements.consequences import in_order
from acp_trace.report.statements.model_calls import summary
from acp_trace.report.statements.stderr import LogLine, left_out, marked
from acp_trace.trace.entries import Entry

#: The parts of one trace that are not frames, from which a page opens.
VERSION = 1


class Part(NamedTuple):
    """One part: its name and its bytes."""

    name: str
    data: bytes
    is_packed: bool = False  #: whether the bytes are already as the page reads them


#: Packs the bytes of a part as the page reads them, perhaps meanwhile: what is called gives them.
Pack = Callable[[bytes], Callable[[], bytes]]


class ShownTrace(NamedTuple):
    """A trace as a page shows it: its facts, and how to read its frames, with logs and gaps between them."""

    key: str
    facts: Facts
    read: Callable[[], Iterable[Frame | Entry]]
    live: bool = False
    label: str = ""  #: what it is among the traces of a page
    entries: Callable[[], Iterable[Entry]] | None = None  #: all its entries, for the model's side
    seen: int = 0  #: how many entries of a live trace were read: it has grown if there are more

    def frames(self) -> Iterator[Frame]:
        """Its frames alone."""
        return (frame for frame in self.read() if isinstance(frame, Frame))


class FrameParts(Protocol):
    """One way to make the parts with the content of frames.

    The methods are called in this order, but `add_page` is called during `go_through`.
    """

    def add_page(self, page: list[Frame]) -> None:
        """Take the frames of the next page."""

    def go_through(self, entries: Iterable[Frame | Entry]) -> None:
        """Take all entries of the trace."""

    def conversation(self) -> Iterator[Part]:
        """The parts of the conversation."""

    def pages(self, firsts: list[int]) -> Iterator[Part]:
        """The parts of the pages that begin with these frames."""


def page_part(kind: str, title: str, traces: Iterable[ShownTrace], **more: Unpack[PageExtras]) -> Part:
    """What the page is: `kind` is trace, diff, replay, check or list."""
    page: PageDocument = {
        "acp_trace_page": VERSION,
        "kind": kind,
        "title": title,
        "traces": [{"key": trace.key, "id": trace.facts.trace.id, "label": trace.label} for trace in traces],
        **more,
    }
    return json_part("page.json", page)


def trace_parts(trace: ShownTrace, made: FrameParts) -> Iterator[Part]:
    """All parts of a trace: those that are needed first come first, and pages of frames last.

    `made`: the way in which the parts with the content of frames are made.
    """
    key = trace.key
    logs: list[BetweenRow] = []
    cancels = DrawnCancels(trace.facts)

    def add_page(page: list[Frame]) -> None:
        cancels.add(page)
        made.add_page(page)

    indexer = columns.Indexer(trace.facts, add_page)
    made.go_through(_through(trace.read(), indexer, logs))
    index = indexer.index()
    has_times = trace.facts.trace.has_times
    every = (LogLine(t if has_times else None, text, after) for after, t, what, text in logs if what == "log")
    lines = marked(trace.facts, every)
    yield json_part(f"{key}/report.json", document(trace.facts, live=trace.live, logs=lines))
    known = about.document(trace.facts, live=trace.live)
    indexed: IndexDocument = {**index.document(live=trace.live), "seen": trace.seen, "about": known}
    yield json_part(f"{key}/index.json", indexed)
    overview: OverviewDocument = {
        "answers": answers(trace.facts, live=trace.live),
        "findings": in_order(trace.facts.findings),
        "stderr_left_out": left_out(trace.facts, lines),
        "turns": turn_rows(trace.facts),
        "spent": spent.document(trace.facts),
        "failures": failure_rows(trace.facts, lines, live=trace.live),
    }
    yield json_part(f"{key}/overview.json", overview)
    yield json_part(f"{key}/timeline.json", timeline.lanes(trace.facts))
    for number, block in enumerate(index.blocks):
        yield Part(f"{key}/columns/{number}", block)
    yield json_part(f"{key}/logs.json", logs)
    yield json_part(f"{key}/state.json", state.document(trace.facts, cancels.document()))
    yield from made.conversation()
    if trace.facts.model_calls and trace.entries is not None:
        from acp_trace.report.page import model_side  # a trace without a model's side costs nothing

        sums = " · ".join(text for text, _ in summary(trace.facts, live=trace.live))
        yield json_part(f"{key}/model/calls.json", CallsDocument(sum=sums, rows=call_rows(trace.facts)))

        for name, data in model_side.parts(trace.facts.model_calls, trace.entries()):
            yield Part(f"{key}/{name}", data)
    yield from made.pages(index.pages)


def json_part(name: str, value: Any) -> Part:
    """A document as a part."""
    return Part(name, as_json(value))


def _through(
    entries: Iterable[Frame | Entry], indexer: columns.Indexer, logs: list[BetweenRow]
) -> Iterator[Frame | Entry]:
    """The entries as they are read; on the way they go into the columns and the logs."""
    frame, add = 0, indexer.add
    for entry in entries:
        if isinstance(entry, Frame):
            frame = entry.frame
            add(entry)
        else:
            row = entry_row(entry)
            what = "gap" if "gap" in row else "log"
            logs.append(BetweenRow(frame, row["t_ns"], "gap" if "gap" in row else "log", row[what]))
        yield entry
