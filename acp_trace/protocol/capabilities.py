"""What must be announced before it is used: methods, parameters and forms of content, version by version.

Tables. A path names a member of the capabilities of the side that would have to handle it; features without a
path need no capability (initialization: capabilities that are omitted are unsupported). Source: the
capabilities in the schemas of npm `@agentclientprotocol/sdk` 2.4.0, and the pages named beside the rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from acp_trace.protocol import methods

Paths = Mapping[str, str]

#: Entries that both versions have under the same path.
_BOTH = {
    "auth/status": "auth.status",
    **dict.fromkeys(("providers/list", "providers/set", "providers/disable"), "providers"),
    methods.ELICITATION: "elicitation",
}

#: By version: the path for a method, in the capabilities of its handler.
METHODS: Mapping[int, Paths] = {
    1: {
        **_BOTH,
        "logout": "auth.logout",
        "session/load": "loadSession",
        "session/resume": "sessionCapabilities.resume",
        "session/list": "sessionCapabilities.list",
        "session/close": "sessionCapabilities.close",
        "session/delete": "sessionCapabilities.delete",
        "session/fork": "sessionCapabilities.fork",
        "session/archive": "sessionCapabilities.archive",
        "session/unarchive": "sessionCapabilities.archive",
        "session/status": "sessionCapabilities.status",
        "session/set_title": "sessionCapabilities.title",
        "fs/read_text_file": "fs.readTextFile",
        "fs/write_text_file": "fs.writeTextFile",
        **dict.fromkeys(methods.TERMINALS, "terminal"),
    },
    2: {
        **_BOTH,
        **dict.fromkeys(("session/new", "session/resume", "session/list"), "session"),
        "session/delete": "session.delete",
        "session/fork": "session.fork",
        "session/archive": "session.archive",
        "session/unarchive": "session.archive",
        "session/status": "session.status",
        "session/set_title": "session.title",
    },
}

#: Methods that an agent must have, whatever it announces; in version 2, if it announces `session`.
BASELINE = frozenset({"initialize", "session/new", "session/prompt"})

#: The path for an MCP server of this type; a server without a type is stdio, which version 1 always allows.
MCP_SERVERS: Mapping[int, Paths] = {
    1: {"http": "mcpCapabilities.http", "sse": "mcpCapabilities.sse", "acp": "mcpCapabilities.acp"},
    2: {"stdio": "session.mcp.stdio", "http": "session.mcp.http", "acp": "session.mcp.acp"},
}

#: The path for a block of this type in a prompt (content).
CONTENT: Mapping[int, Paths] = {
    1: {
        "image": "promptCapabilities.image",
        "audio": "promptCapabilities.audio",
        "resource": "promptCapabilities.embeddedContext",
    },
    2: {
        "image": "session.prompt.image",
        "audio": "session.prompt.audio",
        "resource": "session.prompt.embeddedContext",
    },
}

#: The path for a parameter of a request that opens a session.
PARAMETERS: Mapping[int, Paths] = {
    1: {
        "additionalDirectories": "sessionCapabilities.additionalDirectories",
        "systemPrompt": "sessionCapabilities.systemPrompt",
    },
    2: {
        "additionalDirectories": "session.additionalDirectories",
        "systemPrompt": "session.systemPrompt",
    },
}

#: The path for a mode of elicitation; `elicitation: {}` announces forms (RFD elicitation).
ELICITATION: Paths = {"form": "elicitation.form", "url": "elicitation.url"}

#: The path for an authentication method of type `terminal`, in the client's capabilities.
TERMINAL_AUTH = "auth.terminal"
