"""A trace as a file again, or in the format of another tool, as `acp-trace export` writes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Literal

from acp_trace.formats.writing.formats import PUBLIC, WRITERS, writer
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.redact.redactor import Redactor
from acp_trace.redact.watch import Watch
from acp_trace.report.gist import gist
from acp_trace.store import parquet
from acp_trace.store.export import stream
from acp_trace.store.sources import Source
from acp_trace.trace.counts import counted
from acp_trace.trace.scratch import scratch
from acp_trace.trace.whole_files import put

LINES, PARQUET = "lines", "parquet"
#: What `to` takes.
FORMATS = (LINES, *WRITERS, PARQUET)


class HasSecrets(ValueError):
    """A trace with secrets was to be written in a format that is made to be shown. One line says how many."""


@dataclass(frozen=True, slots=True)
class TraceExport:
    """A trace that was written. `file`: where; otherwise `data` is what would be in the file."""

    trace: str
    format: str
    size: int  #: bytes
    file: Path | None = None
    data: bytes | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()  #: what the format cannot hold of this trace
    secrets: str | None = None  #: what `acp-trace redact` would remove: "2 secrets (token)"; None: nothing


def export_source(
    source: Source,
    file: str | PathLike[str] | None,
    to: str,
    side: Literal["client", "agent"] | None,
    *,
    content: bool,
    unredacted: bool,
) -> TraceExport:
    """What `OpenTrace.export` does; see there."""
    _check(file, to, side, content=content)
    path = None if file is None else Path(file)
    if to == PARQUET and path is not None:
        with scratch() as directory:
            size = parquet.write(source.file(), path, directory)
        return TraceExport(source.name, to, size, path, secrets=secrets_in(source))
    notes: list[str] = []
    pieces: Iterable[bytes]
    if side is not None:
        pieces = stream(source.frames(), side)
    elif to == LINES:
        pieces = source.file()
    else:
        if to in PUBLIC and not unredacted:
            refuse_secrets(source, "unredacted=True")
        given = given_trace(source, content=content)
        pieces, notes = writer(to)(given), given.notes
    if path is not None:
        size = put(path, pieces, private=True, new=True)
        return TraceExport(source.name, to, size, path, None, tuple(notes), secrets_in(source))
    data = b"".join(pieces)
    return TraceExport(source.name, to, len(data), None, data, tuple(notes), secrets_in(source))


def _check(
    file: str | PathLike[str] | None, to: str, side: Literal["client", "agent"] | None, *, content: bool
) -> None:
    if to not in FORMATS:
        raise ValueError(f"to: {to!r} is not one of {', '.join(FORMATS)}")
    if side not in (None, "client", "agent"):
        raise ValueError(f"side: {side!r} is not one of client, agent")
    if side is not None and to != LINES:
        raise ValueError(f"side cannot be combined with to={to!r}")
    if content and to != "otlp":
        raise ValueError("content needs to='otlp': the content of other formats is fixed")
    if to == PARQUET and file is None:
        raise ValueError("to='parquet' needs a directory to make")


def given_trace(source: Source, *, content: bool) -> ExportedTrace:
    """What a writer needs of a trace."""
    return ExportedTrace(source.facts(), source.frames, source.entries, gist, content)


def refuse_secrets(source: Source, otherwise: str) -> None:
    """Raises HasSecrets if a redactor would replace something. `otherwise`: what insists, in words."""
    redactor = Redactor()
    for entry in source.entries():
        redactor.learn(entry)
    count, rules, _ = redactor.found()
    if count:
        secrets = f"{counted(count, 'secret')} ({', '.join(rules)})"
        how = f"redact it first (`acp-trace redact`), or use {otherwise}"
        raise HasSecrets(f"this trace contains {secrets}: {how}")


def secrets_in(source: Source) -> str | None:
    """What of a trace a redactor would replace, in words; None if nothing."""
    watch = Watch()
    for piece in source.file():
        watch.feed(piece)
    return watch.words()
