"""ACP as tables and readers: what a message is, which methods and updates exist. Does no I/O.

It knows no time, no order and no state: it looks at one message at a time. `analyze` derives what follows
from several messages. docs/protocol.md is generated from the tables.

- `message`   a frame's text -> kind, id, method, session, update; `chunks` reads chunks of text faster
- `methods`   the methods, version by version: side, kind, ids, capability, source
- `capabilities`  what must be announced before it is used
- `subagents` the tool call that a subagent works for, as agents name it in `_meta`
- `updates`   the kinds of `session/update`, likewise
- `outcomes`  stop reasons and error codes
- `open_turns`  which turns of a session are open
- `history`   which updates of a session are history, sent again
- `results`   the members that distinguish the results of one method from others
- `other_protocols` MCP and LSP, recognised by their handshakes or methods
- `envelopes` messages that carry messages of another connection: proxies, MCP over ACP
- `payloads`  views of parameters, updates, tool calls and content blocks
- `shapes/`   the members of payloads and their allowed values, derived from the official schema
"""
