"""The agent's language model in a run: a process in its place, which answers from the recording or forwards.

That process decides what it answers (`model.matching`). This module starts it before the agent and ends it
after the agent, gives it the recording and the changed places, and gets the agent's environment from it. Its
records go into the trace of the run, so that the run may become the recording.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from acp_trace.model.proxy import environment as proxy_environment
from acp_trace.model.proxy import profiles
from acp_trace.model.proxy.settings import BASE
from acp_trace.model.recorded_environment import RecordedEnvironment, environment_in, may_name_directory
from acp_trace.normalize.programs import moved_programs
from acp_trace.record.model_side import Lacking, ModelSide
from acp_trace.record.sink import Sink
from acp_trace.replay.declared import ModelMode
from acp_trace.replay.drive.agent_start import AgentStart
from acp_trace.replay.faults.declaration import PlannedFault
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.recorded_variables import AgentVariable, RecordedVariables, dummies, recorded_variables
from acp_trace.replay.settings import Settings, model_mode
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.scratch import scratch

_FILE = "recording.jsonl"
#: Packages that the process needs (`acp-trace[model]`).
_NEEDED = ("cryptography", "h11", "hpack", "hyperframe", "wsproto")
_INSTALL = "needs more packages: pip install 'acp-trace[model]', or use `--model off`"


class RunModel:
    """What takes the model's place in a run, if anything does."""

    def __init__(
        self, side: ModelSide | None, start: AgentStart, chosen: RecordedVariables | None = None
    ) -> None:
        self._side = side
        self.start = start  #: with the necessary environment of the agent
        self.incidents: list[Incident] = [] if chosen is None else [*chosen.incidents]

    @property
    def is_recorded(self) -> bool:
        """Whether the run's trace has its model's side."""
        return self._side is not None

    def attach(self, sink: Sink) -> None:
        """Write the traffic of the agent and its model into the trace from now on."""
        if self._side is not None:
            self._side.attach(sink, self._died)

    @property
    def on_cancel(self) -> Callable[[], None] | None:
        """The function to call when the agent has a cancel: model answers recorded after one wait for it."""
        return None if self._side is None else self._side.cancelled

    def end(self) -> None:
        """End it, after everything recorded is in the trace."""
        if self._side is not None:
            self._side.end()

    def _died(self, what: str) -> None:
        self.incidents.append(Incident("model-side-died", what))


def check(entries: Iterable[Entry], settings: Settings) -> None:
    """Raise Lacking if a package for a recording of these entries is not installed. Starts nothing."""
    mode = model_mode(settings, is_recorded=any(entry.kind is EntryKind.MODEL for entry in entries))
    if mode != "off" and not all(find_spec(name) for name in _NEEDED):
        raise Lacking(f"a replay with the agent's model ({mode}) {_INSTALL}")


@contextmanager
def model_side(
    recording: Recording,
    settings: Settings,
    actual: Mapping[str, str],
    start: AgentStart,
    started: int,
    faults: Sequence[PlannedFault] = (),
) -> Iterator[RunModel]:
    """Run what takes the model's place during a run. Raises Lacking, and OSError if it does not begin.

    `actual`: the run's directories. `started`: when its trace began, ns, monotonic. `faults`: of the model.
    """
    mode = model_mode(settings, is_recorded=bool(recording.model))
    if mode == "off":
        yield RunModel(None, start)
        return
    check(recording.model, settings)
    recorded = environment_in(recording.model)
    chosen = _chosen(recording, settings, start.environment)
    environment = {**dummies(chosen.keys), **start.environment}
    words = {"started": started, "everything": False, **of_agent(environment)}
    words |= {"hosts": os.environ.get("ACP_TRACE_MODEL_MAP", "") if mode == "live" else ""}
    words |= {"bases": list(chosen.bases)}
    with scratch() as directory:
        if mode == "recorded":
            path = os.path.join(tempfile.mkdtemp(prefix="", dir=directory), _FILE)
            with open(path, "wb") as file:
                file.writelines(entry.raw for entry in recording.model)
            places = _places(recording, recorded, actual, start)
            loose = settings.model_match == "loose"
            pace = str(settings.pace_factor)
            serve = {"recording": path, "places": places, "loose": loose, "pace": pace}
            words["serve"] = {**serve, "cancels": recording.cancelled_calls}
            words["serve"]["faults"] = [[each.kind.name, each.nth or 0, each.time_ns] for each in faults]
        side = ModelSide(words)
        try:
            yield RunModel(side, replace(start, environment={**environment, **side.environment}), chosen)
        finally:
            side.end()


def variables(
    recording: Recording, settings: Settings, environment: Mapping[str, str]
) -> list[AgentVariable]:
    """Return the variables that are set for the agent's model, and those that are not, with reasons.

    `environment`: the agent's, without these changes.
    """
    if model_mode(settings, is_recorded=bool(recording.model)) == "off":
        return []
    chosen = _chosen(recording, settings, environment)
    named = {base.partition("=")[0] for base in chosen.bases}
    found = [base.variable for base in profiles.found(environment, named)]
    is_led = bool(found or named)
    return [
        *chosen.variables,
        *(AgentVariable(name, is_set=True, why=_FOUND) for name in found),
        *([AgentVariable(BASE, is_set=True, why=_LAST)] if is_led else []),
        *(AgentVariable(name, is_set=True, why=why) for name, why in proxy_environment.SET.items()),
    ]


_FOUND = "your own base URL on this machine: leads through acp-trace's proxy"
_LAST = "the last of these base URLs, for an agent that takes it as an argument"


def _chosen(recording: Recording, settings: Settings, environment: Mapping[str, str]) -> RecordedVariables:
    mode = model_mode(settings, is_recorded=bool(recording.model))
    return recorded_variables(
        environment_in(recording.model),
        environment,
        settings.model_bases,
        "live" if mode == "live" else "recorded",
        proxy_environment.SET,
    )


def explained(recording: Recording, settings: Settings) -> str:
    """Return what takes the model's place, in words."""
    return _EXPLAINED[model_mode(settings, is_recorded=bool(recording.model))]


_EXPLAINED: dict[ModelMode, str] = {
    "recorded": "the recorded answers, without a network",
    "live": "the real one, recorded again",
    "off": "the one that the agent reaches itself, not recorded",
}


def of_agent(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return how the agent's environment differs from this process's, which the new process inherits."""
    changed = {name: value for name, value in environment.items() if os.environ.get(name) != value}
    return {"environment": changed, "removed": [name for name in os.environ if name not in environment]}


def _places(
    recording: Recording, recorded: RecordedEnvironment, actual: Mapping[str, str], start: AgentStart
) -> list[list[str]]:
    """Return directories of the recording, each with its replacement: model requests name them."""
    pairs = [*actual.items(), *((then, os.path.realpath(now)) for then, now in actual.items())]
    pairs += [(recording.agent_cwd, start.directory)] if recording.agent_cwd else []
    for name, directory in recorded.directories.items():
        now = start.environment.get(name, "")
        if may_name_directory(name) and os.path.isabs(now) and now.strip(os.sep):
            pairs.append((directory, now))
    pairs += moved_programs(recording.argv, start.argv)
    return [list(pair) for pair in dict.fromkeys(pairs)]
