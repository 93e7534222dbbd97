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

#: What `acp_trace.replay.settings` calls so too: importing it takes too long for a run without replays.
SUFFIX = ".replay.toml"

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr  # which pytest gives no public name


class ReplayFile(pytest.File):
    """Settings beside a trace, with the one test that they are."""

    def collect(self) -> Iterator[ReplayItem]:
        """The test. The file is read when it runs, so that a mistake in it fails it and nothing else."""
        yield ReplayItem.from_parent(self, name="replay")


class ReplayItem(pytest.Item):
    """One replay. What differs is what pytest prints of it."""

    def runtest(self) -> None:
        """Replays; fails with the report."""
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
        """The report; of what should not have happened, where it did in this package."""
        excinfo.traceback = excinfo.traceback.cut(path=__file__)
        return super().repr_failure(excinfo, style or "short")

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file, and a heading that tells it from the other replays."""
        from acp_trace.report.safe import safe

        name = self.nodeid.partition("::")[0].removesuffix(SUFFIX)
        return self.path, None, f"replay of {safe(name)}.jsonl"
