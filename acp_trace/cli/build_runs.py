"""Recordings played to builds, for `matrix` and `bisect`: which recordings, with which command."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from acp_trace.builds.judged import JudgedRun, judged
from acp_trace.builds.kept import KeptFile
from acp_trace.cli import common, playable
from acp_trace.cli.errors import Misuse
from acp_trace.cli.playable import Playable
from acp_trace.replay.drive import model_side
from acp_trace.replay.drive.replay_and_compare import ComparedRun
from acp_trace.replay.settings import SettingError, changed, without_model
from acp_trace.report.statements.replays import Replayed
from acp_trace.trace.os_errors import reason
from acp_trace.trace.scratch import scratch

#: What is said of a run beside which builds were installed: it may only have been late.
AGAIN = "while builds were installed: it will run again, alone"
#: Called with each finished run, and with what was played.
Take = Callable[[Playable, JudgedRun, ComparedRun], None]


class Keeper:
    """Keeps the results. If that fails, it says so once, and the next run does the work again."""

    def __init__(self, kept: KeptFile) -> None:
        self._kept = kept
        self._cannot = False

    def keep(self, what: object) -> None:
        """Keep this in place of the previous results."""
        if self._cannot:
            return
        try:
            self._kept.write(what)
        except OSError as error:
            self._cannot = True
            common.note(f"the results cannot be saved for the next run: {reason(error)}")


def recordings(traces: Sequence[str], settings: Mapping[str, Any]) -> list[Playable]:
    """The recordings, each with its settings. `settings`: of the command line. Raises Misuse and Lacking."""
    from acp_trace.replay.declared import given

    overrides = given({keyword: value for keyword, value in settings.items() if value is not False}, str)
    found = [playable.recorded(trace, overrides, ()) for trace in playable.unfolded(traces)]
    for each in found:
        if (why := without_model(each.settings, each.entries)) is not None:
            raise Misuse(f"{each.name} {why}")
        model_side.check(each.entries, each.settings)
    names = [each.name for each in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Misuse(f"{twice} is given twice")
    return found


def identity(recording: Playable) -> str:
    """What tells a recording with its settings from all others: a digest."""
    digest = hashlib.sha256()
    for entries in (recording.entries, *(each.entries for each in recording.alternatives)):
        for entry in entries:
            digest.update(entry.raw)
        digest.update(b"\0")
    digest.update(repr(replace(recording.settings, agent=(), url=None, headers=(), ca=None)).encode())
    return digest.hexdigest()


def with_build(recording: Playable, argv: Sequence[str]) -> Playable:
    """The recording, to be played to a build: in place of the agent that its settings name."""
    try:
        settings = changed(recording.settings, {"agent": list(argv)}, Path.cwd())
    except SettingError as error:
        raise Misuse(str(error)) from None
    return replace(recording, argv=tuple(argv), settings=settings)


def play(recordings: Sequence[Playable], take: Take, *, jobs: int, looked_for: str = "") -> None:
    """Plays each to its build, at most `jobs` side by side; hands on what is kept of each, in order.

    A home directory that is given is copied for each run: what one version leaves there, such as a database
    in a newer form, would change what another one does.
    """
    from acp_trace.cli.playing import play_all

    def over(recording: Playable, made: ComparedRun, replayed: Replayed) -> None:
        take(recording, judged(recording.entries, made, replayed.took_ns, looked_for), made)

    with ExitStack() as removed:
        play_all([_at_home(each, removed) for each in recordings], over, jobs=jobs, loads=False)


def _at_home(recording: Playable, removed: ExitStack) -> Playable:
    """The recording with a home directory of its own, if one is given. Raises OSError."""
    given = recording.settings.home
    if not isinstance(given, Path):
        return recording
    home = removed.enter_context(scratch()) / "home"
    shutil.copytree(given, home, symlinks=True)
    return replace(recording, settings=replace(recording.settings, home=home))
