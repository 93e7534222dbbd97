"""The home of an agent: yours, a new one (`--home fresh`) or a directory; and the variables that this sets.

The module that starts the agent makes the new directory (`agent_start`, `record_written`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from acp_trace.replay.declared import FRESH, RUN
from acp_trace.replay.drive.process import own_environment
from acp_trace.replay.recorded_variables import AgentVariable
from acp_trace.replay.settings import Settings

#: Where tools keep a user's files, below HOME, unless a variable names another place.
_XDG = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}
#: Sockets of the user's session: an isolated agent does not talk to them.
_RUNTIME = "XDG_RUNTIME_DIR"


def directory(settings: Settings, fresh: Callable[[], str]) -> str | None:
    """Return the home of an agent; None for yours. `fresh` makes a directory."""
    if settings.home == FRESH:
        return fresh()
    return None if settings.home is None else os.path.abspath(settings.home)


def shown(settings: Settings) -> str:
    """Return the home, for people."""
    return "yours" if settings.home is None else "a new one" if settings.home == FRESH else str(settings.home)


def explained_environment(settings: Settings) -> dict[str, str]:
    """Return the variables that an agent would have, except its model's, with new directories as `run`."""
    home = None if settings.home is None else RUN if settings.home == FRESH else str(settings.home)
    return environment(own_environment(), RUN, home)


def variables(settings: Settings) -> list[AgentVariable]:
    """Return the variables that `environment` sets or removes for a run's agent, with reasons."""
    given = own_environment()
    home = () if settings.home is None else ("HOME", *(name for name in _XDG if name in given))
    removed = ["OLDPWD", *([_RUNTIME] if home else [])]
    return [
        AgentVariable("PWD", is_set=True, why="the directory in which the agent starts"),
        *(AgentVariable(name, is_set=True, why="--home") for name in home),
        *(
            AgentVariable(name, is_set=False, why="removed: it is from your environment")
            for name in removed
            if name in given
        ),
    ]


def environment(given: Mapping[str, str], directory: str, home: str | None) -> dict[str, str]:
    """Return an agent's variables: those given, with the directory as PWD. `home`: the user's home for it.

    Agents trust PWD: one that kept ours would work in our directory. XDG variables that are not set are below
    HOME in any case, and some agents look elsewhere once they are set.
    """
    variables = {**given, "PWD": directory}
    variables.pop("OLDPWD", None)
    if home is not None:
        moved = {name: os.path.join(home, below) for name, below in _XDG.items() if name in given}
        variables |= {"HOME": home, **moved}
        variables.pop(_RUNTIME, None)
    return variables
