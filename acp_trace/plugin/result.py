"""What a replay gives to a test."""

from __future__ import annotations

from acp_trace.api.replay_result import Replay

#: As tests know it.
Result = Replay


class Refused(Exception):
    """What was asked for cannot be. The message is for people, and says what to do."""
