"""How an agent is started for a replay: in which directory, and with which words.

`agent_place` decides where it starts, which `replay --explain` shows as well; `agent_words` finds the files
that its command line names, and `agent_home` is its home. This module does not start anything (`process`
does).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from acp_trace.replay.declared import RUN
from acp_trace.replay.drive import agent_home
from acp_trace.replay.drive.agent_words import caller_directory, located
from acp_trace.replay.drive.directories import made_below
from acp_trace.replay.drive.process import own_environment
from acp_trace.replay.files_named import below
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.recorded_variables import AgentVariable
from acp_trace.replay.settings import Settings
from acp_trace.trace.scratch import scratch

Kind = Literal["given", "session", "run"]


@dataclass(frozen=True, slots=True)
class AgentPlace:
    """Where an agent starts, and why.

    `given`: in `directory`. `session`: in the run's directory for the recorded one, or in `below` inside it.
    `run`: in the directory of the run's first session. `is_moved`: in the recording, it started outside the
    directories of its sessions.
    """

    kind: Kind
    directory: str
    why: str
    below: str = ""
    is_moved: bool = False

    @property
    def shown(self) -> str:
        """Return it for people, before there are directories of a run."""
        return f"{self.where}: {self.why}"

    @property
    def where(self) -> str:
        """Return the directory without the reason."""
        return self.directory if self.kind == "given" else "the run's directory"


@dataclass(frozen=True, slots=True)
class AgentStart:
    """What a process is started with. `note`: what to report about its directory."""

    argv: tuple[str, ...]
    directory: str
    environment: Mapping[str, str]
    chosen: str  #: the directory in words, if the user did not choose it
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ExplainedStart:
    """How an agent would be started, in words."""

    argv: tuple[str, ...]
    made_absolute: list[str]  #: words that name files in the caller's directory
    starts_in: str  #: and why
    home: str
    model: str  #: what takes the place of its language model
    variables: Sequence[AgentVariable] = ()  #: of its environment, which are set or removed, and why


def explained_start(
    recording: Recording,
    argv: Sequence[str],
    settings: Settings,
    model: str,
    of_model: Sequence[AgentVariable] = (),
) -> ExplainedStart:
    """Return how the agent of a run would be started, with `model` in its model's place. Makes nothing.

    `of_model`: variables that are set for that.
    """
    words = located(argv, caller_directory())
    changed = [was for was, now in zip(argv, words, strict=True) if was != now]
    place = agent_place(recording.agent_cwd, recording.directories, settings)
    return ExplainedStart(
        words,
        changed,
        place.shown,
        agent_home.shown(settings),
        model,
        [*agent_home.variables(settings), *of_model],
    )


def agent_place(recorded: str, sessions: Sequence[str], settings: Settings) -> AgentPlace:
    """Return where an agent starts that was recorded in a directory, with sessions in these.

    Never in a directory that only the recording names: the user has not allowed anything to run there.
    """
    if isinstance(settings.agent_cwd, Path):
        return AgentPlace("given", os.path.abspath(settings.agent_cwd), "--agent-cwd")
    if settings.agent_cwd == RUN:
        return AgentPlace("run", "", f"--agent-cwd {RUN}")
    if not recorded:
        return AgentPlace("run", "", "the recording does not say where the agent was started")
    for session in sorted(sessions, key=len, reverse=True):
        for name in _names(session):
            if (inner := _below(recorded, name)) is not None:
                where = "inside its" if inner else "its"
                why = f"in the recording, it started in {recorded}, {where} session's directory"
                return AgentPlace("session", session, why, inner)
    if not sessions:
        return AgentPlace("run", "", f"in the recording, it started in {recorded}, and no session was opened")
    why = f"in the recording, it started in {recorded}, outside of the directories of its sessions"
    return AgentPlace("run", "", why, is_moved=True)


def is_usable(directory: str) -> bool:
    """Whether a recorded directory exists, belongs to this user, and others cannot write to it.

    So a stored session cannot make an agent work where another user has put files for it.
    """
    try:
        status = os.stat(directory)
    except (OSError, ValueError):
        return False
    own = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o002)
    return os.path.isabs(directory) and os.path.isdir(directory) and own


def prepared(
    recording: Recording,
    argv: Sequence[str],
    settings: Settings,
    actual: Mapping[str, str],
    removed: ExitStack,
) -> AgentStart:
    """Return how the agent of a run is started. `actual`: the run's directories. Raises OSError for new ones.

    `removed`: removes what is made here.
    """
    place = agent_place(recording.agent_cwd, recording.directories, settings)
    scratched: list[Path] = []

    def fresh() -> str:
        if not scratched:
            scratched.append(removed.enter_context(scratch()))
        return tempfile.mkdtemp(prefix="", dir=scratched[0])

    directory: str | None = None
    if place.kind == "given":
        directory = place.directory
    elif place.kind == "session":
        root = actual[place.directory]
        directory = (made_below(root, place.below) if place.below else root) or root
    elif actual:
        directory = next(iter(actual.values()))
    elif settings.cwd is not None:
        directory = os.path.abspath(settings.cwd)
    directory = directory or fresh()
    home = agent_home.directory(settings, fresh)
    variables = agent_home.environment(own_environment(), directory, home)
    note = None
    if place.is_moved:
        note = (
            f"the agent started in the run's directory: {place.why}. `--agent-cwd DIR` sets another directory"
        )
    chosen = "" if settings.agent_cwd is not None else place.where
    return AgentStart(located(argv, caller_directory()), directory, variables, chosen, note)


def _names(directory: str) -> list[str]:
    """Return a directory's name for a client, and the system's if it exists here (with links followed)."""
    if "\0" in directory:
        return []
    return [directory, os.path.realpath(directory)] if os.path.isabs(directory) else [directory]


def _below(path: str, above: str) -> str | None:
    """Return the rest of a path below a directory: `""`, or `/docs` of `/w/docs` in `/w`; else None."""
    found = below(path, [above])
    return found and f"/{found[1]}".rstrip("/")
