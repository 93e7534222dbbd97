"""`acp-trace import`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import common, completion, outputs
from acp_trace.cli.errors import UNREADABLE, USAGE, fail

if TYPE_CHECKING:
    from acp_trace.formats.reading.log import File, Reader
    from acp_trace.formats.reading.trace_lines import TraceOfLog

#: How a database of SQLite begins.
_DATABASE = b"SQLite format 3\0"
#: Items of a log that could not be used: so many are shown.
_SHOWN = 5


def import_(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Logs of other tools; `-` for standard input. Files that belong together are one log.",
        ),
    ],
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            autocompletion=completion.words(completion.log_formats),
            help="The format of the logs; by default it is recognised.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            help="Write the trace to FILE, which must not exist, or each trace to a file in DIR; "
            "not to the store.",
        ),
    ] = None,
    json: common.Json = False,
) -> None:
    """Make traces of the logs of other tools.

    Zed, JetBrains, acpx, Toad and others: the formats are in docs/import.md. What a log does not have is
    absent in the trace: without times, no latency is shown anywhere. What could not be used is counted, and
    the first items are shown. Importing a log again changes nothing. Ends with 3 if a file is no log.
    """
    if out is not None and not out.is_dir():
        outputs.must_be_new("--out", out)
    readers = _readers(from_)
    made: list[dict[str, Any]] = []
    failed: list[dict[str, str]] = []
    for group in _groups([_file(name) for name in files], readers):
        _import(group, readers, out, made, failed)
    if json:
        common.print_json({"imported": made, "failed": failed})
    else:
        _say(made)
    for each in failed:
        print(f"acp-trace: {common.not_loaded(Path(each['file']), each['why'])}", file=sys.stderr)
    if failed:
        raise typer.Exit(UNREADABLE)


def _readers(name: str | None) -> Sequence[Reader]:
    from acp_trace.formats.reading.formats import READERS

    if name is None:
        return tuple(READERS.values())
    common.one_of("--from", name, tuple(READERS))
    return (READERS[name],)


def _file(name: str) -> File:
    from acp_trace.formats.reading.log import File
    from acp_trace.trace.os_errors import reason

    try:
        return File(name, sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())
    except OSError as error:
        fail(f"{name}: {reason(error)}", USAGE)


def _groups(files: list[File], readers: Sequence[Reader]) -> list[list[File]]:
    """Files that are one log together, as parts of a journal are; otherwise each file alone."""
    together = len(readers) == 1 or any(reader.recognises(files) for reader in readers)
    groups = [files] if together else [[file] for file in files]
    return [[*group, *_beside(group)] for group in groups]


def _beside(files: list[File]) -> list[File]:
    """The log of a database (`NAME-wal`), in which nearly all of it may be, if it was not given."""
    names = {file.name for file in files}
    logs = [f"{file.name}-wal" for file in files if file.data.startswith(_DATABASE)]
    return [_file(name) for name in logs if name not in names and os.path.isfile(name)]


def _import(
    files: list[File],
    readers: Sequence[Reader],
    out: Path | None,
    made: list[dict[str, Any]],
    failed: list[dict[str, str]],
) -> None:
    """One log, to the store or to a file; what came of it is added to the lists."""
    from acp_trace.formats.reading.log import NotThisFormat
    from acp_trace.formats.reading.trace_lines import traces

    names = ", ".join(file.name for file in files)
    known = readers if len(readers) == 1 else [each for each in readers if each.recognises(files)][:1]
    try:
        if not known:
            raise NotThisFormat(_unknown(files))
        found = traces(known[0].read(files), known[0].NAME)
    except NotThisFormat as error:
        failed.append({"file": names, "why": str(error)})
        return
    if out is not None and not out.is_dir() and len(found) > 1:
        fail(f"{names} holds {len(found)} connections: give a directory with --out", USAGE)
    for trace in found:
        how = {"id": trace.id, "format": known[0].NAME, "files": [file.name for file in files]}
        how["state"] = _stored(trace) if out is None else _written(trace, out)
        made.append(how | _told(trace))


def _unknown(files: list[File]) -> str:
    if any(file.data[:16].startswith((b'{"acp_trace"', b"\x89ACPTRC")) for file in files):
        return "is a trace of acp-trace: `acp-trace load` takes it"
    return "is no log that is known: give its format with --from, or see docs/import.md"


def _written(trace: TraceOfLog, out: Path) -> str:
    """Writes the trace to a file; which one."""
    from acp_trace.trace.os_errors import reason

    path = out / f"{trace.id}.jsonl" if out.is_dir() else out
    try:
        outputs.put(path, [trace.data], private=True, new=not out.is_dir())
    except OSError as error:
        fail(f"{path} cannot be written: {reason(error)}", USAGE)
    return f"written to {path}"


def _stored(trace: TraceOfLog) -> str:
    """Loads the trace into the store; what became of it there."""
    from acp_trace.store.sweep import load_files
    from acp_trace.trace.scratch import scratch

    with scratch() as directory, common.progress("importing") as tick:
        path = directory / f"{trace.id}.jsonl"
        outputs.put(path, [trace.data], private=True)
        swept = load_files(common.home(), [path], tick=tick)
    for _, why in swept.failed:
        fail(f"{trace.id}: {why}", USAGE)
    return swept.loaded[0].state


def _told(trace: TraceOfLog) -> dict[str, Any]:
    """What the trace has of its log, and what of the log is not in it."""
    from acp_trace.formats.reading.log import Sent

    log = trace.log
    sent = [item for item in log.messages if isinstance(item, Sent)]
    return {
        "frames": len(sent),
        "unused": len(log.unused),
        "first_unused": [each._asdict() for each in log.unused[:_SHOWN]],
        "times": any(item.t is not None for item in log.messages),
        "senders_inferred": bool(log.inferred),
    }


def _say(made: list[dict[str, Any]]) -> None:
    from acp_trace.report.safe import safe
    from acp_trace.report.text.words import count

    for one in made:
        notes = [] if one["times"] else ["no times"]
        notes += ["senders inferred"] if one["senders_inferred"] else []
        notes += [f"{count(one['unused'], 'item')} unused"] if one["unused"] else []
        extra = f"  ({', '.join(notes)})" if notes else ""
        typer.echo(
            f"{one['id']}  {safe(one['state'])}, {one['format']}, {count(one['frames'], 'frame')}{extra}"
        )
        for each in one["first_unused"]:
            typer.echo(f"  {safe(each['where'])}: {safe(each['why'])}")
        if left := one["unused"] - len(one["first_unused"]):
            typer.echo(f"  … and {left} more")
