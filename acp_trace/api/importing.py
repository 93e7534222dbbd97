"""`import_log`: logs of other tools become traces, as `acp-trace import` makes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from acp_trace.api.homes import HomePath, home_of
from acp_trace.formats.reading.formats import READERS
from acp_trace.formats.reading.groups import (
    ExplainedLog,
    explained,
    groups,
    names_beside,
    readers_for,
    summary,
)
from acp_trace.formats.reading.log import File, Unused
from acp_trace.formats.reading.trace_lines import TraceOfLog
from acp_trace.store.errors import StoreError
from acp_trace.store.sweep import load_files
from acp_trace.trace.codings import Decoder, Undecodable
from acp_trace.trace.home import Home
from acp_trace.trace.inputs import Unreadable, whole
from acp_trace.trace.scratch import scratch
from acp_trace.trace.whole_files import put

#: The result for a trace: `loaded`, `already there`, `replaced`, `written to FILE`.
Keep = Callable[[TraceOfLog], str]


class NotALog(Exception):
    """Files are not a recognised log, or not one of that format. The message is one line."""

    def __init__(self, log: ExplainedLog) -> None:
        self.files, self.why = ", ".join(log.files), log.why_none
        super().__init__(f"{self.files}{' ' if self.why.startswith('is ') else ': '}{self.why}")


_GZIP = b"\x1f\x8b\x08"


@dataclass(frozen=True, slots=True)
class ImportedTrace:
    """A trace that was made of a log. What the log lacks is absent in it (docs/import.md).

    `state`: `loaded`, `already there` or `replaced`, in the store; or `written to FILE`. `unused`: items of
    the log that are not in the trace, each with `where` and `why`.
    """

    id: str
    format: str
    files: tuple[str, ...]
    state: str
    frames: int
    exchanges: int  #: over HTTP, with language models and other hosts
    unused: tuple[Unused, ...]
    times: bool  #: whether the log says when anything came
    senders_inferred: bool  #: whether some senders follow from methods and ids alone
    protocol: str = "ACP"  #: or MCP, or LSP: then no rule of ACP is applied
    doubts: str | None = None  #: why the log was hardly read right, or is a small part of one: a few words


def import_log(
    *files: str | PathLike[str],
    from_: str | None = None,
    out: str | PathLike[str] | None = None,
    home: HomePath = None,
) -> list[ImportedTrace]:
    """Makes traces of the logs of other tools; those that belong together are one log.

    `from_`: the format; by default it is recognised. `out`: a new file, or a directory for a file each; by
    default the traces go to the store. All files are read before anything is kept. Raises NotALog,
    Unreadable for a device, ValueError for a format that is none, FileExistsError and other OSErrors, and
    StoreError.
    """
    if from_ is not None and from_ not in READERS:
        raise ValueError(f"from_: {from_!r} is not one of {', '.join(READERS)}")
    logs = list(read_logs([read_file(os.fspath(file)) for file in files], from_))
    for log in logs:
        if log.best is None:
            raise NotALog(log)
    into = None if out is None else Path(out)
    connections = sum(len(log.best.traces) for log in logs if log.best is not None)
    if into is not None and not into.is_dir() and connections > 1:
        raise ValueError(f"out: {into} is not a directory, and there are several connections")
    keep = in_store(home_of(home)) if into is None else in_files(into)
    return [trace for log in logs for trace in kept(log, keep)]


def read_file(name: str) -> File:
    """A file, or standard input for `-`; decompressed if it is gzip.

    Raises OSError, and Unreadable for a device, or for a file that is damaged or expands to too much.
    """
    data = whole(name, "a log")
    if data.startswith(_GZIP):
        try:
            data = Decoder("gzip").whole(data)
        except Undecodable as error:
            raise Unreadable(f"{name}: {error}") from None
    return File(name, data)


def read_logs(files: Sequence[File], format_name: str | None) -> Iterator[ExplainedLog]:
    """Each log that is in these files, or that they are not. Raises OSError.

    `format_name`: one of `READERS`, which then reads all files as one log.
    """
    readers = readers_for(format_name)
    for group in groups(files, readers):
        beside = [read_file(name) for name in names_beside(group) if os.path.isfile(name)]
        yield explained([*group, *beside], readers)


def kept(log: ExplainedLog, keep: Keep) -> Iterator[ImportedTrace]:
    """Each trace of a log, after `keep` has kept it. Raises NotALog."""
    if log.best is None:
        raise NotALog(log)
    for trace in log.best.traces:
        summed = summary(trace.log)
        yield ImportedTrace(
            id=trace.id,
            format=log.best.format,
            files=log.files,
            state=keep(trace),
            frames=summed.frames,
            exchanges=summed.exchanges,
            unused=tuple(summed.unused),
            times=summed.times,
            senders_inferred=summed.senders_inferred,
            protocol=log.best.sense.protocol,
            doubts=log.best.sense.doubts(),
        )


def in_store(home: Home, tick: Any = None) -> Keep:
    """Keeps traces in the store. Raises StoreError. `tick` is called with a file and how much was read."""

    def keep(trace: TraceOfLog) -> str:
        with scratch() as directory:
            path = directory / f"{trace.id}.jsonl"
            put(path, [trace.data], private=True)
            swept = load_files(home, [path], tick=tick)
        for _, why in swept.failed:
            raise StoreError(f"{trace.id}: {why}")
        return swept.loaded[0].state

    return keep


def in_files(out: Path) -> Keep:
    """Keeps traces in files: in a directory by their ids, or as a new file. Raises OSError."""

    def keep(trace: TraceOfLog) -> str:
        path = out / f"{trace.id}.jsonl" if out.is_dir() else out
        put(path, [trace.data], private=True, new=not out.is_dir())
        return f"written to {path}"

    return keep
