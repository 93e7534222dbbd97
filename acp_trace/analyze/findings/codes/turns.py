"""Updates and turns, and the history of a session."""

from __future__ import annotations

from acp_trace.analyze.findings.codes import sources
from acp_trace.analyze.findings.codes.finding_code import FindingCode

ROWS = (
    FindingCode(
        "unknown-update", "agent", "error", "turns",
        "A kind of update that the negotiated version does not have. The finding is only a warning if no "
        "version has the kind: it may be newer than acp-trace.",
        "The kinds of SessionUpdate are a closed list in protocol 1.",
        "schema, SessionUpdate",
        once="session",
    ),
    FindingCode(
        "update-not-announced", "agent", "error", "turns",
        "A kind of update that needs a capability of the client, sent although the client did not announce "
        "it.",
        "Agents MUST only send it when the client advertised the capability.",
        "schema, ClientSessionCapabilities", once="session", is_doubted=True,
    ),
    FindingCode(
        "update-after-settle", "agent", "warning", "turns",
        "Messages, thoughts, tool calls or plans between two turns: after one turn settled, before the next "
        "prompt.",
        "The Agent MAY send updates after session/cancel, but it MUST ensure that it does so before "
        "responding to the session/prompt request.",
        sources.CANCEL, is_doubted=True,
    ),
    FindingCode(
        "tool-call-unannounced", "agent", "warning", "turns",
        "A `tool_call_update` for a tool call that no `tool_call` announced.",
        "The first report of a tool call is tool_call; updates name the tool call by its id.",
        "docs/protocol/v1/tool-calls", is_doubted=True,
    ),
    FindingCode(
        "permission-unannounced", "agent", "note", "turns",
        "A permission request for a tool call that no update has announced yet.",
        "Clients show a permission next to its tool call. Here they have no tool call to show.",
        sources.OURS, once="session",
    ),
    FindingCode(
        "stop-reason-unknown", "agent", "warning", "turns",
        "A prompt that is answered without a stop reason, or with one that the negotiated version does not "
        "have. In protocol 2, an idle state that ends a turn without a stop reason is a note.",
        "StopReason: end_turn, max_tokens, max_turn_requests, refusal, cancelled.",
        "schema, StopReason",
    ),
    FindingCode(
        "resume-replayed", "agent", "error", "turns",
        "The agent replays the session's history before it answers session/resume.",
        "The agent MUST NOT replay the conversation history before responding.",
        f"{sources.SETUP} (resume)", once="session",
    ),
    FindingCode(
        "content-unannounced", "client", "error", "turns",
        "A prompt with images, audio or embedded files, although the agent did not announce them.",
        "Clients MUST restrict content to the promptCapabilities of the agent.",
        "docs/protocol/v1/content", is_doubted=True,
    ),
    FindingCode(
        "prompt-overlaps", "client", "note", "turns",
        "A prompt that is refused while another prompt of its session is open. The finding blames the "
        "client.",
        "The protocol does not say what an agent does with a second prompt; some queue it.",
        sources.OURS,
    ),
    FindingCode(
        "turn-empty", "agent", "note", "turns",
        "A turn that ended with `end_turn` but without any output.",
        "Agents that hide an error of their model's provider end a turn like this.",
        sources.OURS, is_doubted=True,
    ),
    FindingCode(
        "model-error-hidden", "agent", "error", "turns",
        "The last model call of a turn failed, but the turn ended with `end_turn`. The finding is a warning "
        "if the agent wrote something after the failure. acp-trace finds this only if the model's side was "
        "recorded.",
        "An agent that cannot continue answers the prompt with an error.",
        sources.TURN,
    ),
    FindingCode(
        "max-tokens-hidden", "agent", "warning", "turns",
        "The last model call of a turn was cut off at its limit of tokens, but the turn ended with "
        "`end_turn`. acp-trace finds this only if the model's side was recorded.",
        "max_tokens: the turn ended because the agent reached the maximum number of tokens.",
        sources.TURN,
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
        sources.TURN, once="session", is_doubted=True,
    ),
    FindingCode(
        "tool-call-unfinished", "agent", "warning", "turns",
        "A tool call that has neither completed nor failed when its turn ends with `end_turn`.",
        "Clients show the tool call as running forever.",
        "docs/protocol/v1/tool-calls", is_doubted=True,
    ),
    FindingCode(
        "tool-call-restarted", "agent", "warning", "turns",
        "An update that sets a finished tool call back to `pending` or `in_progress`, or to an unknown "
        "status.",
        "completed and failed are final.",
        "docs/protocol/v1/tool-calls", once="session", is_doubted=True,
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
        sources.TURN,
    ),
    FindingCode(
        "prompt-echoed", "agent", "note", "turns",
        "In protocol 1, a turn in which the agent sends the user's prompt back as a user message.",
        "A client that already shows the user's prompt then shows the prompt twice. Protocol 2 requires the "
        "echo.",
        sources.OURS, once="session",
    ),
    FindingCode(
        "stalled", "either", "note", "turns",
        "A turn in which nothing was sent for 30 s or more. The finding blames the side that the turn waited "
        "for. It is a warning if the agent was neither waiting for its client nor running a tool call.",
        "Users of a silent agent cannot tell work from a hang.",
        sources.OURS, is_doubted=True,
    ),
    FindingCode(
        "history-missing", "agent", "warning", "turns",
        "A session that had turns is loaded, but the agent replays nothing. If the turns are in an earlier "
        "trace, only `show SESSION` finds this.",
        "The Agent MUST replay the entire conversation to the Client in the form of session/update "
        "notifications.",
        sources.SETUP, is_doubted=True,
    ),
    FindingCode(
        "history-differs", "agent", "warning", "turns",
        "The history of a loaded session lacks recorded tool calls, or has tool calls of a later turn before "
        "tool calls of an earlier turn. The finding is a note if the tool calls differ only in their names, "
        "or if each missing tool call is replaced by one with a new id. "
        "Tool calls that never ended may be absent. If the tool calls are in an earlier trace, only `show "
        "SESSION` finds this.",
        "The Agent MUST replay the entire conversation to the Client in the form of session/update "
        "notifications.",
        sources.SETUP, is_doubted=True,
    ),
    FindingCode(
        "history-late", "agent", "warning", "turns",
        "The agent still sends history of a loaded session after it has answered session/load.",
        "When all the conversation entries have been streamed, the Agent MUST respond to the request.",
        sources.SETUP,
    ),
    FindingCode(
        "state-skipped", "agent", "warning", "turns",
        "A turn in protocol 2 that ends with an idle state but was never running.",
        "The Agent sends a running state when it begins to work.",
        "draft 2, prompt-lifecycle", is_doubted=True,
    ),
    FindingCode(
        "turn-unfinished", "agent", "error", "turns",
        "A turn in protocol 2 whose prompt was accepted, but that never became idle. The finding is a note "
        "if the agent could not continue, for the same reasons as in [never-answered](#never-answered).",
        "When the Agent is ready to process a new prompt, it MUST report idle.",
        "draft 2, prompt-lifecycle", is_doubted=True,
    ),
    FindingCode(
        "prompt-not-echoed", "agent", "warning", "turns",
        "A prompt in protocol 2 that is accepted, but that the agent does not send back as a user message.",
        "The accepted message is sent as an update with its messageId.",
        "draft 2, prompt-lifecycle", is_doubted=True,
    ),
)  # fmt: skip
