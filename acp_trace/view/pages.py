"""The numbers of a path -> the parts of its page. The pages that were asked for last are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from acp_trace.compare.difference import compare_traces
from acp_trace.report.page import about
from acp_trace.report.page.comparison import ShownComparison, comparison_parts
from acp_trace.report.page.frame_parts import Again
from acp_trace.report.page.html import packed
from acp_trace.report.page.parts import Part, ShownTrace, json_part, page_part, trace_parts
from acp_trace.store.sources import Source
from acp_trace.view.growing import GrowingTrace
from acp_trace.view.kept import Dropped, KeptParts
from acp_trace.view.traces import Traces

#: Pages that are kept.
MOST = 8
_INDEX, _NOTES = "a/index.json", "/notes.json"
_LIST = "list.json"


class _Page:
    """One page: its parts, and of a live trace how it goes on. Opened when its first part is asked for."""

    def __init__(self, traces: Traces, numbers: tuple[int, ...]) -> None:
        self._traces = traces
        self._numbers = numbers
        self._parts: KeptParts | None = None
        self._growing: GrowingTrace | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def part(self, name: str) -> bytes | None:
        """A part, packed; None if there is none of this name. Raises Dropped, and like what reads traces."""
        with self._lock:
            if self._is_closed:
                raise Dropped
            parts = self._parts or self._opened()
            # A live trace goes on when its index is asked for: all parts until the next time fit to that.
            if self._growing is not None and name == _INDEX and self._growing.read_on():
                parts.close()
                parts = _parts_of(self._growing)
            self._parts = parts
        return parts.get(name)

    def close(self) -> None:
        """Lets go of all files, once the part that is being made is made."""
        with self._lock:
            self._is_closed = True
            if self._parts is not None:
                self._parts.close()
            if self._growing is not None:
                self._growing.close()

    def _opened(self) -> KeptParts:
        store = self._traces.store.reading
        sources = [self._traces.open(number) for number in self._numbers]
        if len(sources) == 2:
            return KeptParts(_compared(sources), lambda: _close(sources), store)
        source = sources[0]
        if not source.live:
            return KeptParts(_one(source), source.close, store)
        source.close()
        self._growing = GrowingTrace(Path(source.name))
        self._growing.read_on()
        return _parts_of(self._growing)


class Pages:
    """The pages of some traces. Each has its own locks: a slow page does not delay the others."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._pages: OrderedDict[tuple[int, ...], _Page] = OrderedDict()
        self._is_closed = False
        self._lock = threading.Lock()

    def part(self, traces: tuple[int, ...], name: str) -> bytes | None:
        """Return a part of a page, packed. None if there is no such part, or the pages are closed.

        Raises like what reads traces.
        """
        if not traces:
            return self._of_list(name)
        if name.endswith(_NOTES):  # which change: they are read each time; two traces side by side have none
            notes = self._traces.notes(traces[0]) if len(traces) == 1 else {}
            return packed(json_part(name, notes).data)
        page = self._page(traces)
        if page is None:
            return None
        try:
            return page.part(name)
        except Dropped:  # meanwhile, for another generation or another page
            return self.part(traces, name)
        except Exception:
            with self._lock:
                if self._pages.get(traces) is page:
                    del self._pages[traces]
            _let_go(page)
            raise

    def take(self, data: bytes) -> int:
        """Return the number of a trace or a log that was given. Raises NotTaken and OSError."""
        return self._traces.take(data)

    def note(self, number: int, data: bytes) -> bytes:
        """Take in a note on a frame; all notes of the trace, as JSON. Raises like `Traces.note`."""
        return json_part(_NOTES, self._traces.note(number, data)).data

    def close(self) -> None:
        """Let go of all files. Requests for a part now or later open none again."""
        with self._lock:
            self._is_closed = True
            while self._pages:
                self._pages.popitem()[1].close()

    def _page(self, traces: tuple[int, ...]) -> _Page | None:
        with self._lock:
            if self._is_closed:
                return None
            page = self._pages.setdefault(traces, _Page(self._traces, traces))
            self._pages.move_to_end(traces)
            if len(self._pages) > MOST:
                _let_go(self._pages.popitem(last=False)[1])
            return page

    def _of_list(self, name: str) -> bytes | None:
        if name == "page.json":
            return packed(page_part("list", "All traces", []).data)
        return packed(json_part(_LIST, self._traces.listed()).data) if name == _LIST else None


def _let_go(page: _Page) -> None:
    """Close a page, waiting for a part of it that is being made."""
    threading.Thread(target=page.close, daemon=True).start()


def _close(sources: Sequence[Source]) -> None:
    for source in sources:
        source.close()


def _parts_of(growing: GrowingTrace) -> KeptParts:
    return KeptParts(_all(growing.shown("a")))


def _one(source: Source) -> Iterator[Part]:
    yield from _all(ShownTrace("a", source.facts(), source.frames_and_logs, entries=source.entries))


def _all(trace: ShownTrace) -> Iterator[Part]:
    title = about.title(trace.facts.trace)
    return chain([page_part("trace", title, [trace], list="../")], trace_parts(trace, Again(trace)))


def _compared(sources: Sequence[Source]) -> Iterator[Part]:
    comparison, facts = compare_traces(sources[0].entries(), sources[1].entries())
    traces = [
        ShownTrace(key, each, source.frames_and_logs, label=label, entries=source.entries)
        for key, each, source, label in zip("ab", facts, sources, ("expected", "actual"), strict=True)
    ]
    names = [each.trace.id for each in facts]
    compared = ShownComparison(traces[0], traces[1], comparison, names)
    yield page_part("diff", " → ".join(names), traces, comparisons=[compared.entry()], list="../")
    yield from chain(*(trace_parts(trace, Again(trace)) for trace in traces), comparison_parts(compared))
