"""A log of another tool → the lines of a trace. Pure: no clock, so that the same log is the same trace.

What the log lacks is absent here as well: a frame without time has no `t` (readers that know no such frames
take it for 0), a trace without wall clock has no `started_at`, and no footer is made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple

from acp_trace import __version__
from acp_trace.formats.reading import directions, json_parts
from acp_trace.formats.reading.log import Exchanged, Log, Said, Sent
from acp_trace.protocol import message
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.methods import INITIALIZERS
from acp_trace.trace import encode, jsontext
from acp_trace.trace.document import FORMAT
from acp_trace.trace.entries import IMPORTED
from acp_trace.trace.names import stamp

_NS = 1_000_000_000
_LATEST = 2**63 - 1  #: ns; a later time fits no column
_LATEST_CLOCK = 253_402_300_799 * _NS  #: the last second of the year 9999
_TIMELESS = b'{"t":0,'


class TraceOfLog(NamedTuple):
    """One connection as a trace."""

    id: str
    data: bytes  #: the file: header and lines
    log: Log  #: as it was read, with a sender for each message; `unused` is complete


def traces(logs: Sequence[Log], format_name: str) -> list[TraceOfLog]:
    """The traces of a file's connections. `format_name`: the reader's NAME.

    Senders that a log lacks are inferred. Ids depend on nothing but the logs: a file that is imported twice
    gives the same ones.
    """
    return [_trace(directions.infer(log), format_name, number) for number, log in enumerate(logs)]


def _trace(log: Log, format_name: str, number: int) -> TraceOfLog:
    times = all(item.t is not None for item in log.messages) and bool(log.messages)
    lines = b"".join(_line(item, times=times) for item in log.messages)
    digest = sha256(lines)
    if number:  # connections with equal messages, in one file
        digest.update(b"%d" % number)
    started = log.started_ns if log.started_ns is not None and 0 <= log.started_ns <= _LATEST_CLOCK else None
    id_ = f"imported-{digest.hexdigest()[:12]}"
    if started is not None:
        id_ = f"{stamp(started // _NS)}-{digest.hexdigest()[:6]}"
    return TraceOfLog(id_, _header(log, id_, format_name, started, times=times) + lines, log)


def _header(log: Log, id_: str, format_name: str, started: int | None, *, times: bool) -> bytes:
    labels = dict(log.labels)
    version = labels.pop("tool_version", None)
    agent = {"argv": list(log.argv) or None, "cwd": log.cwd or None}
    imported = {
        "format": format_name,
        "tool_version": version,
        "times": times,
        "directions": "inferred" if log.inferred else "recorded",
        "bytes": "verbatim" if log.verbatim else "rewritten",
        "order": "recorded" if log.ordered else "unknown",
        "unused": len(log.unused),
        "lacks": [*log.lacks, *(["beginning"] if _begins_late(log) else [])] or None,
    }
    return encode.entry(
        acp_trace=FORMAT,
        id=id_,
        **({"started_at": _rfc3339(started)} if started is not None else {}),
        transport=log.transport,
        agent=_known(agent),
        recorder={"name": "acp-trace", "version": __version__},
        **({"labels": labels} if labels else {}),
        **({"model": True} if any(isinstance(item, Exchanged) for item in log.messages) else {}),
        origin=IMPORTED,
        imported=_known(imported),
    )


def _begins_late(log: Log) -> bool:
    """Whether the first request or response is not what a connection begins with."""
    for item in log.messages:
        if isinstance(item, Sent):
            first = message.read(item.data)
            if first.kind in (MessageKind.REQUEST, MessageKind.RESPONSE):
                return first.method not in INITIALIZERS
    return False


def _known(keys: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in keys.items() if value is not None}


def _rfc3339(ns: int) -> str:
    second, rest = divmod(ns, _NS)
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}.{rest // 1000:06d}Z"


def _line(item: Sent | Said | Exchanged, *, times: bool) -> bytes:
    t = min(max(item.t or 0, 0), _LATEST) if times else 0
    if isinstance(item, Said):
        line = encode.log(t, item.data)
    elif isinstance(item, Exchanged):
        line = encode.model(t, item.exchange, item.data)
    else:
        data = item.data
        if b"\n" in data and jsontext.is_json(data):
            data = json_parts.compact(data)
        line = encode.frame((item.sender or "agent").encode(), t, data)
    return line if times else b"{" + line.removeprefix(_TIMELESS)
