"""`acp-trace export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from acp_trace.cli import common, completion, outputs


def export(
    trace: common.Trace = "last",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to FILE, which must not exist.")
    ] = None,
    raw: Annotated[
        str | None,
        typer.Option(
            metavar="client|agent",
            autocompletion=completion.words(completion.sides),
            help="Write the byte stream of one side instead of the trace.",
        ),
    ] = None,
    json: common.Json = False,
) -> None:
    """Write a trace file again, byte for byte.

    The output is always lines, also for a capture that a killed recorder left. --raw writes the bytes that
    one side sent. --json reports what was written (needs --out). If the trace contains something that
    `acp-trace redact` would remove, stderr says so.
    """
    from acp_trace.redact.watch import Watch
    from acp_trace.store.export import stream

    common.one_of("--raw", raw, completion.SIDES)
    if out is None:
        if json:
            raise typer.BadParameter("needs --out FILE", param_hint="--json")
        common.needs_pipe("a trace")
    else:
        outputs.must_be_new("--out", out)
    with common.opened(trace) as source:
        watch = Watch()
        pieces = watch.through(source.file()) if raw is None else stream(source.frames(), raw)
        if out is None:
            for piece in pieces:
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
        else:
            written = outputs.put(out, pieces, private=True, new=True)
            if json:
                common.print_json({"trace": source.name, "file": str(out), "bytes": written})
        if secrets := watch.words():
            print(
                f"acp-trace: this trace contains {secrets}: `acp-trace redact` removes that", file=sys.stderr
            )
