"""`acp-trace export`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from acp_trace.cli import common


def export(
    trace: common.Trace = "last",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to FILE, which must not exist.")
    ] = None,
    raw: Annotated[
        str | None,
        typer.Option(metavar="client|agent", help="The byte stream of one side in place of the trace."),
    ] = None,
    json: common.Json = False,
) -> None:
    """Write a trace file back, byte for byte.

    With --raw, the bytes that one side sent. With --json, says what was written (needs --out). What
    `acp-trace redact` would take out of the trace is said on stderr.
    """
    from acp_trace.redact.watch import Watch
    from acp_trace.store.export import stream

    common.one_of("--raw", raw, ("client", "agent"))
    if out is None:
        if json:
            raise typer.BadParameter("needs --out FILE", param_hint="--json")
        common.needs_pipe("a trace")
    with common.opened(trace) as source:
        watch = Watch()
        pieces = watch.through(source.file()) if raw is None else stream(source.frames(), raw)
        if out is None:
            for piece in pieces:
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
        else:
            written = write_new(out, pieces)
            if json:
                common.print_json({"trace": source.name, "file": str(out), "bytes": written})
        if held := watch.words():
            print(f"acp-trace: this trace holds {held}: `acp-trace redact` takes that out", file=sys.stderr)


def write_new(out: Path, pieces: Iterable[bytes]) -> int:
    """Into a new file, readable by its owner only, which appears when it is whole; how many bytes."""
    must_be_new(out)
    part = out.with_name(f".{out.name}.part")
    written = 0
    part.unlink(missing_ok=True)  # left behind by a kill, or a link that somebody put there
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            for piece in pieces:
                written += stream.write(piece)
        part.rename(out)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return written


def must_be_new(out: Path) -> None:
    """Ends with exit code 2 where nothing can be written."""
    if not out.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.parent}", param_hint="--out")
    if out.exists():
        raise typer.BadParameter(f"{out} is there already", param_hint="--out")
