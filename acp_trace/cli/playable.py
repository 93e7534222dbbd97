"""The recordings that `replay` and its relatives are given: read, each with the settings that apply to it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import NOTHING, USAGE, Misuse, fail
from acp_trace.replay.drive.snapshot import with_snapshot
from acp_trace.replay.settings import SettingError, Settings, changed, settings_in, settings_path
from acp_trace.report.safe import safe, safe_lines
from acp_trace.trace.entries import Entry, Sender

if TYPE_CHECKING:
    from acp_trace.transport.remote import RemoteAgent

_TRACE = ".jsonl"


class Alternative(NamedTuple):
    """Another recording of the same, which may pass in its place."""

    name: str
    entries: Sequence[Entry]


@dataclass(frozen=True, slots=True)
class Playable:
    """A recording that is to be replayed, and how. `path`: its file, if it is one."""

    name: str
    path: Path | None
    entries: Sequence[Entry]
    settings: Settings
    argv: tuple[str, ...]
    alternatives: Sequence[Alternative] = ()


def unfolded(names: Sequence[str]) -> list[str]:
    """The traces that are asked for; those in a directory by name. Ends the process if it has none.

    Of a directory, those that are only an alternative to another one are left out.
    """
    traces: list[str] = []
    for trace in names:
        inside = sorted(Path(trace).glob(f"*{_TRACE}")) if os.path.isdir(trace) else []
        beside = [settings_path(path) for path in inside]
        others = [other for path in beside if path.is_file() for other in from_file(path).alternatives]
        alternatives = {other.resolve() for other in others}
        inside = [path for path in inside if path.resolve() not in alternatives] or inside
        if os.path.isdir(trace) and not inside:
            fail(f"{trace} contains no trace: no file in it ends with {_TRACE}", NOTHING)
        traces += map(str, inside) if inside else [trace]
    return traces


def recorded(trace: str, given: Mapping[str, Any], argv: Sequence[str]) -> Playable:
    """A recording, read, with the settings beside it. Ends the process if that cannot be.

    `given`: the command line's settings, which take precedence over the file's.
    """
    from acp_trace.store.catalog import is_path

    path = Path(trace) if trace != "-" and is_path(trace) else None
    settings = Settings()
    if path is not None and (beside := settings_path(path)).is_file():
        settings = from_file(beside)
    try:
        settings = changed(settings, {**given, **({"agent": list(argv)} if argv else {})}, Path.cwd())
    except SettingError as error:
        fail_lines(str(error))
    with common.opened(trace) as source:
        entries = list(source.entries())
        name = trace if path is not None else source.name
    settings = with_snapshot(settings, path, entries)
    alternatives = [_alternative(other) for other in settings.alternatives]
    return Playable(name, path, entries, settings, settings.agent, alternatives)


def reached(playable: Playable) -> RemoteAgent | None:
    """The agent at the URL of the settings; None if they have none. Raises Misuse, Lacking."""
    from acp_trace.replay.remote_agent import remote_agent

    try:
        return remote_agent(playable.settings)
    except SettingError as error:
        raise Misuse(f"{playable.name}: {error}") from None


def _alternative(path: Path) -> Alternative:
    with common.opened(str(path)) as source:
        return Alternative(str(path), list(source.entries()))


def from_file(path: Path) -> Settings:
    """The settings in a file. Ends the process where they cannot be read."""
    try:
        return settings_in(path)
    except SettingError as error:
        fail_lines(f"{path}: {error}")


def fail_lines(message: str) -> NoReturn:
    """Report a wrong setting, perhaps with a second line with a caret, and end with 2."""
    print(f"acp-trace: {safe_lines(message)}", file=sys.stderr)
    raise SystemExit(USAGE)


def check_faults(recordings: Sequence[Playable], own: Sender, *, is_quiet: bool = False) -> bool:
    """Ends with exit code 2 for a fault that cannot be; whether there are any. Says what a seed chose."""
    faulty = [playable for playable in recordings if playable.settings.is_faulty]
    if not faulty:
        return False
    from acp_trace.replay.faults.chaos import planned
    from acp_trace.replay.plan.builder import plan
    from acp_trace.replay.plan.recording import read

    for playable in faulty:
        settings = playable.settings
        try:
            faults = planned(plan(read(playable.entries), own), settings)
        except SettingError as error:
            fail_lines(f"{playable.name}: {error}")
        if settings.chaos is not None and not is_quiet:
            words = " ".join(f"--fault {shlex.quote(fault.text)}" for fault in faults[len(settings.faults) :])
            chosen = words or "nothing: no message suits a fault"
            print(
                f"acp-trace: {safe(playable.name)}: --chaos {settings.chaos} is {safe(chosen)}",
                file=sys.stderr,
            )
    return True


def number(option: str, text: str) -> int:
    """The value of an option that takes a number from 1 on. Ends with exit code 2 for anything else."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 10_000:
        raise typer.BadParameter(f"{text!r} is not a number above 0", param_hint=option)
    return int(text)
