"""The fixture `acp_replay`: a function that replays one trace with the settings of one test."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from acp_trace.plugin.refusing import refusing
from acp_trace.plugin.result import Result

if TYPE_CHECKING:
    from acp_trace.plugin.agents import Agents


class AcpReplay:
    """What `acp_replay` is, for annotations. Paths are seen from the test's directory, then from rootdir."""

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
        match: Literal["outcome", "semantic", "content", "exact"] | None = None,
        masks: Sequence[str] = (),
        budgets: Sequence[str] = (),
        allow: Sequence[str] = (),
        alternatives: Sequence[str | os.PathLike[str]] = (),
        retries: int | None = None,
        pace: str | None = None,
        timeout: float | None = None,
        unmatched: Literal["fail", "nearest", "workspace"] | None = None,
        allow_terminal: bool | None = None,
        cwd: str | os.PathLike[str] | None = None,
        workspace: str | os.PathLike[str] | None = None,
        agent_cwd: str | os.PathLike[str] | None = None,
        home: str | os.PathLike[str] | None = None,
        model: Literal["recorded", "live", "off"] | None = None,
        model_match: Literal["loose", "exact"] | None = None,
        model_strict: bool | None = None,
        model_base: Sequence[str] = (),
        url: str | None = None,
        headers: Sequence[str] = (),
        ca: str | os.PathLike[str] | None = None,
        allow_remote: bool | None = None,
        record: Mapping[str, Any] | None = None,
        check: bool = True,
    ) -> Result:
        """Replays a trace file, and fails the test with the report where the agent differs.

        The settings are those of `acp-trace replay`; what stands in `NAME.replay.toml` beside the trace
        holds where the test does not say otherwise; masks, budgets, allowances, model bases and headers are
        added. With `url` in place of `agent`, nothing is started: the agent is reached there. `record`: the
        written conversation that a trace is made of that is not there, with `--acp-record=once`. Without
        `check` the result is given back in any case, and only what was asked for wrongly fails.
        """
        from acp_trace.plugin.recording import RecordMode
        from acp_trace.plugin.running import asked, run

        given: dict[str, Any] = {
            "agent": None if agent is None else _words(agent),
            "match": match,
            "mask": list(masks) or None,
            "budget": list(budgets) or None,
            "allow": list(allow) or None,
            "alternatives": [str(self._seen(path)) for path in alternatives] or None,
            "retries": retries,
            "pace": pace,
            "timeout": timeout,
            "unmatched": unmatched,
            "allow_terminal": allow_terminal,
            "cwd": None if cwd is None else str(self._seen(cwd)),
            "workspace": None if workspace is None else str(self._seen(workspace)),
            "agent_cwd": agent_cwd if agent_cwd in (None, "run") else str(self._seen(agent_cwd)),
            "home": home if home in (None, "fresh") else str(self._seen(home)),
            "model": model,
            "model_match": model_match,
            "model_strict": model_strict,
            "model_base": list(model_base) or None,
            "url": url,
            "header": list(headers) or None,
            "ca": None if ca is None else str(self._seen(ca)),
            "allow_remote": allow_remote,
            "record": record,
        }
        settings = {name: value for name, value in given.items() if value is not None}
        with refusing("acp_replay: "):
            mode = RecordMode(self._mode, self._note)
            result = run(asked(self._seen(trace), settings, self._agents, mode))
        if check and not result.passed:
            pytest.fail(result.failure, pytrace=False)
        return result

    def _seen(self, path: str | os.PathLike[str]) -> Path:
        """A path as the test means it: in its own directory, else in rootdir."""
        in_directory, in_root = self._directory / path, self._agents.root / path
        if in_directory.exists() or in_root.exists():
            return in_directory if in_directory.exists() else in_root
        # What is to be recorded goes where the others are.
        return in_root if in_root.parent.is_dir() and not in_directory.parent.is_dir() else in_directory


def _words(agent: Sequence[str | os.PathLike[str]] | str | os.PathLike[str]) -> list[str]:
    if isinstance(agent, (str, os.PathLike)):
        return [os.fspath(agent)]
    return [os.fspath(word) for word in agent]
