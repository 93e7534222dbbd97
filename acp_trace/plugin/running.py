"""One replay for a test: settings read, agent chosen, replayed. All heavy imports are here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acp_trace.api import replay_run
from acp_trace.api.replay_run import WantedReplay
from acp_trace.plugin.agents import OPTION, Agents
from acp_trace.plugin.recording import RecordMode, ensure
from acp_trace.plugin.result import Refused, Result
from acp_trace.record.model_side import Lacking
from acp_trace.replay.drive.snapshot import with_snapshot
from acp_trace.replay.remote_agent import remote_agent
from acp_trace.replay.settings import (
    SettingError,
    Settings,
    changed,
    settings_in,
    settings_path,
    trace_path,
    without_model,
)
from acp_trace.report.ci.places import relative
from acp_trace.trace.entries import Entry
from acp_trace.trace.files import TraceFile, open_trace
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.os_errors import file_and_reason
from acp_trace.trace.parse import NewerFormat


def beside(path: Path, agents: Agents, record: RecordMode) -> WantedReplay:
    """Return the replay of a settings file, recorded first if wanted. Raises Refused."""
    trace = trace_path(path)
    settings = _settings(path, agents)
    if not trace.is_file() and settings.record is None:
        raise Refused(f"{_name(path, agents)}: there is no {trace.name} beside it to replay")
    if not _has_agent(settings, agents):
        raise Refused(
            f'{_name(path, agents)} names no agent: add `agent = ["my-agent", "--acp"]` to it, or `url`, '
            f"or give pytest {OPTION} 'my-agent --acp'"
        )
    ensure(trace, _name(trace, agents), settings, agents, record)
    return _wanted(trace, settings, agents)


def asked(trace: Path, given: Mapping[str, Any], agents: Agents, record: RecordMode) -> WantedReplay:
    """Return the replay that a test requests, recorded first if wanted. Raises Refused."""
    settings = Settings()
    if (path := settings_path(trace)).is_file():
        settings = _settings(path, agents)
    try:
        settings = changed(settings, given, agents.root)
    except SettingError as error:
        raise Refused(str(error)) from None
    if not _has_agent(settings, agents):
        raise Refused(
            f"no agent for {_name(trace, agents)}: give `agent=[…]` or `url=…`, put `agent = […]` or "
            f"`url = …` into {path.name} beside it, or give pytest {OPTION}"
        )
    ensure(trace, _name(trace, agents), settings, agents, record)
    return _wanted(trace, settings, agents)


def run(wanted: WantedReplay) -> Result:
    """Replay; the run goes to the store. Raises Refused if a directory cannot be used."""
    try:
        return replay_run.run(wanted)
    except OSError as error:
        raise Refused(file_and_reason(error)) from None


def _wanted(trace: Path, settings: Settings, agents: Agents) -> WantedReplay:
    alternatives = {_name(path, agents): _entries(path, agents) for path in settings.alternatives}
    entries = _entries(trace, agents)
    if (why := without_model(settings, entries)) is not None:
        raise Refused(f"{_name(trace, agents)} {why}")
    argv, directory = agents.chosen(settings.agent)
    if agents.command and settings.url is not None:
        settings = changed(settings, {"agent": list(agents.command)}, agents.root)
    try:
        remote_agent(settings)
    except (SettingError, Lacking) as error:
        raise Refused(f"{_name(trace, agents)}: {error}") from None
    settings = with_snapshot(settings, trace, entries)
    return WantedReplay(_name(trace, agents), entries, settings, argv, directory, alternatives=alternatives)


def _has_agent(settings: Settings, agents: Agents) -> bool:
    return settings.url is not None or bool(agents.chosen(settings.agent)[0])


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


def _name(path: Path, agents: Agents) -> str:
    """Return a file's path as seen from the directory in which pytest was called."""
    return relative(str(path), str(agents.called_in))
