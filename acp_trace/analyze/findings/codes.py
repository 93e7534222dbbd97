"""Every finding's code: how bad it is, what it means, and the rule behind it. A table without logic.

Codes are stable: a code is never renamed and never changes its meaning. docs/findings.md is generated
from this table.

Severity: an `error` breaks a MUST; a `warning` breaks a SHOULD, or is most likely a mistake; a `note`
breaks nothing, but is worth knowing if something looks odd.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
#: The scope in which only the first case is listed, with the number of cases. None: every case is listed.
Once = Literal["session", "trace"] | None

#: Worst first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class FindingCode:
    """One code. `rule` is a sentence of a specification, or our own reason; `source` says which."""

    code: str
    side: Literal["client", "agent", "either"]  #: which one is to blame
    severity: Severity
    group: str
    meaning: str
    rule: str
    source: str
    once: Once = None


#: Findings that a missing frame may have caused. If the trace lost frames or has no end, the frame may be
#: missing only from the trace, so these findings are notes there.
ABSENCES = frozenset(
    {
        "never-answered",
        "response-to-nothing",
        "id-reused",
        "before-initialize",
        "unknown-session",
        "update-unknown-session",
        "tool-call-unannounced",
        "cancel-unanswered",
        "permission-not-cancelled",
        "agent-crashed",
        "auth-not-tried",
        "session-gone",
        "turn-empty",
        "tool-call-unfinished",
        "history-missing",
        "history-differs",
        "state-skipped",
        "prompt-not-echoed",
        "turn-unfinished",
        "usage-missing",
        "permission-cancelled-alone",
        "terminal-unknown",
        "terminal-not-released",
        "elicitation-unknown",
        "requests-not-cancelled",
        "title-only-listed",
        "stalled",
        "update-after-settle",
        "update-before-prompt",
        "modes-disagree",
        "mode-unknown",
        "config-lost",
        "config-missing",
        "config-unknown-option",
        "config-unknown-value",
        "list-disagrees",
        "tool-call-restarted",
        "capability-missing",
        "parameter-unannounced",
        "content-unannounced",
        "mcp-server-unannounced",
        "update-not-announced",
        "option-boolean-unannounced",
    }
)

_JSONRPC = "JSON-RPC 2.0"
_TRANSPORTS = "docs/protocol/v1/transports"
_INIT = "docs/protocol/v1/initialization"
_SETUP = "docs/protocol/v1/session-setup"
_TURN = "docs/protocol/v1/prompt-turn"
_CANCEL = "docs/protocol/v1/prompt-turn#cancellation"
_CONFIG = "docs/protocol/v1/session-config-options"
_LIST = "docs/protocol/v1/session-list"
_REQUEST_CANCEL = "docs/protocol/v1/cancellation ($/cancel_request)"
_SCHEMA = "schema of the negotiated version"
_OURS = "acp-trace"

_ALL = (
    # -- the wire
    FindingCode(
        "not-json", "either", "error", "wire",
        "A line that is not JSON or not UTF-8.",
        "The agent MUST NOT write anything to its stdout that is not a valid ACP message.",
        _TRANSPORTS,
    ),
    FindingCode(
        "blank-line", "either", "note", "wire",
        "An empty line between messages.",
        "Messages are delimited by newlines. An empty line is not a message, and some readers refuse it.",
        _TRANSPORTS, once="trace",
    ),
    FindingCode(
        "not-jsonrpc", "either", "error", "wire",
        "JSON that is not a JSON-RPC 2.0 message: no `jsonrpc`, no valid id, both a result and an error …",
        'A String specifying the version of the JSON-RPC protocol. MUST be exactly "2.0".',
        f"{_JSONRPC}, sections 4 and 5",
    ),
    FindingCode(
        "batch", "either", "error", "wire",
        "An array of messages. In version 2 this is only a warning because the sources disagree: acp-tck "
        "requires arrays, and the TypeScript SDK refuses them. Each message in the array is still paired, "
        "judged and told: `#12[1]` is the second message of frame 12, and the `path` of its findings begins "
        "with `/1`. If the other side does not answer the messages, that is a consequence: a reader may "
        "refuse an array.",
        "ACP does not use JSON-RPC batches.",
        "draft 2, transports",
    ),
    FindingCode(
        "unknown-method", "either", "error", "wire",
        "A method that the negotiated version of the protocol does not have. It is only a warning if no "
        "version has the method: the method may be newer than acp-trace.",
        "Custom methods begin with an underscore; all other names belong to the protocol.",
        "docs/protocol/v1/extensibility",
    ),
    FindingCode(
        "retired-method", "either", "note", "wire",
        "A method that was once part of the protocol but no longer is.",
        "Newer versions of the schema no longer have the method: session/set_model was removed on "
        "2026-06-01 (#1325), mcp/connect and nes/* in the months after.",
        "specification repository", once="trace",
    ),
    FindingCode(
        "wrong-side", "either", "error", "wire",
        "A method that only the other side may send.",
        "The schema names the side that handles each method.",
        "schema, x-side",
    ),
    FindingCode(
        "wrong-kind", "either", "error", "wire",
        "A notification sent as a request, or a request sent as a notification.",
        "A Notification is a Request object without an id. The protocol says which methods are which.",
        f"{_JSONRPC}, section 4.1",
    ),
    FindingCode(
        "response-to-nothing", "either", "error", "wire",
        "A response that has no id, or whose id matches no request.",
        "id: It MUST be the same as the value of the id member in the Request Object.",
        f"{_JSONRPC}, section 5",
    ),
    FindingCode(
        "second-answer", "either", "error", "wire",
        "A second response to a request that was already answered.",
        "Receivers MUST NOT send a second response for it.",
        "draft 2, cancellation; JSON-RPC 2.0, section 5",
    ),
    FindingCode(
        "never-answered", "either", "error", "wire",
        "A request that was still open when the trace ended. If the agent owed the response, this is only a "
        "note in two cases: the agent itself was waiting for the client in that session, or the client left "
        "less than 1 s after the request. If the agent crashed, it is a consequence of that.",
        "When a rpc call is made, the Server MUST reply with a Response.",
        f"{_JSONRPC}, section 5",
    ),
    FindingCode(
        "id-reused", "either", "error", "wire",
        "An id that a side uses for a second request while the first one is open.",
        "A sender MUST NOT reuse an ID while a request with it is still awaiting a response.",
        "draft 2, schema RequestId",
    ),
    # -- payloads
    FindingCode(
        "payload-field-missing", "either", "error", "payloads",
        "A message without a member that the negotiated version requires. It is a warning if readers "
        "continue with a default value, or without the item.",
        "Every required member without a `default` must be present.",
        _SCHEMA, once="session",
    ),
    FindingCode(
        "payload-wrong-type", "either", "error", "payloads",
        "A member whose type is not the one in the negotiated version. It is a warning if readers replace "
        "the value.",
        "The schema gives each member its type.",
        _SCHEMA, once="session",
    ),
    FindingCode(
        "payload-unknown-value", "either", "error", "payloads",
        "A value that the negotiated version does not allow: it is not in a closed list, is out of range, "
        "or has none of the forms of a union. It is a warning if readers replace the value.",
        "The schema lists the values of a member, its limits, and the forms of a union.",
        _SCHEMA, once="session",
    ),
    FindingCode(
        "payload-extra-field", "either", "note", "payloads",
        "A member that the negotiated version does not have. Readers ignore it.",
        "Implementations MUST NOT add any custom fields at the root of a type that is part of the "
        "specification: custom data belongs in `_meta`.",
        "docs/protocol/v1/extensibility", once="session",
    ),
    # -- the connection
    FindingCode(
        "agent-crashed", "agent", "error", "connection",
        "The agent ended with an exit code other than 0, or by a signal such as SIGSEGV or SIGKILL, while a "
        "client request was open. Signals that end a process from outside (SIGTERM, SIGINT, SIGHUP …) do "
        "not count. If the client had left before, only a crash counts, and SIGKILL is a note.",
        "An agent answers open requests, and ends when its client closes its standard input.",
        _OURS,
    ),
    FindingCode(
        "before-initialize", "either", "error", "connection",
        "A request that was sent before `initialize`, or a session that was opened although `initialize` "
        "was refused.",
        "Before a Session can be created, Clients MUST initialize the connection.",
        _INIT, once="trace",
    ),
    FindingCode(
        "capability-missing", "either", "error", "connection",
        "A method whose capability the other side did not announce.",
        "Capabilities that are omitted are UNSUPPORTED.",
        _INIT, once="session",
    ),
    FindingCode(
        "unknown-session", "either", "error", "connection",
        "A message about a session that was not opened in this trace, or that was already closed.",
        "A session must be opened by session/new, load, resume or fork before other messages can name it.",
        _SETUP, once="session",
    ),
    FindingCode(
        "update-unknown-session", "agent", "error", "connection",
        "A session/update for a session that was not opened in this trace, or that was already closed.",
        "Updates are notifications about a session that exists.",
        _SETUP, once="session",
    ),
    FindingCode(
        "announced-not-found", "either", "error", "connection",
        "A method that a side announced, or that every such side must support, is answered with -32601 "
        "(method not found).",
        "Capabilities that are announced are SUPPORTED; session/new and session/prompt need none.",
        _INIT, once="session",
    ),
    FindingCode(
        "auth-method-unknown", "client", "error", "connection",
        "The client authenticates with a method that the agent did not offer.",
        "The method id must be one of those in the response to initialize.",
        _INIT,
    ),
    FindingCode(
        "auth-method-terminal", "client", "error", "connection",
        "The client authenticates with a method of type `terminal`, which it has to carry out itself.",
        "Clients MUST NOT pass a terminal method to authenticate; they run its command.",
        "docs/protocol/v1/authentication",
    ),
    FindingCode(
        "auth-still-required", "agent", "error", "connection",
        "The agent asks for authentication (-32000) although an authentication has just succeeded.",
        "After a successful authentication the Client can create sessions without an auth_required error.",
        _INIT, once="trace",
    ),
    FindingCode(
        "auth-not-tried", "client", "note", "connection",
        "The agent asked for authentication (-32000) and offered methods, but the client tried none of them.",
        "The user of the agent has to log in, through the client or outside it.",
        _OURS, once="trace",
    ),
    FindingCode(
        "version-unsupported", "client", "error", "connection",
        "The client continues although the agent answered `initialize` with a version that does not exist.",
        "If the Client does not support the version, it SHOULD close the connection.",
        _INIT, once="trace",
    ),
    FindingCode(
        "initialized-again", "client", "warning", "connection",
        "A second `initialize` on one connection.",
        "A connection is initialized once, before anything else.",
        _INIT,
    ),
    FindingCode(
        "session-gone", "agent", "error", "connection",
        "The agent does not find a session that it opened in this trace and that was not closed. It is a "
        "note if the client had closed the session: an agent that can load sessions should find it.",
        "A session that was created can be named until it is closed.",
        _SETUP,
    ),
    FindingCode(
        "session-id-reused", "agent", "error", "connection",
        "A session/new or session/fork that returns the id of a session that is open.",
        "The Agent MUST respond with a unique Session ID that identifies this conversation.",
        _SETUP,
    ),
    FindingCode(
        "mcp-server-unannounced", "client", "error", "connection",
        "An MCP server with a transport that the agent did not announce.",
        "Clients MUST verify the agent's mcpCapabilities before they pass an http or sse server.",
        _SETUP,
    ),
    FindingCode(
        "parameter-unannounced", "either", "error", "connection",
        "A parameter, or a form of one, that the other side did not announce: additional directories, a "
        "system prompt, a mode of elicitation, or authentication in a terminal.",
        "Capabilities that are omitted are UNSUPPORTED.",
        _INIT, once="session",
    ),
    FindingCode(
        "update-before-session", "agent", "note", "connection",
        "An update about a session that comes before the response that gives the client the session's id.",
        "Some clients drop updates about a session that they do not know yet.",
        _OURS, once="session",
    ),
    FindingCode(
        "agent-never-spoke", "agent", "error", "connection",
        "The agent ended before either side sent a message.",
        "An agent answers until its client closes its standard input.",
        _OURS,
    ),
    FindingCode(
        "large-last-frame", "either", "note", "connection",
        "A side left right after the other side sent it a frame of more than 64 KiB. The finding blames the "
        "side that left.",
        "Some readers accept at most 64 KiB a line, and end if a line is longer.",
        _OURS,
    ),
    FindingCode(
        "name-unprefixed", "agent", "warning", "connection",
        "A custom authentication type in protocol 2 that does not begin with an underscore.",
        "Custom values MUST begin with an underscore.",
        "draft 2, extensibility", once="session",
    ),
    # -- updates and turns
    FindingCode(
        "unknown-update", "agent", "error", "turns",
        "A kind of update that the negotiated version does not have. It is only a warning if no version has "
        "the kind: it may be newer than acp-trace.",
        "The kinds of SessionUpdate are a closed list in protocol 1.",
        "schema, SessionUpdate",
        once="session",
    ),
    FindingCode(
        "update-not-announced", "agent", "error", "turns",
        "A kind of update that needs a capability of the client, sent although the client did not announce "
        "it.",
        "Agents MUST only send it when the client advertised the capability.",
        "schema, ClientSessionCapabilities", once="session",
    ),
    FindingCode(
        "update-after-settle", "agent", "warning", "turns",
        "Messages, thoughts, tool calls or plans between two turns: after one settled, before the next "
        "prompt.",
        "The Agent MAY send updates after session/cancel, but it MUST ensure that it does so before "
        "responding to the session/prompt request.",
        _CANCEL,
    ),
    FindingCode(
        "tool-call-unannounced", "agent", "warning", "turns",
        "A `tool_call_update` for a tool call that no `tool_call` announced.",
        "The first report of a tool call is tool_call; updates name the tool call by its id.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-unannounced", "agent", "note", "turns",
        "A permission request for a tool call that no update has announced yet.",
        "Clients show a permission next to its tool call. Here they have no tool call to show.",
        _OURS, once="session",
    ),
    FindingCode(
        "stop-reason-unknown", "agent", "warning", "turns",
        "A prompt that is answered without a stop reason, or with one that the negotiated version does not "
        "have. In protocol 2, an idle state without a stop reason that ends a turn is a note.",
        "StopReason: end_turn, max_tokens, max_turn_requests, refusal, cancelled.",
        "schema, StopReason",
    ),
    FindingCode(
        "resume-replayed", "agent", "error", "turns",
        "The agent replays the session's history before it answers session/resume.",
        "The agent MUST NOT replay the conversation history before responding.",
        f"{_SETUP} (resume)", once="session",
    ),
    FindingCode(
        "content-unannounced", "client", "error", "turns",
        "A prompt with images, audio or embedded files, although the agent did not announce them.",
        "Clients MUST restrict content to the promptCapabilities of the agent.",
        "docs/protocol/v1/content",
    ),
    FindingCode(
        "prompt-overlaps", "client", "note", "turns",
        "A prompt that is refused while another prompt of its session is open. The finding blames the "
        "client.",
        "The protocol does not say what an agent does with a second prompt; some queue it.",
        _OURS,
    ),
    FindingCode(
        "turn-empty", "agent", "note", "turns",
        "A turn that ended with `end_turn` but without any output.",
        "Agents that hide an error of their model's provider end a turn like this.",
        _OURS,
    ),
    FindingCode(
        "model-error-hidden", "agent", "error", "turns",
        "The last model call of a turn failed, but the turn ended with `end_turn`. It is a warning if the "
        "agent wrote something after the failure. acp-trace finds this only if the model's side was "
        "recorded.",
        "An agent that cannot continue answers the prompt with an error.",
        _TURN,
    ),
    FindingCode(
        "max-tokens-hidden", "agent", "warning", "turns",
        "The last model call of a turn was cut off at its limit of tokens, but the turn ended with "
        "`end_turn`. acp-trace finds this only if the model's side was recorded.",
        "max_tokens: the turn ended because the agent reached the maximum number of tokens.",
        _TURN,
    ),
    FindingCode(
        "error-after-decline", "agent", "warning", "turns",
        "A prompt that is answered with an error right after a permission was declined.",
        "A declined tool call fails; the turn continues, or ends with a stop reason.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "update-before-prompt", "agent", "warning", "turns",
        "Messages, thoughts, tool calls or plans in a session that has had no prompt yet.",
        "Updates of a turn come between its prompt and the response.",
        _TURN, once="session",
    ),
    FindingCode(
        "tool-call-unfinished", "agent", "warning", "turns",
        "A tool call that has neither completed nor failed when its turn ends with `end_turn`.",
        "Clients show the tool call as running forever.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "tool-call-restarted", "agent", "warning", "turns",
        "An update that sets a finished tool call back to `pending` or `in_progress`, or to an unknown "
        "status.",
        "completed and failed are final.",
        "docs/protocol/v1/tool-calls", once="session",
    ),
    FindingCode(
        "tool-call-id-reused", "agent", "note", "turns",
        "A second `tool_call` with the id of a tool call that has ended.",
        "toolCallId is unique within the session.",
        "docs/protocol/v1/tool-calls", once="session",
    ),
    FindingCode(
        "message-repeated", "agent", "warning", "turns",
        "A message that is sent again as a whole after its chunks.",
        "Clients join chunks, so they show the text twice.",
        _TURN,
    ),
    FindingCode(
        "prompt-echoed", "agent", "note", "turns",
        "In protocol 1, a turn in which the agent sends the user's prompt back as a user message.",
        "Clients that show what the user typed show it twice. Protocol 2 requires the echo.",
        _OURS, once="session",
    ),
    FindingCode(
        "stalled", "either", "note", "turns",
        "A turn in which nothing was sent for 30 s or more. The finding blames the side that the turn "
        "waited for. It is a warning if the agent was neither waiting for its client nor running a tool "
        "call.",
        "Users of a silent agent cannot tell work from a hang.",
        _OURS,
    ),
    FindingCode(
        "history-missing", "agent", "warning", "turns",
        "A session that had turns is loaded, but the agent replays nothing. If the turns are in an earlier "
        "trace, only `show SESSION` finds this.",
        "The Agent MUST replay the entire conversation to the Client in the form of session/update "
        "notifications.",
        _SETUP,
    ),
    FindingCode(
        "history-differs", "agent", "warning", "turns",
        "The history of a loaded session lacks recorded tool calls, or has them in another order of turns. "
        "It is a note if the history has as many tool calls with other ids instead, or if only their names "
        "differ. Tool calls that never ended may be absent. If the tool calls are in an earlier trace, only "
        "`show SESSION` finds this.",
        "The Agent MUST replay the entire conversation to the Client in the form of session/update "
        "notifications.",
        _SETUP,
    ),
    FindingCode(
        "history-late", "agent", "warning", "turns",
        "The agent still sends history of a loaded session after it has answered session/load.",
        "When all the conversation entries have been streamed, the Agent MUST respond to the request.",
        _SETUP,
    ),
    FindingCode(
        "state-skipped", "agent", "warning", "turns",
        "A turn in protocol 2 that ends with an idle state but was never running.",
        "The Agent sends a running state when it begins to work.",
        "draft 2, prompt-lifecycle",
    ),
    FindingCode(
        "turn-unfinished", "agent", "error", "turns",
        "A turn in protocol 2 whose prompt was accepted, but that never became idle. It is a note if the "
        "agent could not go on, for the same reasons as in [never-answered](#never-answered).",
        "When the Agent is ready to process a new prompt, it MUST report idle.",
        "draft 2, prompt-lifecycle",
    ),
    FindingCode(
        "prompt-not-echoed", "agent", "warning", "turns",
        "A prompt in protocol 2 that is accepted, but that the agent does not send back as a user message.",
        "The accepted message is sent as an update with its messageId.",
        "draft 2, prompt-lifecycle",
    ),
    # -- permissions
    FindingCode(
        "permission-without-options", "agent", "warning", "permissions",
        "A permission request without any options.",
        "options: the options available to the user. Without them, nobody can answer.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-option-repeated", "agent", "warning", "permissions",
        "A permission request with two options of one id.",
        "optionId: unique identifier for this permission option.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-option-unknown", "client", "error", "permissions",
        "A permission request that is answered with an option that was not offered.",
        "optionId: the ID of the option the user selected.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-cancelled-alone", "client", "warning", "permissions",
        "A permission request that is answered with `cancelled`, although the client did not cancel the "
        "turn.",
        "The cancelled outcome says that the turn was cancelled; to decline, a reject option is selected.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-input-emptied", "agent", "note", "permissions",
        "A permission request whose tool call has an empty raw input, although an update had given it "
        "before.",
        "A client that shows the permission request has no input to show.",
        _OURS, once="session",
    ),
    # -- what an agent asks of its client
    FindingCode(
        "path-relative", "either", "error", "requests",
        "A path that is not absolute. It is a warning if the path is only shown to the user.",
        "All file paths in the protocol MUST be absolute.",
        "docs/protocol/v1/overview", once="session",
    ),
    FindingCode(
        "line-out-of-range", "agent", "error", "requests",
        "Line number 0: lines are counted from 1.",
        "Line numbers are 1-based.",
        "docs/protocol/v1/overview", once="session",
    ),
    FindingCode(
        "read-range-ignored", "client", "error", "requests",
        "A response to fs/read_text_file that contains more lines than the request allows.",
        "limit: the maximum number of lines to read.",
        "docs/protocol/v1/file-system", once="session",
    ),
    FindingCode(
        "terminal-unknown", "agent", "error", "requests",
        "A terminal that was not created in its session, or that was already released. It is a warning if a "
        "tool call only shows the terminal.",
        "After release the terminal ID becomes invalid for all other terminal/* methods.",
        "docs/protocol/v1/terminals", once="session",
    ),
    FindingCode(
        "terminal-not-released", "agent", "warning", "requests",
        "A terminal that was never released, although its turn is over.",
        "The Agent MUST release the terminal using terminal/release when it's no longer needed.",
        "docs/protocol/v1/terminals",
    ),
    FindingCode(
        "elicitation-incomplete", "client", "error", "requests",
        "An elicitation that is accepted without a member that its form requires.",
        "requestedSchema.required lists what the content must have.",
        "RFD elicitation",
    ),
    FindingCode(
        "elicitation-unknown", "agent", "error", "requests",
        "elicitation/complete for an elicitation that was never created.",
        "elicitationId: the ID of the elicitation that has been completed.",
        "RFD elicitation",
    ),
    FindingCode(
        "elicitation-id-reused", "agent", "error", "requests",
        "An elicitation with the id of one that is not complete yet.",
        "The Agent MUST keep each elicitationId unique among outstanding URL elicitations.",
        "RFD elicitation",
    ),
    # -- cancellation
    FindingCode(
        "cancel-other-stop-reason", "agent", "error", "cancellation",
        "A prompt that ended with a stop reason other than `cancelled` after session/cancel. It is a note "
        "if the response was already on its way, and a warning if the prompt was queued behind another one.",
        "The Agent MUST respond to the original session/prompt request with the cancelled stop reason.",
        _CANCEL,
    ),
    FindingCode(
        "cancel-error", "either", "error", "cancellation",
        "A cancelled request that was answered with an error other than -32800. In protocol 1, also a "
        "prompt that was answered with -32800 after session/cancel. It is a note if the response was "
        "already on its way, and a warning if the prompt was queued behind another one.",
        "Agents MUST catch these errors and return the semantically meaningful cancelled stop reason.",
        _CANCEL,
    ),
    FindingCode(
        "cancel-unanswered", "either", "error", "cancellation",
        "A cancelled request that was never answered. If the agent owed the response, this is only a note "
        "in two cases: the agent itself was waiting for the client in that session, or the client left less "
        "than 1 s after the cancel. If the agent crashed, it is a consequence of that.",
        "The receiver MUST send one of these responses for the original request.",
        f"{_REQUEST_CANCEL}; {_CANCEL}",
    ),
    FindingCode(
        "cancel-request-ignored", "either", "warning", "cancellation",
        "A $/cancel_request that had no effect: the request continued and ended as usual.",
        "The receiver MAY cancel the request. If it does not, the user has to wait.",
        _REQUEST_CANCEL,
    ),
    FindingCode(
        "model-call-outlives-cancel", "agent", "warning", "cancellation",
        "A model call that was open when its turn was cancelled, and still ran to its end 100 ms or more "
        "later. acp-trace finds this only if the model's side was recorded.",
        "It SHOULD stop all language model requests and all tool call invocations as soon as possible.",
        _CANCEL,
    ),
    FindingCode(
        "cancel-leaked", "agent", "warning", "cancellation",
        "A turn that ended cancelled, although the only session/cancel came before its prompt.",
        "A cancel applies to the prompts that are open when it arrives.",
        _CANCEL,
    ),
    FindingCode(
        "permission-not-cancelled", "client", "error", "cancellation",
        "A permission request that was open at session/cancel and was not answered with `cancelled`.",
        "The Client MUST respond to all pending session/request_permission requests with cancelled.",
        _CANCEL,
    ),
    FindingCode(
        "internal-cancel", "either", "note", "cancellation",
        "A turn that ended cancelled, or a request that ended with the error -32800, although no cancel was "
        "sent. A possible reason is a rejected permission.",
        "The receiver may also send -32800 if it cancelled the request itself.",
        _REQUEST_CANCEL,
    ),
    FindingCode(
        "cancel-slow", "agent", "warning", "cancellation",
        "A cancelled turn that took 5 s or more to end, without the time in which the agent waited for its "
        "client.",
        "The Agent SHOULD stop all work as soon as possible.",
        _CANCEL,
    ),
    FindingCode(
        "cancel-idle", "agent", "note", "cancellation",
        "A session/cancel while no prompt of its session was open, after which the next turn ended much "
        "sooner than the others. The finding blames the agent, which may have applied the cancel to that "
        "turn.",
        "A cancel applies to the prompts that are open when it arrives; some agents apply it to the next "
        "one.",
        _OURS,
    ),
    FindingCode(
        "requests-not-cancelled", "agent", "warning", "cancellation",
        "In protocol 2, permission requests that the agent left open after their turn was cancelled.",
        "The Agent cancels its pending requests with $/cancel_request.",
        "draft 2, prompt-lifecycle",
    ),
    # -- configuration
    FindingCode(
        "config-unknown-option", "client", "error", "configuration",
        "A config change request for an option that the session does not have.",
        "configId: the ID of the configuration option to set.",
        _CONFIG,
    ),
    FindingCode(
        "config-unknown-value", "client", "error", "configuration",
        "A config change request for a value that is not one of the option's choices.",
        "The value to set must be one of the values listed in the option's options.",
        _CONFIG,
    ),
    FindingCode(
        "set-not-honoured", "agent", "warning", "configuration",
        "A config change that was not applied: the request succeeded, but the response shows another value, "
        "or no longer has the option.",
        "The response contains the complete configuration state, which tells the client what was applied.",
        _CONFIG,
    ),
    FindingCode(
        "config-lost", "agent", "warning", "configuration",
        "An option that the client had set has another value when the session is loaded or resumed, "
        "although nothing changed it. If the option was set in an earlier trace, only `show SESSION` finds "
        "this.",
        "The user chose a mode or a model for this session. If the agent forgets the choice, the session "
        "continues with another one.",
        _OURS,
    ),
    FindingCode(
        "option-no-value", "agent", "error", "configuration",
        "An option without a current value, or with a value that is not one of its choices.",
        "currentValue MUST be one of the values in options.",
        "draft 2, schema SessionConfigSelect", once="session",
    ),
    FindingCode(
        "option-mixed-choices", "agent", "error", "configuration",
        "An option with some choices in groups and some outside.",
        "options contains either values or groups of values, not both.",
        _CONFIG, once="session",
    ),
    FindingCode(
        "option-boolean-unannounced", "agent", "error", "configuration",
        "A boolean option, although the client did not announce support for boolean options.",
        "Agents MUST NOT include boolean options unless the client advertised support.",
        _CONFIG, once="session",
    ),
    FindingCode(
        "option-malformed", "agent", "error", "configuration",
        "An option that readers skip (without an id, a type or a name, or listed twice), or a list of "
        "options that is not a list.",
        "id, name and type are required; an item that cannot be read is skipped.",
        "schema, SessionConfigOption", once="session",
    ),
    FindingCode(
        "modes-disagree", "agent", "warning", "configuration",
        "The legacy mode and the option of category `mode` name different modes.",
        "Agents that support both SHOULD keep them in sync.",
        _CONFIG,
    ),
    FindingCode(
        "mode-unknown", "either", "error", "configuration",
        "A mode that the session does not have, requested by the client. It is a warning if the agent names "
        "the mode, and a note if the session has no modes at all.",
        "modeId must be one of the modes listed in availableModes.",
        "docs/protocol/v1/session-modes", once="session",
    ),
    FindingCode(
        "config-missing", "agent", "warning", "configuration",
        "A session that had options or modes has none in the response that loads or resumes it.",
        "The response carries the state of the session, like the response to session/new.",
        _CONFIG,
    ),
    # -- session information
    FindingCode(
        "info-wrong-type", "agent", "error", "metadata",
        "A field of session_info_update whose value is neither of its type nor null.",
        "title and updatedAt are strings or null, _meta an object or null.",
        "schema, SessionInfoUpdate",
    ),
    FindingCode(
        "title-too-long", "agent", "warning", "metadata",
        "A title of more than 500 characters.",
        "Clients show titles in lists, and cut long ones.",
        "RFD session-info-update (proposal)",
    ),
    FindingCode(
        "updated-at-invalid", "agent", "warning", "metadata",
        "An updatedAt that is not an RFC 3339 time. Most often its time zone is missing.",
        "RFC 3339 timestamp of last activity.",
        "draft 2, schema SessionInfoUpdate; protocol 1 asks for ISO 8601", once="session",
    ),
    FindingCode(
        "updated-at-goes-back", "agent", "warning", "metadata",
        "An updatedAt that is earlier than the one before.",
        "Timestamp of last activity, which only moves forward.",
        _LIST,
    ),
    FindingCode(
        "info-foreign-field", "agent", "error", "metadata",
        "A sessionId, cwd or additionalDirectories inside a session_info_update.",
        "sessionId and cwd are not part of the update: they cannot change.",
        "RFD session-info-update", once="session",
    ),
    FindingCode(
        "info-flood", "agent", "warning", "metadata",
        "More than 50 session_info_updates of one session within one second.",
        "Clients redraw at each update, so agents should send changes only.",
        _OURS, once="session",
    ),
    FindingCode(
        "list-disagrees", "agent", "warning", "metadata",
        "session/list and the session_info_updates disagree about a session.",
        "Updates and session/list describe the same session.",
        _LIST, once="session",
    ),
    FindingCode(
        "meta-merge-differs", "agent", "note", "metadata",
        "An update of _meta after which clients that merge deeply and clients that do not have different "
        "states.",
        "The proposal merges recursively, protocol 1 defines no merge, and draft 2 patches only the top "
        "level.",
        "RFD session-info-update; draft 2, extensibility#metadata-patches",
    ),
    FindingCode(
        "title-only-listed", "agent", "note", "metadata",
        "A title that only session/list contains: no session_info_update had it.",
        "Clients that do not list sessions do not see the title.",
        _LIST, once="session",
    ),
    FindingCode(
        "list-filter-ignored", "agent", "warning", "metadata",
        "A session/list with a `cwd` that returns sessions of several directories.",
        "cwd: only sessions with this working directory.",
        _LIST,
    ),
    FindingCode(
        "session-untitled", "agent", "note", "metadata",
        "A session that had a turn, but has no title in session/list.",
        "Users find sessions by their titles.",
        _LIST, once="session",
    ),
    # -- usage
    FindingCode(
        "usage-disagrees", "agent", "warning", "usage",
        "Numbers of tokens or costs that contradict each other: a total that is not the sum of its parts, "
        "more tokens in a context than it can hold, a cost that falls. If the model's side was recorded, "
        "also output tokens that are not those of its calls, in the turn or in the session so far. If they "
        "are those of the last call alone, it is a note.",
        "totalTokens: sum of all token types. used: tokens currently in context. cost: cumulative.",
        "RFDs session-usage and end-turn-token-usage",
    ),
    FindingCode(
        "usage-missing", "agent", "note", "usage",
        "A session without any usage, neither in updates nor at the end of a turn, although the model "
        "counted tokens. acp-trace finds this only if the model's side was recorded.",
        "Agents MAY report usage; without it, clients cannot show what a session costs.",
        "RFD session-usage", once="session",
    ),
)  # fmt: skip

CODES: dict[str, FindingCode] = {one.code: one for one in _ALL}
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(one.group for one in _ALL))
