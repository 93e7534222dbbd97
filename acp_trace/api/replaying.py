"""`replay_trace`: the recorded client, played to an agent, as `acp-trace replay` plays it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from acp_trace.api.opened import open_trace
from acp_trace.api.replay_result import Replay
from acp_trace.api.replay_run import WantedReplay, run
from acp_trace.compare.codes import Match
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
    *,
    match: Match | None = None,
    masks: Sequence[str] = (),
    budgets: Sequence[str] = (),
    allow: Sequence[str] = (),
    alternatives: Sequence[_Path] = (),
    retries: int | None = None,
    pace: str | None = None,
    timeout: float | None = None,
    unmatched: Literal["fail", "nearest", "workspace"] | None = None,
    allow_terminal: bool | None = None,
    cwd: _Path | None = None,
    workspace: _Path | None = None,
    agent_cwd: _Path | None = None,
    home: _Path | None = None,
    model: Literal["recorded", "live", "off"] | None = None,
    model_match: Literal["loose", "exact"] | None = None,
    model_strict: bool | None = None,
    model_base: Sequence[str] = (),
    url: str | None = None,
    headers: Sequence[str] = (),
    ca: _Path | None = None,
    allow_remote: bool | None = None,
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
    given: dict[str, Any] = {
        "agent": None if agent is None else [fspath(word) for word in agent],
        "match": match,
        "mask": list(masks) or None,
        "budget": list(budgets) or None,
        "allow": list(allow) or None,
        "alternatives": [fspath(path) for path in alternatives] or None,
        "retries": retries,
        "pace": pace,
        "timeout": timeout,
        "unmatched": unmatched,
        "allow_terminal": allow_terminal,
        "cwd": _text(cwd),
        "workspace": _text(workspace),
        "agent_cwd": _text(agent_cwd),
        "home": _text(home),
        "model": model,
        "model_match": model_match,
        "model_strict": model_strict,
        "model_base": list(model_base) or None,
        "url": url,
        "header": list(headers) or None,
        "ca": _text(ca),
        "allow_remote": allow_remote,
    }
    return run(_wanted(fspath(trace), {name: value for name, value in given.items() if value is not None}))


def _wanted(trace: str, given: Mapping[str, Any]) -> WantedReplay:
    path = Path(trace) if trace != "-" and "://" not in trace and is_path(trace) else None
    settings = Settings()
    if path is not None and (beside := settings_path(path)).is_file():
        try:
            settings = settings_in(beside)
        except SettingError as error:
            raise SettingError(f"{beside}: {error}") from None
    settings = changed(settings, given, Path.cwd())
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


def _text(path: _Path | None) -> str | None:
    return None if path is None else os.fspath(path)
