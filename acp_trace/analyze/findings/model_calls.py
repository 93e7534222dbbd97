"""What the recorded model calls show: work after a cancel, hidden failures, other usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from acp_trace.analyze.facts import ModelCall
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.state import SessionState, TurnState
from acp_trace.trace.counts import counted, number
from acp_trace.trace.durations import duration

#: A call that ends sooner than this after the cancel may have ended anyway, ns.
_RACE_NS = 100_000_000
_MOST = 12  #: calls of a turn that are combined in search of a sum
#: How OpenAI, Anthropic and Google say that an answer has reached its limit.
_LIMIT = ("length", "max_output_tokens", "max_tokens", "MAX_TOKENS")


def report_outliving(calls: Iterable[ModelCall], findings: Findings) -> None:
    """Add the finding `model-call-outlives-cancel` for each call that ran to its end long after a cancel."""
    for call in calls:
        to_end = call.cancel_to_end_ns or 0
        if call.cancel_frame is None or to_end < _RACE_NS or not call.outlived_cancel:
            continue
        name = f"call {call.call} of {call.model or call.provider}"
        text = f"{name} ran to its end, {duration(to_end)} after the cancel"
        came = " and ".join(
            counted(count, unit)
            for count, unit in ((call.output_after_cancel, "character"), (call.tokens_after_cancel, "token"))
            if count
        )
        findings.say(
            "model-call-outlives-cancel",
            "agent",
            call.cancel_frame,
            call.session_id,
            f"{text}; {came} still came" if came else text,
        )


def report_turns(
    calls: Iterable[ModelCall], sessions: Mapping[str, SessionState], findings: Findings
) -> None:
    """Report turns whose end contradicts their model calls, and sessions that never report usage."""
    by_turn: dict[tuple[str, int], list[ModelCall]] = {}
    for call in calls:
        session_id, turn = call.session_id, call.turn
        if session_id is not None and session_id in sessions and turn is not None and not call.beside:
            by_turn.setdefault((session_id, turn), []).append(call)
    used: dict[str, list[int]] = {}  #: by session: the tokens of its turns so far
    for (session_id, index), mine in sorted(by_turn.items(), key=lambda each: each[0]):
        session = sessions[session_id]
        state = session.turns[index]
        _hidden(session, state, mine, findings)
        _cut_short(session, state, mine, findings)
        _usage(session, state, mine, used.setdefault(session_id, []), findings)
    for session_id in dict.fromkeys(session_id for session_id, _ in by_turn):
        _missing(sessions[session_id], by_turn, findings)


def _hidden(session: SessionState, turn: TurnState, calls: list[ModelCall], findings: Findings) -> None:
    """Report that the last call of a turn failed, although the turn ended as if it had not."""
    last = max(calls, key=lambda call: call.started_ns)
    if last.error is None or last.aborted or turn.stop_reason != "end_turn" or turn.settled_frame is None:
        return
    failed = last.started_ns + (last.duration_ns or 0)
    # Text after the failure may be the error in the agent's words.
    has_words = any(writing.until >= failed for writing in turn.writing)
    # A shown answer without tools ends the work: a later failure is about something else.
    answers = [one for one in calls if one.error is None and not one.aborted and one.tools == "[]"]
    shown = [writing for writing in turn.writing if writing.until <= last.started_ns]
    is_over = any(writing.since >= one.started_ns for one in answers for writing in shown)
    name = f"call {last.call} of {last.model or last.provider}"
    text = f"{name} failed: {last.error}; the turn ended with end_turn"
    findings.say(
        "model-error-hidden",
        "agent",
        turn.settled_frame,
        session.id,
        text
        + (
            "; another call had answered"
            if is_over
            else "; the agent wrote more after that"
            if has_words
            else ""
        ),
        severity="note" if is_over else "warning" if has_words else None,
    )


def _usage(
    session: SessionState, turn: TurnState, calls: list[ModelCall], before: list[int], findings: Findings
) -> None:
    """Report usage that does not equal any sum of the model calls, of the turn or of the session."""
    counts = [call.output_tokens_total for call in calls if call.error is None and not call.aborted]
    plain = [call.output_tokens for call in calls if call.error is None and not call.aborted]
    whole = [count for count in counts if count is not None]
    # The tokens of a failed or aborted call are unknown.
    if len(whole) < len(calls) or not whole:
        before.append(-1)
        return
    before.append(sum(whole))
    if turn.settled_frame is None or -1 in before:
        return
    # An agent need not count its own calls in a turn: for routing, or for a summary.
    right = {sum(before), *_sums(whole), *_sums([count or 0 for count in plain])} - {whole[-1], plain[-1]}
    right |= {sum(whole), sum(count or 0 for count in plain)}
    right |= _of_one_model(calls)
    for path, tokens in turn.tokens_reported.items():
        if tokens in right:
            continue
        text = f"{number(tokens)} output tokens, but the model calls of the turn used {number(sum(whole))}"
        is_last = tokens in (whole[-1], plain[-1])  # opencode counts this way
        findings.say(
            "usage-disagrees",
            "agent",
            turn.settled_frame,
            session.id,
            text + ("; that is its last call alone" if is_last else ""),
            severity="note" if is_last else None,
            path=path,
            expected=f"{sum(whole)}",
        )


def _of_one_model(calls: list[ModelCall]) -> set[int]:
    """Return the tokens of the last call's model: agents may omit another model that they ask for a title."""
    mine = [call for call in calls if call.model == calls[-1].model]
    if len(mine) == len(calls):
        return set()
    return {
        sum(call.output_tokens_total or 0 for call in mine),
        sum(call.output_tokens or 0 for call in mine),
    }


def _sums(counts: list[int]) -> set[int]:
    """Return every sum that some of these numbers add up to."""
    sums = {0}
    for count in counts[-_MOST:]:
        sums |= {count + each for each in sums}
    return sums - {0}


def _cut_short(session: SessionState, turn: TurnState, calls: list[ModelCall], findings: Findings) -> None:
    """Report that the last answer of a turn was cut off at its limit, but the turn's end does not say so."""
    last = max(calls, key=lambda call: call.started_ns)
    if last.stop_reason not in _LIMIT or turn.stop_reason != "end_turn" or turn.settled_frame is None:
        return
    name = f"call {last.call} of {last.model or last.provider}"
    text = f"{name} was cut off ({last.stop_reason}); the turn ended with end_turn"
    findings.say("max-tokens-hidden", "agent", turn.settled_frame, session.id, text,
                 expected="max_tokens")  # fmt: skip


def _missing(
    session: SessionState, by_turn: Mapping[tuple[str, int], list[ModelCall]], findings: Findings
) -> None:
    """Report a session without any usage, although its model counted tokens."""
    if session.usage is not None or any(turn.tokens_reported for turn in session.turns):
        return
    for turn in session.turns:
        counts = [call.output_tokens_total for call in by_turn.get((session.id, turn.index), ())]
        if any(counts) and turn.stop_reason == "end_turn" and turn.settled_frame is not None:
            used = sum(count or 0 for count in counts)
            text = f"the model counted {number(used)} output tokens in turn {turn.index}"
            text += ", but no usage was reported"
            findings.say("usage-missing", "agent", turn.settled_frame, session.id, text)
            return
