"""The fixture `acp_replay`: a function that replays one trace with the settings of one test."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pytest

from acp_trace.plugin.refusing import refusing
from acp_trace.plugin.result import Result

if TYPE_CHECKING:
    from acp_trace.plugin.agents import Agents
    from acp_trace.replay.declared import ReplaySettings


class AcpReplay:
    """The type of `acp_replay`. Paths are seen from the test's directory, then from rootdir."""

    def __init__(
        self,
        directory: Path,
        agents: Agents,
        mode: str = "none",
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._directory = directory
        self._agents = agents
        self._mode, self._note = mode, note

    def __call__(
        self,
        trace: str | os.PathLike[str],
        *,
        agent: Sequence[str | os.PathLike[str]] | None = None,
        record: Mapping[str, Any] | None = None,
        check: bool = True,
        **settings: Unpack[ReplaySettings],
    ) -> Result:
        """Replay a trace file, and fail the test with the report if the agent differs.

        The settings are those of `acp-trace replay`. A setting in `NAME.replay.toml` beside the trace applies
        unless the test overrides it; masks, budgets, allowances, model bases and headers are added. With
        `url` in place of `agent`, nothing is started: the agent is reached there. `record`: the written
        conversation from which a missing trace is made, with `--acp-record=once`. Without `check`, the result
        is returned in any case, and only a wrong request fails the test.
        """
        from acp_trace.plugin.recording import RecordMode
        from acp_trace.plugin.running import asked, run
        from acp_trace.replay.declared import given

        named = given(settings, lambda path: str(self._seen(path)))
        if agent is not None:
            named["agent"] = _words(agent)
        if record is not None:
            named["record"] = record
        with refusing("acp_replay: "):
            mode = RecordMode(self._mode, self._note)
            result = run(asked(self._seen(trace), named, self._agents, mode))
        if check and not result.passed:
            pytest.fail(result.failure, pytrace=False)
        return result

    def _seen(self, path: str | os.PathLike[str]) -> Path:
        """Return a path as the test means it: in its own directory, else in rootdir."""
        in_directory, in_root = self._directory / path, self._agents.root / path
        if in_directory.exists() or in_root.exists():
            return in_directory if in_directory.exists() else in_root
        # A new recording goes where the others are.
        return in_root if in_root.parent.is_dir() and not in_directory.parent.is_dir() else in_directory


def _words(agent: Sequence[str | os.PathLike[str]] | str | os.PathLike[str]) -> list[str]:
    if isinstance(agent, (str, os.PathLike)):
        return [os.fspath(agent)]
    return [os.fspath(word) for word in agent]
