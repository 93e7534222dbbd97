"""`acp-trace team pull`: traces from a place that a team shares, into the store or into files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, outputs, places
from acp_trace.cli.errors import UNREADABLE, USAGE, Misuse

if TYPE_CHECKING:
    from acp_trace.places.layout import Kept
    from acp_trace.places.place import SharedPlace


def pull(
    dest: places.Destination,
    traces: Annotated[
        list[str],
        typer.Argument(
            metavar="ID", help="Traces. Each is an id or its unique beginning or end, `last` or `last~2`."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            help="Write the trace to FILE, which must not exist, or each to a file in DIR.",
        ),
    ] = None,
    json: common.Json = False,
) -> None:
    """Pull traces from a place into the store, or into files.

    To look at a trace without keeping it, give its address to any command: `acp-trace show DEST/ID`.
    """
    from acp_trace.places.pull import BadObject, find
    from acp_trace.report.safe import safe

    if out is not None and not out.is_dir():
        if len(traces) > 1:
            raise Misuse("several traces need a directory: --out DIR")
        outputs.must_be_new("--out", out)
    rows, ends_with = [], 0
    with places.opened(dest) as place:
        for kept in [find(place, text) for text in dict.fromkeys(traces)]:
            try:  # what fails here stops no other
                where, why = _to_store(place, kept) if out is None else (_to_file(place, kept, out), None)
            except BadObject as error:
                where, why, ends_with = "failed", str(error), UNREADABLE
            except _NotWritten as error:
                where, why, ends_with = "failed", str(error), max(ends_with, USAGE)
            else:
                ends_with = ends_with if why is None else UNREADABLE
            rows.append({"id": kept.id, "key": kept.key, "state": where, "why": why})
    if json:
        common.print_json({"place": places.url_of(dest), "pulled": rows})
    for row in rows:
        if row["why"] is not None:
            print(f"acp-trace: {safe(row['why'])}", file=sys.stderr)
        elif not json:
            typer.echo(f"{row['id']}  {row['state']}")
    if ends_with:
        raise typer.Exit(ends_with)


class _NotWritten(Exception):
    """The file that --out names, or one in its directory, cannot be written. The message is one line."""


def _to_file(place: SharedPlace, kept: Kept, out: Path) -> str:
    from acp_trace.places import pull as pulling
    from acp_trace.trace import whole_files
    from acp_trace.trace.os_errors import reason

    path = out / f"{kept.id}.jsonl" if out.is_dir() else out
    try:
        whole_files.put(path, pulling.lines(place, kept), private=True, new=True)
    except FileExistsError as error:
        raise _NotWritten(f"{path} already exists") from error
    except OSError as error:
        raise _NotWritten(f"{path} cannot be written: {reason(error)}") from error
    return f"written to {path}"


def _to_store(place: SharedPlace, kept: Kept) -> tuple[str, str | None]:
    """What became of it, and why it failed."""
    from acp_trace.places import pull as pulling
    from acp_trace.store.sweep import load_files
    from acp_trace.trace import whole_files
    from acp_trace.trace.scratch import scratch

    with scratch() as directory, common.progress("importing") as tick:
        path = directory / f"{kept.id}.jsonl"
        whole_files.put(path, pulling.lines(place, kept), private=True)
        swept = load_files(common.home(), [path], tick=tick)
    for _, why in swept.failed:
        return "failed", common.failure(kept.id, why)
    return swept.loaded[0].state, None
