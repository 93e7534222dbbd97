"""An agent, probed: each conversation with a process or a connection of its own, recorded as by `drive`.

An agent that hangs is ended, and its trace says why (`aborted`). Nothing is judged here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from acp_trace.conform.evidence import LABEL, Evidence, evidence
from acp_trace.conform.probes import CANCEL_PROMPT, PROBES, PROMPT, Probe, Table, script
from acp_trace.protocol import methods
from acp_trace.replay.drive import scripted_run
from acp_trace.replay.drive.directories import directories
from acp_trace.replay.drive.scripted_run import ScriptedRun
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.plan.recording import read
from acp_trace.replay.settings import Settings
from acp_trace.replay.timeouts import END_OTHER_NS
from acp_trace.replay.written.announced import Announced, announced
from acp_trace.trace.entries import Entry
from acp_trace.trace.parse import stderr_lines

#: How long an agent whose input is closed is given to end by itself; later ones of an agent that did not.
_END_NS, _STAYED_NS = 5 * END_OTHER_NS, END_OTHER_NS // 2


class CannotRun(Exception):
    """The peer could not be started or reached. The message is one line."""


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """How an agent is probed. `replay`: where it is, and how long it may say nothing.

    `traces`: the directory for its traces; None for the spool. `login`: the id of the method to log in with.
    """

    argv: Sequence[str] = ()
    prompts: tuple[str, ...] = (PROMPT,)
    cancel_prompt: str = CANCEL_PROMPT
    traces: Path | None = None
    replay: Settings = field(default_factory=Settings)
    login: str | None = None


@dataclass(slots=True)
class Probed:
    """The results of probes. `notes`: which were left out, and why; `files`: traces with their entries.

    `stderr`: what an agent wrote there, if it ended before it sent a message.
    """

    traces: list[Evidence]
    notes: list[str]
    files: list[tuple[str, list[Entry]]]
    stderr: Sequence[str] = ()


class Probing:
    """Probe one agent. `tick` gets the name of each probe before it begins."""

    def __init__(
        self, settings: ProbeSettings, stop: Stop, tick: Callable[[str], None] = lambda _: None
    ) -> None:
        self._settings, self._stop, self._tick = settings, stop, tick
        self._has_stayed = False
        self._traces: list[Evidence] = []
        self._notes: list[str] = []
        self._files: list[tuple[str, list[Entry]]] = []
        self._stderr: Sequence[str] = ()

    def run(self, probes: Sequence[Probe] = PROBES) -> Probed:
        """Run the probes in order. Raises CannotRun if there is no agent, OSError for our own files."""
        for probe in probes:
            if self._stop.is_set():
                break
            if (why := self._left_out(probe)) is not None:
                if why:
                    self._notes.append(f"{probe.name}: {why}")
                continue
            self._tick(probe.name)
            self._probed(probe)
            if len(self._traces) == 1 and not any(self._traces[0].results_of(methods.INITIALIZE)):
                self._notes.append("the agent did not answer initialize, so nothing else was tried")
                break
        return Probed(self._traces, self._notes, self._files, self._stderr)

    def _left_out(self, probe: Probe) -> str | None:
        """Why a probe is not run: a text, or empty if the report says it anyway; None if it is run."""
        if probe.is_for_pipes and self._settings.replay.url is not None:
            return ""
        if probe.capability and not (self._traces and self._traces[0].announced(probe.capability)):
            return ""
        if probe.needs and not self._has(methods.NEW):
            return f"needs a session, and {self._error(methods.NEW)}"
        if probe.needs == "prompt" and not self._has(methods.PROMPT):
            return f"needs a prompt that is answered, and {self._error(methods.PROMPT)}"
        return None

    def _has(self, method: str) -> bool:
        return any(any(trace.results_of(method)) for trace in self._traces)

    def _error(self, method: str) -> str:
        # The first call is as it should be; later ones may be wrong on purpose.
        first = next((call for trace in self._traces for call in trace.calls_of(method)), None)
        error = None if first is None else first.error
        return f"{method} was not answered" if error is None else f"{method} got {error.get('message')!r}"

    def _probed(self, probe: Probe) -> None:
        """One probe, with as many processes as it needs."""
        with ExitStack() as removed:
            made = removed.enter_context(directories(["session"], cwd=None, workspace=None, stop=self._stop))
            cwd = os.path.realpath(made["session"])
            prompts = {"prompt": self._settings.prompts[0], "cancel_prompt": self._settings.cancel_prompt}
            words = {"cwd": cwd, **prompts}
            login = self._settings.login if probe.logs_in else None
            offered = self._offered if probe.offered else None
            first = self._said(probe.name, probe.steps, words, login, offered)
            if not probe.again or "a" not in first.sessions:
                return
            words["session"] = first.sessions["a"]
            second = self._said(f"{probe.name}-again", probe.again, words, login)
            if any(each.status == "refused" for each in second.outcomes):
                self._said(f"{probe.name}-otherwise", probe.otherwise, words, login)

    @property
    def _offered(self) -> Announced | None:
        """What the first session offered that a probe opened."""
        recordings = (read(entries) for _, entries in self._files)
        found = (announced(each) for each in recordings)
        return next((each for each in found if each.modes or each.options), None)

    def _said(
        self,
        name: str,
        said: Sequence[Table],
        words: Mapping[str, str],
        login: str | None,
        offered: Announced | None = None,
    ) -> ScriptedRun:
        """One conversation with a process or connection of its own, recorded."""
        settings = self._settings
        run = scripted_run.drive(
            script(said, words, settings.prompts, offered, login),
            settings.argv,
            replace(settings.replay, cwd=Path(words["cwd"])),
            stop=self._stop,
            out=None if settings.traces is None else str(settings.traces / f"{name}.jsonl"),
            labels={LABEL: name},
            end_ns=_STAYED_NS if self._has_stayed else _END_NS,
        )
        if not run.started:
            raise CannotRun(run.why or "there is no agent")
        has_spoken = any(entry.sender == "agent" for entry in run.entries)
        if run.why is not None and not (self._traces or has_spoken):
            self._notes.append(run.why)
            self._stderr = stderr_lines(run.entries)
        self._notes += run.losses
        self._notes += [note for note in _without_login(run) if note not in self._notes]
        kept = run.trace_id if settings.traces is None or run.file is None else run.file
        self._files.append((kept, run.entries))
        self._traces.append(evidence(kept, run.entries))
        self._has_stayed = self._has_stayed or self._traces[-1].aborted == "stayed"
        return run


def _without_login(run: ScriptedRun) -> Iterator[str]:
    """Yield a note for each login that did not succeed."""
    for step, status, why in run.outcomes:
        if step.verb == "authenticate" and status != "done":
            yield f"login {step.value}: {status}" + (f", {why}" if why else "")
