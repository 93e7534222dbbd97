"""The pytest plugin: the fixture `acp_replay`, and `NAME.replay.toml` beside traces as tests.

pytest loads `hooks` in every run of everyone who has this package installed, so nothing here imports more
than it takes to find tests; `running`, which does the work, is imported by the first replay. pytest is no
dependency of the package: nothing outside of this directory imports it.
"""

from __future__ import annotations

from acp_trace.plugin.fixture import AcpReplay
from acp_trace.plugin.result import Result

__all__ = ["AcpReplay", "Result"]
