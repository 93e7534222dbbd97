"""A small scripted client and a small scripted agent, for newcomers without an agent, and for tests.

Both are plain JSON-RPC over stdio, written with the standard library alone. They do what real clients and
agents do: a session with a title and config options, tool calls, a permission, a cancelled turn, an error.

- `agent`   the demo's agent: `python -m acp_trace.demo.agent`
- `client`  the demo's client: `python -m acp_trace.demo.client -- AGENT ARGS…`
- `wire`    what both sides of the demo need: JSON-RPC messages, one per line, on two binary streams
"""
