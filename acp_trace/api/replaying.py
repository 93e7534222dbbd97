"""`replay_trace`: the recorded client, played to an agent, as `acp-trace replay` plays it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

from acp_trace.api.opened import open_trace
from acp_trace.api.replay_result import Replay
from acp_trace.api.replay_run import WantedReplay, run
from acp_trace.replay.declared import ReplaySettings, given
from acp_trace.replay.drive import model_side
from acp_trace.replay.drive.snapshot import with_snapshot
from acp_trace.replay.remote_agent import remote_agent
from acp_trace.replay.settings import (
    SettingError,
    Settings,
    changed,
    settings_in,
    settings_path,
    without_model,
)
from acp_trace.store.catalog import is_path
from acp_trace.trace.entries import Entry

_Path = str | PathLike[str]


def replay_trace(
    trace: _Path = "last",
    agent: Sequence[_Path] | None = None,
    **settings: Unpack[ReplaySettings],
) -> Replay:
    """Starts `agent`, a command and its arguments, plays the recorded client to it, and compares.

    With `url` in place of `agent`, nothing is started: the agent is reached there, over HTTP or WebSocket.
    `headers` are sent to it, each as `NAME: VALUE`; `${VARIABLE}` is taken from the environment.

    The settings are those of `acp-trace replay` (docs/replay.md), `home` is the agent's home directory, and
    `timeout` is in seconds. What `NAME.replay.toml` next to a trace file says holds where nothing is said
    here; masks, budgets, allowances, model bases and headers are added. The run is a trace in the store
    (`ACP_TRACE_HOME`). Returns when the run is over, whatever came of it. Raises SettingError, a ValueError,
    for a setting that means nothing and if there is no agent; like `open_trace` and `OpenTrace.analyze`; and
    Lacking, if the recording has a model's side, or the agent a URL, and the packages for it are not
    installed.
    """
    named = given(settings)
    if agent is not None:
        named["agent"] = [fspath(word) for word in agent]
    return run(_wanted(fspath(trace), named))


def _wanted(trace: str, named: Mapping[str, Any]) -> WantedReplay:
    path = Path(trace) if trace != "-" and "://" not in trace and is_path(trace) else None
    settings = Settings()
    if path is not None and (beside := settings_path(path)).is_file():
        try:
            settings = settings_in(beside)
        except SettingError as error:
            raise SettingError(f"{beside}: {error}") from None
    settings = changed(settings, named, Path.cwd())
    name, entries = _read(trace)
    if path is not None:
        name = trace
    if not settings.agent and remote_agent(settings) is None:
        raise SettingError(
            f"{name} has no agent: give `agent=[…]` or `url=…`, or `agent` or `url` in its .replay.toml"
        )
    if settings.allow_terminal and settings.unmatched != "workspace":
        raise SettingError("allow_terminal needs unmatched='workspace'")
    if (why := without_model(settings, entries)) is not None:
        raise SettingError(f"{name} {why}")
    model_side.check(entries, settings)
    settings = with_snapshot(settings, path, entries)
    others = {str(other): _read(str(other))[1] for other in settings.alternatives}
    return WantedReplay(name, entries, settings, settings.agent, None, path is not None, others)


def _read(trace: str) -> tuple[str, list[Entry]]:
    with open_trace(trace) as opened:
        return opened.name, list(opened.entries())
