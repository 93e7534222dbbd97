"""ACP over HTTP and WebSocket as such: addresses, event streams, serving.

Knows no trace and no recording. What needs a network library imports it in a function: they are in the
extra `http`, and importing this directory takes none of them.

- `address`  what people name: where to listen, which remote side is meant
- `sse`      server-sent events: bytes in any cut -> events
- `headers`  those that say how ACP goes over HTTP, and what of others may be shown
- `stream_log` who is told what goes over the network
- `extra`    whether the extra is installed
- `serving`  an ASGI application behind a bound socket, and behind `acp_trace.gate`; `plain_sockets` limits
             its WebSockets, `accepted` what its connections may take
- `cors`     what a page of another origin needs to read the answers of the endpoint
- `limits`   how long what is sent may be; `bodies` reads a body of a request within them
- `endpoint` the application that serves ACP; `served` is one connection of it, `served_exchange` one request
- `routing`  which session a message belongs to, as far as HTTP has to know it
- `client`   a link to the agent at a URL; `client_link` is what all links share, `client_http` and
             `client_websocket` are the two that there are, `client_requests` is what HTTP needs for it
- `remote`   a remote agent: its address, whom to trust there, the headers of each request
"""
