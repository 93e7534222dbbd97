"""The bytes of one connection to a provider, both directions -> HTTP exchanges as they go past. Does no I/O.

Nothing here decides what is forwarded: bytes go past as they are, and what cannot be read is said to be so.

- `client_hello`  the first bytes of TLS: which host, which protocols
- `events`        the shapes of what comes out
- `http1`, `http2`, `websocket`  one module for each protocol
- `tap`           a connection: finds out which protocol it speaks, and lets that one read
"""
