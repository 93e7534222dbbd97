"""Where a run takes place: a project, a home, the links to its programs, and a model that stands in.

Whatever is run there has this home and little else in its environment, so that nothing of this machine
gets into a trace, and nothing gets into the user's home.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.real import packages
from tests.real.agents import Agent
from tests.real.standin import StandIn

NOTES = "Buy milk.\n"
_HANG_UP_S = 5  #: for a model to feel that its agent is gone


@dataclass(frozen=True, slots=True)
class Stage:
    """The folders of a run, and what stands in for its model."""

    folder: Path
    model: StandIn | None
    settings: Mapping[str, str]

    @property
    def project(self) -> Path:
        """The folder that the session is about."""
        return self.folder / "project"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def tap(self) -> Path:
        """The folder of `tap.sh`."""
        return self.folder / "tap"

    @property
    def env(self) -> dict[str, str]:
        """The environment, for programs and for commands that look at the traces of a run."""
        return {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.defpath}",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "ACP_TRACE_HOME": str(self.home / "traces"),
            **self.settings,
        }

    def hung_up(self) -> bool:
        """Whether the agent let go of its model, if it has one."""
        return self.model is None or self.model.hung_up.wait(_HANG_UP_S)


@contextmanager
def staged(agent: Agent, folder: Path) -> Iterator[Stage]:
    """Sets the stage. Raises OutOfReach for a missing kit."""
    bin_folder = folder / "bin"
    for path in (folder / "home", folder / "tap", bin_folder):
        path.mkdir(parents=True)
    furnish(folder / "project")
    with suppress(*(() if agent.node else (packages.OutOfReach,))):  # acpx says itself that it has none
        (bin_folder / "node").symlink_to(node())
    (bin_folder / agent.link).symlink_to(agent.install())
    for script in agent.scripts:
        (bin_folder / script.name).symlink_to(script)
    with ExitStack() as stack:
        if agent.settle is None:
            yield Stage(folder, None, {})
            return
        model = stack.enter_context(StandIn())
        yield Stage(folder, model, agent.settle(folder / "home", model.url, agent.models))


def furnish(folder: Path) -> Path:
    """A project as it is when a session begins."""
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text(NOTES)
    return folder


def node() -> Path:
    return packages.npm(*packages.NODE) / ".bin" / "node"
