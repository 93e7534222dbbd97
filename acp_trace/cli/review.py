"""`acp-trace review`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, options, pending
from acp_trace.cli.errors import DIFFERS, UNREADABLE, USAGE, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.compare.codes import Match
    from acp_trace.compare.model_reader import ModelReader
    from acp_trace.compare.result import Comparison
    from acp_trace.story.reader import EventReader

_ANSWERS = {"a": "accepted", "r": "rejected", "s": "left pending"}


def review(
    places: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            help="Trace files, or directories to search, with their subdirectories. Default: the current "
            "directory.",
        ),
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Accept all runs.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Reject all runs.")] = False,
    all_: options.AllDivergences = False,
) -> None:
    """Walk through runs; accept or reject each as the new recording.

    A replay that found differences leaves the run as NAME.jsonl.new next to the recording. Each run is shown.
    An accepted run becomes the recording; a rejected one is removed. Without a terminal, and without --accept
    or --reject, the runs are only listed, and the exit code is 1 if there are any. A file that is not a
    complete run of the recording is not accepted: the exit code is 3.
    """
    from acp_trace.cli.playing import in_ci
    from acp_trace.report.safe import safe

    if accept and reject:
        raise Misuse("give either --accept or --reject, not both")
    if accept and in_ci():
        raise typer.BadParameter(
            "recordings are not rewritten in CI (the variable CI is set)", param_hint="--accept"
        )
    for place in places or ():
        if not Path(place).exists() and not pending.of(Path(place)).exists():
            fail(f"there is no {place}", USAGE)
    traces = list(dict.fromkeys(pending.found([Path(place) for place in places or ["."]])))
    if not traces:
        print("no runs to review")
        return
    asks = not (accept or reject) and sys.stdin.isatty() and sys.stdout.isatty()
    refused = 0
    for at, trace in enumerate(traces, 1):
        shown, why = ("", None) if reject else _looked_at(trace)
        if why is not None:
            print(f"acp-trace: {safe(str(pending.of(trace)))} {safe(why)}: not accepted", file=sys.stderr)
            refused += 1
            continue
        if asks or not (accept or reject):
            _show(trace, at, len(traces), all_=all_)
        answer = "a" if accept else "r" if reject else _ask() if asks else "s"
        if answer == "q":
            raise typer.Exit(DIFFERS)
        _decide(trace, answer, shown)
        print(f"{_ANSWERS[answer]}: {safe(str(trace))}")
    if refused:
        raise typer.Exit(UNREADABLE)
    if any(pending.of(trace).exists() for trace in traces):
        raise typer.Exit(DIFFERS)


def _looked_at(trace: Path) -> tuple[str, str | None]:
    """The digest of what is next to a recording, and why that cannot take its place; None if it can."""
    try:
        return pending.digest(pending.checked(trace)), None
    except pending.NotARun as error:
        return "", str(error)
    except OSError as error:
        from acp_trace.trace.os_errors import reason

        return "", f"cannot be read: {reason(error)}"


def _show(trace: Path, at: int, count: int, *, all_: bool) -> None:
    from acp_trace.report.ci.places import Place
    from acp_trace.report.text import differences

    names = str(trace), str(pending.of(trace))
    out = common.console()
    out.rule(f"{at} of {count}", style="bright_black")
    text = differences.report(
        _compared(*names),
        names,
        [Place(name, name) for name in names],
        out.width,
        all_=all_,
        cut=out.is_terminal,
    )
    out.print(text, end="", soft_wrap=True)


def _compared(expected: str, actual: str) -> Comparison:
    """Compare by the settings beside the recording; if nothing differs, at `content` with all of the model.

    A run is there because a replay failed, perhaps with options that were not saved.
    """
    from acp_trace.cli.playable import from_file
    from acp_trace.replay.settings import Settings, settings_path

    beside = settings_path(Path(expected))
    settings = from_file(beside) if beside.is_file() else Settings()
    found = _at(settings.match or "semantic", expected, actual, strict=settings.model_strict)
    return _at("content", expected, actual, strict=True) if found.equal else found


def _at(match: Match, expected: str, actual: str, *, strict: bool) -> Comparison:
    from acp_trace.compare.difference import compare, read
    from acp_trace.compare.model_divergences import with_model
    from acp_trace.compare.model_reader import ModelReader

    models = ModelReader(), ModelReader()

    def reader(path: str, model: ModelReader) -> EventReader:
        with common.opened(path) as source:
            return read(source.entries(), match, model)

    readers = reader(expected, models[0]), reader(actual, models[1])
    facts = readers[0].facts(), readers[1].facts()
    return with_model(compare(*readers, match), models, facts, strict=strict)


def _ask() -> str:
    while True:
        try:
            answer = input("[a]ccept, [r]eject, [s]kip, [q]uit? ").strip().lower()[:1]
        except EOFError:
            return "q"
        if answer in (*_ANSWERS, "q"):
            return answer


def _decide(trace: Path, answer: str, shown: str) -> None:
    try:
        if answer == "a":
            pending.accept(trace, shown)
        elif answer == "r":
            pending.forget(trace)
    except pending.NotARun as error:  # changed while it was being looked at
        fail(f"{pending.of(trace)} {error}: not accepted", UNREADABLE)
    except OSError as error:
        from acp_trace.trace.os_errors import reason

        fail(f"{trace} cannot be written: {reason(error)}", USAGE)
