"""The bytes of one connection to a provider, both directions -> HTTP exchanges as they pass. Does no I/O.

Nothing here decides what is forwarded: bytes pass unchanged, and unreadable traffic is reported.

- `client_hello`  the first bytes of TLS: which host, which protocols
- `events`        the shapes of what comes out
- `http1`, `http2`, `websocket`  one module for each protocol
- `tap`           a connection: detects its protocol and passes its bytes to that reader
"""
