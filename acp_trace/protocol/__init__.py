"""ACP as tables and readers: what a message is, which methods and updates there are. Does no I/O.

Knows no time, no order and no state: one message at a time. What follows from several messages lives
in `analyze`. docs/protocol.md is made from the tables.

- `message`   a frame's text -> kind, id, method, session, update; `chunks` reads chunks of text faster
- `methods`   the methods, version by version: side, kind, ids, capability, source
- `capabilities`  what must be announced before it is used
- `subagents` for whom a tool call was made, as agents say it in `_meta`
- `updates`   the kinds of `session/update`, likewise
- `outcomes`  stop reasons and error codes
- `open_turns`  which turns of a session are open
- `history`   which updates of a session are history, sent again
- `results`   the members that tell the results of one method from others
- `other_protocols` MCP and LSP, known by their handshakes or methods
- `envelopes` messages that carry messages of another connection: proxies, MCP over ACP
- `payloads`  views of parameters, updates, tool calls and content blocks
- `shapes/`   which members payloads have, and what may stand there: derived from the official schema
"""
