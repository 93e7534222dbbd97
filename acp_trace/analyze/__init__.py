"""Entries of a trace -> facts: exchanges, sessions, turns, latency. Does no I/O, and never raises.

One incremental analyser for `show`, `follow`, the loader and the comparison: feed it entries in any
pieces, ask for the facts at any time. Time is linear, and memory does not grow with chunk text.

- `facts`      the shapes: flat, frozen, each field with its unit; also the store's tables
- `analyzer`   takes entries in, and tells each frame's place among the others
- `exchanges`  pairs requests with responses
- `sessions`   the rules of sessions, turns, tool calls, permissions, usage; `state` is what they change
- `latency`    percentiles over exchanges
- `listing`    the few facts that `ls` shows
"""
