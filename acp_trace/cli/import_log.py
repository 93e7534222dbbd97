"""`acp-trace import`: traces of acp-trace as they are, and logs of other tools."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import common, completion, outputs, places
from acp_trace.cli.errors import UNREADABLE, USAGE, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.api.importing import ImportedTrace, NotALog
    from acp_trace.formats.reading.log import File
    from acp_trace.store.sweep import Swept

#: The most unused items of a log that are shown.
_SHOWN = 5


def import_(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            help="Trace files (also captures), and logs of other tools; `-` for standard input. Files that "
            "belong together are read as one log. By default, all traces in the spool.",
        ),
    ] = None,
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
            help="Write the trace to FILE, which must not exist, or each trace to a file in DIR, instead of "
            "the store.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show how the reader of each format reads the logs, and import nothing."
        ),
    ] = False,
    json: common.Json = False,
) -> None:
    """Import traces, and the logs of other tools, into the store.

    A trace file stays where it is; files in the spool are removed once they are imported. From a damaged
    file, everything that can be read is imported.

    Logs of Zed, JetBrains, acpx, Toad and others are recognised: the formats are in docs/import.md. What a
    log lacks, the trace lacks too: without times, no latency is shown anywhere. Items that could not be used
    are counted, and the first ones are shown. Importing a file again changes nothing. Exits with 3 if a file
    is neither a trace nor a log.
    """
    for file in files or ():
        places.not_an_address(file, "team pull {place} {trace}")
    if out is not None and not out.is_dir():
        outputs.must_be_new("--out", out)
    if from_ is not None:
        common.one_of("--from", from_, tuple(completion.log_formats()))
    if explain:
        _explain([_file(name) for name in files or ["-"]], from_, json=json)
        return
    if (from_ or out) and not files:
        raise Misuse(f"{'--from' if from_ else '--out'} is for logs: name them")
    own, logs = _sorted(files or [], is_own_known=from_ is None)
    if own and out is not None:
        raise Misuse(f"{own[0][0]} is a trace already, and --out is for logs: `acp-trace export` copies it")
    swept = _loaded(own, json=json) if own or not files else None
    made, failed = _imported(logs, from_, out) if logs else ([], [])
    if json:
        from acp_trace.cli.load import failures

        unread = [{"file": each.files, "why": each.why} for each in failed]
        document = {"imported": [_document(one) for one in made], "loaded": swept.loaded if swept else []}
        common.print_json({**document, "failed": [*(failures(swept) if swept else ()), *unread]})
    else:
        _say(made, out)
    for each in failed:
        print(f"acp-trace: {common.failure(each.files, each.why)}", file=sys.stderr)
    if failed or (swept is not None and swept.failed):
        raise typer.Exit(UNREADABLE)


#: A trace of acp-trace: its name, and its bytes if they can be read only once.
_Own = tuple[str, bytes | None]


def _sorted(names: list[str], *, is_own_known: bool) -> tuple[list[_Own], list[File]]:
    """Which files are traces of acp-trace, which are loaded as they are; and the others, read."""
    from acp_trace.formats.reading.plain_text import OWN

    own: list[_Own] = []
    logs: list[File] = []
    for name in names:
        if is_own_known and _beginning(name).startswith(OWN):
            own.append((name, None))
            continue
        file = _file(name)
        if is_own_known and file.data.startswith(OWN):  # from a pipe, or packed
            own.append((name, file.data))
        else:
            logs.append(file)
    return own, logs


def _beginning(name: str) -> bytes:
    """The first bytes of a regular file; nothing of any other: a pipe can be read once."""
    if not os.path.isfile(name):
        return b""
    try:
        with open(name, "rb") as file:
            return file.read(16)
    except OSError:
        return b""


def _loaded(own: list[_Own], *, json: bool) -> Swept:
    """Load traces of acp-trace, or those of the spool if there are none, and report the results."""
    from acp_trace.cli.load import load_into, say
    from acp_trace.trace.scratch import scratch

    with scratch() as directory:
        names = {}
        for at, (name, data) in enumerate(own):
            path = name
            if data is not None:
                path = str(directory / f"{at}.jsonl")
                Path(path).write_bytes(data)
            names[path] = name
        swept = load_into(common.home(), list(names) or None)
    swept.failed = [(Path(names.get(str(path), str(path))), why) for path, why in swept.failed]
    if not json:
        say(swept, [name for name, _ in own] or None)
    return swept


def _file(name: str) -> File:
    from acp_trace.api.importing import read_file
    from acp_trace.trace.os_errors import reason

    try:
        return read_file(name)
    except OSError as error:
        fail(f"{name}: {reason(error)}", USAGE)


def _imported(
    files: list[File], format_name: str | None, out: Path | None
) -> tuple[list[ImportedTrace], list[NotALog]]:
    """The traces of all logs, kept; and the files that are none."""
    from acp_trace.api.importing import NotALog, in_files, in_store, kept, read_logs
    from acp_trace.store.errors import StoreError
    from acp_trace.trace.os_errors import file_and_reason

    made: list[ImportedTrace] = []
    failed: list[NotALog] = []
    with common.progress("importing") as tick:
        keep = in_store(common.home(), tick) if out is None else in_files(out)
        for log in read_logs(files, format_name):
            if log.best is None:
                failed.append(NotALog(log))
                continue
            if out is not None and not out.is_dir() and (number := len(log.best.traces)) > 1:
                fail(f"{', '.join(log.files)} holds {number} connections: give a directory with --out", USAGE)
            try:
                made += kept(log, keep)
            except StoreError as error:
                fail(str(error), USAGE)
            except OSError as error:
                fail(f"cannot be written: {file_and_reason(error)}", USAGE)
    return made, failed


def _explain(files: list[File], format_name: str | None, *, json: bool) -> None:
    from acp_trace.api.importing import read_logs
    from acp_trace.report.json.log_readings import as_json
    from acp_trace.report.text.log_readings import log_readings

    logs = list(read_logs(files, format_name))
    if json:
        common.print_json([as_json(log) for log in logs])
    else:
        console = common.console()
        for log in logs:
            console.print(log_readings(log, console.width), end="")
    if any(log.best is None for log in logs):
        raise typer.Exit(UNREADABLE)


def _document(one: ImportedTrace) -> dict[str, Any]:
    """A trace as `--json` tells of it."""
    document = {
        name: getattr(one, name) for name in ("id", "format", "files", "state", "frames", "exchanges")
    }
    return {
        **document,
        "unused": len(one.unused),
        "first_unused": [each._asdict() for each in one.unused[:_SHOWN]],
        "times": one.times,
        "senders_inferred": one.senders_inferred,
        "protocol": one.protocol,
        "doubts": one.doubts,
    }


def _say(made: list[ImportedTrace], out: Path | None) -> None:
    import shlex

    from acp_trace.report.safe import safe
    from acp_trace.trace.counts import counted
    from acp_trace.trace.names import short

    for one in {one.files: one for one in made}.values():
        of = f"{safe(', '.join(one.files))}: " if len(made) > 1 else ""
        if one.doubts is not None:
            said = "`acp-trace import --explain` says how it was read"
            typer.echo(f"{of}unlikely: {safe(one.doubts)}; {said}")
        if one.protocol != "ACP":
            typer.echo(f"{of}this is {one.protocol}, not ACP: only the rules of JSON-RPC are applied")
    for one in made:
        notes = [] if one.times else ["no times"]
        notes += ["senders inferred"] if one.senders_inferred else []
        notes += [f"{counted(len(one.unused), 'item')} unused"] if one.unused else []
        extra = f"  ({', '.join(notes)})" if notes else ""
        held = [counted(one.frames, "frame")] if one.frames or not one.exchanges else []
        held += [counted(one.exchanges, "HTTP exchange")] if one.exchanges else []
        typer.echo(f"{one.id}  {safe(one.state)}, {one.format}, {' and '.join(held)}{extra}")
        for each in one.unused[:_SHOWN]:
            typer.echo(f"  {safe(each.where)}: {safe(each.why)}")
        if len(one.unused) > _SHOWN:
            typer.echo(f"  … and {len(one.unused) - _SHOWN} more")
    if made:
        last = made[-1].id
        file = out / f"{last}.jsonl" if out is not None and out.is_dir() else out
        typer.echo(f"to see it: acp-trace show {shlex.quote(short(last) if file is None else str(file))}")
