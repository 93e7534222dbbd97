"""Cancels, and their consequences."""

from __future__ import annotations

from acp_trace.analyze.findings.codes import sources
from acp_trace.analyze.findings.codes.finding_code import FindingCode

ROWS = (
    FindingCode(
        "cancel-other-stop-reason", "agent", "error", "cancellation",
        "A prompt that ended with a stop reason other than `cancelled` after session/cancel. The finding is "
        "a note if the response was already on its way, and a warning if the prompt was queued behind "
        "another one.",
        "The Agent MUST respond to the original session/prompt request with the cancelled stop reason.",
        sources.CANCEL,
    ),
    FindingCode(
        "cancel-error", "either", "error", "cancellation",
        "A cancelled request that was answered with an error other than -32800. In protocol 1, also a prompt "
        "that was answered with -32800 after session/cancel. The finding is a note if the response was "
        "already on its way, and a warning if the prompt was queued behind another one.",
        "Agents MUST catch [errors of aborted operations] and return the semantically meaningful cancelled "
        "stop reason.",
        sources.CANCEL,
    ),
    FindingCode(
        "cancel-unanswered", "either", "error", "cancellation",
        "A cancelled request that was never answered. If the agent owed the response, the finding is only a "
        "note in two cases: the agent itself was waiting for the client in that session, or the client left "
        "less than 1 s after the cancel. If the agent crashed, the finding is a consequence of the crash.",
        "The receiver MUST send [a result, or the error -32800] for the original request.",
        f"{sources.REQUEST_CANCEL}; {sources.CANCEL}", is_doubted=True,
    ),
    FindingCode(
        "cancel-request-ignored", "either", "warning", "cancellation",
        "A $/cancel_request that had no effect: the request continued and ended as usual.",
        "The receiver MAY cancel the request. If it does not, the user has to wait.",
        sources.REQUEST_CANCEL,
    ),
    FindingCode(
        "model-call-outlives-cancel", "agent", "warning", "cancellation",
        "A model call that was open when its turn was cancelled, and still ran to its end 100 ms or more "
        "later. acp-trace finds this only if the model's side was recorded.",
        "It SHOULD stop all language model requests and all tool call invocations as soon as possible.",
        sources.CANCEL,
    ),
    FindingCode(
        "cancel-leaked", "agent", "warning", "cancellation",
        "A turn that ended cancelled, although the only session/cancel came before its prompt.",
        "A cancel applies to the prompts that are open when it arrives.",
        sources.CANCEL,
    ),
    FindingCode(
        "permission-not-cancelled", "client", "error", "cancellation",
        "A permission request that was open at session/cancel and was not answered with `cancelled`.",
        "The Client MUST respond to all pending session/request_permission requests with cancelled.",
        sources.CANCEL, is_doubted=True,
    ),
    FindingCode(
        "internal-cancel", "either", "note", "cancellation",
        "A turn that ended cancelled, or a request that ended with the error -32800, although no cancel was "
        "sent. A possible reason is a rejected permission.",
        "The receiver may also send -32800 if it cancelled the request itself.",
        sources.REQUEST_CANCEL,
    ),
    FindingCode(
        "cancel-slow", "agent", "warning", "cancellation",
        "A cancelled turn that took 5 s or more to end, not counting the time in which the agent waited for "
        "its client.",
        "The Agent SHOULD stop all work as soon as possible.",
        sources.CANCEL,
    ),
    FindingCode(
        "cancel-idle", "agent", "note", "cancellation",
        "A session/cancel while no prompt of its session was open, after which the next turn ended much "
        "sooner than the others. The finding blames the agent, which may have applied the cancel to that "
        "turn.",
        "A cancel applies to the prompts that are open when it arrives; some agents apply it to the next "
        "one.",
        sources.OURS,
    ),
    FindingCode(
        "requests-not-cancelled", "agent", "warning", "cancellation",
        "In protocol 2, permission requests that the agent left open after their turn was cancelled.",
        "The Agent cancels its pending requests with $/cancel_request.",
        "draft 2, prompt-lifecycle", is_doubted=True,
    ),
)  # fmt: skip
