"""Which files are one log together, which reader reads it, and what its traces have of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from acp_trace.formats.reading import plain_text, text_lines
from acp_trace.formats.reading.formats import READERS
from acp_trace.formats.reading.log import Exchanged, File, Log, NotThisFormat, Reader, Sent, Unused
from acp_trace.formats.reading.trace_lines import TraceOfLog, traces

#: How a database of SQLite begins.
_DATABASE = b"SQLite format 3\0"


class LogSummary(NamedTuple):
    """What a trace has of its log. `times`: whether it has any; `unused`: what is not in the trace.

    `exchanges`: over HTTP, with models and other hosts.
    """

    frames: int
    exchanges: int
    unused: list[Unused]
    times: bool
    senders_inferred: bool


def readers_for(name: str | None) -> Sequence[Reader]:
    """The reader of a format of `READERS`; None: all of them, to be asked in their order."""
    return tuple(READERS.values()) if name is None else (READERS[name],)


def groups(files: Sequence[File], readers: Sequence[Reader]) -> list[list[File]]:
    """Files that are one log together, as parts of a journal are; otherwise each file alone."""
    together = len(readers) == 1 or any(reader.recognises(files) for reader in readers)
    return [list(files)] if together else [[file] for file in files]


def names_beside(files: Sequence[File]) -> list[str]:
    """The files next to these that belong to them, if they are there and were not given.

    The log of a database (`NAME-wal`): nearly all of it may be in there.
    """
    names = {file.name for file in files}
    logs = [f"{file.name}-wal" for file in files if file.data.startswith(_DATABASE)]
    return [name for name in logs if name not in names]


def traces_of(files: Sequence[File], readers: Sequence[Reader]) -> tuple[str, list[TraceOfLog]]:
    """The format of one log, and its traces. Raises NotThisFormat."""
    known = readers if len(readers) == 1 else [each for each in readers if each.recognises(files)][:1]
    if not known:
        raise NotThisFormat(_unknown(files))
    return known[0].NAME, traces(known[0].read(files), known[0].NAME)


def summary(log: Log) -> LogSummary:
    """What came of a log."""
    return LogSummary(
        frames=sum(isinstance(item, Sent) for item in log.messages),
        exchanges=len({item.exchange for item in log.messages if isinstance(item, Exchanged)}),
        unused=log.unused,
        times=any(item.t is not None for item in log.messages),
        senders_inferred=bool(log.inferred),
    )


def _unknown(files: Sequence[File]) -> str:
    if any(file.data.startswith(plain_text.OWN) for file in files):
        return "is a trace of acp-trace: `acp-trace load` takes it"
    if len(files) == 1 and not _is_binary(files[0]):
        return f"{plain_text.why_not(files[0])} (docs/import.md lists what can be read)"
    return "is no log that is known: give its format with --from, or see docs/import.md"


def _is_binary(file: File) -> bool:
    return b"\0" in text_lines.utf_8(file.data[:1000])
