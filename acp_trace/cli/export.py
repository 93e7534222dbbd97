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
        Path | None,
        typer.Option(metavar="FILE", help="Write to FILE, which must not exist; for `parquet`, a directory."),
    ] = None,
    raw: Annotated[
        str | None,
        typer.Option(
            metavar="client|agent",
            autocompletion=completion.words(completion.sides),
            help="Write the byte stream of one side instead of the trace.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            autocompletion=completion.words(completion.formats_to_write),
            help="Write the trace as perfetto, mermaid, markdown, jsons, har, otlp or parquet.",
        ),
    ] = None,
    unredacted: Annotated[
        bool, typer.Option("--unredacted", help="Write `markdown` even if the trace contains secrets.")
    ] = False,
    content: Annotated[
        bool, typer.Option("--content", help="Include prompts, answers and arguments in `otlp`.")
    ] = False,
    otlp_endpoint: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Send `otlp` to this collector, such as http://localhost:4318."),
    ] = None,
    json: common.Json = False,
) -> None:
    """Write a trace file again, byte for byte, or in another format.

    Without --raw and --to, the output is JSON Lines, even for a capture that a killed recorder left. --raw
    writes the bytes that one side sent. --to writes a file for another tool (docs/export.md). --json reports
    what was written (needs --out). If the trace contains something that `acp-trace redact` would remove,
    stderr says so.
    """
    from acp_trace.redact.watch import Watch
    from acp_trace.store.export import stream
    from acp_trace.trace import whole_files

    common.one_of("--raw", raw, completion.SIDES)
    common.one_of("--to", to, completion.formats_to_write())
    if to or content or unredacted or otlp_endpoint is not None:
        from acp_trace.cli.export_to import checked, export_to

        export_to(
            trace, checked(to, out, raw, otlp_endpoint, content=content, unredacted=unredacted, json=json)
        )
        return
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
            written = whole_files.put(out, pieces, private=True, new=True)
            if json:
                common.print_json({"trace": source.name, "file": str(out), "bytes": written})
        common.say_secrets(watch.words())
