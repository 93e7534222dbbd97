"""One replay for a test: settings read, agent chosen, replayed, told. All that is heavy is imported here."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_trace.compare.codes import OVER_BUDGET
from acp_trace.plugin.agents import OPTION, Agents
from acp_trace.plugin.result import Refused, Result
from acp_trace.replay.drive.attempts import Attempts
from acp_trace.replay.drive.replay_and_compare import ComparedRun, play
from acp_trace.replay.drive.snapshot import with_snapshot
from acp_trace.replay.settings import (
    SettingError,
    Settings,
    changed,
    settings_in,
    settings_path,
    trace_path,
    without_model,
)
from acp_trace.report.ci.places import Place, relative
from acp_trace.report.safe import safe_lines
from acp_trace.report.text.checks import missed
from acp_trace.report.text.replays import Replayed, Tried, report
from acp_trace.trace.entries import Entry
from acp_trace.trace.files import TraceFile, Unreadable, open_trace
from acp_trace.trace.os_errors import file_and_reason
from acp_trace.trace.parse import NewerFormat


@dataclass(frozen=True, slots=True)
class WantedReplay:
    """A replay that was asked for. `name`: the trace for people; `directory`: where its agent starts."""

    name: str
    entries: list[Entry]
    settings: Settings
    argv: tuple[str, ...]
    directory: Path
    alternatives: Mapping[str, list[Entry]]


def beside(path: Path, agents: Agents) -> WantedReplay:
    """The replay that a file of settings is. Raises Refused."""
    trace = trace_path(path)
    settings = _settings(path, agents)
    if not trace.is_file():
        raise Refused(f"{_name(path, agents)}: there is no {trace.name} beside it to replay")
    if not agents.chosen(settings.agent)[0]:
        raise Refused(
            f'{_name(path, agents)} names no agent: add `agent = ["my-agent", "--acp"]` to it, or give '
            f"pytest {OPTION} 'my-agent --acp'"
        )
    return _wanted(trace, settings, agents)


def asked(trace: Path, given: Mapping[str, Any], agents: Agents) -> WantedReplay:
    """The replay that a test asks for. Raises Refused."""
    settings = Settings()
    if (path := settings_path(trace)).is_file():
        settings = _settings(path, agents)
    try:
        settings = changed(settings, given, agents.root)
    except SettingError as error:
        raise Refused(str(error)) from None
    if not agents.chosen(settings.agent)[0]:
        raise Refused(
            f"no agent for {_name(trace, agents)}: give `agent=[…]`, put `agent = […]` into "
            f"{path.name} beside it, or give pytest {OPTION}"
        )
    return _wanted(trace, settings, agents)


def run(wanted: WantedReplay) -> Result:
    """Replays; the live run goes to the store. Raises Refused if a directory cannot be used."""
    began = time.monotonic_ns()
    attempts = Attempts([wanted.entries, *wanted.alternatives.values()], wanted.settings)
    try:
        with contextlib.chdir(wanted.directory):
            while (entries := attempts.due) is not None:
                attempts.take(play(entries, wanted.argv, wanted.settings))
    except OSError as error:
        raise Refused(file_and_reason(error)) from None
    return _result(wanted, attempts, time.monotonic_ns() - began)


def _wanted(trace: Path, settings: Settings, agents: Agents) -> WantedReplay:
    alternatives = {_name(path, agents): _entries(path, agents) for path in settings.alternatives}
    entries = _entries(trace, agents)
    if (why := without_model(settings, entries)) is not None:
        raise Refused(f"{_name(trace, agents)} {why}")
    argv, directory = agents.chosen(settings.agent)
    settings = with_snapshot(settings, trace, entries)
    return WantedReplay(_name(trace, agents), entries, settings, argv, directory, alternatives)


def _entries(trace: Path, agents: Agents) -> list[Entry]:
    try:
        with open_trace(trace)[1] as lines:
            return list(TraceFile(lines, _name(trace, agents)).entries())
    except (Unreadable, NewerFormat) as error:
        raise Refused(str(error)) from None
    except OSError as error:
        raise Refused(file_and_reason(error)) from None


def _settings(path: Path, agents: Agents) -> Settings:
    try:
        return settings_in(path)
    except SettingError as error:
        raise Refused(f"{_name(path, agents)}: {error}") from None
    except OSError as error:
        raise Refused(file_and_reason(error)) from None


def _result(wanted: WantedReplay, attempts: Attempts, took_ns: int) -> Result:
    made = attempts.chosen.made
    verdict = made.verdict
    names = [None, *wanted.alternatives]
    tried = attempts.all if len(attempts.all) > 1 else []
    comparison = verdict.comparison
    replayed = Replayed(
        wanted.name,
        comparison,
        verdict.passed and not comparison.idle,
        verdict.died,
        verdict.steps,
        verdict.sent,
        took_ns,
        [f"budget {missed(budget)}" for budget in verdict.budgets if budget.ok],
        list(_hints(wanted, made)),
        timings=verdict.timings,
        logs=verdict.logs,
        last_logs=verdict.last_logs,
        attempts=[
            Tried(one.verdict.comparison, one.passed, one.verdict.died, names[one.recording]) for one in tried
        ],
        flaky=attempts.flaky,
        alternative=names[attempts.chosen.recording],
    )
    places = [Place(wanted.name, wanted.name), Place(replayed.live_id)]
    text = report(replayed, places, shutil.get_terminal_size((100, 24)).columns, all_=False, cut=False).plain
    return Result(
        replayed.passed,
        replayed.died,
        replayed.live_id,
        replayed.steps,
        replayed.sent,
        comparison,
        safe_lines(text.rstrip("\n")),
        replayed.flaky,
    )


def _hints(wanted: WantedReplay, made: ComparedRun) -> Iterator[str]:
    """What is wrong beside divergences, and what to do next."""
    verdict = made.verdict
    comparison = verdict.comparison
    yield from (f"the recorder: {warning}" for warning in made.played.warnings)
    if not comparison.counts.compared:
        yield "nothing could be compared"
    for idle_mask in comparison.idle:
        yield f"nothing to hide for mask {idle_mask.mask} at this level"
    # A recording has no budgets: a run that exceeds one is no better as the recording.
    has_changed = any(divergence.code != OVER_BUDGET for divergence in comparison.failing)
    if has_changed and not verdict.died and not os.environ.get("CI"):
        command = f"acp-trace replay {shlex.quote(wanted.name)} --update -- {shlex.join(wanted.argv)}"
        yield f"if that is right: {command}"


def _name(path: Path, agents: Agents) -> str:
    """A file as the one sees it who called pytest."""
    return relative(str(path), str(agents.called_in))
