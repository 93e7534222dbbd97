"""The connection, the handshake, logins, and which sessions exist."""

from __future__ import annotations

from acp_trace.analyze.findings.codes import sources
from acp_trace.analyze.findings.codes.finding_code import EACH, FindingCode

ROWS = (
    FindingCode(
        "agent-crashed", "agent", "error", "connection",
        "The agent ended with an exit code other than 0, or by a signal such as SIGSEGV or SIGKILL, while a "
        "client request was open. Signals that end a process from outside (SIGTERM, SIGINT, SIGHUP …) do not "
        "count. If the client had already left, only two kinds of end are errors: signals such as SIGSEGV, "
        "and exit codes of a panic, such as 101. SIGKILL is then a note.",
        "An agent answers open requests, and ends when its client closes its standard input.",
        sources.OURS, is_doubted=True, also_of=EACH,
    ),
    FindingCode(
        "before-initialize", "either", "error", "connection",
        "A request that was sent before `initialize`, or a session that was opened although `initialize` "
        "was refused.",
        "Before a Session can be created, Clients MUST initialize the connection.",
        sources.INIT, once="trace", is_doubted=True,
    ),
    FindingCode(
        "capability-missing", "either", "error", "connection",
        "A method whose capability the other side did not announce.",
        "Capabilities that are omitted are UNSUPPORTED.",
        sources.INIT, once="session", is_doubted=True,
    ),
    FindingCode(
        "unknown-session", "either", "error", "connection",
        "A message about a session that was not opened in this trace, or that was already closed.",
        "A session must be opened by session/new, load, resume or fork before other messages can name it.",
        sources.SETUP, once="session", is_doubted=True,
    ),
    FindingCode(
        "update-unknown-session", "agent", "error", "connection",
        "A session/update for a session that was not opened in this trace, or that was already closed.",
        "Updates are notifications about a session that exists.",
        sources.SETUP, once="session", is_doubted=True,
    ),
    FindingCode(
        "announced-not-found", "either", "error", "connection",
        "A side answers a method that it announced, or must always support, with -32601 (method not found).",
        "Capabilities that are announced are SUPPORTED; session/new and session/prompt need none.",
        sources.INIT, once="session",
    ),
    FindingCode(
        "auth-method-unknown", "client", "error", "connection",
        "The client authenticates with a method that the agent did not offer.",
        "The method id must be one of those in the response to initialize.",
        sources.INIT,
    ),
    FindingCode(
        "auth-method-terminal", "client", "error", "connection",
        "The client asks the agent to log in with a method of type `terminal`. The client has to run the "
        "command of such a method itself.",
        "Clients MUST NOT pass a terminal method to authenticate; they run its command.",
        "docs/protocol/v1/authentication",
    ),
    FindingCode(
        "auth-still-required", "agent", "error", "connection",
        "The agent asks for authentication (-32000) although an authentication has just succeeded.",
        "After a successful authentication the Client can create sessions without an auth_required error.",
        sources.INIT, once="trace",
    ),
    FindingCode(
        "auth-not-tried", "client", "note", "connection",
        "The agent asked for authentication (-32000) and offered methods, but the client tried none of them.",
        "The user of the agent has to log in, through the client or outside it.",
        sources.OURS, once="trace", is_doubted=True,
    ),
    FindingCode(
        "version-unsupported", "client", "error", "connection",
        "The client continues although the agent answered `initialize` with a version that does not exist.",
        "If the Client does not support the version, it SHOULD close the connection.",
        sources.INIT, once="trace",
    ),
    FindingCode(
        "initialized-again", "client", "warning", "connection",
        "A second `initialize` on one connection.",
        "A connection is initialized once, before anything else.",
        sources.INIT,
    ),
    FindingCode(
        "session-gone", "agent", "error", "connection",
        "The agent does not find a session that it opened in this trace and that is still open. If the "
        "client closed the session and reopens it, the finding is a note: an agent that can load sessions "
        "should still find it.",
        "Messages can refer to a session from its creation until it is closed.",
        sources.SETUP, is_doubted=True,
    ),
    FindingCode(
        "session-id-reused", "agent", "error", "connection",
        "A session/new or session/fork that returns the id of a session that is open.",
        "The Agent MUST respond with a unique Session ID that identifies this conversation.",
        sources.SETUP,
    ),
    FindingCode(
        "mcp-server-unannounced", "client", "error", "connection",
        "An MCP server with a transport that the agent did not announce.",
        "Clients MUST verify the agent's mcpCapabilities before they pass an http or sse server.",
        sources.SETUP, is_doubted=True,
    ),
    FindingCode(
        "parameter-unannounced", "either", "error", "connection",
        "A parameter, or a form of one, that the other side did not announce: additional directories, a "
        "system prompt, a mode of elicitation, or authentication in a terminal.",
        "Capabilities that are omitted are UNSUPPORTED.",
        sources.INIT, once="session", is_doubted=True,
    ),
    FindingCode(
        "update-before-session", "agent", "note", "connection",
        "An update about a session, sent before the response that gives the client the session's id.",
        "Some clients drop updates about a session that they do not know yet.",
        sources.OURS, once="session",
    ),
    FindingCode(
        "agent-never-spoke", "agent", "error", "connection",
        "The agent ended before either side sent a message.",
        "An agent answers until its client closes its standard input.",
        sources.OURS, also_of=EACH,
    ),
    FindingCode(
        "large-last-frame", "either", "note", "connection",
        "A side left immediately after the other side sent it a frame of more than 64 KiB. The finding "
        "blames the side that left.",
        "Some receivers accept at most 64 KiB a line, and end if a line is longer.",
        sources.OURS,
    ),
    FindingCode(
        "other-protocol", "client", "note", "connection",
        "The protocol is MCP or LSP, which also use JSON-RPC over pipes. acp-trace recognises the protocol "
        "by the handshake, or else by the first method that identifies it. Only the rules of JSON-RPC are "
        "applied to the trace, none of ACP.",
        "MCP numbers its versions by dates; LSP has processId and rootUri.",
        "modelcontextprotocol/modelcontextprotocol, microsoft/language-server-protocol", once="trace",
        also_of=EACH,
    ),
    FindingCode(
        "name-unprefixed", "agent", "warning", "connection",
        "A custom authentication type in protocol 2 that does not begin with an underscore.",
        "Custom values MUST begin with an underscore.",
        "draft 2, extensibility", once="session",
    ),
)  # fmt: skip
