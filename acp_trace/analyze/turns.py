"""Turns: from a session/prompt until it settles, and late updates. The rules; `state` has the state.

Protocol 1: its response settles a turn. Draft 2: the next `state_update` with `idle`, because there the
response only says that the prompt was inserted (docs/report.md, Turn).
"""

from __future__ import annotations

from collections.abc import Iterator

from acp_trace.analyze import session_events, silence
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.state import SessionState, TurnState, WritingState
from acp_trace.protocol import outcomes, updates
from acp_trace.protocol.message import Message
from acp_trace.protocol.payloads import ParamsView, ResultView, UpdateView, first_text
from acp_trace.protocol.shapes.judge import one_of
from acp_trace.trace.jsontext import as_integer, as_object

#: Characters of a prompt that its turn keeps.
LONGEST_PROMPT = 80


def prompted(session: SessionState, frame: int, t: int, message: Message) -> TurnState:
    """Process a session/prompt, sent at `t` (ns); return the turn that it begins."""
    text = first_text(ParamsView(message.part("params")).prompt) or ""
    prompt, prompt_cut = text[:LONGEST_PROMPT] or None, len(text) > LONGEST_PROMPT
    turn = TurnState(len(session.turns), frame, t, prompt, prompt_cut)
    turn.stray_cancel, session.stray_cancel = session.stray_cancel, None
    session.turns.append(turn)
    session.worked_t = t
    session.news.append(turn)
    session.open_turns.begin(turn.index, turn)
    session.no_update[turn.index] = session.no_output[turn.index] = turn
    session.count_late()
    session.settled_turns.clear()
    session.late_reported = session.spoke_between_turns = False
    return turn


def updated(
    session: SessionState,
    frame: int,
    t: int,
    kind: str,
    findings: Findings,
    version: int | None,
    before: int,
) -> None:
    """Process an update of any kind that is not history.

    `before`: the last frame that named the session until then.
    """
    if session.no_update:
        for turn in session.no_update.values():
            turn.first_update_ns = t - turn.t
        session.no_update.clear()
    if session.no_output and kind in updates.OUTPUT:
        for turn in session.no_output.values():
            turn.first_output_ns = t - turn.t
        session.no_output.clear()
    if kind in updates.OF_TURN:
        session.turn_updates += not session.replays(kind)
        session.worked_t = t
        writing = session.writing
        if writing is not None and writing.kind == kind and not silence.is_silent(writing, t):
            writing.until = t
            writing.chunks += 1
        elif writing is not None or kind in updates.WRITING:
            if writing is not None and writing.kind == kind:
                session_events.silent(session, before, writing.until, t)
            session.writing = _begin_writing(session, t, kind)
        if session.history.resuming and not session.open_turns:
            text = f"{kind} between session/resume and its response"
            findings.say("resume-replayed", "agent", frame, session.id, text)
        # In draft 2 work continues in the background while the state is idle (v2/prompt-lifecycle).
        # If the session has ended, `openings` reports the update.
        elif (
            session.settled_turns
            and not session.is_over
            and not (session.open_turns or session.late_reported or version == 2)
        ):
            session.late_reported = True
            text = f"{kind} after turn {session.settled_turns[-1].index} had settled"
            findings.say("update-after-settle", "agent", frame, session.id, text)


def went_on(session: SessionState, kind: str, more: int, until: int) -> None:
    """Record that an update was followed by `more` chunks like it, the last one at `until` (ns)."""
    if kind in updates.OF_TURN:
        session.turn_updates += more
        session.worked_t = until
        if session.writing is not None:  # this is what that update began, or continued
            session.writing.until = until
            session.writing.chunks += more


def _begin_writing(session: SessionState, t: int, kind: str) -> WritingState | None:
    """Return what a chunk begins in the oldest open turn; None for other work, and outside turns."""
    turn = session.open_turns.oldest if kind in updates.WRITING else None
    if turn is None:
        return None
    writing = turn.writing[-1] if turn.writing else None
    if writing is None or writing.until != writing.since:
        writing = WritingState(kind, t, t)
        turn.writing.append(writing)
    else:  # a single chunk took no time, so only its presence counts
        writing.kind, writing.since, writing.until, writing.chunks = kind, t, t, writing.chunks + 1
    return writing


def answered(
    session: SessionState, turn: TurnState, t: int, message: Message, exchange: Open, version: int | None
) -> Iterator[TurnState]:
    """Process the response to a prompt; yield the turn if the response settles it."""
    if message.is_error:
        turn.error_code, turn.failed = exchange.error_code, True
    elif version == 2:
        return
    else:
        result = ResultView(message.part("result"))
        turn.stop_reason = result.stop_reason
        _count_tokens(turn, result, "/result")
        session_events.ended(session, turn, exchange.response_frame or exchange.frame, t, result)
    if _settle(session, turn, exchange.response_frame or exchange.frame, t):
        yield turn


def check_stop_reason(
    session: SessionState, turn: TurnState, exchange: Open, findings: Findings, *, is_object: bool
) -> None:
    """Check the stop reason: protocol 1 has five, and a result must have one (schema, PromptResponse)."""
    if not turn.failed and turn.stop_reason not in outcomes.STOP_REASONS_1:
        what = "no stop reason" if turn.stop_reason is None else f"unknown stop reason {turn.stop_reason}"
        findings.say(
            "stop-reason-unknown",
            "agent",
            turn.settled_frame or turn.frame,
            session.id,
            what,
            path="/result/stopReason" if is_object else "/result",
            expected=one_of(sorted(outcomes.STOP_REASONS_1)),
            consequence_of=exchange.lost_to,
        )


def state_changed(session: SessionState, frame: int, t: int, update: UpdateView) -> Iterator[TurnState]:
    """Process a `state_update` of draft 2; yield the turns that it settles."""
    if update.state != "idle" or session.history.loading:
        return
    for turn in list(session.open_turns):
        turn.stop_reason = update.stop_reason
        _count_tokens(turn, end := ResultView(update.members), "/params/update")
        session_events.ended(session, turn, frame, t, end)
        if _settle(session, turn, frame, t):
            yield turn


def _count_tokens(turn: TurnState, end: ResultView, where: str) -> None:
    """Count the output tokens that the end of a turn gives; gemini-cli gives them in `_meta`."""
    quota = as_object(as_object(end.meta.get("quota")).get("token_count"))
    for path, tokens in (
        ("usage/outputTokens", end.usage.output),
        ("_meta/quota/token_count/output_tokens", as_integer(quota.get("output_tokens"))),
    ):
        if tokens is not None:
            turn.tokens_reported[f"{where}/{path}"] = tokens


def _settle(session: SessionState, turn: TurnState, frame: int, t: int) -> bool:
    if turn.settled_frame is not None:
        return False
    session.open_turns.settle(turn.index)
    if turn.writing and session.writing is turn.writing[-1]:
        session.writing = None
    session.no_update.pop(turn.index, None)
    session.no_output.pop(turn.index, None)
    session.settled_turns.append(turn)
    session.late_reported = False
    turn.late_since = session.turn_updates
    turn.settled_frame, turn.duration_ns = frame, t - turn.t
    session.news.append(turn)
    return True
