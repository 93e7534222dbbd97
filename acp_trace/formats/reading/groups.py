"""Which files are one log together, which reader reads it, and what its traces have of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from acp_trace.formats.reading import plain_text, text_lines
from acp_trace.formats.reading.formats import READERS, SELF_EVIDENT
from acp_trace.formats.reading.log import Exchanged, File, Log, NotThisFormat, Reader, Sent, Unused
from acp_trace.formats.reading.sense import Sense, sense_of
from acp_trace.formats.reading.trace_lines import TraceOfLog, traces

_NOBODYS = "has messages, but their senders cannot be inferred"
#: How a database of SQLite begins.
_DATABASE = b"SQLite format 3\0"


class Reading(NamedTuple):
    """What a reader makes of files; `why_not`: why it can make nothing of them."""

    format: str
    traces: list[TraceOfLog]
    sense: Sense
    why_not: str = ""


class ExplainedLog(NamedTuple):
    """What each reader that recognises a log makes of it; `best`: the one that is taken.

    `why_none`: why none is, or "".
    """

    files: tuple[str, ...]
    readings: list[Reading]
    best: Reading | None
    why_none: str


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
    together = len(files) == 1 or len(readers) == 1 or any(reader.recognises(files) for reader in readers)
    return [list(files)] if together else [[file] for file in files]


def names_beside(files: Sequence[File]) -> list[str]:
    """The files next to these that belong to them, if they are there and were not given.

    The log of a database (`NAME-wal`): nearly all of it may be in there.
    """
    names = {file.name for file in files}
    logs = [f"{file.name}-wal" for file in files if file.data.startswith(_DATABASE)]
    return [name for name in logs if name not in names]


def explained(files: Sequence[File], readers: Sequence[Reader]) -> ExplainedLog:
    """What these readers make of one log. The highest score is best; of equal ones, the first reader's."""
    made = readings(files, readers)
    best = max((one for one in made if one.traces), key=lambda one: one.sense.score, default=None)
    why_none = "" if best else _why_none(files, made)
    return ExplainedLog(tuple(file.name for file in files), made, best, why_none)


def readings(files: Sequence[File], readers: Sequence[Reader]) -> list[Reading]:
    """What each reader that the files may be for makes of them; those after a perfect one are not asked."""
    made: list[Reading] = []
    for reader in readers:
        if len(readers) > 1 and not reader.recognises(files):
            continue
        try:
            read = traces(reader.read(files), reader.NAME)
        except NotThisFormat as error:
            made.append(Reading(reader.NAME, [], Sense(), str(error)))
            continue
        sense = sense_of(one.log for one in read)
        if not sense.messages:
            made.append(Reading(reader.NAME, [], Sense(), _NOBODYS))
            continue
        made.append(Reading(reader.NAME, read, sense))
        if sense.is_perfect or (reader.NAME in SELF_EVIDENT and sense.messages):
            break
    return made


def summary(log: Log) -> LogSummary:
    """The result for a log."""
    return LogSummary(
        frames=sum(isinstance(item, Sent) for item in log.messages),
        exchanges=len({item.exchange for item in log.messages if isinstance(item, Exchanged)}),
        unused=log.unused,
        times=any(item.t is not None for item in log.messages),
        senders_inferred=bool(log.inferred),
    )


def _why_none(files: Sequence[File], made: Sequence[Reading]) -> str:
    """What the first reader that recognised the log missed; if its messages are cut, that says more."""
    unknown = _unknown(files)
    return unknown if not made or plain_text.CUT in unknown else made[0].why_not


def _unknown(files: Sequence[File]) -> str:
    if any(file.data.startswith(plain_text.OWN) for file in files):
        return "is a trace of acp-trace: `acp-trace import` takes it as it is"
    if len(files) == 1 and not _is_binary(files[0]):
        return f"{plain_text.why_not(files[0])} (docs/import.md lists what can be read)"
    return "is not a recognised log: give its format with --from, or see docs/import.md"


def _is_binary(file: File) -> bool:
    return b"\0" in text_lines.utf_8(file.data[:1000])
