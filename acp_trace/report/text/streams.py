"""The streams of a trace over HTTP or WebSocket: a section of `show`.

Each message of a client over HTTP is a separate request. Successful requests are counted; event streams,
WebSockets and failures have a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import UNNAMED, SessionNames
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, fitted
from acp_trace.trace.counts import counted

#: Rows shown, unless all are asked for.
_MOST = 20
_LONGEST_PATH, _LONGEST_TROUBLE, _LEAST_TROUBLE = 30, 200, 24
_ERROR = 400
#: RFC 6455, 7.4.1: how a WebSocket is closed when nothing went wrong.
_CLOSED_WELL = (None, 1000, 1001, 1005)

#: The methods whose requests are counted, in the order of the output, each with its word.
_COUNTED = (("POST", "message"), ("GET", "event stream"), ("DELETE", "DELETE"))

#: With their ranks: if there is no room, the columns with the highest go first.
_COLUMNS = (
    (Column("stream", right=True), 0),
    (Column("at", right=True), 4),
    (Column("request"), 1),
    (Column("status", right=True), 0),
    (Column("session"), 3),
    (Column("frames", right=True), 2),
    (Column("open", right=True), 2),
    (Column("ended"), 1),
    (Column("", flexible=True, wraps=True), 0),
)


def counts(streams: Sequence[facts.NetworkStream]) -> Text:
    """`HTTP/1.1   5 messages · 2 event streams · 1 DELETE · 2 with trouble`."""
    protocols = sorted({stream.protocol for stream in streams if stream.protocol})
    web_sockets = sum(is_websocket(stream) for stream in streams)
    parts = [Text(safe(", ".join(protocols)))] if protocols and web_sockets < len(streams) else []
    if web_sockets:
        parts.append(Text(counted(web_sockets, "WebSocket")))
    left = len(streams) - web_sockets
    for method, what in _COUNTED:
        count = sum(stream.method == method and not is_websocket(stream) for stream in streams)
        left -= count
        if count:
            parts.append(Text(counted(count, what)))
    if left:
        parts.append(Text(counted(left, "other")))
    if count := sum(is_trouble(stream) for stream in streams):
        parts.append(Text(f"{units.number(count)} with trouble", styles.ERROR))
    return Text(" · ").join(parts)


def table(
    streams: Sequence[facts.NetworkStream],
    width: int,
    *,
    all_: bool,
    live: bool = False,
    names: SessionNames = UNNAMED,
) -> Text:
    """A row for each that people look at; with `all_` for each. `names`: of sessions."""
    wanted = streams if all_ else [each for each in streams if each.method != "POST" or is_trouble(each)]
    wanted = wanted if all_ else [each for each in wanted if each.method != "DELETE" or is_trouble(each)]
    shown = wanted if all_ or len(wanted) <= _MOST + 1 else _weightiest(wanted)
    text = fitted(
        _COLUMNS, [_row(each, names, live=live) for each in shown], width, least=_LEAST_TROUBLE, indent=1
    ) if shown else Text()  # fmt: skip
    if left := len(streams) - len(shown):
        text.append(f" … and {units.number(left)} more: show --section streams --all\n", styles.FAINT)
    return text


def is_websocket(stream: facts.NetworkStream) -> bool:
    """Whether it is a WebSocket, and not a request."""
    return stream.protocol == "WebSocket"


def is_trouble(stream: facts.NetworkStream) -> bool:
    """Whether something went wrong: it was refused, not reached, broken off, or not read to its end."""
    return (
        (stream.status is not None and stream.status >= _ERROR)
        or stream.failed is not None
        or stream.unread is not None
        or stream.close_code not in _CLOSED_WELL
    )


def _weightiest(streams: Sequence[facts.NetworkStream]) -> list[facts.NetworkStream]:
    """Those with trouble first, then those with the most frames; in their order."""
    by_weight = sorted(
        streams, key=lambda each: (not is_trouble(each), -each.frames_client - each.frames_agent)
    )
    return sorted(by_weight[:_MOST], key=lambda each: each.stream)


def _row(stream: facts.NetworkStream, names: SessionNames, *, live: bool) -> list[list[Cell]]:
    request = " ".join(filter(None, (stream.method, stream.path)))
    return [
        [Cell(str(stream.stream))],
        [Cell(units.since_start(stream.t_ns))],
        [Cell(shorten(safe(request), _LONGEST_PATH) + (" (WebSocket)" if is_websocket(stream) else ""))],
        [Cell("–" if stream.status is None else str(stream.status), _style(stream))],
        [Cell(names.of(stream.session_id), styles.session(names.colour(stream.session_id)))],
        [Cell(f"{units.number(stream.frames_client)} ▸ {units.number(stream.frames_agent)} ◂")],
        [Cell("" if stream.duration_ns is None else units.brief(stream.duration_ns))],
        [_ended(stream, live=live)],
        [Cell(" · ".join(_trouble(stream)), _style(stream))],
    ]


def _style(stream: facts.NetworkStream) -> str | None:
    return styles.ERROR if is_trouble(stream) else None


def _ended(stream: facts.NetworkStream, *, live: bool) -> Cell:
    if stream.ended_by is None:
        return Cell("open" if live else "never ended", styles.OPEN)
    return Cell(f"by {safe(stream.ended_by)}", styles.COLOURS.get(stream.ended_by))


def _trouble(stream: facts.NetworkStream) -> Iterator[str]:
    if stream.failed is not None:
        yield _short(stream.failed)
    if stream.close_code not in _CLOSED_WELL:
        yield f"close code {stream.close_code}"
    if stream.unread is not None:
        yield f"not read: {_short(stream.unread)}"
    if stream.body is not None:
        yield _short(stream.body)


def _short(text: str) -> str:
    return shorten(safe(" ".join(text.split())), _LONGEST_TROUBLE)
