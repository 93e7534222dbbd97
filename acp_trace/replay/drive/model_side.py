"""The agent's language model in a run: a process in its place, which answers from the recording or passes on.

What it answers is decided in that process (`model.matching`). Here it is started before the agent and ended
after it, gets the recording and what has moved since, and says what the agent's environment is to be. What it
writes goes into the trace of the run, so that the run may become the recording.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from acp_trace.model.matching.programs import moved_programs
from acp_trace.model.recorded_environment import RecordedEnvironment, environment_in
from acp_trace.model.secrets import DUMMY
from acp_trace.record.model_side import Lacking, ModelSide
from acp_trace.record.sink import Sink
from acp_trace.replay.drive.agent_start import AgentStart
from acp_trace.replay.incidents import Incident
from acp_trace.replay.plan.recording import CANCELS, Recording
from acp_trace.replay.settings import ModelMode, Settings, model_mode
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.scratch import scratch

_FILE = "recording.jsonl"
#: What the process cannot do without (`acp-trace[model]`).
_NEEDED = ("cryptography", "h11", "hpack", "hyperframe", "wsproto")
_INSTALL = "needs more packages: pip install 'acp-trace[model]', or say `--model off`"
#: As JSON has them, and no text of a message.
_CANCELS = tuple(f'"{method}"'.encode() for method in CANCELS)


class RunModel:
    """What is in the model's place in a run, if anything is."""

    def __init__(self, side: ModelSide | None, start: AgentStart) -> None:
        self._side = side
        self.start = start  #: with the agent's environment as it has to be
        self.incidents: list[Incident] = []

    @property
    def is_recorded(self) -> bool:
        """Whether the run's trace has its model's side."""
        return self._side is not None

    def attach(self, sink: Sink) -> None:
        """From now on, the trace gets what the agent and its model say."""
        if self._side is not None:
            self._side.attach(sink, self._died)

    def on_sent(self, line: bytes) -> None:
        """Takes in what the client has sent: what came from the model after a cancel waits for it."""
        if self._side is not None and any(method in line for method in _CANCELS):
            self._side.cancelled()

    def end(self) -> None:
        """Ends it, when all that was said is in the trace."""
        if self._side is not None:
            self._side.end()

    def _died(self, what: str) -> None:
        self.incidents.append(Incident("model-side-died", what))


def check(entries: Iterable[Entry], settings: Settings) -> None:
    """Raises Lacking if what a recording of these entries needs is not installed. Starts nothing."""
    mode = model_mode(settings, is_recorded=any(entry.kind is EntryKind.MODEL for entry in entries))
    if mode != "off" and not all(find_spec(name) for name in _NEEDED):
        raise Lacking(f"a replay with the agent's model ({mode}) {_INSTALL}")


@contextmanager
def model_side(
    recording: Recording, settings: Settings, actual: Mapping[str, str], start: AgentStart, started: int
) -> Iterator[RunModel]:
    """What is in the model's place while a run goes on. Raises Lacking, and OSError if it does not begin.

    `actual`: the run's directories. `started`: when its trace began, ns, monotonic.
    """
    mode = model_mode(settings, is_recorded=bool(recording.model))
    if mode == "off":
        yield RunModel(None, start)
        return
    check(recording.model, settings)
    recorded = environment_in(recording.model)
    environment = {**dict.fromkeys(recorded.secrets, DUMMY), **start.environment}
    words = {"started": started, "everything": False, **_of_agent(environment)}
    words |= {"hosts": os.environ.get("ACP_TRACE_MODEL_MAP", "") if mode == "live" else ""}
    # The real one may be elsewhere today: then the agent's environment says so.
    bases = [base for base in recorded.bases if mode == "recorded" or base.variable not in environment]
    words |= {"bases": [f"{base.name}={base.url}" for base in bases]}
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
        side = ModelSide(words)
        try:
            yield RunModel(side, replace(start, environment={**environment, **side.environment}))
        finally:
            side.end()


def explained(recording: Recording, settings: Settings) -> str:
    """What is in the model's place, in words."""
    return _EXPLAINED[model_mode(settings, is_recorded=bool(recording.model))]


_EXPLAINED: dict[ModelMode, str] = {
    "recorded": "the recorded answers, without a network",
    "live": "the real one, recorded again",
    "off": "as the agent reaches it: nothing of it is recorded",
}


def _of_agent(environment: Mapping[str, str]) -> dict[str, Any]:
    """How the agent's environment differs from this process's, which the new process gets as it is."""
    changed = {name: value for name, value in environment.items() if os.environ.get(name) != value}
    return {"environment": changed, "removed": [name for name in os.environ if name not in environment]}


def _places(
    recording: Recording, recorded: RecordedEnvironment, actual: Mapping[str, str], start: AgentStart
) -> list[list[str]]:
    """Directories of the recording, and what is in the place of each: what the model is told names them."""
    pairs = [*actual.items(), *((then, os.path.realpath(now)) for then, now in actual.items())]
    pairs += [(recording.agent_cwd, start.directory)] if recording.agent_cwd else []
    for name, directory in recorded.directories.items():
        now = start.environment.get(name)
        if now is not None and os.path.isabs(now):
            pairs.append((directory, now))
    pairs += moved_programs(recording.argv, start.argv)
    return [list(pair) for pair in dict.fromkeys(pairs)]
