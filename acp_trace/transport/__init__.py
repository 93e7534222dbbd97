"""ACP over HTTP and WebSocket in general: addresses, event streams, serving.

Knows no trace and no recording. Network libraries are imported in functions: they are in the extra `http`,
and importing this package imports none of them.

- `address`  the addresses that people name: where to listen, which remote side is meant
- `sse`      server-sent events: bytes in any cut -> events
- `headers`  the headers of ACP over HTTP, and which values of others may be shown
- `stream_log` the interface that is notified of network traffic
- `extra`    whether the extra is installed
- `serving`  an ASGI application on a bound socket, behind `acp_trace.gate`; `plain_sockets` limits
             its WebSockets, `accepted` what its connections may use
- `cors`     what a page of another origin needs to read the answers of the endpoint
- `limits`   sizes of network messages; `bodies` reads a request's body within them
- `endpoint` the application that serves ACP; `served` is one connection, `served_exchange` one request
- `routing`  which session a message belongs to, as far as HTTP needs it
- `client`   a link to the agent at a URL; `client_link` is what all links share, `client_http` and
             `client_websocket` are the two kinds, `client_requests` makes the requests of HTTP
- `remote`   a remote agent: its address, trusted certificates, the headers of each request
"""
