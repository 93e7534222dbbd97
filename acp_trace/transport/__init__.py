"""ACP over HTTP and WebSocket as such: addresses, event streams, serving.

Knows no trace and no recording. What needs a network library imports it in a function: they are in the
extra `http`, and importing this directory takes none of them.

- `address`  what people name: where to listen, which remote side is meant
- `sse`      server-sent events: bytes in any cut -> events
- `extra`    whether the extra is installed
- `serving`  an ASGI application behind a bound socket
"""
