"""How long, and through how many messages, a conversation may continue without progress. Pure.

`peer_state` counts what has come; the limits are here. Times are ns of one clock.
"""

from __future__ import annotations

from acp_trace.replay.conversation.peer_state import PeerState
from acp_trace.replay.timeouts import (
    FLOOD_BYTES,
    FLOOD_TIMES,
    LONGEST_TIMES,
    MESSAGES_MORE,
    MESSAGES_TIMES,
    RECORDED_TIMES,
)


class Patience:
    """The limits at which waiting has taken too long, and what comes is a flood.

    Progress is a step that was sent, and any message while there are not far more of them than were recorded:
    a flood of messages, or of invalid lines, does not keep a replay alive. `frames`, `size` (bytes) and
    `duration_ns` are those of the recording.
    """

    def __init__(self, timeout_ns: int, frames: int, size: int, duration_ns: int) -> None:
        self.timeout_ns = timeout_ns
        #: Number of lines after a step that still count as progress.
        self.most = MESSAGES_TIMES * frames + MESSAGES_MORE
        self._bytes = MESSAGES_TIMES * size + FLOOD_BYTES
        self._longest = max(LONGEST_TIMES * timeout_ns, RECORDED_TIMES * duration_ns)

    def is_flooded(self, peer: PeerState) -> bool:
        """Whether more came than anything recorded explains."""
        return peer.size > self._bytes or peer.since_step > FLOOD_TIMES * self.most

    def is_drowned(self, peer: PeerState) -> bool:
        """Whether far more came since the last step than was recorded, instead of the awaited messages."""
        return peer.since_step > self.most

    def halfway(self, peer: PeerState) -> int:
        """Return when half of the patience is over, in ns."""
        return peer.went_on_ns + self.timeout_ns // 2

    def deadline(self, peer: PeerState) -> int:
        """Return when the patience is over, in ns."""
        return min(peer.went_on_ns + self.timeout_ns, peer.stepped_ns + self._longest)
