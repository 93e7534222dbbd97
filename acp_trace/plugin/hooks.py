"""The functions that pytest calls: the options, the collection of `*.replay.toml`, the fixture."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from acp_trace.plugin import modes
from acp_trace.plugin.agents import INI, OPTION, agents
from acp_trace.plugin.fixture import AcpReplay
from acp_trace.plugin.items import SUFFIX, ReplayFile


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options: the agent of all replays, and what is recorded."""
    group = parser.getgroup("acp-trace", "replays of ACP traces")
    group.addoption(
        OPTION,
        metavar="COMMAND",
        help="The agent for all replays, instead of their own: 'node dist/agent.js'.",
    )
    modes.add_option(group)
    parser.addini(INI, "The agent for replays that name none: its command and arguments.", type="args")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse an invalid agent before anything is collected."""
    agents(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ReplayFile | None:
    """Collect settings beside a trace as a test."""
    if not file_path.name.endswith(SUFFIX):
        return None
    return ReplayFile.from_parent(parent, path=file_path)


def pytest_sessionfinish() -> None:
    """Let the store import the runs, if there are any, in the background."""
    if "acp_trace.plugin.running" in sys.modules:
        from acp_trace.record.afterwards import start_loader

        start_loader()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was recorded."""
    modes.summary(terminalreporter)


@pytest.fixture
def acp_replay(request: pytest.FixtureRequest) -> AcpReplay:
    """Replays a recorded ACP trace against an agent, and fails the test if the agent differs."""
    note = partial(modes.note, request.node)
    return AcpReplay(
        request.path.parent, agents(request.config), request.config.getoption(modes.OPTION), note
    )
