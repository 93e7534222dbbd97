"""Every finding's code: how bad it is, what it means, and the rule behind it. A table and no logic.

Codes are stable: one is never renamed, and never gets another meaning. docs/findings.md is made from
this table.

Severity: an `error` breaks a MUST; a `warning` breaks a SHOULD, or is most likely a mistake; a `note`
breaks nothing and is worth knowing when something looks odd.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
#: Where only the first of several is listed, with the number of all: once a session, or once a trace.
Once = Literal["session", "trace"] | None

#: Worst first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class FindingCode:
    """One code. `rule` is a sentence of a specification, or our reason; `source` says whose."""

    code: str
    severity: Severity
    group: str
    meaning: str
    rule: str
    source: str
    once: Once = None


#: What is said because something is missing. In a trace that lost frames, or has no end, that may only be
#: missing from the trace: there these are notes.
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
        "permission-cancelled-alone",
        "terminal-unknown",
        "terminal-not-released",
        "elicitation-unknown",
        "requests-not-cancelled",
        "title-only-listed",
        "stalled",
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
        "not-json", "error", "wire",
        "A line that is not JSON or not UTF-8.",
        "The agent MUST NOT write anything to its stdout that is not a valid ACP message.",
        _TRANSPORTS,
    ),
    FindingCode(
        "blank-line", "note", "wire",
        "An empty line between messages.",
        "Messages are delimited by newlines. An empty line is not a message, and some readers refuse it.",
        _TRANSPORTS, once="trace",
    ),
    FindingCode(
        "not-jsonrpc", "error", "wire",
        "JSON that is not a JSON-RPC 2.0 message: no `jsonrpc`, no valid id, both a result and an error …",
        'A String specifying the version of the JSON-RPC protocol. MUST be exactly "2.0".',
        f"{_JSONRPC}, sections 4 and 5",
    ),
    FindingCode(
        "batch", "error", "wire",
        "An array of messages. In version 2 that is only a warning, as the sources disagree: acp-tck asks "
        "for it, the TypeScript SDK refuses it. The messages in it are paired, judged and told all the "
        "same: `#12[1]` is the second one of frame 12, and the `path` of a finding about it begins with "
        "`/1`. If the other side answers none of them, that follows from the array: it need not read one.",
        "ACP does not use JSON-RPC batches.",
        "draft 2, transports",
    ),
    FindingCode(
        "unknown-method", "error", "wire",
        "A method that the negotiated version of the protocol does not have. If no version has "
        "it, that is only a warning: it may be newer than acp-trace.",
        "Custom methods begin with an underscore; all other names belong to the protocol.",
        "docs/protocol/v1/extensibility",
    ),
    FindingCode(
        "retired-method", "note", "wire",
        "A method that was once part of the protocol, and no longer is.",
        "session/set_model was removed on 2026-06-01 (#1325), mcp/connect and nes/* in the months after.",
        "specification repository", once="trace",
    ),
    FindingCode(
        "wrong-side", "error", "wire",
        "A method that only the other side may send.",
        "The protocol's tables of methods name, for each method, the side that handles it.",
        "schema, x-side",
    ),
    FindingCode(
        "wrong-kind", "error", "wire",
        "A notification sent as a request, or a request sent as a notification.",
        "A Notification is a Request object without an id; the protocol says which methods are which.",
        f"{_JSONRPC}, section 4.1",
    ),
    FindingCode(
        "response-to-nothing", "error", "wire",
        "A response that has no id, or whose id matches no request.",
        "It MUST be the same as the value of the id member in the Request Object.",
        f"{_JSONRPC}, section 5",
    ),
    FindingCode(
        "second-answer", "error", "wire",
        "A second response to a request that was already answered.",
        "Receivers MUST NOT send a second response for it.",
        "draft 2, cancellation; JSON-RPC 2.0, section 5",
    ),
    FindingCode(
        "never-answered", "error", "wire",
        "A request that was still open when the trace ended. For the agent only a note if it was waiting for "
        "a request of its own in that session, or if the client left less than 1 s after the request.",
        "When a rpc call is made, the Server MUST reply with a Response.",
        f"{_JSONRPC}, section 5",
    ),
    FindingCode(
        "id-reused", "error", "wire",
        "An id that is used again while its request is open.",
        "A sender MUST NOT reuse an ID while a request with it is still awaiting a response.",
        "draft 2, schema RequestId",
    ),
    # -- payloads
    FindingCode(
        "payload-field-missing", "error", "payloads",
        "A message without a member that the negotiated version requires. A warning where readers go on "
        "with a default, or without the item.",
        "A member without `default` in the list of required ones must be there.",
        _SCHEMA, once="session",
    ),
    FindingCode(
        "payload-wrong-type", "error", "payloads",
        "A member of another type than the negotiated version gives it. A warning where readers replace it.",
        "The schema gives each member its type.",
        _SCHEMA, once="session",
    ),
    FindingCode(
        "payload-unknown-value", "error", "payloads",
        "A value that the negotiated version does not have there: not in a closed list, out of its range, or "
        "of none of the forms of a union. A warning where readers replace it.",
        "The schema lists the values of a member, its limits, and the forms of a union.",
        _SCHEMA, once="session",
    ),
    FindingCode(
        "payload-extra-field", "note", "payloads",
        "A member that the negotiated version does not have. Readers skip it.",
        "Implementations MUST NOT add any custom fields at the root of a type that is part of the "
        "specification: custom data belongs in `_meta`.",
        "docs/protocol/v1/extensibility", once="session",
    ),
    # -- the connection
    FindingCode(
        "agent-crashed", "error", "connection",
        "The agent ended by a signal or with an exit code other than 0 while a client request was open.",
        "An agent ends when its client closes its standard input, and answers open requests before that.",
        _OURS,
    ),
    FindingCode(
        "before-initialize", "error", "connection",
        "A request that was sent before `initialize`.",
        "Before a Session can be created, Clients MUST initialize the connection.",
        _INIT, once="trace",
    ),
    FindingCode(
        "capability-missing", "error", "connection",
        "A method that the other side did not announce.",
        "Capabilities that are omitted are UNSUPPORTED.",
        _INIT, once="session",
    ),
    FindingCode(
        "unknown-session", "error", "connection",
        "A message about a session that was not opened in this trace, or that was already closed.",
        "A session must be opened by session/new, load, resume or fork before other messages can name it.",
        _SETUP, once="session",
    ),
    FindingCode(
        "update-unknown-session", "error", "connection",
        "A session/update for a session that was never opened.",
        "Updates are notifications about a session that exists.",
        _SETUP, once="session",
    ),
    FindingCode(
        "announced-not-found", "error", "connection",
        "A method that its side has announced, or must have, is answered with -32601 (method not found).",
        "Capabilities that are announced are SUPPORTED; session/new and session/prompt need none.",
        _INIT, once="session",
    ),
    FindingCode(
        "auth-method-unknown", "error", "connection",
        "A client authenticates with a method that the agent did not offer.",
        "The method id must be one of those in the response to initialize.",
        _INIT,
    ),
    FindingCode(
        "auth-still-required", "error", "connection",
        "The agent asks for authentication (-32000) although it has just accepted it.",
        "After a successful authentication the Client can create sessions without an auth_required error.",
        _INIT, once="trace",
    ),
    FindingCode(
        "auth-not-tried", "note", "connection",
        "The agent asked for authentication (-32000) and offered methods, of which the client tried none.",
        "Whoever starts the agent has to log in, here or outside.",
        _OURS, once="trace",
    ),
    FindingCode(
        "version-unsupported", "error", "connection",
        "A client goes on with a version of the protocol that it did not ask for and that does not exist.",
        "If the Client does not support the version, it SHOULD close the connection.",
        _INIT, once="trace",
    ),
    FindingCode(
        "initialized-again", "warning", "connection",
        "A second `initialize` on one connection.",
        "A connection is initialized once, before all else.",
        _INIT,
    ),
    FindingCode(
        "session-gone", "error", "connection",
        "The agent does not find a session that it opened here and nobody closed. A note if the client had "
        "closed it: an agent that can load sessions should find it.",
        "A session that was created can be named until it is closed.",
        _SETUP,
    ),
    FindingCode(
        "mcp-server-unannounced", "error", "connection",
        "An MCP server with a transport that the agent did not announce.",
        "Clients MUST verify the agent's mcpCapabilities before they pass an http or sse server.",
        _SETUP,
    ),
    FindingCode(
        "parameter-unannounced", "error", "connection",
        "A parameter, or a form of one, that the other side did not announce: additional directories, a "
        "system prompt, a mode of elicitation, authentication in a terminal.",
        "Capabilities that are omitted are UNSUPPORTED.",
        _INIT, once="session",
    ),
    FindingCode(
        "update-before-session", "note", "connection",
        "An update about a session before the answer that tells the client its id.",
        "Some clients drop what they cannot assign yet.",
        _OURS, once="session",
    ),
    FindingCode(
        "agent-never-spoke", "error", "connection",
        "The agent ended before its first message.",
        "An agent answers until its client closes its standard input.",
        _OURS,
    ),
    FindingCode(
        "large-last-frame", "note", "connection",
        "The last frame before the other side left is larger than 64 KiB.",
        "Some readers have a limit of 64 KiB a line, and end at a longer one.",
        _OURS,
    ),
    FindingCode(
        "name-unprefixed", "warning", "connection",
        "A custom word of protocol 2 (a kind of authentication, of content …) that does not begin with an "
        "underscore.",
        "Custom values MUST begin with an underscore.",
        "draft 2, extensibility", once="session",
    ),
    # -- updates and turns
    FindingCode(
        "unknown-update", "error", "turns",
        "A kind of update that the negotiated version does not have. If no version has it, that is "
        "only a warning: it may be newer than acp-trace.",
        "The kinds of SessionUpdate are a closed list in protocol 1.",
        "schema, SessionUpdate",
        once="session",
    ),
    FindingCode(
        "update-not-announced", "error", "turns",
        "A kind of update that the client did not announce, although only announced ones are allowed.",
        "Agents MUST only send it when the client advertised the capability.",
        "schema, ClientSessionCapabilities", once="session",
    ),
    FindingCode(
        "update-after-settle", "warning", "turns",
        "Messages, thoughts, tool calls or plans between turns: after one settled, before the next prompt.",
        "It MUST ensure that it does so before responding to the session/prompt request.",
        _CANCEL,
    ),
    FindingCode(
        "tool-call-unannounced", "warning", "turns",
        "A `tool_call_update` for a tool call that no `tool_call` announced.",
        "A tool call is reported with tool_call first; updates name it by its id.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-unannounced", "note", "turns",
        "A permission request for a tool call that no update has announced yet.",
        "Clients that show a permission next to its tool call have no tool call to show.",
        _OURS, once="session",
    ),
    FindingCode(
        "stop-reason-unknown", "warning", "turns",
        "A prompt answered without a stop reason, or with one that the negotiated version does not have.",
        "StopReason: end_turn, max_tokens, max_turn_requests, refusal, cancelled.",
        "schema, StopReason",
    ),
    FindingCode(
        "resume-replayed", "error", "turns",
        "A session/resume that replays the session's history.",
        "The agent MUST NOT replay the conversation history before responding.",
        f"{_SETUP} (resume)", once="session",
    ),
    FindingCode(
        "content-unannounced", "error", "turns",
        "A prompt with images, audio or embedded files that the agent did not announce.",
        "Clients MUST restrict content to the promptCapabilities of the agent.",
        "docs/protocol/v1/content",
    ),
    FindingCode(
        "prompt-overlaps", "note", "turns",
        "A prompt that is refused while another one of its session is open.",
        "What an agent does with a second prompt is not said; some queue it.",
        _OURS,
    ),
    FindingCode(
        "turn-empty", "note", "turns",
        "A turn that ended with `end_turn` and without any output.",
        "Agents that hide an error of their provider end a turn like this.",
        _OURS,
    ),
    FindingCode(
        "model-error-hidden", "error", "turns",
        "The provider of the model failed, and the client saw a normal end. Known if the model's side was "
        "recorded.",
        "An agent that cannot go on answers the prompt with an error.",
        _TURN,
    ),
    FindingCode(
        "error-after-decline", "warning", "turns",
        "A prompt that is answered with an error because a permission was declined.",
        "A declined tool call fails; the turn goes on, or ends with a stop reason.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "update-before-prompt", "warning", "turns",
        "Messages, thoughts, tool calls or plans in a session that had no prompt yet.",
        "Updates of a turn come between its prompt and its answer.",
        _TURN, once="session",
    ),
    FindingCode(
        "tool-call-unfinished", "warning", "turns",
        "A tool call that is neither completed nor failed when its turn ends with `end_turn`.",
        "Clients show it as running for ever.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "tool-call-restarted", "warning", "turns",
        "An update that gives a finished tool call another status.",
        "completed and failed are final.",
        "docs/protocol/v1/tool-calls", once="session",
    ),
    FindingCode(
        "tool-call-id-reused", "note", "turns",
        "A second `tool_call` with the id of one that was finished.",
        "toolCallId is unique within the session.",
        "docs/protocol/v1/tool-calls", once="session",
    ),
    FindingCode(
        "message-repeated", "warning", "turns",
        "A message that is sent again as a whole after its chunks.",
        "Clients join chunks, and show the text twice.",
        _TURN,
    ),
    FindingCode(
        "prompt-echoed", "note", "turns",
        "A turn in which the agent sends the user's own prompt back as a message of the user.",
        "Clients that show what was typed show it twice. Protocol 2 asks for it.",
        _OURS, once="session",
    ),
    FindingCode(
        "stalled", "note", "turns",
        "A turn in which nothing was sent for 30 s or more. A warning for an agent that waited for nobody.",
        "Users of a silent agent cannot tell work from a hang.",
        _OURS,
    ),
    FindingCode(
        "history-missing", "warning", "turns",
        "A session that had turns is loaded, and the agent replays nothing. Between two traces, "
        "`show SESSION` finds it.",
        "The Agent MUST replay the entire conversation to the Client in the form of session/update "
        "notifications.",
        _SETUP,
    ),
    FindingCode(
        "history-differs", "warning", "turns",
        "The history of a loaded session lacks tool calls that were recorded, or has them in another order "
        "of turns. If as many have other ids, or others have other names, that is a note. Calls that never "
        "ended need not be told. Between two traces, `show SESSION` finds it.",
        "The Agent MUST replay the entire conversation to the Client in the form of session/update "
        "notifications.",
        _SETUP,
    ),
    FindingCode(
        "history-late", "warning", "turns",
        "The history of a loaded session goes on after the answer to session/load.",
        "When all the conversation entries have been streamed, the Agent MUST respond to the request.",
        _SETUP,
    ),
    FindingCode(
        "state-skipped", "warning", "turns",
        "A turn of protocol 2 that ends with an idle state and was never running.",
        "The Agent sends a running state when it begins to work.",
        "draft 2, prompt-lifecycle",
    ),
    FindingCode(
        "prompt-not-echoed", "warning", "turns",
        "A prompt of protocol 2 whose message is accepted, but not sent to the client as a user message.",
        "The accepted message is sent as an update with its messageId.",
        "draft 2, prompt-lifecycle",
    ),
    # -- permissions
    FindingCode(
        "permission-without-options", "warning", "permissions",
        "A permission request without a single option.",
        "The options available to the user; without one, nobody can answer.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-option-unknown", "error", "permissions",
        "A permission answered with an option that was not offered.",
        "optionId: the ID of the option the user selected.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-cancelled-alone", "warning", "permissions",
        "A permission answered with `cancelled`, although the client did not cancel the turn.",
        "The cancelled outcome says that the turn was cancelled; to decline, a reject option is selected.",
        "docs/protocol/v1/tool-calls",
    ),
    FindingCode(
        "permission-input-emptied", "note", "permissions",
        "A permission whose tool call has an empty raw input, though it was known before.",
        "A client that shows the permission has nothing to show.",
        _OURS, once="session",
    ),
    # -- what an agent asks of its client
    FindingCode(
        "path-relative", "error", "requests",
        "A path that is not absolute. A warning where it is only shown.",
        "All file paths in the protocol MUST be absolute.",
        "docs/protocol/v1/overview", once="session",
    ),
    FindingCode(
        "line-out-of-range", "error", "requests",
        "Line 0: lines are counted from 1.",
        "Line numbers are 1-based.",
        "docs/protocol/v1/overview", once="session",
    ),
    FindingCode(
        "read-range-ignored", "error", "requests",
        "A file read that returns more lines than its limit.",
        "limit: the maximum number of lines to read.",
        "docs/protocol/v1/file-system", once="session",
    ),
    FindingCode(
        "terminal-unknown", "error", "requests",
        "A terminal that was not created in its session, or was released before.",
        "After release the terminal ID becomes invalid for all other terminal/* methods.",
        "docs/protocol/v1/terminals", once="session",
    ),
    FindingCode(
        "terminal-not-released", "warning", "requests",
        "A terminal that was never released although its turn is over.",
        "The Agent MUST release the terminal using terminal/release when it's no longer needed.",
        "docs/protocol/v1/terminals",
    ),
    FindingCode(
        "elicitation-incomplete", "error", "requests",
        "An elicitation is accepted without a member that its form requires.",
        "requestedSchema.required lists what the content must have.",
        "RFD elicitation",
    ),
    FindingCode(
        "elicitation-unknown", "error", "requests",
        "elicitation/complete for an elicitation that was not created.",
        "elicitationId: of the elicitation that has been completed.",
        "RFD elicitation",
    ),
    # -- cancellation
    FindingCode(
        "cancel-other-stop-reason", "error", "cancellation",
        "A prompt that ended with a stop reason other than `cancelled` after session/cancel.",
        "The Agent MUST respond to the original session/prompt request with the cancelled stop reason.",
        _CANCEL,
    ),
    FindingCode(
        "cancel-error", "error", "cancellation",
        "A cancelled request that was answered with an error that does not say so.",
        "Agents MUST catch these errors and return the semantically meaningful cancelled stop reason.",
        _CANCEL,
    ),
    FindingCode(
        "cancel-unanswered", "error", "cancellation",
        "A cancelled request that was never answered. For the agent only a note if it was waiting for a "
        "request of its own in that session, or if the client left less than 1 s after the cancel.",
        "MUST send one of these responses for the original request.",
        f"{_REQUEST_CANCEL}; {_CANCEL}",
    ),
    FindingCode(
        "cancel-request-ignored", "warning", "cancellation",
        "A $/cancel_request that had no effect: the request went on and ended as usual.",
        "The receiver MAY cancel the request. If it does not, the user has to wait.",
        _REQUEST_CANCEL,
    ),
    FindingCode(
        "model-call-outlives-cancel", "warning", "cancellation",
        "A call of the language model that ran to its end, 100 ms or more after its turn had been cancelled. "
        "Known if the model's side was recorded.",
        "It SHOULD stop all language model requests and all tool call invocations as soon as possible.",
        _CANCEL,
    ),
    FindingCode(
        "cancel-leaked", "warning", "cancellation",
        "A turn that ended cancelled, though the only session/cancel came before its prompt.",
        "A cancel is for the prompts that are open when it arrives.",
        _CANCEL,
    ),
    FindingCode(
        "permission-not-cancelled", "error", "cancellation",
        "A permission that was open at session/cancel and was not answered with `cancelled`.",
        "The Client MUST respond to all pending session/request_permission requests with cancelled.",
        _CANCEL,
    ),
    FindingCode(
        "internal-cancel", "note", "cancellation",
        "A turn that ended cancelled, or an error -32800, without a cancel; a rejected permission, perhaps.",
        "-32800 may also be sent if the receiver itself cancelled.",
        _REQUEST_CANCEL,
    ),
    FindingCode(
        "cancel-slow", "warning", "cancellation",
        "A cancelled turn that took more than 5 s to end, although nothing was open at the client.",
        "The Agent SHOULD stop all work as soon as possible.",
        _CANCEL,
    ),
    FindingCode(
        "cancel-idle", "note", "cancellation",
        "A session/cancel while no prompt of its session is open.",
        "A cancel is for the prompts that are open when it arrives; some agents apply it to the next one.",
        _OURS,
    ),
    FindingCode(
        "requests-not-cancelled", "warning", "cancellation",
        "Requests of the agent that it did not take back after its turn was cancelled, in protocol 2.",
        "The Agent takes its pending requests back with $/cancel_request.",
        "draft 2, prompt-lifecycle",
    ),
    # -- configuration
    FindingCode(
        "config-unknown-option", "error", "configuration",
        "A config change request for an option that the session does not have.",
        "configId: the ID of the configuration option to set.",
        _CONFIG,
    ),
    FindingCode(
        "config-unknown-value", "error", "configuration",
        "A config change request for a value that is not one of the option's choices.",
        "The value to set must be one of the values listed in the option's options.",
        _CONFIG,
    ),
    FindingCode(
        "set-not-honoured", "warning", "configuration",
        "A config change that was not applied: the response reports success, but another value.",
        "The response contains the complete configuration state: it tells the client what was set.",
        _CONFIG,
    ),
    FindingCode(
        "config-lost", "warning", "configuration",
        "An option that the client had set has another value when the session is loaded or resumed, although "
        "nothing changed it.",
        "The user chose a mode or a model for this session. If the agent forgets it, the session continues "
        "with another one. Between two traces, `show SESSION` finds it.",
        _OURS,
    ),
    FindingCode(
        "option-no-value", "error", "configuration",
        "An option without a current value, or with a value that is not one of its choices.",
        "currentValue MUST be one of the values in options.",
        "draft 2, schema SessionConfigSelect", once="session",
    ),
    FindingCode(
        "option-mixed-choices", "error", "configuration",
        "An option with some choices in groups and some outside.",
        "options contains either values or groups of values, not both.",
        _CONFIG, once="session",
    ),
    FindingCode(
        "option-boolean-unannounced", "error", "configuration",
        "A boolean option for a client that did not announce support for them.",
        "Agents MUST NOT include boolean options unless the client advertised support.",
        _CONFIG, once="session",
    ),
    FindingCode(
        "option-malformed", "error", "configuration",
        "An option that readers skip (no id or type, or twice in one list), or a list that is not a list.",
        "id, name and type are required; an item that cannot be read is skipped.",
        "schema, SessionConfigOption", once="session",
    ),
    FindingCode(
        "modes-disagree", "warning", "configuration",
        "The legacy mode and the option of category `mode` name different modes.",
        "Agents that support both SHOULD keep them in sync.",
        _CONFIG,
    ),
    FindingCode(
        "mode-unknown", "error", "configuration",
        "A mode that the session does not have: asked for by the client, or (a warning) named by the agent. "
        "A note if the session has no modes at all.",
        "modeId must be one of the modes listed in availableModes.",
        "docs/protocol/v1/session-modes", once="session",
    ),
    FindingCode(
        "config-missing", "warning", "configuration",
        "A session had options or modes when it was opened, and has none when it is loaded or resumed.",
        "The response carries the state of the session, as that to session/new does.",
        _CONFIG,
    ),
    # -- session information
    FindingCode(
        "info-wrong-type", "error", "metadata",
        "A field of session_info_update with a value that is neither of its type nor null.",
        "title and updatedAt are strings or null, _meta an object or null.",
        "schema, SessionInfoUpdate",
    ),
    FindingCode(
        "title-too-long", "warning", "metadata",
        "A title of more than 500 characters.",
        "Titles are shown in lists; clients cut long ones.",
        "RFD session-info-update (proposal)",
    ),
    FindingCode(
        "updated-at-invalid", "warning", "metadata",
        "An updatedAt that is not an RFC 3339 time. Most often the time zone is missing.",
        "RFC 3339 timestamp of last activity.",
        "draft 2, schema SessionInfoUpdate; protocol 1 asks for ISO 8601", once="session",
    ),
    FindingCode(
        "updated-at-goes-back", "warning", "metadata",
        "An updatedAt that is earlier than the one before.",
        "Timestamp of last activity, which only moves forward.",
        _LIST,
    ),
    FindingCode(
        "info-foreign-field", "error", "metadata",
        "A sessionId or cwd inside a session_info_update.",
        "sessionId and cwd are not part of the update: they cannot change.",
        "RFD session-info-update", once="session",
    ),
    FindingCode(
        "info-flood", "warning", "metadata",
        "More than 50 session_info_updates of one session within one second.",
        "Each one makes clients redraw; agents should send changes only.",
        _OURS, once="session",
    ),
    FindingCode(
        "list-disagrees", "warning", "metadata",
        "session/list and the session_info_updates say different things about a session.",
        "Updates and session/list describe the same session.",
        _LIST, once="session",
    ),
    FindingCode(
        "meta-merge-differs", "note", "metadata",
        "An update of _meta whose result differs between clients that merge deeply and clients that do not.",
        "The proposal merges recursively, protocol 1 does not say, draft 2 patches only the top level.",
        "RFD session-info-update; draft 2, extensibility#metadata-patches",
    ),
    FindingCode(
        "title-only-listed", "note", "metadata",
        "A title that only session/list tells: no session_info_update had it.",
        "Clients that do not list sessions do not see it.",
        _LIST, once="session",
    ),
    FindingCode(
        "session-untitled", "note", "metadata",
        "A session that had a turn, and that session/list shows without a title.",
        "Users find sessions by their titles.",
        _LIST, once="session",
    ),
    # -- usage
    FindingCode(
        "usage-disagrees", "warning", "usage",
        "The usage that the agent reports is not what the recorded calls of the model used. Known if the "
        "model's side was recorded.",
        "usage: token usage for this turn.",
        "RFD session-usage",
    ),
)  # fmt: skip

CODES: dict[str, FindingCode] = {one.code: one for one in _ALL}
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(one.group for one in _ALL))
