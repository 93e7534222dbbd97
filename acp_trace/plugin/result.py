"""What a replay returns to a test."""

from __future__ import annotations

from acp_trace.api.replay_result import Replay

#: The name in tests.
Result = Replay


class Refused(Exception):
    """A request that is not possible. The message is for people, and says what to do."""
