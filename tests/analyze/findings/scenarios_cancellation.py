"""The group `cancellation`: how a cancel ended, permissions that were open, cancels from inside."""

from __future__ import annotations

from typing import Any

from tests.analyze.findings.scenario import Found, Scenario, hello, raises, spares, start
from tests.analyze.model_side import called
from tests.reading.talk import (
    Said,
    answer,
    ask,
    call,
    cancel,
    chosen,
    decline,
    opened,
    permit,
    prompt,
    refuse,
    reply,
    stop,
    tell,
    up,
    words,
)  # fmt: skip

_TOOL = up("tool_call", toolCallId="c", title="t")
_READ = call(0, "fs/read_text_file", sessionId="s", path="/a")
#: Frames 1 to 6: a session with an open prompt.
_PROMPTED: list[Said] = [*start(), _TOOL, prompt(1)]
_DRAFT: list[Said] = [*start(2), prompt(1), answer(1, messageId="m")]


def _drop(id: Any, side: str = "client") -> Said:
    return tell(side, "$/cancel_request", requestId=id)


def _idle(**fields: Any) -> Said:
    return up("state_update", state="idle", **fields)


#: A call of the model, from its request to its end; and two that began in the same way.
_CALL: list[Said] = [("model", event) for _, event in called(1, 0, 2, says=[(1, "Ye")], tokens=(9, 4))]
_ASKS, _SAYS, _HAS_SAID = _CALL[:4], _CALL[4:5], _CALL[5:]
_LEAVES: list[Said] = [("model", called(1, 0, 2, broken_by="agent")[-1][1])]
_FAILS: list[Said] = [("model", called(1, 0, 2, broken_by="provider")[-1][1])]
_TITLE: list[Said] = [("model", event) for _, event in called(2, 0, 2, says=[(1, "Ye")], tools=False)]
_OUTLIVES = Found("model-call-outlives-cancel", "agent", 6, "s")
_STEP = 60_000_000

_MODEL_CALLS = [
    raises(
        "model-call-outlives-cancel",
        "it ran to its end",
        [*start(), prompt(1), *_ASKS, *_SAYS, cancel(), stop(1, "cancelled"), *_SAYS, *_HAS_SAID],
        _OUTLIVES,
        step=_STEP,
    ),
    raises(
        "model-call-outlives-cancel",
        "of a turn that went on as well",
        [*start(), prompt(1), *_ASKS, cancel(), *_SAYS, *_HAS_SAID, stop(1)],
        _OUTLIVES,
        Found("cancel-other-stop-reason", "agent", 7, "s"),
        step=_STEP,
    ),
    raises(
        "model-call-outlives-cancel",
        "a $/cancel_request",
        [*start(), prompt(1), *_ASKS, _drop(1), stop(1, "cancelled"), *_SAYS, *_HAS_SAID],
        _OUTLIVES,
        step=_STEP,
    ),
    spares(
        "model-call-outlives-cancel",
        "it was broken off",
        [*start(), prompt(1), *_ASKS, *_SAYS, cancel(), stop(1, "cancelled"), *_SAYS, *_LEAVES],
        step=_STEP,
    ),
    spares(
        "model-call-outlives-cancel",
        "the provider broke it off",
        [*start(), prompt(1), *_ASKS, *_SAYS, cancel(), stop(1, "cancelled"), *_SAYS, *_FAILS],
        step=_STEP,
    ),
    spares(
        "model-call-outlives-cancel",
        "it ended at the same moment",
        [*start(), prompt(1), *_ASKS, *_SAYS, cancel(), *_HAS_SAID, stop(1, "cancelled")],
        step=40_000_000,
    ),
    spares(
        "model-call-outlives-cancel",
        "a title beside the conversation",
        [*start(), prompt(1), *_ASKS, *_TITLE[:5], cancel(), *_LEAVES, stop(1, "cancelled"), *_TITLE[5:]],
        step=_STEP,
    ),
    spares(
        "model-call-outlives-cancel",
        "of the turn before",
        [*start(), prompt(1), *_ASKS, stop(1), prompt(2), cancel(), stop(2, "cancelled"), *_SAYS, *_HAS_SAID],
        step=_STEP,
    ),
    spares(
        "model-call-outlives-cancel",
        "nobody knows its end",
        [*start(), prompt(1), *_ASKS, *_SAYS, cancel(), stop(1, "cancelled"), *_SAYS],
        step=_STEP,
    ),
]

_ENDS = [
    raises("cancel-other-stop-reason", "end_turn", [*_PROMPTED, cancel(), stop(1)], Found("cancel-other-stop-reason", "agent", 8, "s")),
    raises(
        "cancel-other-stop-reason", "no reason",
        [*_PROMPTED, cancel(), answer(1)],
        Found("stop-reason-unknown", "agent", 8, "s"), Found("cancel-other-stop-reason", "agent", 8, "s"),
    ),
    raises(
        "cancel-other-stop-reason", "one of two prompts",
        [*_PROMPTED, prompt(2), cancel(), stop(1, "cancelled"), stop(2, "refusal")],
        Found("cancel-other-stop-reason", "agent", 10, "s"),
    ),
    raises(
        "cancel-other-stop-reason", "beside a $/cancel_request, which says no more",
        [*_PROMPTED, cancel(), _drop(1), words(), stop(1)],
        Found("cancel-other-stop-reason", "agent", 10, "s"),
    ),
    raises(
        "cancel-other-stop-reason", "draft 2: the idle state",
        [*_DRAFT, cancel(), _idle(stopReason="end_turn")],
        Found("cancel-other-stop-reason", "agent", 8, "s"),
    ),
    spares("cancel-other-stop-reason", "cancelled", [*_PROMPTED, cancel(), words(), stop(1, "cancelled")]),
    spares("cancel-other-stop-reason", "of another session", [*_PROMPTED, *opened("t"), cancel("t"), stop(1)]),
    spares("cancel-other-stop-reason", "the turn had ended, and the next one is not meant", [*_PROMPTED, stop(1), cancel(), prompt(2), stop(2)]),
    spares("cancel-other-stop-reason", "a $/cancel_request may be too late", [*_PROMPTED, _drop(1), stop(1)]),
    spares(
        "cancel-other-stop-reason", "draft 2: cancelled, twice, whatever the response says",
        [*start(2), prompt(1), cancel(), answer(1, messageId="m"), _idle(stopReason="cancelled"), _idle(stopReason="cancelled")],
    ),
    spares(
        "cancel-other-stop-reason", "draft 2: running is no end",
        [*_DRAFT, cancel(), up("state_update", state="running"), _idle(stopReason="cancelled")],
    ),
    raises("cancel-error", "the abort comes out as a failure", [*_PROMPTED, cancel(), refuse(1, -32603)], Found("cancel-error", "agent", 8, "s")),
    raises("cancel-error", "-32800 is for $/cancel_request", [*_PROMPTED, cancel(), refuse(1, -32800)], Found("cancel-error", "agent", 8, "s")),
    raises("cancel-error", "$/cancel_request, another code", [*_PROMPTED, _drop(1), refuse(1, -32603)], Found("cancel-error", "agent", 8, "s")),
    raises(
        "cancel-error", "of the client",
        [*_PROMPTED, _READ, _drop(0, "agent"), decline(0, -32603), stop(1)],
        Found("cancel-error", "client", 9, "s"),
    ),
    spares("cancel-error", "-32800 after $/cancel_request", [*_PROMPTED, _drop(1), refuse(1, -32800)]),
    spares("cancel-error", "-32800 after both", [*_PROMPTED, cancel(), _drop(1), refuse(1, -32800)]),
    spares("cancel-error", "the cancel came after the error", [*_PROMPTED, refuse(1, -32603), cancel(), _drop(1)]),
    spares("cancel-error", "of the request beside it", [*_PROMPTED, ask(2, "_x/y"), _drop(2), refuse(1, -32603), refuse(2, -32800)]),
    raises(
        "cancel-unanswered", "session/cancel",
        [*_PROMPTED, cancel()],
        Found("never-answered", "agent", 6, "s"), Found("cancel-unanswered", "agent", 7, "s"),
    ),
    raises(
        "cancel-unanswered", "$/cancel_request, of the client",
        [*_PROMPTED, _READ, _drop(0, "agent"), stop(1)],
        Found("never-answered", "client", 7, "s"), Found("cancel-unanswered", "client", 8, "s"),
    ),
    raises(
        "cancel-unanswered", "draft 2: it never is idle",
        [*_DRAFT, cancel(), words()],
        Found("cancel-unanswered", "agent", 7, "s"),
    ),
    spares("cancel-unanswered", "not cancelled", _PROMPTED, Found("never-answered", "agent", 6, "s")),
    spares("cancel-unanswered", "no prompt is open", [*start(), cancel(), tell("client", "session/cancel")]),
    spares(
        "cancel-unanswered", '"1" is another request than 1',
        [*_PROMPTED, _drop("1")],
        Found("never-answered", "agent", 6, "s"),
    ),
    spares(
        "cancel-unanswered", "the id of the other side's request",
        [*_PROMPTED, _drop(1, "agent")],
        Found("never-answered", "agent", 6, "s"),
    ),
    raises(
        "cancel-request-ignored", "it went on",
        [*_PROMPTED, _drop(1), words(), stop(1)],
        Found("cancel-request-ignored", "agent", 9, "s"),
    ),
    raises(
        "cancel-request-ignored", "by the name of the proposal",
        [*_PROMPTED, tell("client", "$/cancelRequest", id=1), words(), stop(1)],
        Found("retired-method", "client", 7), Found("cancel-request-ignored", "agent", 9, "s"),
    ),
    spares("cancel-request-ignored", "it was done already", [*_PROMPTED, words(), _drop(1), stop(1)]),
    spares("cancel-request-ignored", "it ended cancelled", [*_PROMPTED, _drop(1), words(), stop(1, "cancelled")]),
    spares("cancel-request-ignored", "a result of another request may be part of it", [*_PROMPTED, ask(2, "_x/y"), _drop(2), words(), answer(2), stop(1)]),
    spares("cancel-request-ignored", "an answered request", [*_PROMPTED, stop(1), _drop(1)]),
]  # fmt: skip

_HANGING = [
    raises(
        "permission-not-cancelled", "selected",
        [*_PROMPTED, permit(0), cancel(), chosen(0, optionId="yes"), stop(1, "cancelled")],
        Found("permission-not-cancelled", "client", 9, "s"),
    ),
    raises(
        "permission-not-cancelled", "refused",
        [*_PROMPTED, permit(0), cancel(), decline(0, -32603), stop(1, "cancelled")],
        Found("permission-not-cancelled", "client", 9, "s"),
    ),
    raises(
        "permission-not-cancelled", "not answered",
        [*_PROMPTED, permit(0), cancel(), stop(1, "cancelled")],
        Found("never-answered", "client", 7, "s"), Found("permission-not-cancelled", "client", 7, "s"),
    ),
    spares("permission-not-cancelled", "cancelled", [*_PROMPTED, permit(0), cancel(), chosen(0, "cancelled"), stop(1, "cancelled")]),
    spares("permission-not-cancelled", "after the turn settled", [*_PROMPTED, permit(0), cancel(), stop(1, "cancelled"), chosen(0, "cancelled")]),
    spares(
        "permission-not-cancelled", "-32800, where the agent cancels it as well",
        [*_PROMPTED, permit(0), cancel(), _drop(0, "agent"), decline(0, -32800), stop(1, "cancelled")],
    ),
    spares("permission-not-cancelled", "-32800 by the client alone", [*_PROMPTED, permit(0), cancel(), decline(0, -32800), stop(1, "cancelled")]),
    spares("permission-not-cancelled", "answered before the cancel", [*_PROMPTED, permit(0), chosen(0), cancel(), stop(1, "cancelled")]),
    spares("permission-not-cancelled", "asked for after the cancel", [*_PROMPTED, cancel(), permit(0), chosen(0), stop(1, "cancelled")]),
    spares(
        "permission-not-cancelled", "of another session",
        [*_PROMPTED, *opened("t"), up("tool_call", "t", toolCallId="c"), prompt(2, "t"), permit(0, "t"), cancel(), chosen(0), stop(1, "cancelled"), stop(2)],
    ),
    spares(
        "permission-not-cancelled", "another request",
        [*_PROMPTED, _READ, cancel(), reply(0, content=""), stop(1, "cancelled")],
    ),
    spares(
        "permission-not-cancelled", "draft 2: the agent takes it back itself, in its own time",
        [*_DRAFT, up("tool_call_update", toolCallId="c"), permit(0), cancel(), tell("agent", "$/cancel_request", requestId=0),
         _idle(stopReason="cancelled"), decline(0, -32800)],
    ),
    raises(
        "permission-not-cancelled", "draft 2: it is answered as if there were no cancel",
        [*_DRAFT, up("tool_call_update", toolCallId="c"), permit(0), cancel(), chosen(0), _idle(stopReason="cancelled")],
        Found("permission-not-cancelled", "client", 10, "s"),
    ),
    raises(
        "cancel-leaked", "a cancel between two turns",
        [*_PROMPTED, stop(1), cancel(), prompt(2), stop(2, "cancelled")],
        Found("cancel-leaked", "agent", 10, "s"),
    ),
    raises(
        "cancel-leaked", "before the first turn, by an error",
        [*start(), cancel(), prompt(2), refuse(2, -32800)],
        Found("cancel-leaked", "agent", 7, "s"),
    ),
    spares("cancel-leaked", "it was cancelled again", [*_PROMPTED, stop(1), cancel(), prompt(2), cancel(), stop(2, "cancelled")]),
    spares(
        "cancel-leaked", "there was another turn between",
        [*_PROMPTED, stop(1), cancel(), prompt(2), stop(2), prompt(3), stop(3, "cancelled")],
        Found("internal-cancel", "agent", 12, "s"),
    ),
    spares(
        "cancel-leaked", "of another session",
        [*_PROMPTED, *opened("t"), cancel("t"), stop(1, "cancelled")],
        Found("internal-cancel", "agent", 10, "s"),
    ),
    spares("cancel-leaked", "it reached the turn before", [*_PROMPTED, cancel(), stop(1, "cancelled"), prompt(2), stop(2)]),
    raises("internal-cancel", "a turn", [*_PROMPTED, stop(1, "cancelled")], Found("internal-cancel", "agent", 7, "s")),
    raises("internal-cancel", "a turn, by an error", [*_PROMPTED, refuse(1, -32800)], Found("internal-cancel", "agent", 7, "s")),
    raises(
        "internal-cancel", "a request of the agent",
        [*_PROMPTED, _READ, decline(0, -32800), stop(1)],
        Found("internal-cancel", "client", 8, "s"),
    ),
    raises(
        "internal-cancel", "a request of the agent, once the cancelled turn is over",
        [*_PROMPTED, cancel(), stop(1, "cancelled"), _READ, decline(0, -32800)],
        Found("internal-cancel", "client", 10, "s"),
    ),
    raises("internal-cancel", "an extension", [*hello(), ask(2, "_x/y"), refuse(2, -32800)], Found("internal-cancel", "agent", 4)),
    spares("internal-cancel", "session/close comes before a turn ends cancelled", [*_PROMPTED, ask(2, "session/close", sessionId="s"), stop(1, "cancelled"), answer(2)]),
    spares("internal-cancel", "session/delete, whose effect is the agent's affair", [*_PROMPTED, ask(2, "session/delete", sessionId="s"), stop(1, "cancelled"), answer(2)]),
    spares(
        "internal-cancel", "draft 2: a prompt that session/close kept out",
        [*start(2), prompt(1), ask(2, "session/close", sessionId="s"), answer(2), refuse(1, -32800)],
    ),
    spares("internal-cancel", "-32800 as answer to $/cancel_request", [*_PROMPTED, ask(2, "_x/y"), _drop(2), refuse(2, -32800), stop(1)]),
    spares(
        "internal-cancel", "-32800 of what hangs on a session/cancel, whenever it was asked for",
        [*_PROMPTED, _READ, cancel(), permit(2), decline(0, -32800), decline(2, -32800), stop(1, "cancelled")],
    ),
    spares(
        "internal-cancel", "-32800 of what hangs on it, after another request was cancelled by itself",
        [
            *_PROMPTED, cancel(), ask(2, "session/set_mode", sessionId="s", modeId="m"), _drop(2), refuse(2, -32800),
            permit(3), decline(3, -32800), stop(1, "cancelled"),
        ],
    ),
    spares("internal-cancel", "a permission that the user dismissed", [*_PROMPTED, permit(0), chosen(0, "cancelled"), stop(1)]),
    spares(
        "internal-cancel", "draft 2: an idle state that repeats the last reason",
        [*hello(2), ask(3, "session/resume", sessionId="s"), _idle(stopReason="cancelled"), answer(3), _idle(stopReason="cancelled")],
    ),
]  # fmt: skip

SCENARIOS: list[Scenario] = [*_ENDS, *_MODEL_CALLS, *_HANGING]
