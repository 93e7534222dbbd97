"""Which trace a person means: store and live spool as one list."""

from __future__ import annotations

import errno
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from acp_trace.store.connect import reading
from acp_trace.store.schema import TRACES_BY_AGE
from acp_trace.store.sources import FileSource, Source, StoredSource
from acp_trace.trace import lock, near_misses, spool
from acp_trace.trace.counts import noun_for
from acp_trace.trace.entries import ORIGINAL, RECORDED, RUNS
from acp_trace.trace.files import TraceFile, open_trace
from acp_trace.trace.home import Home
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.names import CAPTURE, LINES, may_mean, short
from acp_trace.trace.parse import NewerFormat

#: Recorded sessions that a text may mean, by their traces, the newest last.
_SESSIONS = f"""
SELECT session_id, trace_id FROM sessions JOIN {TRACES_BY_AGE} USING (trace_id)
WHERE origin IN {ORIGINAL} AND (starts_with(session_id, $text) OR ends_with(session_id, $text))
ORDER BY began, trace_id
"""
_MOST_NAMED = 5  #: traces of a session that are named

_LAST = re.compile(r"last(-run)?(?:~(\d{1,9}))?")


#: The message if there is no trace at all.
NO_TRACES = "there is no trace yet: try `acp-trace demo`, or `acp-trace record -- AGENT`"


def only_runs(count: int) -> str:
    """The message if replay or mock made all of the traces. `count`: the number of these."""
    runs = "there is 1 run" if count == 1 else f"there are {count} runs"
    advice = "`acp-trace ls --runs` lists, `last-run` names the newest"
    return f"there is no recorded trace yet; {runs} of replay or mock: {advice}"


class NoTrace(Exception):
    """There is no trace yet, or only runs: `runs` of them. The message is one line, with what to do."""

    def __init__(self, runs: int = 0) -> None:
        super().__init__(only_runs(runs) if runs else NO_TRACES)
        self.runs = runs


class UnknownTrace(Exception):
    """No trace, or more than one, is meant by this. `candidates` are the nearest ids.

    The message is one line: `why`, and what to do. `advice`: what to do instead, if that is known.
    """

    def __init__(self, why: str, candidates: list[str], advice: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.candidates = candidates
        self.advice = advice

    def __str__(self) -> str:
        advice = f"; {self.advice}" if self.advice else near_misses.did_you_mean(self.candidates)
        return f"{self.why}{advice or '; see `acp-trace ls`'}"


def resolve(home: Home, text: str) -> Source:
    """The trace that `text` names: a path, `-`, or what `named` takes.

    Raises UnknownTrace, NoTrace, OSError, Unreadable and StoreError.
    """
    if text == "-" or is_path(text):
        return FileSource(text, live=text != "-" and lock.held(Path(text)))
    try:
        return named(home, text)
    except UnknownTrace:
        if text.endswith((CAPTURE, LINES)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text) from None
        raise


def named(home: Home, text: str) -> Source:
    """The trace that an id names, or a unique beginning or end of it, `last`, `last~2`. No file is meant.

    The short id, six digits, counts as an id. `last` passes over runs of replay and mock; `last-run` names
    the newest of those. Ids are looked up in the store and among live traces.
    Raises UnknownTrace, NoTrace and StoreError.
    """
    if not text:
        raise UnknownTrace("the name of the trace is empty", [])
    traces = _known(home)
    if last := _LAST.fullmatch(text):
        return _source(home, _last(text, last, traces), traces)
    if text in traces:
        return _source(home, text, traces)
    ids = list(traces)
    matches = [one for one in ids if may_mean(text, one)]
    if len(matches) == 1:
        return _source(home, matches[0], traces)
    if matches:
        raise UnknownTrace(f"{text} matches {len(matches)} traces", matches[:5])
    if advice := _advice_for_session(home, text):
        raise UnknownTrace(f"there is no trace {text}", [], advice)
    raise UnknownTrace(
        f"there is no trace {text}", near_misses.nearest(text, ids, aliases={short(one): one for one in ids})
    )


def _advice_for_session(home: Home, text: str) -> str:
    """How to see the session that `text` names, and its traces; empty if it names none, or several."""
    with reading(home.store) as connection:
        rows = connection.execute(_SESSIONS, {"text": text}).fetchall()
    named = [row for row in rows if row[0] == text] or rows
    if len({session_id for session_id, _ in named}) != 1:
        return ""
    session_id, ids = named[0][0], [short(trace_id) for _, trace_id in named]
    which = ", ".join(ids[-_MOST_NAMED:]) if len(ids) <= _MOST_NAMED else f"{len(ids)}, the last is {ids[-1]}"
    traces = f"{noun_for(len(ids), 'trace')} {which}"
    return f"it is a session: acp-trace show {shlex.quote(session_id)} ({traces})"


def is_path(text: str) -> bool:
    """Whether a TRACE argument means a file: it is there (also as a pipe), or has a separator in it.

    A directory is not a trace. What is not there may be an id, also if it ends like a trace file.
    """
    return os.sep in text or (os.path.exists(text) and not os.path.isdir(text))


def _last(text: str, match: re.Match[str], traces: Mapping[str, _Known]) -> str:
    """The id that `last~2` or `last-run` names."""
    runs, back = match[1] is not None, int(match[2] or 0)
    left = [id_ for id_, one in traces.items() if one.is_run == runs]
    if back < len(left):
        return left[back]
    if left:
        oldest = f"{'last-run' if runs else 'last'}~{len(left) - 1}"
        raise UnknownTrace(f"{text}: there is no such trace, the oldest is {oldest}", [])
    if runs and traces:
        raise UnknownTrace(f"{text}: there is no run of a replay or a mock", [])
    raise NoTrace(len(traces))


@dataclass(frozen=True, slots=True)
class _Known:
    """A trace that there is. `lying`: its file, if it is not in the store."""

    began: str  #: RFC 3339 in UTC
    origin: str | None  #: None: in the file
    lying: spool.Spooled | None = None

    @property
    def is_run(self) -> bool:
        """Whether acp-trace made it from a recording."""
        origin = self.origin if self.lying is None else _origin_of(self.lying)
        return origin in RUNS


def _origin_of(lying: spool.Spooled) -> str:
    """What the header of a file says; `recorded` if it cannot be read."""
    try:
        name, lines = open_trace(lying.path)
        with lines:
            source = TraceFile(lines, name)
            next(source.entries(), None)
            return source.header.origin if source.header else RECORDED
    except (OSError, Unreadable, NewerFormat):
        return RECORDED


def _known(home: Home) -> dict[str, _Known]:
    """Every trace, newest first."""
    # The spool first: a trace that is loaded meanwhile is seen twice, never not at all.
    lying = spool.spooled(home.spool)
    with reading(home.store) as connection:
        rows = connection.execute(f"SELECT trace_id, began, origin FROM {TRACES_BY_AGE}").fetchall()
        traces = {id_: _Known(began or "", origin) for id_, began, origin in rows}
    for spooled in lying:
        if spooled.live or spooled.id not in traces:  # its id begins with the time at which it started
            stamp = re.sub(r"^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*", r"\1-\2-\3T\4:\5:\6", spooled.id)
            traces[spooled.id] = _Known(stamp, None, spooled)
    order = sorted(traces, key=lambda id_: (traces[id_].began, id_), reverse=True)
    return {id_: traces[id_] for id_ in order}


def _source(home: Home, trace_id: str, traces: Mapping[str, _Known]) -> Source:
    lying = traces[trace_id].lying
    if lying is not None:
        try:
            return FileSource(lying.path, live=lying.live)
        except FileNotFoundError:  # ended, and loaded by someone else, while we looked
            pass
    return StoredSource(home.store, trace_id)
