"""Pages as files, for `--html`: the data of a command -> one HTML file, and a line about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace.cli import common
from acp_trace.cli.errors import USAGE, fail

if TYPE_CHECKING:
    from acp_trace.analyze.facts import Facts
    from acp_trace.analyze.frame import Frame
    from acp_trace.analyze.verdict import Verdict
    from acp_trace.cli.page_helper import PageHelper
    from acp_trace.cli.playable import Playable
    from acp_trace.compare.result import Comparison
    from acp_trace.conform.judge import Conformance
    from acp_trace.normalize.masks import Mask
    from acp_trace.replay.drive.replay_and_compare import ComparedRun
    from acp_trace.report.page.parts import FrameParts, Pack, Part, ShownTrace
    from acp_trace.report.statements.replays import Replayed
    from acp_trace.store.sources import Source
    from acp_trace.trace.entries import Entry

    #: How the parts with the content of frames are made.
    Way = Callable[[ShownTrace, Pack], FrameParts]

#: Runs of replays, or traces that were checked, on one page.
MOST_RUNS = 20
#: The step of the progress bar, in bytes.
_TOLD = 1 << 18


def write_trace(file: str, source: Source, facts: Facts, helper: PageHelper) -> None:
    """The page of one trace, and a line about it. Ends with exit code 2 if it cannot be written.

    `helper`: has followed the frames of the trace.
    """
    from acp_trace.report.page import about
    from acp_trace.report.page.frame_parts import AtOnce, Elsewhere
    from acp_trace.report.page.parts import ShownTrace, page_part
    from acp_trace.report.safe import safe
    from acp_trace.report.units import size

    made = helper.finish(facts)
    trace = ShownTrace(helper.key, facts, source.frames_and_logs, live=source.live, entries=source.entries)
    title = about.title(facts.trace)
    way: Way = AtOnce if made is None else lambda trace, _: Elsewhere(trace, made)
    written = _write(file, title, [page_part("trace", title, [trace])], [trace], way=way)
    if file != "-":
        common.console().print(f"{safe(file)}  {size(written)}")
    common.warn_of_secrets(source)


def write_diff(
    file: str,
    sources: Sequence[Source],
    facts: Sequence[Facts],
    comparison: Comparison,
    names: Sequence[str],
    masks: Sequence[Mask],
) -> None:
    """The page of two traces, side by side. Ends with exit code 2 if it cannot be written."""
    from acp_trace.report.page.comparison import ShownComparison, comparison_parts
    from acp_trace.report.page.parts import ShownTrace, page_part

    traces = [
        ShownTrace(key, each, source.frames_and_logs, source.live, label, source.entries)
        for key, each, source, label in zip("ab", facts, sources, ("expected", "actual"), strict=True)
    ]
    compared = ShownComparison(traces[0], traces[1], comparison, names, masks)
    title = " → ".join(names)
    first = page_part("diff", title, traces, comparisons=[compared.entry()])
    _write(file, title, [first], traces, comparison_parts(compared))
    for source in sources:
        common.warn_of_secrets(source)


def write_replays(file: str, replays: Sequence[tuple[Playable, ComparedRun, Replayed]]) -> None:
    """The page of recordings and their runs, those that failed first. Ends with 2 if it cannot be written."""
    from acp_trace.report.page.comparison import ShownComparison, comparison_parts
    from acp_trace.report.page.parts import page_part

    ordered = sorted(replays, key=lambda each: each[2].passed)
    traces, compared = [], []
    for number, (playable, made, replayed) in enumerate(ordered[:MOST_RUNS], 1):
        found = replayed.found
        played = next(
            (other for other in playable.alternatives if _header_id(other.entries) == found.expected.id),
            playable,
        )
        names = played.name, replayed.live_id
        run = f"run {number}" if len(replays) > 1 else "run"
        expected = _of_entries(f"a{number}", played.entries, f"recording {names[0]}")
        actual = _of_entries(f"b{number}", made.played.entries, f"{run} of {names[0]}")
        traces += [expected, actual]
        compared.append(ShownComparison(expected, actual, found, names, playable.settings.masks))
    passed = sum(replayed.passed for *_, replayed in replays)
    title = f"{passed} of {len(replays)} replays passed"
    if left_out := [playable.name for playable, *_ in ordered[MOST_RUNS:]]:
        title += f"; left out, all of which come after these: {', '.join(left_out)}"
    first = page_part("replay", title, traces, comparisons=[each.entry() for each in compared])
    _write(file, title, [first], traces, chain.from_iterable(map(comparison_parts, compared)))


def write_check(file: str, verdict: Verdict, traces: Sequence[str], facts: Sequence[Facts]) -> None:
    """The page of traces that were checked, those that failed first. `traces`: as they were named.

    `facts`: those of the traces, or none, if they were too many to keep. Ends with exit code 2 if it cannot
    be written.
    """
    from acp_trace.report.page.check_rows import check_rows
    from acp_trace.report.page.parts import ShownTrace, page_part

    pairs = zip_longest(traces, verdict.traces, facts)
    ordered = sorted(pairs, key=lambda pair: not any(group.fails for group in pair[1].groups))
    with ExitStack() as stack:
        shown, sources = [], []
        for number, (trace, checked, known) in enumerate(ordered[:MOST_RUNS], 1):
            source = stack.enter_context(common.opened(trace))
            sources.append(source)
            key, label = f"a{number}", checked.name
            shown.append(
                ShownTrace(
                    key,
                    known or source.facts(),
                    source.frames_and_logs,
                    source.live,
                    label,
                    source.entries,
                )
            )
        title = f"check {'passed' if verdict.ok else 'failed'}: {', '.join(trace.label for trace in shown)}"
        if left_out := len(ordered) - len(shown):
            title += f" and {left_out} more traces, which are left out"
        first = page_part("check", title, shown, check=check_rows(verdict, shown))
        _write(file, title, [first], shown)
        for source in sources:
            common.warn_of_secrets(source)


def write_conform(file: str, conformance: Conformance, traces: Sequence[tuple[str, Sequence[Entry]]]) -> None:
    """The page of what conforms, with the traces in which something failed first.

    Ends with exit code 2 if it cannot be written.
    """
    from acp_trace.report.page.conform_rows import conform_rows
    from acp_trace.report.page.parts import page_part
    from acp_trace.report.statements.conformance import summary, who

    failed = {each.trace for one in conformance.judged for each in one.failures}
    ordered = sorted(traces, key=lambda each: each[0] not in failed)[:MOST_RUNS]
    shown = [_of_entries(f"a{number}", entries, name) for number, (name, entries) in enumerate(ordered, 1)]
    title = f"{who(conformance)}: {summary(conformance)}"
    _write(file, title, [page_part("check", title, shown, check=conform_rows(conformance, shown))], shown)


def _of_entries(key: str, entries: Iterable[Entry], label: str) -> ShownTrace:
    from acp_trace.analyze.analyzer import Analyzer
    from acp_trace.report.page.parts import ShownTrace
    from acp_trace.trace.entries import BETWEEN

    analyzer = Analyzer()
    read: list[Frame | Entry] = []
    for entry in entries:
        if (frame := analyzer.feed(entry)) is not None:
            read.append(frame)
        elif entry.kind in BETWEEN:
            read.append(entry)
    return ShownTrace(key, analyzer.facts(), lambda: read, label=label)


def _header_id(entries: Iterable[Entry]) -> str | None:
    """The id in the header of a trace. Raises nothing."""
    from acp_trace.trace.entries import EntryKind, Header
    from acp_trace.trace.jsontext import value_or_none

    first = next(iter(entries), None)
    if first is None or first.kind is not EntryKind.HEADER:
        return None
    return Header.of(value_or_none(first.data)).id


def _write(
    file: str,
    title: str,
    first: Iterable[Part],
    traces: Sequence[ShownTrace],
    last: Iterable[Part] = (),
    way: Way | None = None,
) -> int:
    """How many bytes were written; 0 for standard output. The parts of traces are between the others."""
    from concurrent.futures import ThreadPoolExecutor

    from acp_trace.report.page import html
    from acp_trace.report.page.frame_parts import AtOnce
    from acp_trace.report.page.parts import trace_parts
    from acp_trace.trace.os_errors import reason

    with ThreadPoolExecutor(1) as packer, common.progress("writing") as tick:

        def pack(data: bytes) -> Callable[[], bytes]:  # one page while the next one is read
            return packer.submit(html.packed, data).result

        shown = traces if tick is None else _counted(traces, partial(tick, Path(file)))
        make = way or AtOnce
        parts = (trace_parts(trace, make(trace, pack)) for trace in shown)
        pieces = html.file(title, chain(first, *parts, last))
        if file == "-":
            for piece in pieces:
                common.write(piece)
            return 0
        try:
            from acp_trace.trace import whole_files

            return whole_files.put(Path(file), pieces, private=True)
        except OSError as error:
            fail(f"{file} cannot be written: {reason(error)}", USAGE)


def _counted(traces: Sequence[ShownTrace], tick: Callable[[int, int], None]) -> list[ShownTrace]:
    """The traces, which tell how many bytes of their frames were read, and of how many, as they are read."""
    total = sum(trace.facts.trace.bytes_client + trace.facts.trace.bytes_agent for trace in traces)
    done = announced = 0

    def counted(read: Callable[[], Iterable[Frame | Entry]]) -> Iterator[Frame | Entry]:
        nonlocal done, announced
        for entry in read():
            yield entry
            done += len(entry.data)
            if done - announced >= _TOLD:
                announced = done
                tick(done, total)

    return [trace._replace(read=partial(counted, trace.read)) for trace in traces]
