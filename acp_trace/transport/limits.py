"""How long what is sent over a network may be, on every side of it."""

from __future__ import annotations

#: Bytes of a body in one piece, of an event, of a message of a WebSocket; beyond what any side accepts (32
#: MiB in the SDKs).
MOST_BYTES = 256 << 20
#: Bytes that a listener keeps of all its clients together: of the largest body two.
MOST_KEPT = 2 * MOST_BYTES
#: Bytes of a message that begins a connection, which every program of the machine may send.
MOST_OF_FIRST = 1 << 20
#: The code with which a WebSocket is closed after a longer message (RFC 6455, 7.4.1).
TOO_BIG = 1009
