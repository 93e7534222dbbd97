"""Trace files into the store: for `acp-trace import`, and for `load`, its older name for them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import common, places
from acp_trace.cli.errors import UNREADABLE, Misuse

if TYPE_CHECKING:
    from acp_trace.store.sweep import Swept
    from acp_trace.trace.home import Home


def load(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            help="Trace files, captures too, `-` for standard input; by default, all traces in the spool.",
        ),
    ] = None,
    background: Annotated[bool, typer.Option("--background", hidden=True)] = False,
    json: common.Json = False,
) -> None:
    """Load trace files into the store: an older name of `import`.

    A FILE stays where it is; files in the spool are removed once they are loaded. Loading a file again
    changes nothing. From a damaged file, everything that can be read is loaded.
    """
    for file in files or ():
        places.not_an_address(file, "team pull {place} {trace}")
    home = common.home()
    if background:
        _in_background(home)
        return
    result = load_into(home, files)
    if json:
        common.print_json({"loaded": result.loaded, "failed": failures(result)})
    else:
        say(result, files)
    if result.failed:
        raise typer.Exit(UNREADABLE)


def load_into(home: Home, files: list[str] | None) -> Swept:
    """Load these files, or all traces of the spool, and return the results.

    Raises StoreError, and Misuse for a live file.
    """
    from acp_trace.store.sweep import load_files, sweep

    with common.progress() as tick:
        if files:
            return load_files(home, [_whole(Path(file)) for file in files], tick=tick)
        return sweep(home, tick=tick)


def failures(result: Swept) -> list[dict[str, str]]:
    """Return the files that could not be loaded, as `--json` has them."""
    return [{"file": str(path), "why": why} for path, why in result.failed]


def say(result: Swept, files: list[str] | None) -> None:
    """Print the result for each file, failures on stderr. `files`: None for those of the spool."""
    from acp_trace.report import units
    from acp_trace.report.safe import safe

    for loaded in result.loaded:
        notes = [] if loaded.complete else ["incomplete: no footer"]
        if loaded.damaged:
            notes.append(f"{loaded.damaged} damaged lines")
        if loaded.torn_bytes:
            notes.append(f"last line torn, {units.size(loaded.torn_bytes)} cut")
        extra = f"  ({'; '.join(notes)})" if notes else ""
        typer.echo(f"{safe(loaded.trace_id)}  {loaded.state}, {units.number(loaded.frames)} frames{extra}")
    for path, why in result.failed:
        typer.echo(f"acp-trace: {common.failure(path, why)}", err=True)
    if not files and not result.loaded and not result.failed:
        typer.echo("the spool is empty")


def _whole(path: Path) -> Path:
    """A live trace is loaded when it ends: half of it now would only be replaced."""
    from acp_trace.trace import lock

    if lock.held(path):
        from acp_trace.report.safe import safe

        raise Misuse(f"{safe(str(path))} is being recorded; it is imported when it ends")
    return path


def _in_background(home: Any) -> None:
    """What a recorder starts when it ends: never waits for the store, never says anything."""
    from acp_trace.store.errors import StoreError
    from acp_trace.store.sweep import sweep
    from acp_trace.trace.names import PUSHES

    if hasattr(os, "nice"):
        os.nice(10)
    os.chdir("/")
    with contextlib.suppress(StoreError, OSError):
        sweep(home, patience=0)
    if (home.path / PUSHES).exists():
        from acp_trace.places.door import team

        with contextlib.suppress(StoreError, OSError):
            team("bucket.standing").run(home)
