"""The size limits of network messages, the same on every side."""

from __future__ import annotations

#: Bytes of a body in one piece, an event, or a WebSocket message; more than any side accepts (32 MiB in the
#: SDKs).
MOST_BYTES = 256 << 20
#: Bytes that a listener keeps for all its clients together: two of the largest bodies.
MOST_KEPT = 2 * MOST_BYTES
#: Bytes of a message that begins a connection, which any program on the machine may send.
MOST_OF_FIRST = 1 << 20
#: The code with which a WebSocket is closed after a longer message (RFC 6455, 7.4.1).
TOO_BIG = 1009
