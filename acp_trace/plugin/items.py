"""`NAME.replay.toml` beside `NAME.jsonl` as a test: `traces/cancel.replay.toml::replay`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from acp_trace.plugin import modes
from acp_trace.plugin.agents import agents
from acp_trace.plugin.refusing import refusing

#: The same as in `acp_trace.replay.settings`: importing that takes too long for a run without replays.
SUFFIX = ".replay.toml"

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr  # pytest exports it nowhere else


class ReplayFile(pytest.File):
    """Settings beside a trace; they are one test."""

    def collect(self) -> Iterator[ReplayItem]:
        """Yield the test. The file is read when it runs, so that a mistake in it fails only this test."""
        yield ReplayItem.from_parent(self, name="replay")


class ReplayItem(pytest.Item):
    """One replay. Its failure is the report, which pytest prints."""

    def runtest(self) -> None:
        """Replay, and fail with the report."""
        from acp_trace.plugin.recording import RecordMode
        from acp_trace.plugin.running import beside, run

        record = RecordMode(self.config.getoption(modes.OPTION), partial(modes.note, self))
        with refusing():
            result = run(beside(self.path, agents(self.config), record))
        if not result.passed:
            pytest.fail(result.failure, pytrace=False)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> str | TerminalRepr:
        """Return the report; for an unexpected error, where in this package it happened."""
        excinfo.traceback = excinfo.traceback.cut(path=__file__)
        return super().repr_failure(excinfo, style or "short")

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file, and a heading that distinguishes it from the other replays."""
        from acp_trace.report.safe import safe

        name = self.nodeid.partition("::")[0].removesuffix(SUFFIX)
        return self.path, None, f"replay of {safe(name)}.jsonl"
