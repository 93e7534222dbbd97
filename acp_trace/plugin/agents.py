"""Which agent a replay starts, and where: the command line's, the replay's own, or that of the ini file."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

OPTION = "--acp-agent"
INI = "acp_agent"


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents given to pytest. Agents from tests and settings are started in `root`."""

    command: tuple[str, ...]  #: from the command line: in place of all others
    called_in: Path
    default: tuple[str, ...]  #: from the ini file: for replays that name none
    root: Path

    def chosen(self, own: Sequence[str]) -> tuple[tuple[str, ...], Path]:
        """Return the agent's command, and the directory in which it is started."""
        if self.command:
            return self.command, self.called_in
        return tuple(own) or self.default, self.root


def agents(config: pytest.Config) -> Agents:
    """Return the agents of a pytest run. Raises UsageError."""
    given = config.getoption(OPTION)
    try:
        command = None if given is None else shlex.split(given)
    except ValueError as error:
        raise pytest.UsageError(f"{OPTION}: {error}") from None
    if command is not None and not any(command):
        raise pytest.UsageError(f"{OPTION} is empty: it is the agent's command")
    called_in = config.invocation_params.dir
    return Agents(tuple(command or ()), called_in, tuple(config.getini(INI)), config.rootpath)
