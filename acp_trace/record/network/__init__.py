"""A proxy for ACP over HTTP and WebSocket: traffic is written down first, then passed on unchanged.

- `run`         listens until a signal ends it; the order of events
- `gateway`     the ASGI application: where each request goes
- `passing`     one HTTP request and its response, event by event
- `socket`      one WebSocket
- `upstream`    the agent's side: HTTP and WebSocket to the given URL
- `connections` which ACP connection a request belongs to, and when it is over
- `recording`   the trace of one connection; `streams`: what is written of its streams
- `headers`     which headers are passed on

Knows HTTP, and of ACP only the two headers that name a connection and a session. Needs the extra `http`.
"""
