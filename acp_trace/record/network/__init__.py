"""A proxy for ACP over HTTP and WebSocket: what passes is written down first, then passed on unchanged.

- `run`         listens until it is told to end; the order of things
- `gateway`     the ASGI application: which request goes which way
- `passing`     one HTTP request and its response, event by event
- `socket`      one WebSocket
- `upstream`    the agent's side: HTTP and WebSocket to the URL that was given
- `connections` which connection of ACP a request belongs to, and when that is over
- `recording`   the trace of one connection; `streams`: what is written of its streams
- `headers`     which headers are passed on

Knows HTTP, and of ACP only the two headers that name a connection and a session. Needs the extra `http`.
"""
