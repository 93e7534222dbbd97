"""What `acp-trace frames --follow` prints: a head, frames and what they mean, a closing line; or JSON.

The first lines of a trace wait until its head can say who talks, or until nothing more has come.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from acp_trace.cli import common

if TYPE_CHECKING:
    from rich.text import Text

    from acp_trace.analyze.facts import ModelCall
    from acp_trace.report.filters import Filter
    from acp_trace.trace.entries import Entry

#: The most lines that wait for the head.
_MOST_HELD = 100


class Watched:
    """One trace that is followed, and how far its head was printed. `id`: of one among several."""

    def __init__(self, id_: str | None = None) -> None:
        from acp_trace.analyze.analyzer import Analyzer
        from acp_trace.report.frame_filter.rows import KnownFacts
        from acp_trace.report.frame_rows import Timer
        from acp_trace.report.session_names import SessionNames
        from acp_trace.story.unwrapped import Unwrapper

        self.id = id_
        self.analyzer = Analyzer()
        self.timer = Timer()
        self.known = KnownFacts(self.analyzer.session_names)
        self.names = SessionNames({}, self.analyzer.session_names)
        self.unwrapper = Unwrapper()
        self.held: list[Text] | None = []  #: lines that wait; None once the head was printed
        self.is_introduced = False  #: whether agent and client were named


class Printer:
    """Frames that are wanted, and what every frame means, on standard output."""

    def __init__(self, wanted: Filter, *, events: bool, json: bool) -> None:
        self._wanted = wanted
        self._events = events
        self._json = json
        self._console = common.console()
        self._width = self._console.width if sys.stdout.isatty() else None

    def show(self, watched: Watched, entry: Entry) -> None:
        """Feed an entry to the analyser of its trace and print the results."""
        from acp_trace.protocol.methods import INITIALIZERS
        from acp_trace.report.json.frames import frame_row
        from acp_trace.report.text import event_list, frame_list
        from acp_trace.trace.entries import BETWEEN

        frame = watched.analyzer.feed(entry)
        if frame is None:
            for call in watched.analyzer.fresh_calls():
                self._call(watched, call, entry.t)
            if entry.kind in BETWEEN and self._wanted.wants_log(entry, 0):
                self._between(watched, entry)
            return
        row = watched.timer.row(frame)
        fresh = watched.analyzer.fresh(frame.session_id)
        watched.known.add(fresh)
        is_shown = not self._events and self._wanted.wants(row, watched.known)
        inside = [
            inner
            for inner in map(watched.timer.row, watched.unwrapper.inside(frame))
            if not self._events and self._wanted.wants(inner, watched.known)
        ]
        if self._json:
            meaning = event_list.as_json(fresh)
            if is_shown or meaning:
                self._write(frame_row(row, watched.id) | ({"facts": meaning} if meaning else {}))
            for inner in inside:
                self._write(frame_row(inner, watched.id))
            return
        short = _short(watched)
        for one in ([row] if is_shown else []) + inside:
            self._print(watched, frame_list.line(one, self._width, short, names=watched.names))
        for line in event_list.lines(
            frame,
            fresh,
            short,
            alone=not is_shown,
            work=self._events,
            width=self._width,
            names=watched.names,
        ):
            self._print(watched, line)
        if frame.answers is not None and frame.method in INITIALIZERS:
            self._introduce(watched)
        sys.stdout.flush()

    def caught_up(self, watched: Watched) -> None:
        """Nothing more has come yet: what waits is printed."""
        if not self._json and watched.held is not None:
            self._introduce(watched)
            sys.stdout.flush()

    def stalled(self, watched: Watched, silent_s: float) -> None:
        """Says that a turn is open and nothing has come for so long, and rings where a person listens."""
        from rich.text import Text

        from acp_trace.report.text import styles
        from acp_trace.trace.durations import NS_PER_S, duration

        silent_ns = round(silent_s * NS_PER_S)
        if self._json:
            named = {} if watched.id is None else {"trace_id": watched.id}
            self._write(named | {"stalled_ns": silent_ns})
        else:
            text = f"  nothing was sent for {duration(silent_ns)}, and a turn is open"
            self._print(watched, Text(text, styles.SEVERITIES["warning"] or ""))
            if sys.stdout.isatty():
                sys.stdout.write("\a")
        sys.stdout.flush()

    def close(self, watched: Watched) -> None:
        """Print what only the end of a trace shows, and how it ended."""
        from acp_trace.report.text import event_list, follow_frame

        left, short = watched.analyzer.ending(), _short(watched)
        if self._json:
            if meaning := event_list.as_json(left):
                named = {} if watched.id is None else {"trace_id": watched.id}
                self._write(named | {"t_ns": left.trace.duration_ns, "facts": meaning})
            return
        self.caught_up(watched)
        for line in event_list.ending(left, short, work=self._events, width=self._width, names=watched.names):
            self._print(watched, line)
        self._print(watched, follow_frame.closing(left.trace, short))
        sys.stdout.flush()

    def _call(self, watched: Watched, call: ModelCall, t_ns: int) -> None:
        """Prints a call of the model that has ended."""
        from acp_trace.report.text import event_list

        if self._json:
            self._write(
                ({} if watched.id is None else {"trace_id": watched.id})
                | {"t_ns": t_ns, "facts": event_list.calls_as_json([call])}
            )
        else:
            self._print(watched, event_list.call_line(call, t_ns, _short(watched)))
        sys.stdout.flush()

    def _between(self, watched: Watched, entry: Entry) -> None:
        """Prints a line of stderr, or a gap."""
        from acp_trace.report.json.frames import entry_row
        from acp_trace.report.text import frame_list

        if self._json:
            self._write(entry_row(entry, watched.id))
        else:
            self._print(watched, frame_list.entry_line(entry, self._width, _short(watched)))
            sys.stdout.flush()

    def _introduce(self, watched: Watched) -> None:
        """Prints which trace it is, who talks, what the columns are; and then the lines that had to wait."""
        from acp_trace.report.text import follow_frame, frame_list
        from acp_trace.trace.entries import NETWORKS

        trace, short, waiting_lines = watched.analyzer.trace(), _short(watched), watched.held
        watched.held = None
        if waiting_lines is not None:
            self._print(watched, follow_frame.head(trace, short))
        talkers = None if watched.is_introduced else follow_frame.talkers(trace, short)
        if talkers is not None:
            watched.is_introduced = True
            self._print(watched, talkers)
        if waiting_lines is not None:
            if not self._events and self._width is not None:
                is_network = trace.transport in NETWORKS
                self._print(watched, frame_list.heading(self._width, short, streamed=is_network))
            for line in waiting_lines:
                self._print(watched, line)

    def _print(self, watched: Watched, line: Text) -> None:
        if watched.held is not None:
            watched.held.append(line)
            if len(watched.held) > _MOST_HELD:
                self._introduce(watched)
            return
        if self._width is not None:
            line.truncate(self._width, overflow="ellipsis")
        self._console.print(line, soft_wrap=True)

    def _write(self, row: dict[str, Any]) -> None:
        from acp_trace.report.json.encoding import as_json

        common.write(as_json(row) + b"\n")


def _short(watched: Watched) -> str | None:
    return watched.id[-6:] if watched.id else None
