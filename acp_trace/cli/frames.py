"""`acp-trace frames`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import NOTHING, fail

if TYPE_CHECKING:
    from acp_trace.analyze.analyzer import Frame


def frames(
    trace: common.Trace = "last",
    sender: Annotated[
        str | None, typer.Option("--from", metavar="client|agent", help="Frames of one side.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(metavar="GLOB", help="Frames of these methods, and the responses to them."),
    ] = None,
    update: Annotated[
        str | None, typer.Option(metavar="KIND", help="session/update of this kind (a glob).")
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="One session; a part of its id will do.")
    ] = None,
    grep: Annotated[str | None, typer.Option(metavar="RE", help="Frames whose text matches.")] = None,
    around: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Frame N with ten frames on either side.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Pretty-print each frame.")] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One JSON object a line.")] = False,
    json: common.Json = False,
) -> None:
    """List the frames themselves, one line each.

    ▸ goes from client to agent, ◂ from agent to client. A response shows `#n method` of the request
    that it answers. Filters add up. Ends with 4 where no frame matches.
    """
    from acp_trace.report.filters import BadFilter, Filter

    common.one_of("--from", sender, ("client", "agent"))
    try:
        wanted = Filter(sender, method, update, session, grep, around)
    except BadFilter as error:
        raise typer.BadParameter(str(error), param_hint="--grep") from None
    with common.opened(trace) as source:
        found = wanted.of(source.frames())
        count = _as_json(found, one_list=json) if json or jsonl else _as_lines(found, full)
    if not count:
        fail("no frame matches", NOTHING)


def _as_lines(found: Iterable[Frame], full: bool) -> int:
    from acp_trace.report.text import frame_list as framelist

    console = common.console()
    terminal = sys.stdout.isatty()
    count = 0
    for frame in found:
        if not count and terminal and not full:
            console.print(framelist.heading(console.width), style="bright_black")
        count += 1
        console.print(framelist.line(frame, console.width if terminal else None), soft_wrap=True)
        if full:
            console.print(framelist.full(frame), soft_wrap=True)
    return count


def _as_json(found: Iterable[Frame], *, one_list: bool) -> int:
    import msgspec

    from acp_trace.report.text.frame_list import as_json

    if one_list:
        rows = [as_json(frame) for frame in found]
        common.print_json(rows)
        return len(rows)
    count = 0
    for frame in found:
        count += 1
        common.write(msgspec.json.encode(as_json(frame)) + b"\n")
    return count
