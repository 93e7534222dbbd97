"""The pytest plugin: the fixture `acp_replay`, and a test for each `NAME.replay.toml` beside a trace.

pytest loads `hooks` in every run of everyone who has this package installed, so nothing here imports more
than it takes to find tests; `running`, which does the work, is imported by the first replay. The package does
not depend on pytest: nothing outside this directory imports it.

- `agents`     which agent a replay starts, and where: the command line's, the replay's own, or that of the
               ini file
- `fixture`    the fixture `acp_replay`
- `items`      `NAME.replay.toml` beside `NAME.jsonl` as a test
- `modes`      `--acp-record`: whether a missing recording is made
- `recording`  a missing recording, made from the written conversation of its test
- `refusing`   a wrong request fails the test in words, without a traceback
- `result`     what a replay returns to a test
"""

from __future__ import annotations

from acp_trace.plugin.fixture import AcpReplay
from acp_trace.plugin.result import Result

__all__ = ["AcpReplay", "Result"]
