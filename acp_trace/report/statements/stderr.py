"""What the agent wrote to stderr while something went wrong: these times, and the lines that are shown.

A line that came at the same time need not be the cause. So the lines are shown beside a finding or a request,
without blaming either side.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.trace.counts import counted
from acp_trace.trace.intervals import Interval, union

#: An agent may write why it failed a moment after its answer: at most so long, ns. Once the client has asked
#: for something else, only so long as the recorder may take to read one pipe after the other.
AFTER_NS, LATE_NS = 1_000_000_000, 20_000_000
#: Lines that come with no more time between them were written at once, ns.
_BURST_NS = 1_000_000
#: Lines beside one finding or request, and characters of each.
MOST, LONGEST = 5, 200
#: Lines of a time, from its end, and characters of a line in which words are looked for.
_LINES, _LOOKED_AT = 200, 2000

_COLOURS = re.compile("\x1b\\[[0-9;]*m")
#: A line of a text that was printed over several lines, without words of its own.
_PLAIN = re.compile(r"^[\W\d_]*$")
_TELLING = re.compile(
    r"error|fail|exception|traceback|panic|fatal|not found|not supported|unknown|invalid|denied|refused"
    r"|unauthori[sz]ed|forbidden|timed? ?out|quota|limit|warn",
    re.IGNORECASE,
)
#: Findings of cancels that were not obeyed.
_CANCELS = frozenset(
    {"cancel-request-ignored", "cancel-other-stop-reason", "cancel-error", "cancel-unanswered", "cancel-slow"}
)
#: Findings of turns that said nothing of what went wrong.
_HIDING = ("turn-empty", "model-error-hidden")
#: Findings about frames that are not messages: their readers complain of them as of failed requests.
MALFORMED = frozenset({"not-json", "not-jsonrpc", "batch"})
#: Findings of unanswered requests.
_OPEN = ("never-answered", "turn-unfinished")


class LogLine(NamedTuple):
    """A line of stderr: when (ns since the trace began, None without times), and after which frame.

    `is_mixed`: it came too late to tell to which failure it belongs, so it is shown beside none.
    `asked_ns`: when the client last asked for something before the line; -1 before its first request.
    """

    t_ns: int | None
    line: str
    frame: int | None = None
    is_mixed: bool = False
    asked_ns: int = -1


class NearbyLines(NamedTuple):
    """The lines of a time that are shown, and how many more there are. Texts are safe and short."""

    lines: list[LogLine]
    more: int


#: By the code of a finding and its frame.
FindingWindows = dict[tuple[str, int], Interval]


def finding_windows(found: facts.Facts) -> FindingWindows:
    """From when to when the agent may have written why, of the findings for which that is worth a look.

    From the request or the cancel that went wrong, until a moment after its end, ns.
    """
    codes = {(one.code, one.frame) for one in found.findings}
    windows = dict(_windows(found))
    return {key: windows[key] for key in codes if key in windows}


def request_windows(found: facts.Facts) -> dict[int, Interval]:
    """The same of the requests that the agent answered with an error, or never, by their frames."""
    return _requests(found, _Moments(found))


def _requests(found: facts.Facts, moments: _Moments) -> dict[int, Interval]:
    spans = {
        one.frame: moments.span(one.t_ns, one.latency_ns)
        for one in found.exchanges
        if one.sender == "client" and one.outcome != "result"
    }
    return {frame: span for frame, span in spans.items() if span is not None}


def lines(
    found: facts.Facts, read: Callable[[], Iterable[tuple[int, str]]], *, last: int = 0
) -> list[LogLine]:
    """The lines of all these times, and the `last` ones of all.

    `read`: gives all that the agent wrote, in order: ns since the trace began, and the line. It is called
    only if some of that is wanted.
    """
    windows = (*finding_windows(found).values(), *request_windows(found).values())
    spans = union((since, until + 1) for since, until in windows)
    if not found.trace.logs or not (last or spans):
        return []
    kept, end = dict[int, LogLine](), deque[tuple[int, LogLine]](maxlen=last)
    bursts, moments = _Bursts(found), _Moments(found)
    for number, (t, line) in enumerate(read()):
        is_mixed, asked = bursts.is_mixed(t), moments.asked_before(t)
        one = LogLine(t if found.trace.has_times else None, line, is_mixed=is_mixed, asked_ns=asked)
        end.append((number, one))
        at = bisect_right(spans, t, key=itemgetter(0)) - 1
        if at >= 0 and t < spans[at][1]:
            kept[number] = one
    return [*(kept | dict(end)).values()]


def marked(found: facts.Facts, every: Iterable[LogLine]) -> list[LogLine]:
    """Return all lines, which come in their order, and mark those that are shown beside no failure."""
    bursts, moments = _Bursts(found), _Moments(found)
    return [
        line._replace(is_mixed=bursts.is_mixed(t), asked_ns=moments.asked_before(t))
        for line, t in ((each, each.t_ns or 0) for each in every)
    ]


def beside(lines: Sequence[LogLine], window: Interval, most: int = MOST) -> NearbyLines:
    """The lines of a time that are most likely to say why: the last of those that speak of trouble.

    If none does, the last of all that have words, without those that came after the next request of the
    client: they are probably about that request. `lines`: in the order of time.
    """
    since = bisect_left(lines, window[0], key=_moment)
    until = bisect_right(lines, window[1], key=_moment)
    inside = [one for one in lines[max(since, until - _LINES) : until] if not one.is_mixed]
    telling = [one for one in inside if _has_words(one.line) and _is_telling(one.line)]
    latest = max(window[0], window[1] - LATE_NS)
    early = telling or [one for one in inside if one.asked_ns <= latest]
    worded = [one for one in early if _has_words(one.line)]
    shown = (worded or early)[-most:]
    nearby = [one._replace(line=shorten(readable(one.line).strip(), LONGEST)) for one in shown]
    late = 0 if telling else len(inside) - len(early)
    return NearbyLines(nearby, until - since - late - len(nearby))


def _moment(line: LogLine) -> int:
    return -1 if line.t_ns is None else line.t_ns


@lru_cache(maxsize=1024)  # the times of thousands of unanswered requests share their lines
def _has_words(line: str) -> bool:
    return not _PLAIN.match(line[:_LOOKED_AT])


@lru_cache(maxsize=1024)
def _is_telling(line: str) -> bool:
    return _TELLING.search(line[:_LOOKED_AT]) is not None


def rest(nearby: NearbyLines) -> str:
    """How many lines of a time are not shown, and where to read them; empty if all are shown."""
    if not nearby.more:
        return ""
    what = f"… and {units.number(nearby.more)} more"
    if not nearby.lines:
        what = f"stderr: {counted(nearby.more, 'line')}, written after several failures"
    return f"{what}: show --section logs"


def filter_of(window: Interval) -> str:
    """The filter of frames that finds all lines of a time."""
    since, until = (f"{moment // 10**9}.{moment % 10**9:09}" for moment in window)
    return f"kind:stderr t>={since}s t<={until}s"


def left_out(found: facts.Facts, logs: Sequence[LogLine]) -> dict[int, tuple[int, str]]:
    """How many lines `beside` leaves out of the time of a finding, and the filter for all, by its index.

    A finding that shows all its lines has no entry.
    """
    windows = finding_windows(found) if logs else {}
    wanted = ((at, windows.get((one.code, one.frame))) for at, one in enumerate(found.findings))
    more = {at: (beside(logs, window).more, filter_of(window)) for at, window in wanted if window is not None}
    return {at: left for at, left in more.items() if left[0]}


def uncoloured(line: str) -> str:
    """A line as it came, without what colours it."""
    return _COLOURS.sub("", line)


def readable(line: str) -> str:
    """A line without what colours it; all else that a terminal would obey is made visible."""
    return safe(uncoloured(line)).rstrip()


def _windows(found: facts.Facts) -> Iterator[tuple[tuple[str, int], Interval]]:
    moments = _Moments(found)
    for finding in _malformed(found):
        if span := moments.span(finding.t_ns, 1):  # 0 would end at the line itself
            yield (finding.code, finding.frame), span
    for turn in found.turns:
        if turn.settled_frame is not None and (span := moments.span(turn.t_ns, turn.duration_ns)):
            yield from (((code, turn.settled_frame), span) for code in _HIDING)
    for frame, span in _requests(found, moments).items():
        yield from (((code, frame), span) for code in _OPEN)
    for cancel in found.cancellations:
        if cancel.sender == "client" and (span := moments.span(cancel.t_ns, cancel.settle_ns)):
            at = cancel.settled_frame or cancel.frame
            yield from (((code, at), span) for code in _CANCELS)


def _malformed(found: facts.Facts) -> Iterator[facts.Finding]:
    """Yield the findings about lines of the client that are not messages, also of the rest of the trace."""
    for one in (*found.findings, *found.malformed):
        if one.code in MALFORMED and one.blame == "client" and one.t_ns is not None:
            yield one


class _Moments:
    """When the client sent something, in the whole trace, and how long its end lasts."""

    def __init__(self, found: facts.Facts) -> None:
        every = (*found.exchanges, *found.outside)
        asked = [one for one in every if one.sender == "client" and one.t_ns is not None]
        self._end = found.trace.duration_ns
        malformed = [one.t_ns or 0 for one in _malformed(found)]
        self._asked = sorted([*malformed, *(one.t_ns or 0 for one in asked)])
        failed = (one.t_ns or 0 for one in asked if one.outcome != "result")
        self._failed = sorted([*malformed, *failed])

    def asked_before(self, t: int) -> int:
        """When the client last asked for something until `t` (ns); -1 if it had not."""
        at = bisect_right(self._asked, t)
        return self._asked[at - 1] if at else -1

    def span(self, since: int | None, took: int | None) -> Interval | None:
        """When the agent may have written about this. What has no end lasts as long as the trace.

        What comes after the next request that fails is that one's.
        """
        if since is None or self._end is None:
            return None
        if took is None:
            return since, self._end
        end = since + took
        asked = _next(self._asked, end, end + AFTER_NS)
        return since, min(end + AFTER_NS, max(asked, end + LATE_NS), _next(self._failed, end, end + AFTER_NS))


class _Bursts:
    """Finds lines that were written too late to tell to which failure they belong. Gets all lines, in order.

    An agent may keep what it writes to stderr and write it at once, when several requests have failed since
    its last line. A line of such a burst about one of them would be shown beside another.
    """

    def __init__(self, found: facts.Facts) -> None:
        answered = (
            (one.t_ns or 0) + one.latency_ns
            for one in (*found.exchanges, *found.outside)
            if one.sender == "client" and one.outcome == "error" and one.latency_ns is not None
        )
        self._failed = sorted([*answered, *(one.t_ns or 0 for one in _malformed(found))])
        self._latest = -1
        self._is_mixed = False

    def is_mixed(self, t: int) -> bool:
        """Whether the next line, at `t` (ns), is of such a burst."""
        if self._latest < 0 or t - self._latest > _BURST_NS:
            since, until = (bisect_right(self._failed, moment) for moment in (self._latest, t))
            self._is_mixed = until - since > 1
        self._latest = t
        return self._is_mixed


def _next(moments: Sequence[int], after: int, otherwise: int) -> int:
    """The first of these moments, which are in their order, from one on."""
    at = bisect_left(moments, after)
    return moments[at] if at < len(moments) else otherwise
