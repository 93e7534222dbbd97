"""`acp-trace mcp`: tools by which a coding agent looks at traces, over MCP (docs/mcp.md).

Each tool is a function: arguments in, a document out. The documents are made of what the commands print with
`--json`; nothing is computed here. No tool changes a trace or writes a file for its caller.

- `tool`        what a tool is, what its arguments are, and that a call is refused
- `table`       all tools, and how one is called. A client reads the docstring of a tool's
arguments, beside the tool
- `failures`    what goes wrong -> one line
- `limits`      how much an answer may hold, and how long it may take
- `paging`      a part of a list: so many items, so many bytes
- `cutting`     a value cut to a size, with the places of what was cut
- `documents`   a part of a long document, named by a JSON Pointer
- `opening`     which trace is meant
- `listing`, `reports`, `frames`, `sql`, `comparisons`, `model_calls`: the tools
- `worker`      what runs in the process of a call
- `server`      the SDK, which speaks the protocol. The only module that imports it
"""
