"""How long, and through how many messages, a conversation may go on without getting further. Pure.

What has come is counted by `peer_state`: here are the limits. Times are ns of one clock.
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
    """When waiting has gone on for too long, and when what comes is a flood.

    What counts as going on is a step that was sent, and any message while there are not far more of them than
    were recorded: a flood of messages, or of lines that are none, does not keep a replay alive. `frames`,
    `size` (bytes) and `duration_ns` are those of the recording.
    """

    def __init__(self, timeout_ns: int, frames: int, size: int, duration_ns: int) -> None:
        self.timeout_ns = timeout_ns
        #: So many lines after a step still count as going on.
        self.most = MESSAGES_TIMES * frames + MESSAGES_MORE
        self._bytes = MESSAGES_TIMES * size + FLOOD_BYTES
        self._longest = max(LONGEST_TIMES * timeout_ns, RECORDED_TIMES * duration_ns)

    def is_flooded(self, peer: PeerState) -> bool:
        """Whether more came than anything recorded explains."""
        return peer.size > self._bytes or peer.since_step > FLOOD_TIMES * self.most

    def is_drowned(self, peer: PeerState) -> bool:
        """Whether what came since the last step is far more than was recorded: it never came to the point."""
        return peer.since_step > self.most

    def halfway(self, peer: PeerState) -> int:
        """When half of what is enough is over, in ns."""
        return peer.went_on_ns + self.timeout_ns // 2

    def deadline(self, peer: PeerState) -> int:
        """When it is enough, in ns."""
        return min(peer.went_on_ns + self.timeout_ns, peer.stepped_ns + self._longest)
