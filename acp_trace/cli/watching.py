"""`replay --watch`: the same again whenever something changes, until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import typer

_LOOK_MS = 100


def watching(paths: list[str], again: Callable[[], int]) -> None:
    """Runs it now, and after each change of the paths. Does not return but by Ctrl-C."""
    from watchfiles import watch

    for path in paths:
        if not Path(path).exists():
            raise typer.BadParameter(f"there is no {path}", param_hint="--watch")
    # The first run waits until the watch has begun: no change may fall between the two.
    runs = 0
    for changes in watch(*paths, raise_interrupt=True, yield_on_timeout=True, rust_timeout=_LOOK_MS):
        if changes or not runs:
            _once(again)
            runs += 1


def _once(again: Callable[[], int]) -> None:
    """One run. What ends it with an error ends this run only: the next build may be better."""
    try:
        again()
    except (SystemExit, typer.Exit):
        pass
    print("watching; Ctrl-C ends", file=sys.stderr, flush=True)
